"""Parameters by component, beside what was published of the same model."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rungs.config import read_config
from rungs.tables import parameters as stage
from tests.typed import typed

GPT2 = read_config(Path(__file__).parents[2] / "config.yaml").variants["gpt2_small"]


def count(folder: Path, vocabulary: int = 50_257, **changes: Any) -> pd.DataFrame:
    """Run the stage on GPT-2 small, with changes to its architecture; return it by component."""
    architecture = json.loads(GPT2.architecture()) | changes
    entry = {"model": "gpt2_small", "label": "GPT-2 small", "architecture": architecture}
    output = folder / "parameters.csv"
    models = json.dumps([entry | {"vocabulary": vocabulary}])
    typed(stage, ["--models", models, "--output", str(output)])
    return pd.read_csv(output).set_index("component")


def test_gpt2_small_is_the_published_model(tmp_path: Path) -> None:
    table = count(tmp_path)
    published = table["parameters_published"].dropna()
    assert published.to_dict() == {
        "token embedding": 38_597_376,
        "position embedding": 786_432,
        "attention": 28_348_416,
        "feed-forward": 56_669_184,
        "LayerNorm": 38_400,
        "total": 124_439_808,
    }
    assert table.loc[published.index, "parameters"].tolist() == published.tolist()
    assert table.loc["feed-forward", "share"] == pytest.approx(0.455394)
    assert ",38597376,0.310169,38597376\n" in (tmp_path / "parameters.csv").read_text()


@pytest.mark.parametrize(
    "change", [{"vocabulary": 50_304}, {"depth": 11}, {"position_rows": 2_048}]
)
def test_another_model_has_no_published_numbers(tmp_path: Path, change: dict[str, Any]) -> None:
    assert count(tmp_path, **change)["parameters_published"].isna().all()
