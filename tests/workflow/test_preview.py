"""The whole workflow at the preview's budget: its results, and what reruns after an edit."""

import csv
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from rungs.cli import main
from rungs.config import read_config
from rungs.planning.reference import priority, run_flops
from rungs.probes.catalogue import BY_NAME as PROBES
from rungs.records.events import last_invocation
from tests.workflow.workflow import ROOT, Workflow

pytestmark = pytest.mark.workflow


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_result_is_at_its_address(preview: Workflow) -> None:
    results = preview.folder / "results"
    tables = ("ladder", "positions", "memory", "parameters", "blocks", "observations", "claims")
    for name in (*tables, *PROBES):
        assert rows(results / f"{name}.csv"), name
    for probe in PROBES:
        assert json.loads((results / f"probes/{probe}.json").read_text())
    for figure in (
        *("ladder", "positions", "cost", "parameters", "ladder_learning_curves"),
        *("averaging", "variance", "saturation", "gradient_norms"),
    ):
        assert (results / f"figures/{figure}.svg").stat().st_size > 1_000
        assert (results / f"figures/{figure}.png").read_bytes().startswith(b"\x89PNG")
    run = results / "runs/stories/window_64/rotary/seed0"
    assert {path.name for path in run.iterdir()} == {
        "model.safetensors", "history.jsonl", "run.json",
    }  # fmt: skip
    assert not list((preview.folder / ".rungs").glob("checkpoints/*"))


def test_tables_have_their_columns(preview: Workflow) -> None:
    results = preview.folder / "results"
    positions = rows(results / "positions.csv")
    assert [(row["variant"], row["context_length"]) for row in positions] == [
        (variant, length)
        for variant in ("no_positions", "learned", "sinusoidal", "rotary", "alibi")
        for length in ("64", "128", "256")
    ]
    for row in positions:
        assert float(row["perplexity"]) > 1
        assert row["perplexity_low"] == row["perplexity_high"] == ""  # one seed has no interval
        assert row["seeds"] == "1"
        assert row["perplexity_published"] == ""  # the chapter's corpus is another
    memory = rows(results / "memory.csv")
    assert {row["status"] for row in memory} == {"ok", "out_of_memory"}


def test_attention_beats_averaging_and_nothing_beats_the_entropy(preview: Workflow) -> None:
    results = preview.folder / "results"
    perplexity = {row["variant"]: float(row["perplexity"]) for row in rows(results / "ladder.csv")}
    summary = json.loads((results / "corpus/stories/summary.json").read_text())
    floor = math.exp(summary["entropy_per_character_nats"] * summary["characters_per_token"])
    assert perplexity["one_block"] < 0.9 * perplexity["average_added"]
    assert perplexity["average_added"] < perplexity["average"]
    assert min(perplexity.values()) > floor


def test_seeds_become_intervals(tmp_path: Path, preview: Workflow) -> None:
    short = tmp_path / "short.yaml"
    short.write_text(
        "{seeds: [0, 1], budgets: {window_64: {steps: 5}},"
        " experiments: {positions: {variants: [learned, alibi], context_lengths: [64, 256]}}}"
    )
    workflow = Workflow(tmp_path, [*preview.configuration, short])
    workflow.run("results/positions.csv", "results/figures/positions.svg")
    for row in rows(tmp_path / "results/positions.csv"):
        low, mean, high = (float(row[f"perplexity{end}"]) for end in ("_low", "", "_high"))
        assert low < mean < high
        assert row["seeds"] == "2"


def test_the_longest_runs_start_first(preview: Workflow) -> None:
    log = last_invocation(preview.folder)
    assert log is not None
    config = read_config(ROOT / "config.yaml", *preview.configuration)
    runs = [job.run for job in log.jobs.values() if job.run]
    # The corpora are ready one after the other; each lets its own runs start.
    runs = [run for run in runs if run.corpus == "stories"]
    priorities = [priority(run_flops(config, run)) for run in runs]
    assert len(set(priorities)) > 5
    # Of the jobs that start together, the log does not say which was chosen first.
    later = priorities[log.cores :]
    assert all(first >= second for first, second in zip(priorities, later, strict=False))


