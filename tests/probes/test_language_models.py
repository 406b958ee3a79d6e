"""Probes of the GPT chapter's models before any training, beside closed forms."""

from pathlib import Path

import numpy as np
import pytest

from rungs.model.architecture import Architecture
from rungs.probes import cached_generation, contexts, mask, untrained_attention
from rungs.probes.measurement import Measurement, read_measurements
from rungs.probes.variants import Variant

GPT = Architecture(
    width=64, depth=2, heads=4, mixer="attention", feed_forward=True, normalization="pre",
    positions="learned", position_rows=32,
)  # fmt: skip
MLP = Architecture(width=16, mixer="window", window=6, hidden=32, residual=False)
VARIANTS = [Variant(variant="mlp", architecture=MLP), Variant(variant="gpt", architecture=GPT)]


def measured(tmp_path: Path, probe: object, **options: object) -> list[Measurement]:
    output = tmp_path / "probe.json"
    probe.run(output=output, **options)  # type: ignore[attr-defined]
    return read_measurements(output)


def test_the_mask_is_the_lower_triangle(tmp_path: Path) -> None:
    found = measured(tmp_path, mask)
    table = np.array([m.exact for m in found]).reshape(8, 8)
    assert (table == np.tril(np.ones((8, 8)))).all()
    assert {m.row["future"] for m in found if m.exact == 0} == {"yes"}


def test_predictions_and_what_they_see(tmp_path: Path) -> None:
    found = measured(tmp_path, contexts, variants=VARIANTS, batch_size=3, context_length=32)
    values = {(m.row["variant"], m.metric): m.exact for m in found}
    for variant in ("mlp", "gpt"):
        assert values[variant, "predictions"] == 3 * 32
    assert values["gpt", "mean_context"] == (1 + 32) / 2
    assert values["mlp", "mean_context"] == (1 + 2 + 3 + 4 + 5 + 6 * 27) / 32
    assert values["mlp", "largest_context"] == 6


def test_the_untrained_head_is_a_masked_softmax(tmp_path: Path) -> None:
    found = measured(tmp_path, untrained_attention, variants=VARIANTS, seeds=2)
    assert {m.row["variant"] for m in found} == {"gpt"}
    values = {(m.metric, m.row.get("position"), m.row.get("token")): m.by_seed for m in found}
    assert values["above_diagonal", None, None] == [0, 0]
    for total in values["furthest_sum", None, None] or []:
        assert total == pytest.approx(1, abs=1e-6)
    for seed in range(2):
        rows = np.array([[(values["weight", p, t] or [])[seed] for t in range(1, 7)]
                         for p in range(1, 7)])  # fmt: skip
        assert np.allclose(rows.sum(1), 1, atol=1e-6)
        assert (rows[np.triu_indices(6, 1)] == 0).all()
        for position in range(1, 7):
            row = rows[position - 1, :position]
            effective = (values["effective_tokens", position, None] or [])[seed]
            assert effective == pytest.approx(np.exp(-(row * np.log(row)).sum()), rel=1e-6)
            assert (values["largest", position, None] or [])[seed] == row.max()
    # Two initialisations are two draws.
    assert len(set(values["weight", 6, 1] or [])) == 2


def test_the_cache_differs_by_rounding(tmp_path: Path) -> None:
    found = measured(tmp_path, cached_generation, variants=VARIANTS, context_length=32, seeds=2)
    values = {(m.row["variant"], m.row["precision"], m.metric): m.by_seed for m in found}
    for variant in ("mlp", "gpt"):
        for seed in range(2):
            single = (values[variant, "float32", "difference"] or [])[seed]
            assert single <= (values[variant, "float32", "rounding"] or [])[seed]
            assert (values[variant, "float64", "difference"] or [])[seed] < 1e-13
    # A cache that forgot a token would be seen.
    assert max(values["gpt", "float32", "rounding"] or []) < 1e-4
