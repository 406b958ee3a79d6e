"""A results folder written by hand, with numbers of the size the real ones have."""

import html
import json
import math
import statistics
from pathlib import Path
from typing import Any

import pandas as pd

from rungs.config import read_config
from rungs.probes.catalogue import PROBES
from rungs.published.load import sections
from rungs.report.labels import MEASURES

LADDER = [
    # variant, label, parameters, validation, training, published validation, published training
    ("no_context", "no context", 263_168, 59.7, 55.0, 59.71, None),
    ("average", "uniform average replaces", 263_168, 248.1, 240.0, 248.45, None),
    ("average_positions", "+ learned positions", 279_552, 246.0, 236.0, None, None),
    ("average_added", "uniform average, added", 279_552, 60.5, 54.0, 60.45, None),
    ("one_head", "one head, added", 328_704, 46.0, 38.0, None, None),
    ("one_head_replacing", "one head, replacing", 328_704, 55.0, 48.0, None, None),
    ("four_heads", "four heads", 345_216, 43.0, 33.0, None, None),
    ("feed_forward", "+ feed-forward", 476_928, 40.0, 20.5, None, None),
    ("one_block", "+ LayerNorm = one block", 477_696, 38.1, 18.4, 38.07, 18.77),
    ("two_blocks", "two blocks", 675_840, 40.6, 14.6, 40.57, 14.49),
]
REFERENCES = {
    "average": "no_context",
    "average_positions": "average",
    "average_added": "average",
    "one_head": "average_added",
    "one_head_replacing": "one_head",
    "four_heads": "one_head",
    "feed_forward": "four_heads",
    "one_block": "feed_forward",
    "two_blocks": "one_block",
}
PUBLISHED_IMPROVEMENTS = {"average_positions": 2.14, "one_head": 14.0, "one_block": 1.8}
POSITIONS = {
    ("no_positions", "none"): (50.0, 52.1, 55.3),
    ("learned", "learned"): (41.2, 150.4, 301.7),
    ("sinusoidal", "sinusoidal"): (42.0, 90.2, 160.9),
    ("rotary", "rotary"): (42.1, 46.3, 60.4),
    ("alibi", "ALiBi"): (44.95, 43.3, 42.49),
}
LENGTHS = (64, 128, 256)


def ladder(seeds: int = 3, published: bool = True, scale: float = 1.0) -> pd.DataFrame:
    """Return ``ladder.csv``."""
    validation = {row[0]: row[3] for row in LADDER}
    rows = []
    for variant, label, parameters, mean, training, claimed, claimed_training in LADDER:
        reference = REFERENCES.get(variant)
        improvement = validation[reference] - mean if reference else None
        rows.append(
            {
                "variant": variant,
                "label": label,
                "context_length": 128,
                "seeds": seeds,
                "diverged": "",
                "parameters": parameters,
                **_with_interval("perplexity", mean * scale, seeds, claimed, published),
                **_with_interval(
                    "training_perplexity", training * scale, seeds, claimed_training, published
                ),
                "reference": reference,
                **_with_interval(
                    "improvement",
                    improvement,
                    seeds,
                    PUBLISHED_IMPROVEMENTS.get(variant),
                    published,
                ),
            }
        )
    return _as_read(rows)


def positions(seeds: int = 3, published: bool = True) -> pd.DataFrame:
    """Return ``positions.csv``."""
    rows = []
    for (variant, label), values in POSITIONS.items():
        for length, mean, control in zip(
            LENGTHS, values, POSITIONS["no_positions", "none"], strict=True
        ):
            reference = None if variant == "no_positions" else "no_positions"
            claimed = {64: 44.95, 256: 42.49}.get(length) if variant == "alibi" else None
            rows.append(
                {
                    "variant": variant,
                    "label": label,
                    "context_length": length,
                    "seeds": seeds,
                    "diverged": "",
                    "parameters": 500_000,
                    **_with_interval("perplexity", mean, seeds, claimed, published),
                    **_with_interval("training_perplexity", mean * 0.8, seeds, None, published),
                    "reference": reference,
                    **_with_interval(
                        "improvement", control - mean if reference else None, seeds, None, published
                    ),
                }
            )
    return _as_read(rows)


