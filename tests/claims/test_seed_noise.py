"""The noise of single seeds: from the seeds' differences, and from nothing else."""

import statistics
from pathlib import Path

import pandas as pd
import pytest

from rungs.claims import seed_noise
from rungs.published.load import sections
from rungs.report.seed_noise_view import noise_sentence
from rungs.tables.power import seeds_needed, single_seed_noise
from tests.claims.published_world import World, published_world
from tests.claims.test_claims import PREVIEW, SHIPPED, resting_on, write_results
from tests.typed import typed

LAYER_NORM = "ladder-layer-norm"


def cells_of(name: str) -> list[str]:
    claims = (claim for section in sections() for claim in section.claims)
    claim = next(claim for claim in claims if claim.id == name)
    return [cell.canonical() for cell in claim.cells]


def test_every_difference_that_has_seeds_has_a_row() -> None:
    table = seed_noise.noise_table(World(published_world()), SHIPPED)
    world = published_world()
    seeded = [
        claim.id
        for section in sections()
        for claim in section.claims
        if claim.kind == "difference" and None not in world[claim.cells[0].canonical()]
    ]
    assert table["id"].tolist() == seeded
    assert (table["seeds"] == 3).all()
    assert table["difference"].tolist() == pytest.approx(table["published"].tolist(), rel=5e-3)


def test_the_spread_is_that_of_the_paired_difference() -> None:
    world = published_world()
    without, with_norm = cells_of(LAYER_NORM)
    # Two noisy rows that move together: only what they do not share is noise.
    world[without] = {0: 30.0, 1: 40.0, 2: 50.0}
    world[with_norm] = {2: 49.0, 0: 29.9, 1: 40.2}
    row = seed_noise.noise_table(World(world), SHIPPED).set_index("id").loc[LAYER_NORM]
    deviation = statistics.stdev([0.1, -0.2, 1.0])
    assert row["standard_deviation"] == pytest.approx(deviation)
    assert row["single_seed_noise"] == pytest.approx(single_seed_noise(deviation, 3))
    assert row["exceeds_noise"] == "no"
    assert row["seeds_needed"] == seeds_needed(1.8, deviation)
    assert row["seeds_needed_low"] <= row["seeds_needed"] <= row["seeds_needed_high"]
    assert [row[f"seed{seed}"] for seed in (0, 1, 2)] == pytest.approx([0.1, -0.2, 1.0])


def test_of_one_seed_nothing_is_said() -> None:
    world = published_world()
    one = {
        name: {0: value[0]} if not isinstance(value, str) and 0 in value else value
        for name, value in world.items()
    }
    table = seed_noise.noise_table(World(one), SHIPPED)
    assert table["reason"].eq("one seed has no spread: nothing can be said").all()
    assert table[["standard_deviation", "exceeds_noise", "seeds_needed"]].isna().all(axis=None)
    assert table["difference"].notna().all()


def test_what_does_not_compare_or_has_not_run_says_so() -> None:
    table = seed_noise.noise_table(World(published_world()), PREVIEW).set_index("id")
    assert (table["seeds"] == 0).all()
    assert table["reason"].str.startswith("not comparable: ").all()
    world = published_world()
    cell = cells_of(LAYER_NORM)[0]
    del world[cell]
    table = seed_noise.noise_table(World(world), SHIPPED).set_index("id")
    assert table.loc[LAYER_NORM, "seeds"] == 0
    assert "run snakemake --cores all results/ladder.csv" in table.loc[LAYER_NORM, "reason"]
    others = [name for name in table.index if not resting_on(cell) & {name}]
    assert (table.loc[others, "seeds"] == 3).all()


@pytest.mark.parametrize(
    ("exceeds", "sentence"),
    [
        (["yes", "yes", ""], "Of 2 published differences {}, 2 exceed {}."),
        (["yes", "", ""], "Of 1 published difference {}, 1 exceeds {}."),
        (["no", "no", "yes"], "Of 3 published differences {}, 1 exceeds {}; 2 {}."),
    ],
)
def test_what_no_seeds_can_judge_is_not_counted(exceeds: list[str], sentence: str) -> None:
    words = (
        *("that several seeds here can judge", "what one seed shows by luck"),
        "could not be told from none by one seed",
    )
    found = noise_sentence(pd.DataFrame({"exceeds_noise": exceeds}))
    assert found == sentence.format(*words)


def test_a_table_without_a_spread_says_so(tmp_path: Path) -> None:
    words = ["--results", str(tmp_path), "--settings", SHIPPED.canonical()]
    output = tmp_path / "seed_noise.csv"
    summary = typed(seed_noise, [*words, "--output", str(output)])
    assert summary.endswith("published differences, none with a spread over seeds")


def test_stage_writes_the_table(tmp_path: Path) -> None:
    write_results(tmp_path)
    output = tmp_path / "seed_noise.csv"
    words = ["--results", str(tmp_path), "--settings", SHIPPED.canonical()]
    summary = typed(seed_noise, [*words, "--output", str(output)])
    table = pd.read_csv(output)
    exceeding = (table["exceeds_noise"] == "yes").sum()
    assert summary == (
        f"{len(table)} published differences; of {len(table)} with a spread, "
        f"{exceeding} exceed what one seed shows by luck"
    )
