"""Snakemake's words, and the differences between commands, become sentences."""

import json
import os
from pathlib import Path

import pytest

from rungs.errors import UserError
from rungs.files import write_json
from rungs.kept_settings import keep, spelled_out
from rungs.planning.jobs import Job
from rungs.reruns.edits import Edit, edits
from rungs.reruns.origin import other_origin
from rungs.reruns.sentences import jobs_in_words, sentences
from rungs.reruns.settings import differences

TABLE = Job(
    "table", {}, (),
    "Updated input files: results/observations/ladder.csv, ../src/x.yaml; Code has changed since",
    ("table", "--log", "logs/tables/ladder.log", "--settings", '{"a":"it\'s"}'),
)  # fmt: skip


def job(reason: str, *command: str) -> Job:
    return Job("", {}, (), reason, command)


def run(variant: str, seed: int, reason: str = "") -> Job:
    return job(reason, "train", "--log", f"logs/runs/tales/short/{variant}/seed{seed}.log")


def test_reasons_that_need_no_record(tmp_path: Path) -> None:
    assert edits(TABLE, "rungs.tables.experiment", tmp_path) == [
        Edit("../src/x.yaml", "has another content"),
        Edit("results/observations/ladder.csv", "has another content"),
        Edit("workflow/rules", "the command of `table` changed"),
    ]
    read = job("Input files updated by another job: a", "claims", "--log", "logs/claims.log")
    assert edits(read, "rungs.claims.claim_table", tmp_path) == []


def test_a_run_that_was_never_made(tmp_path: Path) -> None:
    missing = run("alibi", 1, "Missing output files: results/runs/tales/short/alibi/seed1/run.json")

    def reason() -> Edit:
        return edits(missing, "rungs.training.train", tmp_path)[0]

    assert reason() == Edit("results/", "has none of these yet")
    for address, expected in (
        ("tales/short/rotary/seed0", Edit("variants.alibi", "is new")),
        ("tales/long/alibi/seed0", Edit("variants.alibi", "has no run on tales, short")),
        ("tales/short/alibi/seed0", Edit("seeds", "1 is new")),
    ):
        (tmp_path / "results/runs" / address).mkdir(parents=True)
        (tmp_path / "results/runs" / address / "run.json").touch()
        assert reason() == expected


def test_settings_are_named_by_their_keys() -> None:
    address = ("runs", "tales", "short", "rotary", "seed0")
    old = ["train", "--architecture", '{"heads":4,"dropout":0.0}', "--budget", '{"steps":9}',
           "--device", "cpu", "--code", "a", "--train", "results/a.npy"]  # fmt: skip
    new = ["train", "--architecture", '{"heads":2,"dropout":0.0}', "--budget", '{"steps":10}',
           "--device", "auto", "--code", "b", "--train", "results/b.npy"]  # fmt: skip
    assert list(differences(address, old, new)) == [
        ("variants.rotary", "heads was 4, is now 2"),
        ("budgets.short", "steps was 9, is now 10"),
        ("device", 'was "cpu", is now "auto"'),
    ]
    assert list(
        differences(
            ("corpus", "tales", "tokenize"),
            ["tokenize", "--vocabulary", "300"],
            ["tokenize", "--vocabulary", "301"],
        )
    ) == [("corpora.tales", "vocabulary was 300, is now 301")]
    configurations = [
        ["report", "--configuration", f'{{"variants":{{"rotary":{{"heads":{n}}}}}}}']
        for n in (4, 2)
    ]
    assert list(differences(("report",), *configurations)) == [
        ("variants.rotary", "heads was 4, is now 2")
    ]
    rows = [["table", "--settings", f'{{"rows":[{{"label":"{x}"}}]}}'] for x in "ab"]
    assert list(differences(("tables", "ladder"), *rows)) == [
        ("settings of tables/ladder", 'rows.0.label was "a", is now "b"')
    ]


def models(*names: str, **changes: int) -> list[str]:
    architecture = {"depth": 1} | changes
    counted = [{"model": name, "architecture": architecture} for name in names]
    return ["parameters", "--models", json.dumps(counted)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (models("gpt", "mlp"), models("gpt", "eight_heads", "mlp"), "eight_heads is new"),
        (models("gpt", "mlp"), models("mlp"), "gpt is gone"),
        (models("gpt", "mlp"), models("mlp", "gpt"), "are in another order"),
        (models("gpt"), models("gpt", depth=2), "gpt.architecture.depth was 1, is now 2"),
        (models("gpt", "gpt"), models("gpt", "gpt", "gpt"), "2 is new"),
        (["figure", "--models", "a", "b"], ["figure", "--models", "a", "c", "b"], "c is new"),
    ],
)
def test_entries_of_lists_are_told_by_their_names(
    old: list[str], new: list[str], expected: str
) -> None:
    assert list(differences(("parameters",), old, new)) == [("models", expected)]


def test_a_new_variant_is_new_wherever_it_is_among_the_settings() -> None:
    old, new = ({"variants": {name: {"heads": 4} for name in names}} for names in ("a", "ab"))
    commands = [["report", "--configuration", json.dumps(settings)] for settings in (old, new)]
    assert list(differences(("report",), *commands)) == [("variants.b", "is new")]
    rows = [{"rows": [{"variant": name} for name in names]} for names in ("a", "ab")]
    commands = [["table", "--settings", json.dumps(settings)] for settings in rows]
    assert list(differences(("tables", "ladder"), *commands)) == [
        ("settings of tables/ladder", "rows.b is new")
    ]


