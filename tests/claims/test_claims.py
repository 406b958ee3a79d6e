"""Claims: each verdict from its numbers alone, and on nothing else."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rungs.claims import stage
from rungs.claims.quantities import NotRun, Values, evaluate
from rungs.claims.results import Results, corpus_file
from rungs.claims.verdicts import judge, judge_word
from rungs.config import read_config
from rungs.corpus.referents import ROLES
from rungs.errors import UserError
from rungs.probes import PROBES
from rungs.published.load import sections
from rungs.published.quantity import Cell
from rungs.published.schema import Claim
from rungs.tables.configured import claim_settings
from rungs.tables.intervals import Estimate
from rungs.tables.settings import ClaimSettings

REPOSITORY = Path(__file__).parents[2]
BOTH_CHAPTERS = ["chapters=[attention,gpt]"]
SHIPPED = claim_settings(read_config(REPOSITORY / "config.yaml", values=BOTH_CHAPTERS))
PREVIEW = claim_settings(
    read_config(
        REPOSITORY / "config.yaml", REPOSITORY / "config" / "preview.yaml", values=BOTH_CHAPTERS
    )
)
CLAIMS = [claim for section in sections() for claim in section.claims]
CELLS = {cell.canonical(): cell for claim in CLAIMS for cell in claim.cells}

# A world in which every published number holds, typed from the chapter; where the chapter prints
# none, any number with which its sentences are true.
PERPLEXITIES = {
    ("no_context", 128): 59.71,
    ("average", 128): 248.45,
    ("average_positions", 128): 246.31,
    ("average_added", 128): 60.45,
    ("one_head", 128): 46.45,
    ("one_head_replacing", 128): 55.45,
    ("four_heads", 128): 43.45,
    ("feed_forward", 128): 39.87,
    ("one_block", 128): 38.07,
    ("two_blocks", 128): 40.57,
    ("learned", 64): 41.0,
    ("learned", 128): 90.0,
    ("learned", 256): 200.0,
    ("sinusoidal", 64): 42.0,
    ("sinusoidal", 128): 70.0,
    ("sinusoidal", 256): 120.0,
    ("rotary", 64): 43.0,
    ("rotary", 256): 60.0,
    ("alibi", 64): 44.95,
    ("alibi", 256): 42.49,
    ("one_block_undivided", 128): 38.01,
    ("head_256", 128): 50.0,
    ("head_256_undivided", 128): 68.0,
    ("head_1024", 128): 52.0,
    ("head_1024_undivided", 128): 69.0,
    ("pre_norm", 128): 37.82,
    ("pre_norm_warmup", 128): 37.62,
    ("post_norm", 128): 308.05,
    ("post_norm_warmup", 128): 37.88,
}
SHARPNESS = {
    ("head_1024_undivided", "score_std_at_start"): 21.0,
    ("head_1024_undivided", "score_std"): 5_147.0,
    ("head_1024_undivided", "attention_entropy"): 0.001,
    ("head_1024_undivided", "hard_share"): 0.999,
    ("head_1024", "score_std"): 3.44,
}
ANSWERS = {
    ("cheatable_average", "accuracy"): 100.0,
    ("cheatable_one_block", "accuracy"): 91.7,
    ("fair_average", "accuracy"): 27.9,
    ("fair_average", "wrong_noun"): 50.0,
    ("fair_one_block", "accuracy"): 92.7,
    ("fair_two_blocks", "accuracy"): 100.0,
    ("fair_two_blocks", "example_block_1_tired_first_noun"): 0.70,
    ("fair_two_blocks", "example_block_1_wet_first_noun"): 0.70,
    ("fair_two_blocks", "example_block_1_row"): 0.001,
    ("fair_two_blocks", "example_block_2_row"): 0.97,
    ("fair_two_blocks", "example_block_2_tired_adjective"): 1.0,
    ("fair_two_blocks", "example_block_2_wet_second_noun"): 0.49,
}
# By role and target, the weights of block 2.
WEIGHTS = {
    ("crosser", "adjective"): 1.0,
    ("crosser", "first_noun"): 0.0,
    ("crosser", "second_noun"): 0.0,
    ("crossed", "adjective"): 0.03,
    ("crossed", "first_noun"): 0.0,
    ("crossed", "second_noun"): 0.49,
}
TRAINING = {"one_block": 18.77, "two_blocks": 14.49}
PARAMETERS = {
    "one_head": 328_704,
    "four_heads": 328_704 + 16_512,
    "feed_forward": 476_928,
    "one_block": 477_696,
}
CORPUS = {
    "characters": 1_115_394,
    "vocabulary": 1_024,
    "tokens": 459_760,
    "characters_per_token": 1_115_394 / 459_760,
    "train_tokens": 413_784,
    "sentence_tokens": 11,
    "sentence_pieces": "Once | upon | a | time | there | was | a | girl | named | Lily | .",
}
STORIES = {
    ("mlp", "bits_per_byte"): 0.9326,
    ("gpt", "bits_per_byte"): 0.6129,
    ("mlp", "loss_first_half"): 2.6,
    ("gpt", "loss_first_half"): 2.0,
    ("mlp", "loss_second_half"): 2.5,
    ("gpt", "loss_second_half"): 1.5,
    ("gpt_masked", "validation_loss_at_100"): 3.8,
    ("gpt_masked", "validation_loss_at_500"): 2.4512,
    ("gpt_unmasked", "validation_loss_at_100"): 3.7958,
    ("gpt_unmasked", "validation_loss_at_200"): 0.0763,
    ("gpt_unmasked", "validation_loss_at_500"): 0.0165,
    ("gpt_unmasked", "distinct_tokens"): 3,
}
MEMORY = {  # tokens: peak, its ratio, milliseconds of the projections
    128: (14.6, None, None),
    256: (19.2, 1.311, None),
    512: (34.4, 1.792, None),
    1024: (89.1, 2.589, 4.008),
    2048: (296.1, 3.322, None),
    4096: (1100.1, 3.715, None),
    8192: (4300.1, 3.909, 40.106),
    16384: (None, None, None),
}
EXPONENTS = {"milliseconds": 1.91, "peak_mib": 1.87}
COUNTED = {
    ("gpt2_small", "token embedding"): 38_597_376,
    ("gpt2_small", "position embedding"): 786_432,
    ("gpt2_small", "attention"): 28_348_416,
    ("gpt2_small", "feed-forward"): 56_669_184,
    ("gpt2_small", "LayerNorm"): 38_400,
    ("gpt2_small", "total"): 124_439_808,
    ("one_block", "attention"): 65_664,
    ("one_block", "feed-forward"): 131_712,
    ("one_block", "LayerNorm"): 768,
    ("mlp", "window"): 197_120,
    ("mlp_256_tokens", "window"): 8_389_120,
    ("gpt", "position embedding"): 65_536,
}
BLOCKS = {
    ("gpt2_small", "attention"): 2_362_368,
    ("gpt2_small", "feed-forward"): 4_722_432,
    ("gpt2_small", "LayerNorm"): 3_072,
    ("gpt2_small", "block"): 7_087_872,
    ("gpt2_small", "all blocks"): 85_054_464,
    ("gpt2_small", "final LayerNorm"): 1_536,
    ("gpt2_small_fewer_biases", "block"): 7_087_872 - 2_304,
}
# Repeated over seeds: by metric, and by what else tells the rows apart.
PROBED = {
    "rounding": {"": 4.0e-7},
    "difference": {"": 6.0e-8, "permuted_with_mask": 0.9},
    "variance": {4: 3.975, 16: 16.071, 64: 64.249, 256: 253.065, 1024: 1015.562},
    "standard_deviation": {4: 1.994, 16: 4.009, 64: 8.016, 256: 15.908, 1024: 31.868},
    "effective_tokens": {"no": 1.0, "yes": 40.0, "first head": 5.99},
    "furthest_sum": {"": 1.0},
    "above_diagonal": {"": 0.0},
    "smallest": {"": 0.159},
    "largest": {"": 0.177},
    "jacobian": {"": 0.96},
    "frozen": {"no": 0.7, "yes": 0.0},
    "whole_block": {
        "pre_norm 1": 0.0498,
        "pre_norm 12": 0.0657,
        "post_norm 1": 0.0977,
        "post_norm 12": 0.1613,
    },
}
EXACT = {
    "weight": {1: 1.0, 2: 0.5, 3: 1 / 3, 4: 0.25, 5: 0.2, 6: 1 / 6, "yes": 0.0},
    "weight_at_initialisation": {"": 0.0},
    "weight_after_collapse": {"": 0.0},
    "in_float16": {"": "minus infinity"},
    "visible": {"no": 1, "yes": 0},
    "predictions": {"": 64 * 256},
    "mean_context": {"gpt": 257 / 2, "mlp": 1521 / 256},
    "expected_standard_deviation": {4: 2.0, 16: 4.0, 64: 8.0, 256: 16.0, 1024: 32.0},
}
SPREAD = {0: -0.03, 1: 0.0, 2: 0.03}


def referent_cell(variant: str, column: str) -> float:
    """Return what a run of the referent language measured, as published."""
    if (variant, column) in ANSWERS:
        return ANSWERS[variant, column]
    if column in ("chance", "uniform_weight"):
        return {"chance": 50, "uniform_weight": 1 / 15}[column]
    if column.startswith("example_"):  # equal but for the last digits of float32
        return 1e-6
    adjective, target = column.removeprefix("block_2_").split("_", 1)
    return WEIGHTS[ROLES[adjective], target]


def published_world() -> dict[str, Values | str]:
    """Return every cell that a claim rests on, as published, over three seeds where it has any."""
    world: dict[str, Values | str] = {}
    for name, cell in CELLS.items():
        row = cell.row
        if cell.table == "corpus":
            counted = CORPUS[cell.column]
            world[name] = counted if isinstance(counted, str) else {None: counted}
        elif cell.table == "exponents":
            world[name] = {None: EXPONENTS[str(row["quantity"])]}
        elif cell.table == "parameters":
            count = COUNTED[str(row["model"]), str(row["component"])]
            world[name] = {None: count / 124_439_808 if cell.column == "share" else count}
        elif cell.table == "blocks":
            world[name] = {None: BLOCKS[str(row["model"]), str(row["component"])]}
        elif cell.table in PROBES:
            world[name] = probe_cell(cell)
        elif cell.table == "memory":
            world[name] = memory_cell(int(row["tokens"]), cell.column)
        elif cell.table == "referents":
            mean = referent_cell(str(row["variant"]), cell.column)
            # Nothing is above 100 %, and what is counted is the same in every run.
            fixed = mean == 100 or cell.column in ("chance", "uniform_weight")
            world[name] = {s: mean * (1 if fixed else 1 + x / 10) for s, x in SPREAD.items()}
        elif (str(row.get("variant")), cell.column) in STORIES:
            mean = STORIES[str(row["variant"]), cell.column]
            world[name] = {seed: mean * (1 + shift) for seed, shift in SPREAD.items()}
        elif cell.column == "parameters":
            world[name] = dict.fromkeys(SPREAD, PARAMETERS[str(row["variant"])])
        elif cell.column == "training_perplexity":
            world[name] = {s: TRAINING[str(row["variant"])] * (1 + x) for s, x in SPREAD.items()}
        elif (str(row["variant"]), cell.column) in SHARPNESS:
            mean = SHARPNESS[str(row["variant"]), cell.column]
            world[name] = {seed: mean * (1 + shift) for seed, shift in SPREAD.items()}
        else:
            mean = PERPLEXITIES[str(row["variant"]), int(row["context_length"])]
            # The seed's luck is shared by the variants, as it is where comparisons are paired.
            world[name] = {seed: mean + shift for seed, shift in SPREAD.items()}
    return world


def probe_cell(cell: Cell) -> Values | str:
    """Return the number, or the word, whose key is among the row's values, or else the common one.

    Seeds share their luck as a factor, so that a ratio has no spread.
    """
    keys = [*cell.row.values(), " ".join(str(value) for value in cell.row.values()), ""]
    if cell.column in EXACT:
        exact = next(EXACT[cell.column][key] for key in keys if key in EXACT[cell.column])
        return exact if isinstance(exact, str) else {None: exact}
    mean = next(PROBED[cell.column][key] for key in keys if key in PROBED[cell.column])
    return {seed: mean * (1 + shift) for seed, shift in SPREAD.items()}


def memory_cell(tokens: int, column: str) -> Values | str:
    peak, ratio, projections = MEMORY[tokens]
    if column == "status":
        return "ok" if peak else "out_of_memory"
    numbers = {
        "peak_mib": peak,
        "peak_ratio": ratio,
        "projection_milliseconds": projections,
        "attention_matrix_mib": 8 * tokens**2 * 4 / 2**20,
        "milliseconds_ratio": 3.69,
    }
    number = numbers[column]
    assert number is not None
    return {None: number}


class World(Results):
    """Results that are a dictionary."""

    def __init__(self, world: Mapping[str, Values | str]) -> None:
        super().__init__(Path("world"))
        self.world = world

    def numbers(self, cell: Cell) -> Values:
        found = self._find(cell)
        assert not isinstance(found, str)
        return found

    def word(self, cell: Cell) -> str:
        found = self._find(cell)
        assert isinstance(found, str)
        return found

    def _find(self, cell: Cell) -> Values | str:
        if cell.canonical() not in self.world:
            raise NotRun("nothing there")
        return self.world[cell.canonical()]


def verdicts(world: Mapping[str, Values | str], configured: ClaimSettings = SHIPPED) -> Any:
    return stage.claim_table(World(world), configured).set_index("id")["verdict"].to_dict()


def resting_on(cell: str) -> set[str]:
    return {claim.id for claim in CLAIMS if CELLS[cell] in claim.cells}


def test_every_claim_is_reproduced_where_every_published_number_holds() -> None:
    table = stage.claim_table(World(published_world()), SHIPPED)
    assert table[table["verdict"] != "reproduced"][["id", "reason"]].to_numpy().tolist() == []
    assert table["id"].tolist() == [claim.id for claim in CLAIMS]


@pytest.mark.parametrize("cell", CELLS)
def test_a_wrong_number_changes_the_claims_that_rest_on_it_and_no_other(cell: str) -> None:
    world = published_world()
    value = world[cell]
    # A negative time has no exponent, so that a time is only made longer. A thousandfold, so that
    # the smallest component shows in a share.
    factor = 1000 if "milliseconds" in CELLS[cell].column else -1000
    world[cell] = (
        "ok" if isinstance(value, str) else {seed: factor * x or 1000 for seed, x in value.items()}
    )
    changed = {claim for claim, verdict in verdicts(world).items() if verdict != "reproduced"}
    orders = {claim.id for claim in CLAIMS if claim.kind == "order"}
    # An order may also be strengthened.
    assert changed - orders == resting_on(cell) - orders
    assert changed <= resting_on(cell)


def test_an_order_that_is_turned_round_is_not_reproduced() -> None:
    for claim in CLAIMS:
        if claim.kind == "order":
            world = published_world()
            values = evaluate(claim.quantity, World(world).numbers)
            assert judge(claim, values.values()).verdict == "reproduced"
            negative = judge(claim, [-value for value in values.values()])
            assert negative.verdict == "not reproduced"
            for name in CELLS:
                if CELLS[name] in claim.cells:
                    value = world[name]
                    assert not isinstance(value, str)
                    # What was better at everything is now worse by far, or the other way round.
                    world[name] = {seed: 300 - x for seed, x in value.items()}
            turned = stage.judge_claim(claim, World(world), SHIPPED)
            assert turned.verdict == "not reproduced"


@pytest.mark.parametrize("cell", CELLS)
def test_a_missing_cell_leaves_the_claims_that_rest_on_it_not_run(cell: str) -> None:
    world = published_world()
    del world[cell]
    found = verdicts(world)
    assert {claim for claim, verdict in found.items() if verdict == "not run"} == resting_on(cell)


def test_nothing_at_all_is_not_run_and_no_error(tmp_path: Path) -> None:
    table = stage.claim_table(Results(tmp_path / "absent"), SHIPPED)
    assert set(table["verdict"]) == {"not run"}
    assert table["reason"].str.contains("run snakemake --cores all results/").all()
    assert not table["reason"].str.contains("as shipped").any()


@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_order_of_seeds_never_shows(data: st.DataObject) -> None:
    world = published_world()
    order = data.draw(st.permutations(list(SPREAD)))
    shuffled = {
        name: {seed: value[seed] for seed in order} if len(value) == 3 else value
        for name, value in world.items()
        if not isinstance(value, str)
    } | {name: value for name, value in world.items() if isinstance(value, str)}
    tables = [stage.claim_table(World(cells), SHIPPED) for cells in (world, shuffled)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_only_seeds_that_all_cells_have_are_compared() -> None:
    claim = next(claim for claim in CLAIMS if claim.id == "ladder-layer-norm")
    before, after = claim.cells
    world: dict[str, Values | str] = {
        before.canonical(): {0: 40.0, 1: 50.0, 2: 60.0},
        after.canonical(): {2: 58.0, 1: 48.5, 7: 1.0},
    }
    assert evaluate(claim.quantity, World(world).numbers) == {1: 1.5, 2: 2.0}
    world[after.canonical()] = {7: 1.0}
    with pytest.raises(NotRun, match="no seed has every run"):
        evaluate(claim.quantity, World(world).numbers)


def test_a_preview_is_never_compared_with_full_training() -> None:
    table = stage.claim_table(World(published_world()), PREVIEW).set_index("id")
    trained = table[table["section"].isin(["the ladder", "positions"])]
    assert set(trained["verdict"]) == {"not run"}
    assert trained["reproduced"].eq("").all()
    assert trained["reason"].str.contains("not comparable: corpus: another text than").all()
    assert trained["reason"].str.contains("with config.yaml as shipped").all()
    # What does not depend on training is compared there, too.
    assert table.loc["cost-peak-512", "verdict"] == "reproduced"
    assert table.loc["parameters-gpt2-total", "verdict"] == "reproduced"
    assert table.loc["averaging-shuffle", "verdict"] == "reproduced"
    assert table.loc["equivalence-multihead-attention", "verdict"] == "reproduced"
    # What is drawn at random is drawn less often.
    assert "probes: pairs is 2,000, published for 20,000" in table.loc["variance-4", "reason"]
    assert "probes: rows is 256" in table.loc["saturation-frozen-1024", "reason"]
    assert "probes: batch_size is 4" in table.loc["gradient-norms-pre-first", "reason"]
    # Its memory budget is another, so that nothing can be said of 8 GB.
    assert table.loc["cost-out-of-memory", "verdict"] == "not run"


def test_one_changed_setting_is_named() -> None:
    raw = SHIPPED.model_dump()
    raw["experiments"]["ladder"]["budget"]["steps"] = 200
    table = stage.claim_table(
        World(published_world()), ClaimSettings.model_validate(raw)
    ).set_index("id")
    assert table.loc["ladder-one-block", "reason"] == (
        "not comparable: budget: steps is 200, published for 3,000; "
        "run snakemake --cores all results/ladder.csv with config.yaml as shipped"
    )
    assert table.loc["positions-alibi-at-64", "verdict"] == "reproduced"


CELL = Cell(table="ladder", row={"variant": "a"}, column="perplexity")
EXPONENT = CELL.model_copy(update={"column": "exponent"})


def claim_of(
    kind: str, published: str | None = None, turns_at: float | None = None, cell: Cell = CELL
) -> Claim:
    paired = {"minus": [CELL.model_dump()] * 2}
    return Claim.model_validate(
        {
            "id": "a-claim",
            "statement": "this is that",
            "kind": kind,
            "published": published,
            "turns_at": turns_at,
            "quantity": paired if kind in ("difference", "order") else cell.model_dump(),
        }
    )


# The half width of the interval is 4.303 standard errors of three seeds.
@pytest.mark.parametrize(
    ("claim", "values", "verdict", "reason"),
    [
        (claim_of("exact", "16512"), [16512] * 3, "reproduced",
         "published 16,512; reproduced 16,512: equal"),
        (claim_of("exact", "16512"), [16512, 16513], "not reproduced",
         "published 16,512; reproduced 16,512: off by up to 1"),
        (claim_of("exact", "2.0"), [2.049], "reproduced", "published 2.0; reproduced 2.0: equal"),
        (claim_of("exact", "3.72"), [3.715], "reproduced",
         "published 3.72; reproduced 3.72: equal"),
        (claim_of("exact", "2.0"), [2.051], "not reproduced",
         "published 2.0; reproduced 2.1: off by 0.1"),
        (claim_of("value", "38.07"), [37.0, 38.5, 39.5], "reproduced",
         "published 38.07; reproduced 38.3 [35.2, 41.5] over 3 seeds: inside the interval"),
        (claim_of("value", "38.07"), [30.0, 34.0, 38.0], "not reproduced",
         "published 38.07; reproduced 34.0 [24.1, 43.9] over 3 seeds: "
         "inside an interval that is too wide to tell"),
        (claim_of("value", "38.07"), [30.0, 38.0, 46.0], "reproduced",
         "published 38.07; reproduced 38.0 [18.1, 57.9] over 3 seeds: within 3% of the mean"),
        (claim_of("value", "38.07"), [38.9], "reproduced",
         "published 38.07; reproduced 38.9 (1 seed): within 3% of the mean"),
        (claim_of("value", "38.07"), [39.3], "not reproduced",
         "published 38.07; reproduced 39.3 (1 seed): 3.2% above the published (3.1% of the mean)"),
        (claim_of("value", "38.07"), [30.0, 30.1, 30.2], "not reproduced",
         "published 38.07; reproduced 30.1 [29.9, 30.3] over 3 seeds: "
         "20.9% below the published (26.5% of the mean)"),
        (claim_of("difference", "2.14"), [0.2, 1.0, 1.5], "not reproduced",
         "published 2.14 better; reproduced 0.900 [−0.729, 2.529] better over 3 seeds: "
         "not distinguishable from none"),
        (claim_of("difference", "2.14"), [2.0, 2.1, 2.4], "reproduced",
         "published 2.14 better; reproduced 2.17 [1.65, 2.68] better over 3 seeds: "
         "the same direction and size"),
        (claim_of("difference", "14"), [11.5, 11.5, 11.5], "reproduced",
         "published 14 better; reproduced 11.5 [11.5, 11.5] better over 3 seeds: "
         "the same direction and size"),
        (claim_of("difference", "14"), [8.0, 8.1, 8.2], "direction only",
         "published 14 better; reproduced 8.10 [7.85, 8.35] better over 3 seeds: "
         "the same direction, another size"),
        (claim_of("difference", "2.14"), [-2.0, -2.1, -2.4], "not reproduced",
         "published 2.14 better; reproduced 2.17 [1.65, 2.68] worse over 3 seeds: the opposite"),
        (claim_of("difference", "2.14"), [2.2], "direction only",
         "published 2.14 better; reproduced 2.20 (1 seed) better: "
         "the same direction, in a single seed"),
        (claim_of("difference", "-9"), [-8.8, -9.0, -9.1], "reproduced",
         "published 9 worse; reproduced 8.97 [8.59, 9.35] worse over 3 seeds: "
         "the same direction and size"),
        (claim_of("order"), [0.2, 0.3, 0.4], "reproduced",
         "the margin is 0.300 [0.052, 0.548] over 3 seeds: the same direction"),
        (claim_of("order"), [-0.1, 0.3, 0.4], "not reproduced",
         "the margin is 0.200 [−0.457, 0.857] over 3 seeds: not distinguishable from none"),
        (claim_of("order"), [0.3], "direction only",
         "the margin is 0.300 (1 seed): the same direction, in a single seed"),
        (claim_of("order"), [-0.3, -0.4], "not reproduced",
         "the margin is −0.350 [−0.985, 0.285] over 2 seeds: the opposite"),
        (claim_of("shape", "4", 1, EXPONENT), [4.3, 4.4], "reproduced",
         "published 4; reproduced 4.35 [3.71, 4.99] over 2 seeds: within 10%"),
        (claim_of("shape", "4", 1, EXPONENT), [2.0], "direction only",
         "published 4; reproduced 2.00 (1 seed): 0.5 times the published, on the same side of 1"),
        (claim_of("shape", "4", 1, EXPONENT), [4.54], "direction only",
         "published 4; reproduced 4.54 (1 seed): "
         "13.5% above the published (11.9% of the mean), on the same side of 1"),
        (claim_of("shape", "1.3", 1, EXPONENT), [1.2, 1.4], "not reproduced",
         "published 1.3; reproduced 1.30 [0.03, 2.57] over 2 seeds: not distinguishable from 1"),
        (claim_of("shape", "4", 1, EXPONENT), [0.7, 1.2], "not reproduced",
         "published 4; reproduced 0.950 [−2.227, 4.127] over 2 seeds: not distinguishable from 1"),
        (claim_of("value", "0.0498"), [0.19], "not reproduced",
         "published 0.0498; reproduced 0.190 (1 seed): 3.8 times the published"),
        (claim_of("shape", "4", 1, EXPONENT), [0.9], "not reproduced",
         "published 4; reproduced 0.900 (1 seed): on the other side of 1"),
    ],
)  # fmt: skip
def test_verdict_and_reason(claim: Claim, values: list[float], verdict: str, reason: str) -> None:
    found = judge(claim, values)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_an_interval_is_cut_for_the_eye_and_judged_as_it_is() -> None:
    percent = Cell(table="referents", row={"variant": "a"}, column="accuracy")
    found = judge(claim_of("value", "75.0", cell=percent), [68.0, 92.0, 97.4])
    assert found.verdict == "not reproduced"
    assert found.reason == (
        "published 75.0; reproduced 85.8 [46.9, 100.0] over 3 seeds: "
        "inside an interval that is too wide to tell"
    )
    assert isinstance(found.reproduced, Estimate)
    assert found.reproduced.high > 100


def test_a_published_none_has_no_share() -> None:
    found = judge(claim_of("value", "0"), [4.0])
    assert found.reason == "published 0; reproduced 4.00 (1 seed): apart by 100.0% of the mean"


def test_a_counted_number_has_no_seeds() -> None:
    found = judge(claim_of("shape", "1.87", 1), [1.86], seeded=False)
    assert found.reason == "published 1.87; reproduced 1.86: within 10%"


def test_words_are_equal_or_not() -> None:
    claim = claim_of("exact", "out_of_memory")
    assert judge_word(claim, "out_of_memory").verdict == "reproduced"
    other = judge_word(claim, "ok")
    assert other.verdict == "not reproduced"
    assert other.reason == "published out of memory; reproduced ok: different"


@given(
    kind=st.sampled_from(["value", "difference", "order", "shape"]),
    values=st.lists(st.floats(-100, 100), min_size=2, max_size=5),
    data=st.data(),
)
def test_no_verdict_depends_on_order(kind: str, values: list[float], data: st.DataObject) -> None:
    published = None if kind == "order" else "5.00"
    claim = claim_of(kind, published, 1.0 if kind == "shape" else None)
    assert judge(claim, values) == judge(claim, data.draw(st.permutations(values)))


@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=5))
def test_a_difference_and_its_mirror_image_have_one_verdict(values: list[float]) -> None:
    better = judge(claim_of("difference", "3.00"), values)
    worse = judge(claim_of("difference", "-3.00"), [-value for value in values])
    assert better.verdict == worse.verdict
    opposite = judge(claim_of("difference", "-3.00"), values)
    assert "not reproduced" in (better.verdict, opposite.verdict)


def write_results(folder: Path) -> None:
    """Write the published world as the files of a results folder."""
    rows: dict[str, list[tuple[Any, ...]]] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    probes: dict[str, list[dict[str, Any]]] = {}
    for name, value in published_world().items():
        cell = CELLS[name]
        if cell.table in SHIPPED.experiments:
            assert not isinstance(value, str)
            length = cell.row.get("context_length")
            rows.setdefault(cell.table, []).extend(
                ("c", "b", cell.row["variant"], seed, length, cell.column, number)
                for seed, number in value.items()
            )
        elif cell.table in PROBES:
            found = {"exact": value if isinstance(value, str) else value.get(None)}
            if isinstance(value, dict) and None not in value:
                found = {"by_seed": list(value.values())}
            measured = {"row": cell.row, "metric": cell.column, **found}
            probes.setdefault(cell.table, []).append(measured)
        else:
            row = tables.setdefault(cell.table, {}).setdefault(json.dumps(cell.row), {**cell.row})
            row[cell.column] = value if isinstance(value, str) else value[None]
    (folder / "probes").mkdir()
    for probe, measured_there in probes.items():
        (folder / "probes" / f"{probe}.json").write_text(json.dumps(measured_there))
    columns = ["corpus", "budget", "variant", "seed", "context_length", "metric", "value"]
    (folder / "observations").mkdir()
    for experiment, found_rows in rows.items():
        path = folder / "observations" / f"{experiment}.csv"
        pd.DataFrame(found_rows[::-1], columns=columns).to_csv(path, index=False)
    for row in tables.pop("corpus").values():
        for column, number in row.items():
            path = folder / "corpus" / row["corpus"] / corpus_file(column)
            path.parent.mkdir(parents=True, exist_ok=True)
            known = json.loads(path.read_text()) if path.exists() else {}
            path.write_text(json.dumps(known | {column: number}))
    for table, found in tables.items():
        pd.DataFrame(list(found.values())).to_csv(folder / f"{table}.csv", index=False)


def run(folder: Path) -> tuple[str, pd.DataFrame]:
    parser = argparse.ArgumentParser()
    stage.configure(parser)
    words = ["--results", str(folder), "--settings", SHIPPED.canonical()]
    arguments = parser.parse_args([*words, "--output", str(folder / "claims.csv")])
    summary = stage.run(arguments)
    return summary, pd.read_csv(folder / "claims.csv", dtype=str, keep_default_na=False)


def test_stage_reads_a_results_folder(tmp_path: Path) -> None:
    write_results(tmp_path)
    summary, table = run(tmp_path)
    assert summary == f"{len(CLAIMS)} claims: {len(CLAIMS)} reproduced"
    assert table.columns.tolist() == [
        *("id", "chapter", "section", "statement", "kind", "published"),
        *("reproduced", "low", "high", "seeds", "verdict", "reason"),
    ]
    numbers = table.set_index("id")[["published", "reproduced", "low", "high", "seeds"]]
    assert numbers.loc["parameters-gpt2-total"].tolist() == [
        "124439808",
        "124439808",
        "",
        "",
        "",
    ]
    assert numbers.loc["ladder-one-block"].tolist() == ["38.07", "38.07", "37.9955", "38.1445", "3"]
    assert numbers.loc["variance-4"].tolist() == ["3.975", "3.975", "3.67877", "4.27123", "3"]
    assert numbers.loc["masking-float16", "reproduced"] == "minus infinity"
    assert numbers.loc["cost-out-of-memory", "reproduced"] == "out_of_memory"
    assert numbers.loc["ladder-two-blocks-generalise-worse", "published"] == "2.50"
    assert numbers.loc["positions-learned-falls", "published"] == ""


@pytest.mark.parametrize(
    ("file", "gone", "remedy"),
    [
        ("memory.csv", "cost of one attention layer", "results/memory.csv"),
        ("parameters.csv", "parameters", "results/parameters.csv"),
        ("corpus/shakespeare/summary.json", "corpus", "results/corpus/shakespeare/summary.json"),
        ("observations/positions.csv", "positions", "results/positions.csv"),
        ("probes/variance.json", "why scores are divided", "results/variance.csv"),
        ("blocks.csv", "parameters", "results/blocks.csv"),
    ],
)
def test_a_missing_file_is_not_run_with_the_command_that_makes_it(
    tmp_path: Path, file: str, gone: str, remedy: str
) -> None:
    write_results(tmp_path)
    (tmp_path / file).unlink()
    _, table = run(tmp_path)
    missing = table[(table["section"] == gone) & (table["verdict"] == "not run")]
    assert len(missing)
    assert missing["reason"].str.endswith(f"run snakemake --cores all {remedy}").all()
    left = table[table["verdict"] != "not run"]
    assert set(left["verdict"]) == {"reproduced"}
    assert len(left)


def test_the_command_is_the_one_that_the_workflow_was_started_with(tmp_path: Path) -> None:
    started = "snakemake --cores all --directory preview --configfile config/preview.yaml --"
    config = read_config(
        REPOSITORY / "config.yaml", values=["experiments={positions: {seeds: []}}"]
    )
    table = stage.claim_table(Results(tmp_path), claim_settings(config, started)).set_index("id")
    assert table.loc["cost-peak-512", "reason"] == (
        f"memory.csv is missing; run {started} results/memory.csv"
    )


def test_what_is_no_part_of_the_run_is_not_judged_whoever_made_it(tmp_path: Path) -> None:
    write_results(tmp_path)
    config = read_config(
        REPOSITORY / "config.yaml",
        values=["chapters=[attention]", "experiments={positions: {seeds: []}, leak: {seeds: []}}"],
    )
    table = stage.claim_table(Results(tmp_path), claim_settings(config)).set_index("id")
    run_all = "then run snakemake --cores all results/claims.csv"
    for claim, reason in {
        "positions-alibi-at-64": "positions is left out; give experiments.positions.seeds a seed",
        "gpt-stories-gpt": "stories is left out; add gpt to chapters",
        "gpt-leak-ratio": "leak is left out; give experiments.leak.seeds a seed and add gpt "
        "to chapters",
        "gpt-corpus-sentence-tokens": "corpus tinystories is left out; add gpt to chapters",
    }.items():
        assert table.loc[claim, "verdict"] == "not run"
        assert table.loc[claim, "reason"] == f"{reason}, {run_all}"
    assert table.loc["ladder-one-block", "verdict"] == "reproduced"
    assert table.loc["gpt-untrained-smallest", "verdict"] == "reproduced", "needs no training"


def test_what_a_table_lacks_is_made_by_the_configuration_as_shipped(tmp_path: Path) -> None:
    write_results(tmp_path)
    memory = pd.read_csv(tmp_path / "memory.csv")
    memory[memory["tokens"] != 512].to_csv(tmp_path / "memory.csv", index=False)
    settings = claim_settings(read_config(REPOSITORY / "config.yaml"), "snakemake --directory x")
    table = stage.claim_table(Results(tmp_path), settings).set_index("id")
    assert table.loc["cost-peak-512", "reason"].endswith(
        "is not in memory.csv; "
        "run snakemake --cores all results/memory.csv with config.yaml as shipped"
    )


def test_a_row_that_was_not_measured_is_not_run(tmp_path: Path) -> None:
    write_results(tmp_path)
    path = tmp_path / "probes" / "averaging_matrix.json"
    measured = json.loads(path.read_text())
    uneven = [m | {"row": m["row"] | {"token": 2}, "exact": 0.4} for m in measured[1:2]]
    path.write_text(json.dumps([*measured[1:], *uneven]))
    reasons = run(tmp_path)[1].set_index("id")["reason"]
    assert reasons["averaging-matrix-row-1"].startswith(
        "weight of position 1, future no is not in probes/averaging_matrix.json"
    )
    assert reasons["averaging-matrix-row-2"].startswith(
        "weight of position 2, future no has several values in probes/averaging_matrix.json"
    )


def test_a_point_without_a_number_is_not_run(tmp_path: Path) -> None:
    write_results(tmp_path)
    memory = pd.read_csv(tmp_path / "memory.csv")
    memory.loc[memory["tokens"] == 8192, "peak_mib"] = None
    memory[memory["tokens"] != 512].to_csv(tmp_path / "memory.csv", index=False)
    reasons = run(tmp_path)[1].set_index("id")["reason"]
    assert reasons["cost-peak-8192"].startswith(
        "peak_mib of kernel naive, tokens 8192 is empty in memory.csv"
    )
    assert reasons["cost-peak-512"].startswith(
        "peak_mib of kernel naive, tokens 512 is not in memory.csv"
    )


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("memory.csv", "kernel,tokens\nnaive,128\n", r"memory\.csv: has no column peak_mib"),
        ("observations/ladder.csv", "variant\na\n", r"ladder\.csv: has no column corpus"),
        ("corpus/shakespeare/summary.json", "{}", r"summary\.json: has no 'characters'"),
        ("corpus/shakespeare/summary.json", "{", r"summary\.json: is not valid JSON"),
        ("probes/variance.json", "{}", r"variance\.json: .*list"),
        ("exponents.csv", "", r"exponents\.csv: is not a table"),
        (
            "exponents.csv",
            "kernel,quantity,fitted_rows,first_tokens,last_tokens,exponent\n"
            "naive,peak_mib,4,1024,8192,x\n",
            "exponents.csv: exponent in row 1 is 'x', not a finite number",
        ),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, file: str, content: str, message: str) -> None:
    write_results(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(UserError, match=message):
        run(tmp_path)
