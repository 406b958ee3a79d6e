"""Runs that were trained elsewhere are taken from an archive: the same results, no training."""

import re
from pathlib import Path

import pytest

from rungs.cli import main
from tests.workflow.tree import Tree
from tests.workflow.workflow import ROOT, Workflow

pytestmark = pytest.mark.workflow


@pytest.fixture
def archived(tree: Tree, finished_tree: Tree) -> Tree:
    """A tree without results whose configuration names an archive of them."""
    archive = tree.folder / "archive"
    assert main(["archive", "--results", str(finished_tree.results), str(archive)]) == 0
    for name in ("results", "logs", ".snakemake", ".rungs"):
        (tree.folder / name).rename(tree.folder / f"gone_{name}")
    tree.configure("archive", "archive")
    return tree


def test_every_result_but_the_weights_is_the_same(archived: Tree, finished_tree: Tree) -> None:
    targets = [
        *("results/observations.csv", "results/ladder.csv"),
        *(
            "results/figures/ladder_learning_curves.svg",
            "results/figures/score_scale_sharpness.svg",
        ),
    ]
    assert archived.counts()["take_from_archive"] == 8
    assert "train" not in archived.counts()
    archived.run(*targets)
    made, expected = archived.content(), finished_tree.content()
    assert {
        "ladder.csv",
        "figures/score_scale_sharpness.svg",
        "observations/positions.csv",
    } <= made.keys()
    assert not [name for name in made if name.endswith("model.safetensors")]
    assert made == {name: expected[name] for name in made}
    assert not archived.plan(*targets)


def test_what_is_configured_otherwise_is_trained(archived: Tree) -> None:
    archived.configure("budgets.window_64.steps", 41)
    archived.configure("seeds", [0, 1, 2])
    planned = archived.run("--dry-run")
    said = "6 configured runs are in the archive archive; 2 of other settings are trained"
    assert said in planned.stdout + planned.stderr
    counts = archived.counts()
    assert counts["take_from_archive"] == 6  # of 8, less two of another budget
    assert counts["train"] == counts["evaluate"] == 2 + 4


def test_an_edit_of_the_archive_is_an_edit_of_an_input(archived: Tree) -> None:
    target = "results/observations/ladder.csv"
    archived.run(target)
    archived.edit("archive/stories/window_128/one_head/seed0.json", '"step": 20', '"step": 21')
    assert archived.plan(target) == {
        "Taking stories/window_128/one_head/seed0 from the archive",
        "Collecting the evaluations of ladder",
    }


def test_a_damaged_file_is_refused_before_any_job_and_only_where_it_is_needed(
    archived: Tree,
) -> None:
    damaged = archived.folder / "archive/stories/window_64/rotary/seed0.json"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:300])
    refused = archived.run("results/positions.csv", "results/ladder.csv", check=False)
    assert refused.returncode == 1
    said = "archive/stories/window_64/rotary/seed0.json: is damaged, not valid JSON"
    assert said in refused.stdout + refused.stderr
    assert "get it again, or delete it to train the run here" in refused.stdout + refused.stderr
    assert not archived.results.exists()
    archived.run("results/ladder.csv")
    assert "train" not in archived.counts()
    damaged.unlink()
    assert archived.counts()["train"] == 1
    damaged.write_bytes(whole)
    archived.run("results/positions.csv")


def test_a_missing_archive_starts_no_job(archived: Tree) -> None:
    archived.configure("archive", "absent")
    result = archived.run(check=False)
    assert result.returncode == 1
    assert "archive: absent does not exist; give a folder" in (result.stdout + result.stderr)


def test_an_archive_of_something_else_starts_no_job(archived: Tree) -> None:
    archived.configure("archive", "config")
    result = archived.run("--dry-run", check=False)
    assert result.returncode == 1
    assert "archive: config has a file of no configured run" in result.stdout + result.stderr


def test_an_experiment_has_seeds_of_its_own(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    rows, seeds = 4, 3
    unread = Workflow(tmp_path, [tmp_path / "unread.yaml"])
    unread.configuration[0].write_text("readings: []")
    mine.write_text("{readings: [], experiments: {normalization: {seeds: [7]}}}")
    workflow = Workflow(tmp_path, [mine])
    assert workflow.counts("results/normalization.csv")["train"] == rows
    assert workflow.counts()["train"] == unread.counts()["train"] - rows * (seeds - 1)


def test_an_experiment_without_seeds_is_left_out(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("experiments: {normalization: {seeds: []}, referents: {seeds: []}}")
    workflow = Workflow(tmp_path, [mine])
    counts = workflow.counts()
    assert counts["train"] == (28 - 4) * 3
    assert counts["observations"] == 3
    assert "evaluate_referents" not in counts
    refused = workflow.run("--dry-run", "results/normalization.csv", check=False)
    assert refused.returncode == 1
    assert "experiments.normalization.seeds: is empty" in refused.stdout + refused.stderr
    counting = workflow.run("--dry-run", "--printshellcmds", "results/parameters.csv").stdout
    (models,) = re.findall(r"--models (\S+)", counting)
    kept = (tmp_path / models).read_text()
    assert '"model":"pre_norm"' in kept, "its models are counted all the same"


def test_the_reference_run_needs_no_training(tmp_path: Path) -> None:
    counts = Workflow(tmp_path, [ROOT / "config/reference.yaml"]).counts()
    assert counts["take_from_archive"] > 0
    assert "train" not in counts
