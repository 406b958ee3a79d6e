"""What reruns after an edit: exactly the jobs that depend on it.

docs/edits.md has a row for each of these edits, under the same name.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from rungs.probes.catalogue import PROBES
from tests.workflow.dry_runs import scheduled
from tests.workflow.tree import Tree
from tests.workflow.workflow import ROOT

pytestmark = pytest.mark.workflow

# The tiny tree's runs, and the experiment that shows each.
RUNS = {
    ("no_context", "window_128"): "ladder",
    ("one_head", "window_128"): "ladder",
    ("rotary", "window_64"): "positions",
    ("undivided", "short"): "score_scale",
}
SEEDS = (0, 1)
GENERATED = {"Generating the corpus stories"}
TOKENIZED = {"Learning the tokenizer of stories, encoding and splitting"}
CLAIMS = {"Judging the published claims"}
READINGS = {"Judging claims under other readings of the text"}
REPORT = {"Writing the report"}
NOISE_FIGURE = {"Drawing what one seed can tell"}
NOISE = {"Comparing the published differences with luck"} | NOISE_FIGURE
COST_TABLE = {"Collecting the kernel measurements"}
COST_FIGURE = {"Drawing what attention costs"}
COUNTS_FIGURE = {"Drawing where the parameters are"}
MEASURED = {"Measuring naive attention on 64 tokens"} | COST_TABLE | COST_FIGURE | CLAIMS | REPORT
BLOCKS = {"Counting the parameters of a block"}
COUNTED = {"Counting parameters by component"} | BLOCKS | COUNTS_FIGURE | CLAIMS | REPORT


def probed(*probes: str) -> set[str]:
    """Probes are measured again, and summarised."""
    measured = {f"Measuring {name}" for name in probes}
    summarised = {f"Summarising {name} over its seeds" for name in probes}
    return measured | summarised | CLAIMS | READINGS | REPORT


FIXED = {"Measuring and summarising what no setting enters"}
GRADIENTS = probed("gradient_norms") | {"Drawing gradients at initialisation"} | NOISE
# What runs our attention without training it.
ATTENTION = (
    probed("averaging", "equivalence", "properties", "untrained_attention", "contexts")
    | FIXED
    | probed("cached_generation")
    | GRADIENTS
    | {"Drawing the average as a matrix", "Drawing what a position sees"}
)
PROBE_TABLES = FIXED | {
    f"Summarising {probe.name} over its seeds" for probe in PROBES if not probe.fixed
}
PROBE_FIGURES = {probe.figure.doing for probe in PROBES if probe.figure}
SHARPNESS = {"Drawing how sharply the runs of score_scale attend"}
OBSERVED = {"Collecting the observations of all experiments"}


def trained(*variants: str, seeds: tuple[int, ...] = SEEDS) -> set[str]:
    return {
        f"Training {variant} on stories, {budget}, seed {seed}"
        for variant, budget in RUNS
        for seed in seeds
        if variant in variants or not variants
    }


def evaluated(*variants: str, seeds: tuple[int, ...] = SEEDS) -> set[str]:
    names = trained(*variants, seeds=seeds)
    return {name.replace("Training", "Evaluating") for name in names}


def experiments(*variants: str) -> set[str]:
    return {shown for (variant, _), shown in RUNS.items() if variant in variants or not variants}


def collected(*variants: str) -> set[str]:
    """What follows evaluations."""
    shown = experiments(*variants)
    collecting = {f"Collecting the evaluations of {name}" for name in shown}
    return OBSERVED | collecting | tables(*shown) | NOISE | READINGS


def tables(*shown: str) -> set[str]:
    """What follows observations: the experiments' tables, and what reads them."""
    drawn = {f"Drawing {name}" for name in shown}
    sharpness = SHARPNESS if "score_scale" in shown else set()
    summarised = {f"Summarising {name} over its seeds" for name in shown}
    return summarised | drawn | sharpness | CLAIMS | REPORT


def curves(*variants: str) -> set[str]:
    return {f"Drawing the learning curves of {name}" for name in experiments(*variants)}


def everything_after(*variants: str, seeds: tuple[int, ...] = SEEDS) -> set[str]:
    """The variants' training, and what follows."""
    runs = trained(*variants, seeds=seeds) | evaluated(*variants, seeds=seeds)
    return runs | collected(*variants) | curves(*variants)


def edit(name: str, old: str, new: str) -> Callable[[Tree], object]:
    return lambda tree: tree.edit(f"src/rungs/{name}", old, new)


def configure(path: str, value: object) -> Callable[[Tree], object]:
    return lambda tree: tree.configure(path, value)


def touch_everything(tree: Tree) -> None:
    for path in tree.folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            path.touch()


def delete(*names: str) -> Callable[[Tree], object]:
    def remove(tree: Tree) -> None:
        for name in names:
            path = tree.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return remove


def reorder_an_entry(tree: Tree) -> None:
    tree.edit("config.yaml", "{width: 16, mixer: attention, heads: 2,",
              "{heads: 2, mixer: attention, width: 16,")  # fmt: skip