def observations(table: pd.DataFrame, metric: str = "perplexity") -> pd.DataFrame:
    """Return the single seeds of an experiment's table, around their means."""
    keys = [name for name in ("variant", "context_length", "step") if name in table]
    run = {"corpus": "shakespeare", "budget": "window_128"}
    # Of a run as a whole, without the keys of the others.
    counted = [{**run, "variant": name, "seed": 0, "metric": "parameters", "value": 9}
               for name in table["variant"].unique()]  # fmt: skip
    rows = [
        {**run, **{key: row[key] for key in keys}, "seed": seed, "metric": metric,
         "value": row[metric] * (1 + 0.004 * (seed - (row["seeds"] - 1) / 2))}
        for row in table.dropna(subset=[metric]).to_dict("records")
        for seed in range(row["seeds"])
    ]  # fmt: skip
    return pd.DataFrame([*counted, *rows])


def _as_read(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the rows with missing numbers as reading the file gives them."""
    table = pd.DataFrame(rows)
    endings = ("_low", "_high", "_published", "improvement")
    return table.astype({name: float for name in table.columns if name.endswith(endings)})


def _with_interval(
    metric: str, mean: float | None, seeds: int, claimed: float | None, published: bool
) -> dict[str, float | None]:
    half = None if mean is None or seeds == 1 else 0.02 * abs(mean) + 0.2
    return {
        metric: mean,
        f"{metric}_low": None if half is None or mean is None else mean - half,
        f"{metric}_high": None if half is None or mean is None else mean + half,
        f"{metric}_published": claimed if published else None,
    }


def summary(generated: bool = False) -> dict[str, Any]:
    """Return a corpus's ``summary.json``."""
    return {
        "characters": 1_115_394,
        "bytes": 1_115_394,
        "sha256": "0" * 64,
        "vocabulary": 1024,
        "tokens": 459_760,
        "characters_per_token": 2.426,
        "train_tokens": 413_784,
        "validation_tokens": 45_976,
        "entropy_per_character_nats": 1.35 if generated else None,
    }


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def write_table(path: Path, table: pd.DataFrame) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    return path


def memory(published: bool = True) -> pd.DataFrame:
    """Return ``memory.csv``: the published sizes, and a tiled kernel that grows linearly."""
    rows: list[dict[str, Any]] = []
    for tokens, milliseconds, peak in COSTS:
        ran = peak is not None
        rows.append(
            _cost(
                "naive",
                tokens,
                "ok" if ran else "out_of_memory",
                milliseconds and 0.7 * milliseconds,
                peak,
            )
            | {
                "peak_mib_published": peak if published else None,
                "milliseconds_published": milliseconds if published else None,
            }
        )
    for tokens, _, _ in COSTS:
        rows.append(
            _cost("tiled", tokens, "ok", 0.001 * tokens + 1e-6 * tokens**2, 12.1 + tokens * 0.0117)
        )
    return pd.DataFrame(rows)


COSTS = [
    (128, 2.246, 14.6),
    (256, 2.855, 19.2),
    (512, 5.761, 34.4),
    (1024, 16.414, 89.1),
    (2048, 51.573, 296.1),
    (4096, 225.432, 1100.1),
    (8192, 832.838, 4300.1),
    (16384, None, None),
]


def _cost(
    kernel: str, tokens: int, status: str, milliseconds: float | None, peak: float | None
) -> dict[str, Any]:
    return {
        "kernel": kernel,
        "tokens": tokens,
        "status": status,
        "milliseconds": milliseconds,
        "projection_milliseconds": milliseconds and milliseconds / 4,
        "attention_matrix_mib": 8 * tokens**2 * 4 / 2**20,
        "counted_mib": peak and peak - 8.125,
        "workspace_mib": 8.125,
        "peak_mib": peak,
        "peak_mib_published": None,
        "milliseconds_published": None,
        "peak_ratio": None,
        "milliseconds_ratio": None,
    }


def exponents(published: bool = True) -> pd.DataFrame:
    """Return ``exponents.csv``."""
    rows = [
        ("naive", "milliseconds", 1.884, 1.91),
        ("naive", "peak_mib", 1.866, 1.87),
        ("tiled", "milliseconds", 1.62, None),
        ("tiled", "peak_mib", 0.94, None),
    ]
    return pd.DataFrame(
        [
            {
                "kernel": kernel,
                "quantity": quantity,
                "exponent": exponent,
                "exponent_published": claimed if published else None,
                "fitted_rows": 4,
                "first_tokens": 1024,
                "last_tokens": 8192,
            }
            for kernel, quantity, exponent, claimed in rows
        ]
    )


PARAMETERS = {
    ("one_block", "+ LayerNorm = one block"): (131_072, 16_384, 65_664, 131_712, 768, 132_096),
    ("gpt2_small", "GPT-2 small"): (38_597_376, 786_432, 28_348_416, 56_669_184, 38_400, 0),
    ("no_context", "no context"): (131_072, 0, 0, 0, 0, 132_096),
}
COMPONENTS = (
    "token embedding",
    "position embedding",
    "attention",
    "feed-forward",
    "LayerNorm",
    "output layer",
)


def parameters(published: bool = True) -> pd.DataFrame:
    """Return ``parameters.csv``."""
    rows = []
    for (model, label), counts in PARAMETERS.items():
        total = sum(counts)
        for component, count in zip((*COMPONENTS, "total"), (*counts, total), strict=True):
            gpt2 = published and model == "gpt2_small" and component in ("token embedding", "total")
            rows.append(
                {
                    "model": model,
                    "label": label,
                    "component": component,
                    "parameters": count,
                    "share": count / total,
                    "parameters_published": count if gpt2 else None,
                }
            )
    return pd.DataFrame(rows).astype({"parameters_published": "Int64"})


def averaging(seeds: int = 3) -> pd.DataFrame:
    """Return ``averaging.csv``."""
    claimed = {"matrix_product": 6e-8, "masked_softmax": 6e-8, "shuffled_window": 3e-8}
    rows = []
    for measure in MEASURES:
        large = 0.9 if measure == "permuted_with_mask" else None
        for precision, size in (("float32", 1.4e-7), ("float64", 2.6e-16)):
            single = precision == "float32"
            published = claimed.get(measure) if single else None
            rows.append(
                {
                    "measure": measure,
                    "precision": precision,
                    "seeds": seeds,
                    **_spread("difference", large or size, seeds, published),
                    **_spread("rounding", 2.4e-7 if single else None, seeds),
                }
            )
    return pd.DataFrame(rows)


def averaging_matrix() -> pd.DataFrame:
    """Return ``averaging_matrix.csv``."""
    return pd.DataFrame(
        [
            {
                "position": position,
                "token": token,
                "future": "yes" if token > position else "no",
                "weight": 0 if token > position else 1 / position,
            }
            for position in range(1, 7)
            for token in range(1, 7)
        ]
    )


def masking() -> pd.DataFrame:
    """Return ``masking.csv``."""
    rows = [
        ("minus infinity", "minus infinity", 0, 0),
        ("-1e9", "minus infinity", 0, 0),
        ("-1e4", "-10000", 0, 1),
    ]
    columns = ["stand_in", "in_float16", "weight_at_initialisation", "weight_after_collapse"]
    return pd.DataFrame(rows, columns=columns)


def variance(seeds: int = 3, published: bool = True) -> pd.DataFrame:
    """Return ``variance.csv``."""
    claimed = {4: 3.975, 16: 16.071, 64: 64.249, 256: 253.065, 1024: 1015.562}
    rows = []
    for width in (4, 16, 32, 64, 256, 1024):
        theirs = claimed.get(width) if published else None
        rows.append(
            {
                "width": width,
                "seeds": seeds,
                **_spread("variance", 0.99 * width, seeds, theirs),
                **_spread("standard_deviation", width**0.5, seeds, theirs and theirs**0.5),
                "expected_standard_deviation": width**0.5,
            }
        )
    return pd.DataFrame(rows)


def raw_scores(seeds: int = 3) -> pd.DataFrame:
    """Return ``raw_scores.csv``."""
    rows = []
    for scores, itself, own, asymmetry in (
        ("token vectors", 1.0, 1.0, 0.0),
        ("one map for both", 1.0, 0.999, 2e-16),
        ("a query and a key", 0.05, 0.0612, 1.31),
    ):
        metrics = {"chooses_itself": itself, "weight": own, "difference": asymmetry}
        spreads = [_spread(name, mean, seeds, None) for name, mean in metrics.items()]
        rows.append({"measure": scores, "seeds": seeds} | spreads[0] | spreads[1] | spreads[2])
    return pd.DataFrame(rows)


def saturation(seeds: int = 3, published: bool = True) -> pd.DataFrame:
    """Return ``saturation.csv``."""
    rows = []
    for width, tokens, jacobian, frozen in (
        (4, 21.0, 0.85, 0.0),
        (256, 1.4, 0.15, 0.48),
        (1024, 1.17, 0.07, 0.7),
    ):
        one = 1.0 if published and width == 256 else None
        seven = 0.7 if published and width == 1024 else None
        for divided in ("yes", "no"):
            even = divided == "yes"
            claimed = 0.96 if even and published else None
            rows.append(
                {
                    "width": width,
                    "divided": divided,
                    "seeds": seeds,
                    **_spread("entropy", 3.69 if even else math.log(tokens), seeds),
                    **_spread(
                        "effective_tokens",
                        40.2 if even else tokens,
                        seeds,
                        None if even else one,
                    ),
                    **_spread("jacobian", 0.961 if even else jacobian, seeds, claimed),
                    **_spread("frozen", 0 if even else frozen, seeds, None if even else seven),
                }
            )
    return pd.DataFrame(rows)


def equivalence(seeds: int = 3) -> pd.DataFrame:
    """Return ``equivalence.csv``."""
    rows = []
    for second in ("nn.MultiheadAttention", "F.scaled_dot_product_attention"):
        for precision, size in (("float32", 2.2e-7), ("float64", 4.8e-16)):
            single = precision == "float32"
            rows.append(
                {
                    "first": "formula",
                    "second": second,
                    "precision": precision,
                    "seeds": seeds,
                    **_spread("difference", size, seeds, 1.79e-7 if single else None),
                    **_spread("rounding", 9e-7 if single else None, seeds),
                    **_spread("magnitude", 0.147 if single else None, seeds),
                }
            )
    return pd.DataFrame(rows)


def contexts(published: bool = True) -> pd.DataFrame:
    """Return ``contexts.csv``."""
    seen = {"mlp": (1521 / 256, 6), "gpt": (128.5, 256)}
    return pd.DataFrame(
        [
            {"variant": variant, "predictions": 16_384, "mean_context": mean,
             "mean_context_published": round(mean, 2) if published else None,
             "largest_context": most}
            for variant, (mean, most) in seen.items()
        ]
    )  # fmt: skip


def untrained_attention(seeds: int = 3) -> pd.DataFrame:
    """Return ``untrained_attention.csv``, the rows of the first head."""
    rows = []
    for position in range(1, 7):
        even = 1 / position
        rows.append(
            {
                "variant": "gpt",
                "rows": "first head",
                "position": position,
                "seeds": seeds,
                **_spread("smallest", even * 0.9, seeds),
                **_spread("largest", min(1.0, even * 1.1), seeds),
                **_spread("effective_tokens", max(1.0, position * 0.99), seeds),
            }
        )
    return pd.DataFrame(rows)


def cached_generation(seeds: int = 3) -> pd.DataFrame:
    """Return ``cached_generation.csv``."""
    return pd.DataFrame(
        [
            {
                "variant": variant,
                "precision": precision,
                "seeds": seeds,
                **_spread("difference", size, seeds),
                **_spread("rounding", 9e-7 if precision == "float32" else None, seeds),
            }
            for variant in ("mlp", "gpt")
            for precision, size in (("float32", 4.2e-7), ("float64", 2.1e-15))
        ]
    )


def gradient_norms(seeds: int = 3, published: bool = True) -> pd.DataFrame:
    """Return ``gradient_norms.csv``."""
    ends = {("pre_norm", 1): 0.0498, ("pre_norm", 12): 0.0657, ("post_norm", 12): 0.1613}
    return pd.DataFrame(
        [
            {
                "variant": variant,
                "block": block,
                "seeds": seeds,
                **_spread(
                    "whole_block",
                    scale * 0.18,
                    seeds,
                    ends.get((variant, block)) if published else None,
                ),
                **_spread("output_projection", scale * (0.047 + 0.0017 * block), seeds),
            }
            for variant, scale in (("pre_norm", 1), ("post_norm", 2))
            for block in range(1, 13)
        ]
    )


def blocks(published: bool = True) -> pd.DataFrame:
    """Return ``blocks.csv``."""
    rows = [
        ("one_block", "one block", 128, "block", "12d² + 10d", 197_888, 1.0),
        ("gpt2_small", "GPT-2 small", 768, "feed-forward", "8d² + 5d", 4_722_432, 0.666),
        ("gpt2_small", "GPT-2 small", 768, "block", "12d² + 13d", 7_087_872, 1.0),
    ]
    return pd.DataFrame(
        [
            {
                "model": model,
                "label": label,
                "width": width,
                "component": component,
                "closed_form": form,
                "closed_form_parameters": count,
                "parameters": count,
                "share": share,
                "parameters_published": count if published and count == 7_087_872 else None,
            }
            for model, label, width, component, form, count, share in rows
        ]
    ).astype({"parameters_published": "Int64"})


def _spread(
    metric: str, mean: float | None, seeds: int, published: float | None = None
) -> dict[str, float | None]:
    """Return a probe's metric as its table has it: an interval of a tenth to either side."""
    known = mean is not None and seeds > 1
    return {
        metric: mean,
        f"{metric}_low": 0.9 * mean if known and mean is not None else math.nan,
        f"{metric}_high": 1.1 * mean if known and mean is not None else math.nan,
        f"{metric}_published": math.nan if published is None else published,
    }


PROBE_FIGURES = [probe.figure.drawing for probe in PROBES if probe.figure]


def write_probes(results: Path, seeds: int = 3, published: bool = True) -> None:
    """Write the probes' tables and figures, and the blocks."""
    write_table(results / "averaging.csv", averaging(seeds))
    write_table(results / "averaging_matrix.csv", averaging_matrix())
    write_table(results / "masking.csv", masking())
    write_table(results / "raw_scores.csv", raw_scores(seeds))
    write_table(results / "properties.csv", averaging(seeds).assign(difference_published=None))
    write_table(results / "variance.csv", variance(seeds, published))
    write_table(results / "saturation.csv", saturation(seeds, published))
    write_table(results / "equivalence.csv", equivalence(seeds))
    write_table(results / "gradient_norms.csv", gradient_norms(seeds, published))
    write_table(results / "contexts.csv", contexts(published))
    write_table(results / "untrained_attention.csv", untrained_attention(seeds))
    write_table(results / "cached_generation.csv", cached_generation(seeds))
    write_table(results / "blocks.csv", blocks(published))
    for name in PROBE_FIGURES:
        write_figure(results, name)


def labels() -> dict[str, str]:
    """Return the ladder's variants and their labels, in order."""
    return {row[0]: row[1] for row in LADDER}


def write_histories(results: Path, steps: int = 3_000, seeds: int = 3) -> list[Path]:
    """Write the ladder's histories at their addresses; return their paths."""
    paths = []
    for number, (variant, _, _, validation, training, _, _) in enumerate(LADDER):
        for seed in range(seeds):
            entries = []
            for step in range(steps // 12, steps + 1, steps // 12):
                fall = 2.2 * math.exp(-step / steps * (3 + number % 4)) + 0.01 * seed
                entries.append(
                    {
                        "step": step,
                        "training_loss": math.log(training) + fall,
                        "validation_loss": math.log(validation) + fall,
                        "learning_rate": 1e-3,
                        "tokens_per_second": 40_000,
                    }
                )
            folder = results / "runs/shakespeare/window_128" / variant / f"seed{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            lines = "".join(json.dumps(entry) + "\n" for entry in entries)
            (folder / "history.jsonl").write_text(lines)
            paths.append(folder / "history.jsonl")
    return paths


def claims(verdict: str | None = None) -> pd.DataFrame:
    """Return ``claims.csv``; with ``verdict``, every claim has that one."""
    rows: list[tuple[Any, ...]] = [
        # id, section, statement, kind, published, reproduced, low, high, seeds, verdict, reason
        (
            "ladder-no-context",
            "the ladder",
            "without context, an embedding read by a linear layer reaches 59.71",
            "value",
            "59.71",
            59.9412,
            58.1,
            61.8,
            3,
            "reproduced",
            "the published value lies in the interval",
        ),
        (
            "ladder-average",
            "the ladder",
            "the uniform average is four times worse",
            "shape",
            "4",
            4.12,
            4.0,
            4.3,
            3,
            "direction only",
            "the interval excludes 4, on the same side",
        ),
        (
            "ladder-one-block",
            "the ladder",
            "one block reaches 38.07",
            "value",
            "38.07",
            39.93,
            39.1,
            40.7,
            3,
            "not reproduced",
            "published 38.07; reproduced 39.9 [39.1, 40.7]: 4.7% from the mean",
        ),
        (
            "positions-alibi-at-64",
            "positions",
            "ALiBi reaches 44.95 at 64 tokens",
            "value",
            "44.95",
            44.71,
            None,
            None,
            1,
            "direction only",
            "one seed, no interval",
        ),
        (
            "cost-peak-128",
            "cost",
            "the peak memory at 128 tokens is 14.6 MB",
            "check",
            "14.6",
            14.640625,
            None,
            None,
            None,
            "reproduced",
            "equal to the published digits",
        ),
        (
            "variance-4",
            "why scores are divided",
            "over 20,000 random pairs of width 4, the variance of q.k is 3.975",
            "value",
            "3.975",
            3.98,
            3.94,
            4.02,
            5,
            "reproduced",
            "published 3.975; reproduced 3.98 [3.94, 4.02] over 5 seeds: inside the interval",
        ),
        (
            "corpus-tokens",
            "corpus",
            "encoded, it has 459,760 tokens",
            "check",
            "459760",
            None,
            None,
            None,
            None,
            "not run",
            "the corpus has not been read",
        ),
        (
            "nobody-knows",
            "elsewhere",
            'a claim on <b>no table</b> & "quoted"',
            "value",
            "-1.5",
            None,
            None,
            None,
            None,
            "not run",
            "not run",
        ),
    ]
    columns = [
        "id",
        "section",
        "statement",
        "kind",
        "published",
        "reproduced",
        "low",
        "high",
        "seeds",
        "verdict",
        "reason",
    ]
    table = pd.DataFrame(rows, columns=columns).astype({"seeds": "Int64"})
    table.insert(1, "chapter", "attention")
    for column in ("same_as", "derived", "one_more_low", "one_more_high", "seeds_to_decide"):
        table[column] = ""
    tables = {claim.id: claim.cells[0].table for part in sections() for claim in part.claims}
    table["table"] = [tables.get(name, "") for name in table["id"]]
    if verdict is not None:
        table["verdict"] = verdict
    return table


# id, statement, published, and the difference of each seed
DIFFERENCES: list[tuple[str, str, float, tuple[float, ...]]] = [
    (
        "ladder-positions-in-the-average",
        "learned positions added before the averaging win back only 2.14",
        2.14,
        (0.31, 2.9, -0.52),
    ),
    ("ladder-average-added-not-replacing", "adding is worth 188", 188.0, (187.2, 189.9, 186.8)),
    ("ladder-layer-norm", "LayerNorm wins 1.8", 1.8, (1.86, 2.34, 2.1)),
    ("normalization-warmup-of-pre-norm", "the warmup is worth 0.2", 0.2, (1.3, -0.9, 0.1)),
]


def seed_noise(seeds: int = 3) -> pd.DataFrame:
    """Return ``seed_noise.csv``; with no seeds, nothing has been measured."""
    rows = []
    for name, statement, published, differences in DIFFERENCES:
        measured = differences[:seeds]
        row: dict[str, Any] = {
            "id": name,
            "chapter": "attention",
            "section": "the ladder",
            "statement": statement,
            "published": published,
            "seeds": len(measured),
            "difference": statistics.fmean(measured) if measured else None,
            **dict.fromkeys(NOISE),
            "reason": {0: "ladder.csv is missing", 1: "one seed"}.get(seeds, ""),
        }
        if seeds > 1:
            deviation = statistics.stdev(measured)
            row["standard_deviation"] = deviation
            row["single_seed_noise"] = 4.303 * deviation
            row["exceeds_noise"] = "yes" if published > 4.303 * deviation else "no"
            needed = 2 + 8 * (deviation / published) ** 2
            row |= dict(zip(NOISE[3:], (needed, max(2, needed / 4), 40 * needed), strict=True))
        row |= {f"seed{seed}": value for seed, value in enumerate(measured)}
        rows.append(row)
    return pd.DataFrame(rows)


NOISE = (
    *("standard_deviation", "single_seed_noise", "exceeds_noise"),
    *("seeds_needed", "seeds_needed_low", "seeds_needed_high"),
)


def write_run(
    results: Path, variant: str, seed: int, budget: str = "window_128", **changes: Any
) -> None:
    """Write a run's description at its address, as the shipped configuration would have it made."""
    folder = results / "runs/shakespeare" / budget / variant / f"seed{seed}"
    config = read_config(Path(__file__).parents[2] / "config.yaml")
    configured = config.variants.get(variant, config.variants["one_block"])
    described = {
        "architecture": json.loads(configured.architecture()),
        "budget": config.budgets[budget].model_dump(mode="json"),
        "code": "c0de",
        "torch": "2.13.0",
        "device": "CPU (AVX2, one thread)",
        "seed": seed,
    }
    write_json(folder / "run.json", described | changes)


def write_figure(results: Path, name: str, words: str = "Numbers in words.") -> None:
    """Write a figure as the stages do, but for the drawing."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:dc="urn:dc" viewBox="0 0 760 300"><metadata>'
        f"<dc:description>{html.escape(words, quote=False)}</dc:description></metadata>"
        '<rect width="700" height="200"/></svg>'
    )
    (results / "figures").mkdir(parents=True, exist_ok=True)
    (results / "figures" / f"{name}.svg").write_text(svg)
    (results / "figures" / f"{name}.png").write_bytes(b"")


def write_everything(results: Path, corpus: str = "shakespeare", generated: bool = False) -> None:
    """Write every file that the page reads."""
    published, seeds = not generated, 2 if generated else 3
    write_json(results / "corpus" / corpus / "summary.json", summary(generated))
    write_table(results / "ladder.csv", ladder(seeds, published))
    write_table(results / "positions.csv", positions(seeds, published))
    write_table(results / "memory.csv", memory(published))
    write_table(results / "exponents.csv", exponents(published))
    write_table(results / "parameters.csv", parameters(published))
    write_probes(results, seeds, published)
    write_table(results / "claims.csv", claims("not run" if generated else None))
    write_table(results / "seed_noise.csv", seed_noise(0 if generated else 3))
    for name in ("ladder", "positions", "cost", "parameters", "seed_noise"):
        write_figure(results, name)
    for name in ("ladder", "positions"):
        write_figure(results, f"{name}_learning_curves")