def test_kept_settings_are_compared_and_lost_ones_are_said_to_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = (["table", "--settings", keep(f'{{"steps":{steps}}}')] for steps in (9, 10))
    assert all(len(word) < 60 for word in (*old, *new))
    spelled = spelled_out(old, tmp_path), spelled_out(new, tmp_path)
    assert list(differences(("tables", "ladder"), *spelled)) == [
        ("settings of tables/ladder", "steps was 9, is now 10")
    ]
    Path(old[-1]).unlink()
    assert list(differences(("tables", "ladder"), spelled_out(old), spelled[1])) == [
        ("settings of tables/ladder", "settings changed; the last are not kept any more")
    ]
    Path(new[-1]).write_text('{"steps":11}')
    with pytest.raises(UserError, match="is not what was written; delete it and run again"):
        spelled_out(new)


def test_long_values_are_shown_where_they_differ() -> None:
    words = (f"{'very ' * 30}long and {end}" for end in ("old", "new"))
    old, new = (["figure-rows", "--title", title] for title in words)
    (found,) = differences(("figures",), old, new)
    assert found.words == 'title was ... very long and old", is now ... very long and new"'


def test_edits_with_the_same_jobs_share_a_sentence() -> None:
    runs = [run("rotary", seed) for seed in range(3)]
    because = {
        Edit("model/positions.py", "`rotate` changed"): runs,
        Edit("model/positions.py", "`turn` is used now"): runs,
        Edit("seeds", "2 is new"): runs[2:],
    }
    assert sentences(because) == [
        "model/positions.py: `rotate` changed and `turn` is used now; 3 runs of rotary",
        "seeds: 2 is new; 1 run of rotary",
    ]


def test_many_jobs_are_counted_and_few_are_named() -> None:
    many = [run(f"v{n}", 0) for n in range(5)]
    figures = [job("", "figure", "--log", f"logs/figures/f{n}.log") for n in range(4)]
    claims = job("", "claims", "--log", "logs/claims.log")
    point = job("", "kernel", "--log", "logs/kernels/naive/64.log")
    words = jobs_in_words([*many, *figures, claims, point])
    assert words == "5 runs of 5 variants, 4 figures, claims and 1 kernel measurement of naive"


def test_an_archived_run_and_an_archived_sample_are_named_so() -> None:
    taken = job("", "take-from-archive", "--log", "logs/archive/tales/short/rotary/seed0.log")
    sample = job("", "take-sample", "--log", "logs/archive/samples/stories/gpt/seed0.log")
    assert jobs_in_words([taken, sample]) == (
        "1 archived run of rotary and archive/samples/stories/gpt/seed0"
    )


ARCHIVED = ("--archived", "../kept/tales/short/rotary/seed0.json")
TAKEN = job(
    "", "take-from-archive", "--log", "logs/archive/tales/short/rotary/seed0.log", *ARCHIVED
)
TAKEN_SAMPLE = job(
    "", "take-sample", "--log", "logs/archive/samples/stories/rotary/seed0.log", *ARCHIVED
)
SAMPLE = job("", "sample-text", "--log", "logs/samples/stories/rotary/seed0.log")
EVALUATION = job("", "evaluate", "--log", "logs/evaluations/tales/short/rotary/seed0.log")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where results are, below the current folder, which has an archive of one run."""
    monkeypatch.chdir(tmp_path)
    write_json(Path("kept/tales/short/rotary/seed0.json"), {})
    (tmp_path / "preview").mkdir()
    return Path("preview")


def record(folder: Path, made: Job, ended: int) -> None:
    """Record a job that ended so many seconds after the epoch."""
    path = folder / ".rungs/stages" / made.log.with_suffix(".json")
    write_json(path, {"command": made.command, "code": ""})
    os.utime(path, (ended, ended))


@pytest.mark.parametrize(
    ("before", "now"),
    [(TAKEN, run("rotary", 0)), (TAKEN, EVALUATION), (TAKEN_SAMPLE, SAMPLE)],
)
def test_what_was_taken_and_would_be_trained(folder: Path, before: Job, now: Job) -> None:
    record(folder, now, 1)
    record(folder, before, 2)
    for archive, words in (
        (None, 'was "kept", is now nothing, so that these are trained, not taken'),
        ("other", 'was "kept", is now "other", so that these are trained, not taken'),
        ("./kept", '"kept" has these with other settings than are configured'),
    ):
        assert other_origin(now, archive, folder) == [Edit("archive", words)]
    assert other_origin(before, "kept", folder) == []
    Path("kept/tales/short/rotary/seed0.json").unlink()
    assert other_origin(now, "kept", folder) == [
        Edit("archive", '"kept" does not have these any more')
    ]


def test_what_was_trained_and_would_be_taken(folder: Path) -> None:
    assert other_origin(TAKEN, "kept", folder) == [], "there is no run yet"
    record(folder, TAKEN, 1)
    record(folder, run("rotary", 0), 2)
    assert other_origin(TAKEN, "kept", folder) == [
        Edit("archive", 'is now "kept", so that these are taken, not trained')
    ]
    assert other_origin(run("rotary", 0), None, folder) == []
    assert other_origin(TABLE, None, folder) == []


def test_another_archive(folder: Path) -> None:
    record(folder, TAKEN, 1)
    command = [word.replace("kept", "other") for word in TAKEN.command]
    assert other_origin(job("", *command), "other", folder) == [
        Edit("archive", 'was "kept", is now "other"')
    ]