def reorder_variants(tree: Tree) -> None:
    tree.edit("config.yaml", "variants:\n  no_context: {width: 16}\n", "variants:\n")
    tree.edit("config.yaml", "\nexperiments:", "  no_context: {width: 16}\n\nexperiments:")


def add_a_variant(tree: Tree) -> None:
    entry = "  alibi: {width: 16, mixer: attention, positions: alibi, joins: [positions]}\n"
    tree.edit("config.yaml", "\nexperiments:", f"{entry}\nexperiments:")


def change_the_readings(*names: str) -> Callable[[Tree], object]:
    """Leave the readings of these names, of one that is there and one that is not."""
    shorter = {
        "name": "shorter", "question": "How long?", "where": "here", "answer": "ten steps",
        "standing": "inferred", "budgets": {"short": "shorter"},
    }  # fmt: skip

    def change(tree: Tree) -> None:
        known = yaml.safe_load((tree.folder / "config.yaml").read_text())["readings"]
        tree.configure("readings", [r for r in [*known, shorter] if r["name"] in names])

    return change


def move(tree: Tree) -> None:
    tree.folder = tree.repository = Path(shutil.move(tree.folder, tree.folder.with_name("moved")))


def nothing(tree: Tree) -> None:
    """Upgrade nothing, edit nothing."""


RUN = "results/runs/stories/window_64/rotary/seed0"
ALL_AFTER_TEXT = TOKENIZED | everything_after() | GRADIENTS

