"""The published claims: the right numbers, at addresses that exist, in the shipped setting."""

import importlib
import math
from functools import cache
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rungs.claims.configured import claim_settings
from rungs.config import Config, read_config
from rungs.corpus.referents import ROLES
from rungs.files import write_json
from rungs.probes.catalogue import BY_NAME as PROBES
from rungs.probes.measurement import Measurement, read_measurements
from rungs.probes.variants import Variant
from rungs.published.load import (
    published_cells,
    published_config,
    published_differences,
    sections,
)
from rungs.published.quantity import Cell
from rungs.published.schema import Claim, Section
from rungs.tables.columns import WEIGHTS
from rungs.tables.comparable import mismatch
from rungs.tables.experiment import SHARPNESS
from rungs.tables.memory import COLUMNS as MEMORY_COLUMNS
from rungs.tables.memory import EXPONENT_COLUMNS, QUANTITIES

REPOSITORY = Path(__file__).parents[2]
CONFIG = read_config(REPOSITORY / "config.yaml")
LITTLE = {"seeds": 1, "pairs": 2, "rows": 1, "batch_size": 1, "context_length": 16}
"""Of whatever a probe measures: its table has the same rows and columns."""
ANSWER_METRICS = ["accuracy", "wrong_noun", "chance", "uniform_weight"]
CLAIMS = {claim.id: (claim, section) for section in sections() for claim in section.claims}
SHOWN = [shown for section in sections() for shown in section.shown]

