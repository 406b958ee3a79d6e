"""A probe's table: means and intervals, and published numbers in their own setting only."""

from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from rungs.claims.configured import probe_settings
from rungs.config import read_config
from rungs.probes.measurement import Measurement, write_measurements
from rungs.published.load import PublishedCell, published_cells
from rungs.tables import probe as stage
from rungs.tables.probe import probe_table
from rungs.tables.settings import ProbeSettings
from tests.typed import typed

ROOT = Path(__file__).parents[2]
SHIPPED = read_config(ROOT / "config.yaml")
PREVIEW = read_config(ROOT / "config.yaml", ROOT / "config" / "preview.yaml")

DRAWS = [3.9, 4.0, 4.3]
VARIANCE = [
    Measurement(row={"width": 4}, metric="variance", by_seed=DRAWS),
    Measurement(row={"width": 5}, metric="variance", by_seed=[5.0, 5.1, 5.2]),
    Measurement(row={"width": 4}, metric="expected_standard_deviation", exact=2.0),
    Measurement(row={"width": 5}, metric="expected_standard_deviation", exact=5**0.5),
]


def run(
    folder: Path, probe: str, measurements: list[Measurement], settings: ProbeSettings
) -> pd.DataFrame:
    write_measurements(folder / f"{probe}.json", measurements)
    words = ["--measurements", folder / f"{probe}.json", "--probe", probe]
    words += ["--settings", settings.canonical(), "--output", folder / f"{probe}.csv"]
    typed(stage, words)
    return pd.read_csv(folder / f"{probe}.csv")


def test_mean_interval_and_published(tmp_path: Path) -> None:
    table = run(tmp_path, "variance", VARIANCE, probe_settings(SHIPPED, "variance"))
    assert table["width"].tolist() == [4, 5]
    assert table["seeds"].tolist() == [3, 3]
    low, high = stats.t.interval(0.95, 2, loc=4.2 - 0.4 / 3, scale=stats.sem(DRAWS))
    assert table["variance"][0] == pytest.approx(12.2 / 3, rel=1e-5)
    assert table["variance_low"][0] == pytest.approx(low, rel=1e-5)
    assert table["variance_high"][0] == pytest.approx(high, rel=1e-5)
    assert table["variance_published"][0] == 3.975
    assert pd.isna(table["variance_published"][1])
    assert table["expected_standard_deviation"].tolist() == pytest.approx([2, 5**0.5], rel=1e-5)
    assert "expected_standard_deviation_low" not in table


def test_a_smaller_draw_has_no_published_numbers(tmp_path: Path) -> None:
    table = run(tmp_path, "variance", VARIANCE, probe_settings(PREVIEW, "variance"))
    assert not [name for name in table.columns if name.endswith("_published")]


@pytest.mark.parametrize("probe", ["averaging", "averaging_matrix", "masking", "equivalence"])
def test_a_probe_that_nothing_configures_is_the_same_in_the_preview(probe: str) -> None:
    nothing = ProbeSettings(published=ProbeSettings())
    assert probe_settings(SHIPPED, probe) == probe_settings(PREVIEW, probe) == nothing


def test_gradient_norms_hold_for_their_corpus_and_models(tmp_path: Path) -> None:
    measured = [
        Measurement(row={"variant": "pre_norm", "block": 1}, metric="whole_block", by_seed=[0.05])
    ]
    settings = probe_settings(SHIPPED, "gradient_norms")
    table = run(tmp_path, "gradient_norms", measured, settings)
    assert table["whole_block_published"].tolist() == [0.0498]
    assert table[["whole_block_low", "whole_block_high"]].isna().all(axis=None)
    preview = probe_settings(PREVIEW, "gradient_norms")
    shallow = settings.architectures["pre_norm"].model_copy(update={"depth": 11})
    for change in (
        {"architectures": {"pre_norm": shallow}},
        {"sizes": preview.sizes},
        {"corpus": preview.corpus},
    ):
        other = settings.model_copy(update=change)
        assert "whole_block_published" not in run(tmp_path, "gradient_norms", measured, other)


def test_one_published_number_may_stand_for_several_rows() -> None:
    matrix = [
        Measurement(
            row={"position": 2, "token": token, "future": future}, metric="weight", exact=weight
        )
        for token, future, weight in ((1, "no", 0.5), (2, "no", 0.5), (3, "yes", 0.0))
    ]
    published: list[PublishedCell] = list(published_cells("averaging_matrix"))
    table = probe_table(matrix, published)
    assert table["weight_published"].tolist() == [0.5, 0.5, 0.0]
    assert "seeds" not in table


def test_words_are_kept(tmp_path: Path) -> None:
    words = [Measurement(row={"stand_in": "x"}, metric="in_float16", exact="minus infinity")]
    table = run(tmp_path, "masking", words, ProbeSettings())
    assert table["in_float16"].tolist() == ["minus infinity"]