EDITS: dict[str, tuple[Callable[[Tree], object], set[str]]] = {
    "nothing": (nothing, set()),
    "every file touched": (touch_everything, set()),
    "the clone moved to another path": (move, set()),
    "logs and records deleted": (delete("logs", ".rungs"), set()),
    "a comment": (edit("training/loop.py", "    device = ", "    # where\n    device = "), set()),
    "a docstring": (edit("model/positions.py", '"""How a model', '"""How one'), set()),
    "formatting": (
        edit("model/attention.py", "self.heads = architecture", "self.heads  =  architecture"),
        set(),
    ),
    "a comment in a rule": (
        lambda tree: tree.edit("workflow/rules/runs.smk", "rule train:", "# trains\nrule train:"),
        set(),
    ),
    "a helper that nothing uses": (
        edit("files.py", "def write_text(", "def helper():\n    return\n\n\ndef write_text("),
        set(),
    ),
    "a position encoding that no variant uses": (
        edit("model/positions.py", "(-8 * (head", "(-7 * (head"),
        COUNTED | ATTENTION,
    ),
    "a page template": (
        edit("report/templates/report.html.j2", "</body>", "<!-- end -->\n</body>"),
        REPORT,
    ),
    "the page's code": (edit("report/page.py", "indent=2", "indent=1"), REPORT),
    "the code of one kind of figure": (
        edit("report/figures/lengths.py", "WIDTH, HEIGHT)", "WIDTH, 1.1 * HEIGHT)"),
        {"Drawing positions"} | REPORT,
    ),
    "the look of all figures": (
        edit("report/style.py", '"savefig.dpi": 200', '"savefig.dpi": 199'),
        {f"Drawing {name}" for name in experiments()}
        | curves() | SHARPNESS | COST_FIGURE | COUNTS_FIGURE | REPORT
        | PROBE_FIGURES | {"Drawing what one seed can tell"},
    ),
    "the tables' code": (
        edit("tables/experiment.py", "float_format=\"%.6g\"", "float_format=\"%.7g\""),
        tables(*experiments()),
    ),
    "a published claim": (
        edit("published/attention_03_ladder.yaml", "59.71", "59.72"),
        tables(*experiments()) | COUNTED | COST_TABLE | COST_FIGURE
        | PROBE_TABLES | PROBE_FIGURES | NOISE | READINGS,
    ),
    "the verdicts' code": (
        edit("claims/claim_table.py", "{value:.6g}", "{value:.7g}"),
        CLAIMS | READINGS | REPORT,
    ),
    "the noise of one seed": (
        edit("tables/power.py", "POWER = 0.80", "POWER = 0.81"),
        NOISE | REPORT,
    ),
    "the training loop": (
        edit("training/loop.py", "loss_sum.zero_()", "loss_sum.mul_(0)"),
        everything_after(),
    ),
    "the rotary encoding": (
        edit("model/positions.py", "10_000.0**", "20_000.0**"),
        everything_after("rotary") | COUNTED | ATTENTION,
    ),
    "the sharpness of attention": (
        edit("model/observe.py", "SATURATED = 0.99", "SATURATED = 0.98"),
        everything_after("undivided")
        | probed("saturation") | {"Drawing where a softmax saturates"},
    ),
    "how runs are scored": (
        edit("evaluation/evaluate.py", "45_976", "45_977"),
        evaluated() | collected(),
    ),
    "how weights are read": (
        edit("training/checkpoint.py", "cut short; train", "damaged; train"),
        evaluated() | collected(),
    ),
    "the tokenizer": (
        edit("corpus/tokenizer.py", "_PIECE = 1 << 14", "_PIECE = 1 << 13"),
        ALL_AFTER_TEXT,
    ),
    "the generated corpus": (
        edit("corpus/generated.py", '"Ann"', '"Ada"'),
        GENERATED | ALL_AFTER_TEXT,
    ),
    "an attention kernel": (
        edit("kernels/attention.py", "math.sqrt", "1.0 * math.sqrt"),
        MEASURED,
    ),
    "a probe": (
        edit("probes/variance.py", ".var()", ".var(correction=0)"),
        probed("variance") | NOISE | {"Drawing the spread of dot products"},
    ),
    "a probe that no setting enters": (
        edit("probes/masking.py", '"-1e4": -1e4', '"-1e5": -1e5'),
        FIXED | {"Drawing the average as a matrix", "Drawing what a position sees"}
        | NOISE | CLAIMS | READINGS | REPORT,
    ),
    "how parameters are counted": (
        edit("model/accounting.py", "total = _size", "total = 0 + _size"),
        COUNTED,
    ),
    "a rule's command": (
        lambda tree: tree.edit("workflow/rules/evaluations.smk",
                               "rungs parameters", "rungs  parameters"),
        COUNTED - BLOCKS,
    ),
    "a variant's entry": (
        configure("variants.rotary.heads", 4),
        everything_after("rotary") | COUNTED | GRADIENTS,
    ),
    "a variant's label": (
        configure("variants.rotary.label", "RoPE"),
        tables("positions") | curves("rotary") | COUNTED | NOISE | READINGS
        | {"Drawing gradients at initialisation"},
    ),
    "an experiment's title": (
        configure("experiments.positions.title", "Where?"),
        {"Drawing positions"} | curves("rotary") | REPORT,
    ),
    "a budget": (
        configure("budgets.window_128.learning_rate", 0.002),
        everything_after("no_context", "one_head"),
    ),
    "a variant added": (
        add_a_variant,
        {
            f"{doing} alibi on stories, window_64, seed {seed}"
            for doing in ("Training", "Evaluating")
            for seed in SEEDS
        }
        | collected("rotary") | curves("rotary") | COUNTED,
    ),
    "a seed added": (configure("seeds", [0, 1, 2]), everything_after(seeds=(2,))),
    "a seed removed": (configure("seeds", [0]), collected() | curves()),
    "keys of an entry reordered": (reorder_an_entry, set()),
    "entries reordered": (reorder_variants, REPORT),
    "another corpus": (configure("corpora.stories.stories", 301), GENERATED | ALL_AFTER_TEXT),
    "another vocabulary": (
        configure("corpora.stories.vocabulary", 261),
        ALL_AFTER_TEXT | COUNTED,
    ),
    "the corpus's text replaced": (
        lambda tree: tree.put("results/corpus/stories/text.txt", "other " * 9_000),
        ALL_AFTER_TEXT,
    ),
    "a context length added": (
        configure("context_lengths", [4, 8, 16]),
        evaluated() | collected(),
    ),
    "a reading added": (
        change_the_readings("output", "shorter"),
        {
            f"{doing} undivided on stories, shorter, seed {seed}"
            for doing in ("Training", "Evaluating")
            for seed in SEEDS
        }
        | {"Collecting the evaluations of score_scale_shorter", "Drawing score_scale_shorter",
           "Summarising score_scale_shorter over its seeds",
           "Drawing the learning curves of score_scale_shorter",
           "Drawing how sharply the runs of score_scale_shorter attend"}
        | OBSERVED | READINGS | REPORT,
    ),
    "a reading edited": (
        lambda tree: tree.edit("config.yaml", "whole_block: output_projection",
                               "output_projection: whole_block"),
        READINGS | REPORT,
    ),
    "a reading's words": (
        lambda tree: tree.edit("config.yaml", "that of its output projection", "that of W_o"),
        REPORT,
    ),
    "a reading removed": (change_the_readings(), REPORT),
    "the kernels' sweep": (
        configure("kernels.width", 32),
        MEASURED | NOISE | READINGS,
    ),
    "a run deleted": (delete(RUN), everything_after("rotary", seeds=(0,))),
    "a run's weights deleted": (
        delete(f"{RUN}/model.safetensors"),
        everything_after("rotary", seeds=(0,)),
    ),
    "an evaluation deleted": (
        delete("results/evaluations/stories/window_64/rotary/seed0.json"),
        evaluated("rotary", seeds=(0,)) | collected("rotary"),
    ),
    "a table deleted": (delete("results/positions.csv"), tables("positions")),
    "a figure deleted": (delete("results/figures/cost.png"), COST_FIGURE | REPORT),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_reruns_exactly_what_depends_on_it(tree: Tree, name: str) -> None:
    apply, expected = EDITS[name]
    apply(tree)
    assert scheduled(tree.folder) == expected


def test_every_edit_is_in_the_documentation() -> None:
    table, _ = (ROOT / "docs/edits.md").read_text().split("\n## ", 1)
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", table, re.MULTILINE)[2:]
    assert [row[0] for row in rows] == list(EDITS)
    for name, effect in rows:
        assert (effect == "nothing") == (EDITS[name][1] == set()), name