# Typed from the chapter, with the digits it prints.
PUBLISHED = {
    "corpus-characters": "1115394",
    "corpus-vocabulary": "1024",
    "corpus-tokens": "459760",
    "corpus-characters-per-token": "2.43",
    "ladder-no-context": "59.71",
    "ladder-average-four-times-worse": "4",
    "ladder-positions-in-the-average": "2.14",
    "ladder-average-added": "60.45",
    "ladder-average-added-not-replacing": "188",
    "ladder-learned-weights": "14",
    "ladder-head-added-not-replacing": "9",
    "ladder-four-heads": "3",
    "ladder-four-heads-parameters": "16512",
    "ladder-layer-norm": "1.8",
    "ladder-layer-norm-parameters": "768",
    "ladder-one-block": "38.07",
    "ladder-one-block-training": "18.77",
    "ladder-two-blocks": "40.57",
    "ladder-two-blocks-training": "14.49",
    "positions-alibi-at-64": "44.95",
    "positions-alibi-at-256": "42.49",
    "cost-peak-128": "14.6",
    "cost-peak-256": "19.2",
    "cost-peak-512": "34.4",
    "cost-peak-1024": "89.1",
    "cost-peak-2048": "296.1",
    "cost-peak-4096": "1100.1",
    "cost-peak-8192": "4300.1",
    "cost-out-of-memory": "out_of_memory",
    "cost-scores-128": "0.5",
    "cost-scores-256": "2.0",
    "cost-scores-512": "8.0",
    "cost-scores-1024": "32.0",
    "cost-scores-2048": "128.0",
    "cost-scores-4096": "512.0",
    "cost-scores-8192": "2048.0",
    "cost-scores-16384": "8192.0",
    "cost-peak-growth-256": "1.31",
    "cost-peak-growth-512": "1.79",
    "cost-peak-growth-1024": "2.59",
    "cost-peak-growth-2048": "3.32",
    "cost-peak-growth-4096": "3.72",
    "cost-peak-growth-8192": "3.91",
    "cost-time-exponent": "1.91",
    "cost-memory-exponent": "1.87",
    "averaging-matrix-row-1": "1.000",
    "averaging-matrix-row-2": "0.500",
    "averaging-matrix-row-3": "0.333",
    "averaging-matrix-row-4": "0.250",
    "averaging-matrix-row-5": "0.200",
    "averaging-matrix-row-6": "0.167",
    "averaging-matrix-triangle": "0.000",
    "variance-4": "3.975",
    "variance-16": "16.071",
    "variance-64": "64.249",
    "variance-256": "253.065",
    "variance-1024": "1015.562",
    "variance-deviation-4": "1.994",
    "variance-deviation-16": "4.009",
    "variance-deviation-64": "8.016",
    "variance-deviation-256": "15.908",
    "variance-deviation-1024": "31.868",
    "variance-root-4": "2.000",
    "variance-root-1024": "32.000",
    "saturation-one-effective-token": "1.0",
    "saturation-jacobian-4": "0.96",
    "saturation-jacobian-1024": "0.96",
    "saturation-frozen-1024": "0.7",
    "gradient-norms-pre-first": "0.0498",
    "gradient-norms-pre-last": "0.0657",
    "gradient-norms-pre-ratio": "1.32",
    "gradient-norms-post-first": "0.0977",
    "gradient-norms-post-last": "0.1613",
    "gradient-norms-post-ratio": "1.65",
    "parameters-one-gpt2-block": "7087872",
    "parameters-twelve-gpt2-blocks": "85054464",
    "parameters-gpt2-final-layer-norm": "1536",
    "parameters-three-biases-fewer": "2304",
    "referents-cheatable-average": "100.0",
    "referents-cheatable-one-block": "91.7",
    "referents-chance": "50",
    "referents-average": "27.9",
    "referents-average-wrong-noun": "50",
    "referents-one-block": "92.7",
    "referents-two-blocks": "100",
    "referents-uniform-weight": "0.067",
    "referents-first-noun-tired": "0.70",
    "referents-first-noun-wet": "0.70",
    "referents-block-2-tired": "1.00",
    "referents-block-2-wet": "0.49",
    "parameters-gpt2-tokens": "38597376",
    "parameters-gpt2-positions": "786432",
    "parameters-gpt2-total": "124439808",
    "gpt-corpus-sentence-tokens": "11",
    "gpt-parameters-mlp-first-layer": "197120",
    "gpt-parameters-mlp-widened": "8389120",
    "gpt-parameters-mlp-forty-times": "40",
    "gpt-parameters-positions": "65536",
    "gpt-untrained-sums": "1.0",
    "gpt-untrained-future": "0.0",
    "gpt-untrained-smallest": "0.159",
    "gpt-untrained-largest": "0.177",
    "gpt-contexts-predictions": "16384",
    "gpt-contexts-gpt": "128.5",
    "gpt-contexts-mlp": "5.94",
    "gpt-contexts-ratio": "20",
    "gpt-stories-mlp": "0.9326",
    "gpt-stories-gpt": "0.6129",
    "gpt-leak-masked-500": "2.4512",
    "gpt-leak-unmasked-100": "3.7958",
    "gpt-leak-unmasked-200": "0.0763",
    "gpt-leak-unmasked-500": "0.0165",
    "gpt-leak-ratio": "150",
    "gpt-leak-loops": "3",
}


@pytest.mark.parametrize(("claim", "published"), PUBLISHED.items())
def test_published_number_is_the_chapter_s(claim: str, published: str) -> None:
    assert str(CLAIMS[claim][0].published) == published


def test_derived_numbers_follow_from_the_printed_ones() -> None:
    def number(claim: str) -> float:
        return float(str(CLAIMS[claim][0].published))

    def derived(value: float, claim: str, unit: float) -> None:
        assert number(claim) == pytest.approx(value, abs=unit / 2 + 1e-9)

    derived(60.45 + 188, "ladder-average", 1)
    derived(60.45 / 59.71, "ladder-average-adds-nothing", 0.01)
    derived(18.77 - 14.49, "ladder-two-blocks-fit-better", 0.01)
    derived(40.57 - 38.07, "ladder-two-blocks-generalise-worse", 0.01)
    derived(44.95 - 42.49, "positions-alibi-improves", 0.01)
    d = 768
    assert number("parameters-block-attention") == 4 * d * d + 4 * d
    assert number("parameters-block-feed-forward") == 8 * d * d + 5 * d
    assert number("parameters-block-layer-norm") == 4 * d
    assert number("parameters-gpt2-attention") == 12 * (4 * d * d + 4 * d)
    assert number("parameters-gpt2-feed-forward") == 12 * (8 * d * d + 5 * d)
    assert number("parameters-gpt2-layer-norm") == 12 * 4 * d + 2 * d
    assert number("parameters-gpt2-blocks") == 12 * 7_087_872 + 1_536
    assert number("parameters-one-block-attention") == 4 * 128**2 + 128
    assert number("parameters-one-block-feed-forward") == 8 * 128**2 + 5 * 128
    derived(38_597_376 / 124_439_808, "parameters-a-third-embedding", 0.05)
    derived(0.9326 - 0.6129, "gpt-stories-difference", 0.0001)
    row = (0.162, 0.176, 0.159, 0.177, 0.161, 0.165)
    derived(math.exp(-sum(w * math.log(w) for w in row)), "gpt-untrained-even", 0.01)


