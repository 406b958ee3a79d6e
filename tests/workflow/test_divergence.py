"""A learning rate of 30 ends runs early: their tables, figures, claims and the report say so."""

import csv
import json
from pathlib import Path

import pytest

from rungs.cli import main
from rungs.files import read_json
from rungs.report.style import description
from rungs.tables.configured import published_settings
from tests.workflow.tree import Tree, plant

pytestmark = pytest.mark.workflow

BUDGET = {"steps": 40, "batch_size": 2, "validate_every": 20}


@pytest.fixture(scope="module")
def diverged(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A finished tree of one seed, in whose every experiment one variant diverges."""
    folder = tmp_path_factory.mktemp("tree")
    tree = plant(folder)
    tree.configure("seeds", [0])
    tree.configure("context_lengths", [16, 128])
    for name, length in (("window_128", 128), ("sentences", 18), ("leak", 16)):
        stride = {"stride": length} if name == "sentences" else {}
        tame = BUDGET | {"context_length": length} | stride
        tree.configure(f"budgets.{name}", tame)
        tree.configure(f"budgets.wild_{name}", tame | {"learning_rate": 30.0})
    tree.configure("corpora.fair", {"source": "referents", "title": "fair", "version": "fair",
                                    "validation_fraction": 0.25})  # fmt: skip
    narrow = {"width": 16, "mixer": "attention", "heads": 2, "positions": "rotary"}
    for name in ("one_block", "answering", "gpt_masked", "gpt_unmasked"):
        tree.configure(f"variants.{name}", narrow | {"causal": name != "gpt_unmasked"})
    tree.configure("probes.language_models.budget", "leak")
    ladder = {
        "corpus": "stories",
        "context_lengths": [128],
        "variants": ["no_context", "one_block"],
    }
    leak = {
        "corpus": "stories",
        "context_lengths": [16],
        "variants": ["gpt_masked", "gpt_unmasked"],
    }
    writing = {"prompt": "Once", "tokens": 5}
    tree.configure("experiments", {
        "ladder": {"title": "The ladder", "budget": "window_128", **ladder,
                   "budgets": {"one_block": "wild_window_128"},
                   "comparisons": {"one_block": "no_context"}},
        "referents": {"title": "Who?", "corpus": "fair", "budget": "wild_sentences",
                      "variants": ["answering"]},
        "leak": {"title": "The leak", "budget": "leak", "steps": [20, 40], **leak,
                 "budgets": {"gpt_unmasked": "wild_leak"}, "continues": writing,
                 "comparisons": {"gpt_unmasked": "gpt_masked"}},
    })  # fmt: skip
    tree.run()
    return tree


def step_of(tree: Tree, address: str) -> int:
    return read_json(tree.results / "runs" / address / "seed0/run.json")["diverged_at_step"]


def row(path: Path, variant: str) -> dict[str, str]:
    with path.open(newline="") as file:
        return next(row for row in csv.DictReader(file) if row["variant"] == variant)


def test_every_table_figure_and_the_report_say_at_which_step(diverged: Tree) -> None:
    page = (diverged.results / "report.html").read_text()
    for table, variant, address in (
        ("ladder", "one_block", "stories/wild_window_128/one_block"),
        ("referents", "answering", "fair/wild_sentences/answering"),
        ("leak", "gpt_unmasked", "stories/wild_leak/gpt_unmasked"),
    ):
        step = step_of(diverged, address)
        found = row(diverged.results / f"{table}.csv", variant)
        assert (found["diverged"], found["seeds"]) == (f"seed 0 at step {step}", "0")
        for figure in (table, f"{table}_learning_curves"):
            said = description((diverged.results / f"figures/{figure}.svg").read_text())
            assert f"diverged at step {step}" in said
        assert f'<td class="number">diverged at step {step}</td>' in page
    for figure in ("referents_attention", "referents_maps"):
        said = description((diverged.results / f"figures/{figure}.svg").read_text())
        assert "The run diverged at step" in said
    written = row(diverged.results / "leak_samples.csv", "gpt_unmasked")
    assert written["text"] == f"Nothing: its training diverged at step {step}."


def test_a_claim_is_not_reproduced_where_the_settings_are_those_published(
    diverged: Tree, tmp_path: Path
) -> None:
    step = step_of(diverged, "stories/wild_window_128/one_block")
    words = ["claims", "--results", str(diverged.results), "--output", str(tmp_path / "c.csv")]
    assert main([*words, "--settings", published_settings().canonical()]) == 0
    with (tmp_path / "c.csv").open(newline="") as file:
        claim = next(row for row in csv.DictReader(file) if row["id"] == "ladder-one-block")
    assert claim["verdict"] == "not reproduced"
    assert claim["reason"] == f"one_block: seed 0 diverged at step {step}"


def test_what_diverged_is_archived_and_taken(diverged: Tree, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    assert main(["archive", "--results", str(diverged.results), str(archive)]) == 0
    kept = json.loads((archive / "stories/wild_leak/gpt_unmasked/seed0.json").read_text())
    assert kept["run"]["diverged_at_step"] == kept["evaluation"]["diverged_at_step"]
    elsewhere = diverged.copy(tmp_path / "elsewhere")
    for name in ("results", "logs", ".snakemake", ".rungs"):
        (elsewhere.folder / name).rename(elsewhere.folder / f"gone_{name}")
    elsewhere.configure("archive", str(archive))
    target = "results/leak_samples.csv"
    elsewhere.run(target, "results/leak.csv")
    assert "train" not in elsewhere.counts()
    assert (elsewhere.folder / target).read_bytes() == (diverged.folder / target).read_bytes()


def test_a_diverged_run_writes_nothing(diverged: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    run = diverged.results / "runs/stories/wild_leak/gpt_unmasked/seed0"
    assert main(["generate", str(run), "--prompt", "Once"]) == 2
    said = capsys.readouterr()
    step = step_of(diverged, "stories/wild_leak/gpt_unmasked")
    assert f"error: {run}: its training diverged at step {step};" in said.err
    assert not said.out
