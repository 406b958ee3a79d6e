"""Records of finished stages: what is written, what is refused, what is harmless."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from rungs.cli import main
from rungs.code import Definition, reachable
from rungs.errors import UserError
from rungs.files import write_text
from rungs.records import sizes, stages
from rungs.records.recording import recording


@pytest.fixture(autouse=True)
def workflow_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path(".snakemake").mkdir()
    return tmp_path


GENERATE = [
    "generate-corpus", "--log", "logs/corpus/tales/generate.log", "--stories", "3", "--seed", "0",
    "--output", "results/corpus/tales/text.txt", "--entropy", "results/corpus/tales/entropy.json",
]  # fmt: skip


def test_a_stage_that_ends_well_is_recorded() -> None:
    assert main(GENERATE) == 0
    record = stages.read(Path(), Path("logs/corpus/tales/generate.log"))
    assert record == (GENERATE, reachable("rungs.corpus.generated"))
    size = Path("results/corpus/tales/text.txt").stat().st_size
    assert Path(".rungs/sizes/results/corpus/tales/text.txt").read_text() == f"{size}\n"


def test_nothing_is_recorded_of_a_failure_or_outside_a_workflow() -> None:
    Path("results").touch()  # no folder can be made there
    assert main(GENERATE) == 2
    assert not Path(".rungs").exists()
    Path("results").unlink()
    Path(".snakemake").rmdir()
    assert main(GENERATE) == 0
    assert not Path(".rungs").exists()


def test_a_record_that_cannot_be_written_fails_no_stage() -> None:
    Path(".rungs").touch()
    assert main(GENERATE) == 0
    assert "no record of this stage is kept" in Path("logs/corpus/tales/generate.log").read_text()


def test_a_run_is_recorded_without_the_pieces_it_does_not_use() -> None:
    command = ["train", "--architecture", '{"mixer":"attention"}', "--budget", "{}"]
    assert Definition("rungs.model.positions", "Alibi") in stages.unused(command)
    Path("run.json").write_text(
        json.dumps({"architecture": {"mixer": "attention", "positions": "alibi"}})
    )
    assert Definition("rungs.model.positions", "Alibi") not in stages.unused(
        ["evaluate", "--run", "."]
    )


@pytest.mark.parametrize("given_as", ["file", "folder"])
def test_a_file_of_another_size_is_refused_with_both_ways_out(given_as: str) -> None:
    table = Path("results/ladder.csv")
    table.parent.mkdir()
    before = sizes.stamps(Namespace(output=table))
    table.write_text("a,b\n1,2\n")
    sizes.write(Namespace(output=table), before)
    reader = Namespace(table=table if given_as == "file" else Path("results"))
    sizes.refuse_changed(reader)
    table.write_text("a,b\n")
    with pytest.raises(UserError, match=r"ladder\.csv: has 4 bytes, .* left 8: .* Delete it and"):
        sizes.refuse_changed(reader)
    Path(".rungs/sizes/results/ladder.csv").unlink()
    sizes.refuse_changed(reader)


def test_the_records_are_those_of_the_workflow_whose_results_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Path("preview/results/ladder.csv")
    table.parent.mkdir(parents=True)
    table.write_text("a,b\n1,2\n")
    with monkeypatch.context() as inside:
        inside.chdir("preview")
        sizes.write(Namespace(output=Path("results/ladder.csv")), {})
    sizes.refuse_changed(Namespace(results=Path("preview/results")))
    table.write_text("a,b\n")
    with pytest.raises(UserError, match=r"^preview/results/ladder\.csv: has 4 bytes, .* left 8"):
        sizes.refuse_changed(Namespace(results=Path("preview/results")))
    sizes.write(Namespace(output=table), {})  # by hand, from above
    sizes.refuse_changed(Namespace(results=Path("preview/results")))
    assert not Path(".rungs").exists()


def test_what_is_gone_is_forgotten() -> None:
    table = Path("results/ladder.csv")
    table.parent.mkdir()
    table.write_text("a\n")
    sizes.write(Namespace(output=table), {})
    table.unlink()
    sizes.refuse_changed(Namespace(output=table))
    assert not Path(".rungs/sizes/results/ladder.csv").exists()


def test_only_files_that_the_stage_wrote_are_recorded() -> None:
    for name in ("read", "written", ".temporary"):
        Path("results").mkdir(exist_ok=True)
        Path("results", name).write_text(name)
    arguments = Namespace(run=Path("results"), log=Path("log"), elsewhere=Path("/etc/hostname"))
    before = sizes.stamps(arguments)
    Path("results/written").write_text("again and longer")
    sizes.write(arguments, before)
    assert [path.name for path in Path(".rungs/sizes").rglob("*") if path.is_file()] == ["written"]


def test_a_checkpoint_that_another_run_goes_on_writing_is_not_recorded() -> None:
    other = Path(".rungs/checkpoints/other.safetensors")
    arguments = Namespace(checkpoints=other.parent)
    before = sizes.stamps(arguments)
    write_text(other, "losses up to step 250")
    sizes.write(arguments, before)  # a run ends meanwhile
    write_text(other, "losses up to step 250, and to step 500")
    sizes.refuse_changed(arguments)  # a third one starts


def test_code_is_read_before_the_stage_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {Definition("rungs.a", "f"): "before"}
    monkeypatch.setattr(stages, "reachable", lambda *_: dict(now))
    with recording(GENERATE, "rungs.corpus.generated", Namespace()):
        now[Definition("rungs.a", "f")] = "after"
    record = stages.read(Path(), Path("logs/corpus/tales/generate.log"))
    assert record is not None
    assert record.code == {Definition("rungs.a", "f"): "before"}