def test_published_milliseconds_are_shown_and_not_claimed() -> None:
    shown = {
        (s.cell.row["tokens"], s.cell.column): s.published
        for s in SHOWN
        if s.cell.table == "memory"
    }
    assert shown[128, "milliseconds"] == 2.246
    assert shown[4096, "milliseconds"] == 225.432
    assert shown[8192, "milliseconds"] == 832.838
    assert shown[8192, "projection_milliseconds"] == 40.106
    assert shown[4096, "milliseconds_ratio"] == 4.37
    timed = [
        claim
        for claim, _ in CLAIMS.values()
        if any("milliseconds" in (cell.column, *cell.row.values()) for cell in claim.cells)
    ]
    assert timed
    assert {claim.kind for claim in timed} == {"shape"}


def test_sizes_of_rounding_are_shown_and_not_claimed() -> None:
    """They are one draw's: the claim is that rounding explains them."""
    shown = {
        (s.cell.table, s.cell.row.get("measure", s.cell.row.get("second")), s.cell.column): (
            s.published
        )
        for s in SHOWN
        if s.cell.table in ("averaging", "equivalence")
    }
    assert shown == {
        ("averaging", "matrix_product", "difference"): 5.960464477539063e-08,
        ("averaging", "masked_softmax", "difference"): 5.960464477539063e-08,
        ("averaging", "shuffled_window", "difference"): 2.9802322387695312e-08,
        ("equivalence", "nn.MultiheadAttention", "difference"): 1.7881393432617188e-07,
        ("equivalence", "nn.MultiheadAttention", "magnitude"): 0.159,
        ("equivalence", "F.scaled_dot_product_attention", "difference"): 1.7881393432617188e-07,
    }
    rounded = {"averaging": ["6.0e-8", "3.0e-8"], "equivalence": ["1.8e-7", "0.159"]}
    for table, sizes in rounded.items():
        of_table = [c for c, _ in CLAIMS.values() if c.cells[0].table == table]
        assert {claim.kind for claim in of_table} == {"check"}
        assert all(claim.published is None for claim in of_table)
        statements = " ".join(claim.statement for claim in of_table)
        assert all(size in statements for size in sizes)


def test_every_claim_has_its_own_id() -> None:
    assert len(CLAIMS) == sum(len(section.claims) for section in sections())


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_rests_on_cells_that_the_shipped_configuration_produces(claim_id: str) -> None:
    for cell in CLAIMS[claim_id][0].cells:
        assert _why_impossible(cell, CONFIG) is None


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_holds_for_the_shipped_configuration(claim_id: str) -> None:
    claim, _ = CLAIMS[claim_id]
    settings = claim_settings(CONFIG)
    assert [mismatch(cell, settings) for cell in claim.cells] == [None] * len(claim.cells)


def test_the_published_configuration_is_the_shipped_one() -> None:
    """An edit of one is an edit of the other, or the shipped one reproduces nothing.

    What only readings use is in the shipped one alone.
    """
    shipped = read_config(REPOSITORY / "config.yaml", values=["readings=[]"]).model_dump()
    published = published_config().model_dump()
    of_readings = {
        "variants": "_pytorch_start",
        "corpora": ("_4096", "_third", "_eighths", "_fifths"),
    }
    of_readings["budgets"] = ("_half_batch", "_half_batch_warmup", "_ten_times")
    for section, endings in of_readings.items():
        for name in [name for name in shipped[section] if name.endswith(endings)]:
            del shipped[section][name]
    models = shipped["probes"]["language_models"]["variants"]
    models.remove("gpt_pytorch_start")
    assert published == shipped


