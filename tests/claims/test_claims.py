"""Claims: each verdict from its numbers alone, and on nothing else."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rungs.claims import claim_table
from rungs.claims.configured import claim_settings
from rungs.claims.quantities import NotRun, Values, evaluate
from rungs.claims.results import Results, corpus_file
from rungs.claims.verdicts import judge, judge_word
from rungs.config import read_config
from rungs.errors import UserError
from rungs.probes.catalogue import BY_NAME as PROBES
from rungs.published.quantity import Cell
from rungs.published.schema import Claim
from rungs.tables.intervals import Estimate
from rungs.tables.settings import ClaimSettings
from tests.claims.published_world import CELLS, CLAIMS, SPREAD, World, published_world
from tests.typed import typed

REPOSITORY = Path(__file__).parents[2]
BOTH_CHAPTERS = ["chapters=[attention,gpt]"]
SHIPPED = claim_settings(read_config(REPOSITORY / "config.yaml", values=BOTH_CHAPTERS))
PREVIEW = claim_settings(
    read_config(
        REPOSITORY / "config.yaml", REPOSITORY / "config" / "preview.yaml", values=BOTH_CHAPTERS
    )
)


def verdicts(world: Mapping[str, Values | str], configured: ClaimSettings = SHIPPED) -> Any:
    return claim_table.claim_table(World(world), configured).set_index("id")["verdict"].to_dict()


def resting_on(cell: str) -> set[str]:
    return {claim.id for claim in CLAIMS if CELLS[cell] in claim.cells}


def test_every_claim_is_reproduced_where_every_published_number_holds() -> None:
    table = claim_table.claim_table(World(published_world()), SHIPPED)
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
    # A margin may also be strengthened.
    orders = {claim.id for claim in CLAIMS if claim.published is None}
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
            turned = claim_table.judge_claim(claim, World(world), SHIPPED, None)
            assert turned.verdict == "not reproduced"


@pytest.mark.parametrize("cell", CELLS)
def test_a_missing_cell_leaves_the_claims_that_rest_on_it_not_run(cell: str) -> None:
    world = published_world()
    del world[cell]
    found = verdicts(world)
    assert {claim for claim, verdict in found.items() if verdict == "not run"} == resting_on(cell)


def test_nothing_at_all_is_not_run_and_no_error(tmp_path: Path) -> None:
    table = claim_table.claim_table(Results(tmp_path / "absent", PROBES), SHIPPED)
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
    tables = [claim_table.claim_table(World(cells), SHIPPED) for cells in (world, shuffled)]
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
    table = claim_table.claim_table(World(published_world()), PREVIEW).set_index("id")
    trained = table[table["section"].isin(["the ladder", "positions"]) & (table["kind"] != "check")]
    assert set(trained["verdict"]) == {"not run"}
    assert trained["reproduced"].eq("").all()
    assert trained["reason"].str.contains("not comparable: corpus: another text than").all()
    assert trained["reason"].str.contains("with config.yaml as shipped").all()
    # What does not depend on training is compared there, too.
    assert table.loc["cost-peak-512", "verdict"] == "reproduced"
    assert table.loc["parameters-gpt2-total", "verdict"] == "reproduced"
    assert table.loc["averaging-shuffle", "verdict"] == "reproduced"
    assert table.loc["equivalence-multihead-attention", "verdict"] == "reproduced"
    # Its tokens are fewer, and so are the parameters of a model that is counted whole.
    assert "one_block: vocabulary is 320" in table.loc["parameters-half-a-million", "reason"]
    # What is drawn at random is drawn less often.
    assert "probes: pairs is 2,000, published for 20,000" in table.loc["variance-4", "reason"]
    assert "probes: rows is 256" in table.loc["saturation-frozen-1024", "reason"]
    assert "probes: batch_size is 4" in table.loc["gradient-norms-pre-first", "reason"]
    # Its memory budget is another, so that nothing can be said of 8 GB.
    assert table.loc["cost-out-of-memory", "verdict"] == "not run"


def test_one_changed_setting_is_named() -> None:
    raw = SHIPPED.model_dump()
    raw["experiments"]["ladder"]["budget"]["steps"] = 200
    table = claim_table.claim_table(
        World(published_world()), ClaimSettings.model_validate(raw)
    ).set_index("id")
    assert table.loc["ladder-one-block", "reason"] == (
        "not comparable: budget: steps is 200, published for 3,000; "
        "run snakemake --cores all results/ladder.csv with config.yaml as shipped"
    )
    assert table.loc["positions-alibi-at-64", "verdict"] == "reproduced"


CELL = Cell(table="ladder", row={"variant": "a"}, column="loss")


def claim_of(kind: str, published: str | None = None, **fields: Any) -> Claim:
    compares = kind in ("difference", "order") or published is None
    quantity = {"minus": [CELL.model_dump()] * 2} if compares else CELL.model_dump()
    return Claim.model_validate(
        {"id": "a", "statement": "this", "kind": kind, "published": published, "quantity": quantity}
        | fields
    )


# One more of three draws lies within 4.303 sqrt(4 / 3) = 4.97 deviations of their mean, the mean
# within 2.48.
@pytest.mark.parametrize(
    ("claim", "values", "verdict", "reason"),
    [
        (claim_of("check", "16512"), [16512, 16512, 16512], "reproduced",
         "published 16,512; reproduced 16,512: equal"),
        (claim_of("check", "16512"), [16512, 16513], "not reproduced",
         "published 16,512; reproduced 16,512: off by up to 1"),
        (claim_of("check", "2.0"), [2.049], "reproduced",
         "published 2.0; reproduced 2.0: equal"),
        (claim_of("check", "3.72"), [3.715], "reproduced",
         "published 3.72; reproduced 3.72: equal"),
        (claim_of("check", "2.0"), [2.051], "not reproduced",
         "published 2.0; reproduced 2.1: off by 0.1"),
        (claim_of("check"), [6e-08, 2e-07], "reproduced",
         "the margin is 6.0e−8 over 2 seeds: it holds in every draw"),
        (claim_of("check"), [6e-08, -1e-08], "not reproduced",
         "the margin is −1.0e−8 over 2 seeds: broken in 1 of 2 draws"),
        (claim_of("every", "0.000"), [0.0, 0.0, 0.001], "not reproduced",
         "published 0.000; reproduced 0.000: off by up to 0.001"),
        (claim_of("value", "38.07"), [38.0, 38.5, 39.0], "reproduced",
         "published 38.07; reproduced 38.5 [37.3, 39.7] over 3 seeds, one more within [36.0, "
         "41.0]: an ordinary draw"),
        (claim_of("value", "38.07"), [37.0, 38.5, 39.5], "undecided",
         "published 38.07; reproduced 38.3 [35.2, 41.5] over 3 seeds, one more within [32.1, "
         "44.6]: too wide to tell; 6 seeds would decide"),
        (claim_of("value", "38.07"), [30.0, 34.0, 38.0], "undecided",
         "published 38.07; reproduced 34.0 [24.1, 43.9] over 3 seeds, one more within [14.1, "
         "53.9]: too wide to tell; no number of seeds would decide: single draws differ too "
         "much"),
        (claim_of("value", "38.07"), [30.0, 38.0, 46.0], "undecided",
         "published 38.07; reproduced 38.0 [18.1, 57.9] over 3 seeds, one more within [0.0, "
         "77.7]: too wide to tell; no number of seeds would decide: single draws differ too "
         "much"),
        (claim_of("value", "38.07"), [39.0, 39.01, 39.02], "reproduced",
         "published 38.07; reproduced 39.01 [38.99, 39.03] over 3 seeds, one more within "
         "[38.96, 39.06]: within 3% of the published"),
        (claim_of("value", "38.07"), [38.9], "undecided",
         "published 38.07; reproduced 38.9 (1 seed): one seed has no spread; 3 would show it"),
        (claim_of("value", "38.07"), [30.0, 30.1, 30.2], "not reproduced",
         "published 38.07; reproduced 30.1 [29.9, 30.3] over 3 seeds, one more within [29.6, "
         "30.6]: 20.9% below the published"),
        (claim_of("difference", "2.14"), [0.2, 1.0, 1.5], "undecided",
         "published 2.14 better; reproduced 0.900 [−0.729, 2.529] better over 3 seeds, one "
         "more within [−2.358, 4.158]: it cannot be told from none; 5 seeds would decide"),
        (claim_of("difference", "2.14"), [2.0, 2.1, 2.4], "reproduced",
         "published 2.14 better; reproduced 2.17 [1.65, 2.68] better over 3 seeds, one more "
         "within [1.13, 3.20]: the same direction and size"),
        (claim_of("difference", "2.14"), [1.3, 2.1, 2.4], "direction only",
         "published 2.14 better; reproduced 1.93 [0.52, 3.35] better over 3 seeds, one more "
         "within [−0.89, 4.76]: the same direction, too wide for its size; 4 seeds would "
         "decide"),
        (claim_of("difference", "14"), [11.5, 11.5, 11.5], "direction only",
         "published 14 better; reproduced 11.5 [11.5, 11.5] better over 3 seeds, one more "
         "within [11.5, 11.5]: the same direction, 17.9% below the published"),
        (claim_of("difference", "14"), [8.0, 8.1, 8.2], "direction only",
         "published 14 better; reproduced 8.10 [7.85, 8.35] better over 3 seeds, one more "
         "within [7.60, 8.60]: the same direction, 0.58 times the published"),
        (claim_of("difference", "2.14"), [-2.0, -2.1, -2.4], "not reproduced",
         "published 2.14 better; reproduced 2.17 [1.65, 2.68] worse over 3 seeds, one more "
         "within [1.13, 3.20]: the opposite"),
        (claim_of("difference", "2.14"),
         [-2.0, -1.1, -2.4, -0.9, 2.1, -3.0, -2.0, -1.5, -4.0], "undecided",
         "published 2.14 better; reproduced 1.64 [0.34, 2.95] worse over 9 seeds, one more "
         "within [−2.49, 5.78]: the opposite on average, and yet one run shows the published; "
         "no number of seeds would decide: single draws differ too much"),
        (claim_of("difference", "2.14"), [2.2], "undecided",
         "published 2.14 better; reproduced 2.20 (1 seed) better: one seed has no spread; 3 "
         "would show it"),
        (claim_of("difference", "-9"), [-8.8, -9.0, -9.1], "reproduced",
         "published 9 worse; reproduced 8.97 [8.59, 9.35] worse over 3 seeds, one more within "
         "[8.21, 9.73]: the same direction and size"),
        (claim_of("order"), [0.2, 0.3, 0.4], "reproduced",
         "the margin is 0.300 [0.052, 0.548] over 3 seeds: the same direction"),
        (claim_of("order"), [-0.1, 0.3, 0.4], "undecided",
         "the margin is 0.200 [−0.457, 0.857] over 3 seeds: it cannot be told from none; 10 "
         "seeds would decide"),
        (claim_of("order"), [0.3], "undecided",
         "the margin is 0.300 (1 seed): one seed has no spread; 3 would show it"),
        (claim_of("order"), [-0.3, -0.4], "undecided",
         "the margin is −0.350 [−0.985, 0.285] over 2 seeds: it cannot be told from none; 3 "
         "seeds would decide"),
        (claim_of("order"), [-0.3, -0.31], "not reproduced",
         "the margin is −0.305 [−0.369, −0.241] over 2 seeds: the opposite"),
        (claim_of("shape", "4", between=(1, 16)), [4.3, 4.4], "reproduced",
         "published 4; reproduced 4.35 [3.71, 4.99] over 2 seeds, one more within [3.25, "
         "5.45]: the same side and size"),
        (claim_of("shape", "4", between=(1, 16)), [2.0, 2.1, 2.05], "direction only",
         "published 4; reproduced 2.05 [1.93, 2.17] over 3 seeds, one more within [1.80, "
         "2.30]: the same side, 0.51 times the published"),
        (claim_of("shape", "1.3", between=(1, None)), [1.2, 1.4], "undecided",
         "published 1.3; reproduced 1.30 [0.03, 2.57] over 2 seeds, one more within [0.00, "
         "3.50]: it cannot be told from 1; 23 seeds would decide"),
        (claim_of("shape", "4", between=(1, 16)), [0.7, 0.72, 0.71], "not reproduced",
         "published 4; reproduced 0.710 [0.685, 0.735] over 3 seeds, one more within [0.660, "
         "0.760]: beyond 1 or 16"),
        (claim_of("shape", "4", between=(1, 16)), [17.0, 17.1, 17.2], "not reproduced",
         "published 4; reproduced 17.1 [16.9, 17.3] over 3 seeds, one more within [16.6, "
         "17.6]: beyond 1 or 16"),
    ],
)  # fmt: skip
def test_verdict_and_reason(claim: Claim, values: list[float], verdict: str, reason: str) -> None:
    found = judge(claim, values)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_an_interval_is_cut_for_the_eye_and_judged_as_it_is() -> None:
    percent = {"table": "referents", "row": {"variant": "a"}, "column": "accuracy"}
    found = judge(claim_of("value", "75.0", quantity=percent), [68.0, 92.0, 97.4])
    assert found.verdict == "undecided"
    assert found.reason.startswith(
        "published 75.0; reproduced 85.8 [46.9, 100.0] over 3 seeds, one more within [8.0, 100.0]: "
        "too wide to tell"
    )
    assert isinstance(found.reproduced, Estimate)
    assert found.reproduced.high > 100
    assert found.one_more[1] > 100


def test_a_published_none_has_no_share() -> None:
    found = judge(claim_of("value", "0"), [4.0, 4.1])
    assert found.reason.endswith("not none")


def test_what_is_measured_once_is_its_own_interval() -> None:
    shape = claim_of("shape", "1.87", between=(1.5, 2.5))
    inside = judge(shape, [1.86], seeded=False)
    assert (inside.verdict, inside.reason) == (
        "reproduced", "published 1.87; reproduced 1.86: the same side and size"
    )  # fmt: skip
    assert judge(shape, [2.2], seeded=False).verdict == "direction only"
    assert judge(shape, [2.6], seeded=False).verdict == "not reproduced"


def test_hundreds_of_draws_are_their_own_interval() -> None:
    # Bounded below, as no distribution of Student's is: one row in three attends to one token.
    draws = [1.0] * 100 + [1.0 + i / 100 for i in range(200)]
    found = judge(claim_of("value", "1.0"), draws)
    assert found.one_more == (1.0, draws[-7])
    assert (found.verdict, found.seeds_to_decide) == ("undecided", math.inf)


def test_a_quantity_that_ends_is_measured_from_its_end() -> None:
    shape = claim_of("shape", "5.99", between=(3, None), at_most=6)
    assert judge(shape, [5.985, 5.988, 5.991]).verdict == "reproduced"
    # All within a seventh of 5.99, and ten and more times as far from 6.
    far = judge(shape, [5.5, 5.6, 5.65])
    assert far.verdict == "direction only"
    assert far.one_more[1] < 5.98
    assert judge(shape, [6.0, 5.999, 5.998]).verdict == "reproduced", "as printed, 6 is 5.99"
    assert judge(shape, [2.0, 2.1, 2.2]).verdict == "not reproduced"


def test_words_are_equal_or_not() -> None:
    claim = claim_of("check", "out_of_memory")
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
    fields = {"between": (1.0, None)} if kind == "shape" else {}
    claim = claim_of(kind, None if kind == "order" else "5.00", **fields)
    assert judge(claim, values) == judge(claim, data.draw(st.permutations(values)))


@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=5))
def test_a_difference_and_its_mirror_image_have_one_verdict(values: list[float]) -> None:
    better = judge(claim_of("difference", "3.00"), values)
    worse = judge(claim_of("difference", "-3.00"), [-value for value in values])
    assert (better.verdict, better.seeds_to_decide) == (worse.verdict, worse.seeds_to_decide)
    opposite = judge(claim_of("difference", "-3.00"), values)
    confirmed = {"reproduced", "direction only"}
    assert not (better.verdict in confirmed and opposite.verdict in confirmed)


def write_results(folder: Path) -> None:
    """Write the published world as the files of a results folder."""
    rows: dict[str, list[dict[str, Any]]] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    probes: dict[str, list[dict[str, Any]]] = {}
    for name, value in published_world().items():
        cell = CELLS[name]
        if cell.table in SHIPPED.experiments:
            assert not isinstance(value, str)
            rows.setdefault(cell.table, []).extend(
                {**cell.row, "seed": seed, "metric": cell.column, "value": number}
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
    (folder / "observations").mkdir()
    for experiment, found_rows in rows.items():
        path = folder / "observations" / f"{experiment}.csv"
        table = pd.DataFrame(found_rows[::-1]).assign(corpus="c", budget="b")
        table.to_csv(path, index=False)
    for row in tables.pop("corpus").values():
        for column, number in row.items():
            path = folder / "corpus" / row["corpus"] / corpus_file(column)
            path.parent.mkdir(parents=True, exist_ok=True)
            known = json.loads(path.read_text()) if path.exists() else {}
            path.write_text(json.dumps(known | {column: number}))
    for table, found in tables.items():
        pd.DataFrame(list(found.values())).to_csv(folder / f"{table}.csv", index=False)


def run(folder: Path) -> tuple[str, pd.DataFrame]:
    words = ["--results", str(folder), "--settings", SHIPPED.canonical()]
    summary = typed(claim_table, [*words, "--output", folder / "claims.csv"])
    return summary, pd.read_csv(folder / "claims.csv", dtype=str, keep_default_na=False)


def test_stage_reads_a_results_folder(tmp_path: Path) -> None:
    write_results(tmp_path)
    summary, table = run(tmp_path)
    assert summary == f"{len(CLAIMS)} claims: {len(CLAIMS)} reproduced"
    assert table.columns.tolist() == [
        *("id", "chapter", "section", "table"),
        *("statement", "kind", "published", "derived", "same_as"),
        *("reproduced", "low", "high", "one_more_low", "one_more_high", "seeds"),
        *("verdict", "seeds_to_decide", "reason"),
    ]
    numbers = table.set_index("id")[["published", "reproduced", "low", "high", "seeds"]]
    assert numbers.loc["parameters-gpt2-total"].tolist() == [
        "124439808",
        "124439808",
        "",
        "",
        "",
    ]
    assert numbers.loc["ladder-one-block"].tolist() == ["38.07", "38.07", "37.9754", "38.1646", "3"]
    assert numbers.loc["variance-4"].tolist() == ["3.975", "3.975", "3.96513", "3.98487", "3"]
    assert numbers.loc["masking-float16", "reproduced"] == "minus infinity"
    assert numbers.loc["cost-out-of-memory", "reproduced"] == "out_of_memory"
    assert numbers.loc["ladder-two-blocks-generalise-worse", "published"] == "2.50"
    assert numbers.loc["positions-learned-falls", "published"] == ""


def test_a_claim_on_a_seed_that_diverged_is_not_reproduced(tmp_path: Path) -> None:
    write_results(tmp_path)
    path = tmp_path / "observations/ladder.csv"
    table = pd.read_csv(path)
    gone = (table["variant"] == "no_context") & (table["seed"] == 1)
    table.loc[gone, ["context_length", "metric", "value"]] = [None, "diverged_at_step", 212]
    table.drop_duplicates().to_csv(path, index=False)
    found = run(tmp_path)[1].set_index("id")
    for claim, cells in {c.id: c.cells for c in CLAIMS}.items():
        rests = any(c.table == "ladder" and c.row["variant"] == "no_context" for c in cells)
        assert found["verdict"][claim] == ("not reproduced" if rests else "reproduced")
        assert (found["reason"][claim] == "no_context: seed 1 diverged at step 212") == rests
        assert not rests or found["seeds"][claim] == ""


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
    table = claim_table.claim_table(
        Results(tmp_path, PROBES), claim_settings(config, started)
    ).set_index("id")
    assert table.loc["cost-peak-512", "reason"] == (
        f"memory.csv is missing; run {started} results/memory.csv"
    )


def test_what_is_no_part_of_the_run_is_not_judged_whoever_made_it(tmp_path: Path) -> None:
    write_results(tmp_path)
    config = read_config(
        REPOSITORY / "config.yaml",
        values=["chapters=[attention]", "experiments={positions: {seeds: []}, leak: {seeds: []}}"],
    )
    table = claim_table.claim_table(Results(tmp_path, PROBES), claim_settings(config)).set_index(
        "id"
    )
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
    table = claim_table.claim_table(Results(tmp_path, PROBES), settings).set_index("id")
    assert table.loc["cost-peak-512", "reason"].endswith(
        "is not in memory.csv; "
        "run snakemake --cores all results/memory.csv with config.yaml as shipped"
    )


def test_a_row_that_was_not_measured_is_not_run(tmp_path: Path) -> None:
    write_results(tmp_path)
    path = tmp_path / "probes" / "averaging_matrix.json"
    measured = json.loads(path.read_text())
    first, second = (
        next(m for m in measured if m["row"].get("position") == position) for position in (1, 2)
    )
    uneven = second | {"row": second["row"] | {"token": 2}, "by_seed": [0.4]}
    path.write_text(json.dumps([*(m for m in measured if m != first), uneven]))
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
        ("corpus/shakespeare/summary.json", "{}", r"summary\.json: has no characters"),
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
