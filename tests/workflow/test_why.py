"""What `why` says about edits, in the words of the person who made them."""

import os
import subprocess
import sys

import pytest

from rungs.cli import main
from tests.workflow.tree import Tree

pytestmark = pytest.mark.workflow


def why(tree: Tree, *words: str) -> list[str]:
    """Return the lines that `why` prints, each with its parts in the order of the alphabet."""
    result = subprocess.run(
        [sys.executable, "-m", "rungs", "why", *words],
        cwd=tree.folder, env={**os.environ, **tree.environment()},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_a_finished_tree(tree: Tree) -> None:
    assert why(tree) == ["Nothing would run: every file is there and up to date"]


def test_edits_of_code_and_of_settings_are_named(tree: Tree) -> None:
    tree.edit("src/rungs/model/positions.py", "10_000.0**", "20_000.0**")
    tree.configure("budgets.window_128.learning_rate", 0.002)
    tree.configure("variants.undivided.width", 32)
    tree.configure("seeds", [0, 1, 2])
    (tree.results / "exponents.csv").unlink()
    lines = why(
        tree,
        "results/ladder.csv",
        "results/observations/positions.csv",
        "results/runs/stories/short/undivided/seed0/run.json",
        "results/exponents.csv",
    )
    assert "model/positions.py: `Rotary` changed; " in "\n".join(lines)
    by_cause = {line.partition("; ")[0]: line.partition("; ")[2] for line in lines}
    assert by_cause["model/positions.py: `Rotary` changed"] == ("2 runs of rotary")
    assert by_cause["budgets.window_128: learning_rate was 0.001, is now 0.002"] == (
        "4 runs of no_context and one_head"
    )
    assert by_cause["variants.undivided: width was 16, is now 32"] == "1 run of undivided"
    assert by_cause["seeds: 2 is new"] == "3 runs of no_context, one_head and rotary"
    assert by_cause["results/exponents.csv: was deleted"] == "memory_table"
    assert lines[-1].endswith("jobs would run")
    assert lines[-2].startswith("what reads the results of these: ")
    assert "tables/ladder" in lines[-2]


def test_what_is_upstream_of_an_edit_is_behind_what_follows(tree: Tree) -> None:
    tree.put("results/corpus/stories/text.txt", "other " * 9_000)
    lines = why(tree, "results/corpus/stories/summary.json", "results/claims.csv")
    assert (
        lines[0] == "results/corpus/stories/text.txt: has another content; corpus/stories/tokenize"
    )
    assert lines[1].startswith("what reads the results of these: 8 runs of 4 variants, 8 eval")
    assert len(lines) == 3


def test_the_archive_is_behind_runs_that_are_taken_and_behind_those_that_are_trained(
    tree: Tree,
) -> None:
    target = "results/observations/ladder.csv"
    main(["archive", "--results", str(tree.results), str(tree.folder / "kept")])
    tree.configure("archive", "kept")
    assert why(tree, target) == [
        'archive: is now "kept", so that these are taken, not trained; '
        "4 archived runs of no_context and one_head",
        "what reads the results of these: observations/ladder",
        "5 jobs would run",
    ]
    tree.run(target)
    tree.configure("archive", None)
    assert why(tree, target) == [
        'archive: was "kept", is now nothing, so that these are trained, not taken; '
        "4 runs of no_context and one_head and 4 evaluations of no_context and one_head",
        "what reads the results of these: observations/ladder",
        "9 jobs would run",
    ]
    tree.run(target)
    assert why(tree, target) == ["Nothing would run: every file is there and up to date"]


def test_a_stage_without_a_record_is_named_all_the_same(tree: Tree) -> None:
    tree.edit("src/rungs/claims/claim_table.py", "{value:.6g}", "{value:.7g}")
    (tree.folder / ".rungs/stages/logs/claims.json").unlink()
    assert why(tree, "results/claims.csv")[0] == (
        "settings or code of `claims`: changed; no record says what; claims"
    )


def test_a_refused_configuration_is_refused_in_the_same_words(tree: Tree) -> None:
    tree.configure("variants.rotary.heads", 3)
    result = subprocess.run(
        [sys.executable, "-m", "rungs", "why"],
        cwd=tree.folder, env=tree.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 2
    assert "variants.rotary.heads: 3 heads do not divide" in result.stderr
    assert "Traceback" not in result.stderr


def test_it_is_asked_in_the_folder_of_the_workflow(tree: Tree) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "rungs", "why"],
        cwd=tree.results, env=tree.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "has no Snakefile; run this in the folder of the workflow" in result.stderr