def test_shown_numbers_are_at_cells_that_exist() -> None:
    assert [_why_impossible(shown.cell, CONFIG) for shown in SHOWN] == [None] * len(SHOWN)


@pytest.mark.parametrize(
    "cell",
    [
        {"table": "ladder", "row": {"variant": "three_heads"}, "column": "parameters"},
        {"table": "ladder", "row": {"variant": "average"}, "column": "perplexity"},
        {"table": "steps", "row": {"variant": "average"}, "column": "parameters"},
        {"table": "memory", "row": {"kernel": "naive", "tokens": 100}, "column": "peak_mib"},
        {"table": "memory", "row": {"kernel": "naive", "tokens": 128}, "column": "peak"},
        {"table": "parameters", "row": {"model": "gpt2_small"}, "column": "parameters"},
        {"table": "corpus", "row": {"corpus": "wikipedia"}, "column": "tokens"},
    ],
)
def test_impossible_cell_is_noticed(cell: dict[str, Any]) -> None:
    assert _why_impossible(Cell.model_validate(cell), CONFIG)


def _why_impossible(cell: Cell, config: Config) -> str | None:
    """Say why a cell cannot exist under the configuration, or return None."""
    columns, rows = _table(cell, config)
    if cell.column not in columns:
        return f"{cell.table} has no column {cell.column}"
    return None if cell.row in rows else f"{cell.table} has no row {cell.row}"


def _table(cell: Cell, config: Config) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the columns and rows of the cell's table."""
    match cell.table:
        case "corpus":
            columns = ["characters", "vocabulary", "tokens", "characters_per_token", "train_tokens"]
            columns += ["sentence_tokens", "sentence_pieces"]
            return columns, [{"corpus": name} for name in config.corpora]
        case "memory":
            rows = [
                {"kernel": kernel, "tokens": tokens}
                for kernel in config.kernels.kernels
                for tokens in config.kernels.tokens
            ]
            return MEMORY_COLUMNS, rows
        case "exponents":
            last = [n for n in config.kernels.tokens if n < 16_384][-4:]
            fitted = {"fitted_rows": len(last), "first_tokens": last[0], "last_tokens": last[-1]}
            return EXPONENT_COLUMNS, [
                {"kernel": kernel, "quantity": quantity, **fitted}
                for kernel in config.kernels.kernels
                for quantity in QUANTITIES
            ]
        case "parameters":
            models = [*config.variants, *(count.variant for count in config.parameter_counts)]
            components = [
                *("token embedding", "position embedding", "attention", "feed-forward"),
                *("LayerNorm", "output layer", "total", "window"),
            ]
            return ["parameters", "share"], [
                {"model": model, "component": component}
                for model in models
                for component in components
            ]
        case "blocks":
            components = [
                *("attention", "feed-forward", "LayerNorm", "block"),
                *("all blocks", "final LayerNorm"),
            ]
            return ["parameters"], [
                {"model": model, "component": component}
                for model in ("one_block", "gpt2_small", "gpt2_small_fewer_biases")
                for component in components
            ]
    if cell.table in PROBES:
        found = _measured(cell.table)
        rows = [m.row for m in found if m.metric == cell.column]
        # A claim names as much of a row as it needs.
        named = any(cell.row.items() <= row.items() for row in rows)
        return [m.metric for m in found], [cell.row] if named else []
    if cell.table not in config.experiments:
        return [], []
    experiment = config.experiments[cell.table]
    members = config.members(cell.table)
    if cell.column == "parameters":
        return ["parameters"], [{"variant": variant} for variant in members]
    if "block" in cell.row:
        columns, adjectives = [*WEIGHTS, *(f"example_{name}" for name in WEIGHTS)], tuple(ROLES)
        if cell.column.startswith("example_"):
            adjectives = ("tired", "wet")
        if "adjective" not in cell.row:
            columns = [f"example_{what}" for what in ("before", "others", "row")]
        of: list[dict[str, Any]] = [{"adjective": adjective} for adjective in adjectives]
        return columns, [
            {"variant": name, "block": block, **more}
            for name in members
            for block in (1, 2)
            for more in (of if "adjective" in cell.row else [{}])
        ]
    if config.counts_answers(cell.table):
        return ANSWER_METRICS, [{"variant": name} for name in members]
    if "step" in cell.row:
        return ["validation_loss"], [
            {"variant": variant, "step": step} for variant in members for step in experiment.steps
        ]
    if cell.column == "distinct_tokens":
        return (["distinct_tokens"] if experiment.continues else []), [
            {"variant": variant} for variant in members
        ]
    lengths = experiment.context_lengths
    if cell.column == "training_perplexity":
        lengths = [config.budgets[experiment.budget].context_length]
    columns = ["perplexity", "training_perplexity"]
    if experiment.metric == "bits_per_byte":
        columns += ["bits_per_byte", "loss_first_half", "loss_second_half"]
    if any(config.budgets[run.budget].observe_attention for run in config.runs(cell.table)):
        columns += SHARPNESS
    return columns, [
        {"variant": variant, "context_length": length} for variant in members for length in lengths
    ]