def test_the_plan_of_a_finished_tree(preview: Workflow) -> None:
    command = [sys.executable, "-m", "rungs", "plan", "--directory", str(preview.folder)]
    command += ["--configfile", *map(str, preview.configuration)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Nothing to do" in result.stdout


def test_a_finished_tree_has_nothing_to_do(preview: Workflow) -> None:
    assert "Nothing to be done" in preview.run("--dry-run").stdout


def test_touching_files_reruns_nothing(preview: Workflow) -> None:
    results = preview.folder / "results"
    for path in (
        results / "corpus/stories/text.txt",
        results / "corpus/stories/train.npy",
        results / "runs/stories/window_64/rotary/seed0/model.safetensors",
        results / "ladder.csv",
    ):
        os.utime(path)
    assert preview.plan() == set()


def test_a_changed_variant_reruns_only_its_dependents(preview: Workflow, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("variants: {rotary: {heads: 2}}")
    changed = Workflow(preview.folder, [*preview.configuration, mine])
    plan = changed.plan("results/positions.csv", "results/ladder.csv")
    assert plan == {
        "Training rotary on stories, window_64, seed 0",
        "Evaluating rotary on stories, window_64, seed 0",
        "Collecting the evaluations of positions",
        "Summarising positions over its seeds",
    }


def test_a_probe_reruns_for_what_it_depends_on_alone(preview: Workflow, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("probes: {pairs: 2001}")
    changed = Workflow(preview.folder, [*preview.configuration, mine])
    targets = [f"results/{probe}.csv" for probe in PROBES]
    assert changed.plan(*targets) == {
        "Measuring variance",
        "Summarising variance over its seeds",
    }


def test_a_new_seed_trains_only_the_new_seed(preview: Workflow) -> None:
    plan = preview.plan("results/positions.csv", "--config", "seeds=[0,1]")
    training = {message for message in plan if message.startswith("Training")}
    assert len(training) == 5
    assert all(message.endswith("seed 1") for message in training)


def test_a_deleted_table_is_made_again_alone(preview: Workflow) -> None:
    table = preview.folder / "results/memory.csv"
    content = table.read_bytes()
    table.unlink()
    assert "Collecting the kernel measurements" in preview.plan("results/memory.csv")
    preview.run("results/memory.csv")
    assert table.read_bytes() == content


@pytest.mark.parametrize(
    ("deleted", "made"),
    [
        ("figures/cost.png", "Drawing what attention costs"),
        ("ladder.csv", "Summarising ladder over its seeds"),
        (
            "evaluations/stories/window_64/rotary/seed0.json",
            "Evaluating rotary on stories, window_64, seed 0",
        ),
    ],
)
def test_a_deleted_result_is_missed(preview: Workflow, deleted: str, made: str) -> None:
    path = preview.folder / "results" / deleted
    content = path.read_bytes()
    path.unlink()
    assert made in preview.plan()
    path.write_bytes(content)


def test_a_repeated_run_is_the_same_to_the_bit(preview: Workflow) -> None:
    run = preview.folder / "results/runs/stories/window_64/alibi/seed0"
    before = (run / "model.safetensors").read_bytes()
    target = "results/runs/stories/window_64/alibi/seed0/model.safetensors"
    preview.run("--force", target)
    assert (run / "model.safetensors").read_bytes() == before


def test_a_bundle_holds_what_the_report_links_to(preview: Workflow) -> None:
    preview.run("results/bundle.zip")
    results = preview.folder / "results"
    with zipfile.ZipFile(results / "bundle.zip") as archive:
        names = set(archive.namelist())
        page = archive.read("report.html").decode()
    links = {address for address in re.findall(r'href="([^"#]+)"', page) if address != "data:,"}
    assert len(links) > 20
    assert links <= names
    assert not {name for name in names if name.endswith((".safetensors", ".npy", ".txt"))}
    words = [sys.executable, "-m", "rungs", "compare", "results/bundle.zip", "results"]
    compared = subprocess.run(
        words, cwd=preview.folder, capture_output=True, text=True, check=True,
        env=preview.environment(),
    )  # fmt: skip
    assert compared.stdout.splitlines()[-1].startswith("0 of ")
    (results / "bundle.zip").unlink()


def test_the_report_opens_in_a_browser(preview: Workflow, chromium: str) -> None:
    page = preview.folder / "results/report.html"
    result = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for heading in ("The ladder", "Positions", "rotary", "ALiBi"):
        assert heading in result.stdout
    assert page.stat().st_size < 5_000_000


def test_answers_and_their_maps_are_taken_too(preview: Workflow, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    results = preview.folder / "results"
    assert main(["archive", "--results", str(results), str(archive)]) == 0
    mine = tmp_path / "mine.yaml"
    mine.write_text(f"archive: {archive}\n")
    workflow = Workflow(tmp_path / "here", [ROOT / "config/preview.yaml", mine])
    targets = ["results/referents_attention.csv", "results/figures/referents_maps.svg"]
    workflow.run(*targets)
    assert "train" not in workflow.counts()
    for target in targets:
        made = workflow.folder / target
        assert made.read_bytes() == (preview.folder / target).read_bytes()