@cache
def _measured(probe: str) -> list[Measurement]:
    """Return what a probe measures under the shipped configuration, once and on little."""
    told = {**PROBES[probe].options(CONFIG), **LITTLE}
    stage = importlib.import_module(PROBES[probe].module)
    with TemporaryDirectory() as folder:
        output = Path(folder, "probe.json")
        if PROBES[probe].corpus:
            np.save(Path(folder, "train.npy"), np.arange(50, dtype=np.uint16))
            write_json(Path(folder, "summary.json"), {"vocabulary": 50})
            told |= {"train": Path(folder, "train.npy"), "corpus": Path(folder, "summary.json")}
        asked = {name: told[name] for name in signature(stage.run).parameters if name in told}
        if "variants" in asked:
            asked["variants"] = [Variant.model_validate(entry) for entry in asked["variants"]]
        stage.run(**asked, output=output)
        return read_measurements(output)


def test_published_cells_and_differences_of_a_table() -> None:
    ladder = {
        (cell.row["variant"], cell.column): number for cell, number in published_cells("ladder")
    }
    assert ladder["one_block", "perplexity"] == 38.07
    assert ladder["two_blocks", "training_perplexity"] == 14.49
    assert ("one_head", "perplexity") not in ladder
    differences = {
        tuple(cell.row["variant"] for cell in cells): number
        for cells, number in published_differences("ladder")
        if cells[0].column == "perplexity"
    }
    assert differences["one_head_replacing", "one_head"] == 9
    assert differences["average_added", "one_head"] == 14


CELL = {"table": "ladder", "row": {"variant": "average"}, "column": "perplexity"}
GOOD: dict[str, Any] = {
    "id": "a-claim",
    "statement": "this is that",
    "kind": "value",
    "published": 1.5,
    "quantity": CELL,
}


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "guess"},
        {"published": None},
        {"published": "many"},
        {"kind": "order"},
        {"kind": "order", "published": None},
        {"kind": "difference"},
        {"kind": "shape"},
        {"turns_at": 1.0},
        {"quantity": {"minus": [CELL]}},
        {"quantity": {**CELL, "colum": "perplexity"}},
        {"id": "A claim"},
        {"unit": "nats"},
    ],
)
def test_a_claim_that_cannot_be_judged_is_refused(change: dict[str, Any]) -> None:
    assert Claim.model_validate(GOOD).published is not None
    with pytest.raises(ValidationError):
        Claim.model_validate(GOOD | change)


def test_a_section_refuses_unknown_keys() -> None:
    section = {"chapter": "a", "section": "b", "claims": [GOOD]}
    Section.model_validate(section)
    with pytest.raises(ValidationError):
        Section.model_validate(section | {"clams": []})
