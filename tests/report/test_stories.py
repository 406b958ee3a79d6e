"""The GPT chapter's figures and sections, from tables written by hand."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rungs.config import read_config
from rungs.report import style
from rungs.report.figures import loss_by_position, mask, rows, steps
from rungs.report.sections import plan_sections
from rungs.report.style import description
from tests.report.results_folder import observations

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
NAN = math.nan


def by_position() -> pd.DataFrame:
    """The GPT gains 0.1 nats per doubling of the tokens read."""
    positions = np.arange(1, 257)
    mlp = 5 - 2 * np.minimum(np.log2(positions) / np.log2(6), 1)
    gain = 0.1 * np.log2(positions) + 0.05
    blank = {"reference": None, "improvement": NAN, "improvement_low": NAN, "improvement_high": NAN}
    return pd.concat(
        [
            pd.DataFrame({"variant": "mlp", "label": "MLP", "position": positions, "seeds": 3,
                          "diverged": "", "loss": mlp, "loss_low": mlp, "loss_high": mlp, **blank}),
            pd.DataFrame({"variant": "gpt", "label": "GPT", "position": positions, "seeds": 3,
                          "diverged": "", "loss": mlp - gain, "loss_low": mlp, "loss_high": mlp,
                          "reference": "mlp", "improvement": gain, "improvement_low": gain,
                          "improvement_high": gain}),
        ]
    )  # fmt: skip


def leak() -> pd.DataFrame:
    losses = {"gpt_masked": (4.2, 3.1, 2.5), "gpt_unmasked": (4.0, 0.08, 0.02)}
    published = {"gpt_masked": (NAN, NAN, 2.4512), "gpt_unmasked": (3.7958, 0.0763, 0.0165)}
    return pd.DataFrame(
        [
            {
                "variant": variant, "label": variant.replace("_", " "), "step": step, "seeds": 3,
                "diverged": "", "validation_loss": loss, "validation_loss_low": loss * 0.9,
                "validation_loss_high": loss * 1.1,
                "validation_loss_published": published[variant][i],
                "reference": "gpt_masked" if variant == "gpt_unmasked" else None,
                "ratio": loss / losses["gpt_masked"][i] if variant == "gpt_unmasked" else NAN,
                "ratio_low": NAN, "ratio_high": NAN,
            }
            for variant in losses
            for i, (step, loss) in enumerate(zip((100, 200, 500), losses[variant], strict=True))
        ]
    )  # fmt: skip


def stories() -> pd.DataFrame:
    table = []
    for variant, bits, published in (("mlp", 0.93, 0.9326), ("gpt", 0.61, 0.6129)):
        found = {
            "variant": variant, "label": variant.upper(), "context_length": 256, "seeds": 3,
            "diverged": "", "parameters": 5_000_000,
            "reference": "mlp" if variant == "gpt" else None,
        }  # fmt: skip
        for metric, value in {
            "bits_per_byte": bits, "perplexity": math.exp(3 * bits),
            "training_perplexity": math.exp(2.9 * bits),
            "improvement": 0.32 if variant == "gpt" else NAN,
        }.items():  # fmt: skip
            found |= {metric: value, f"{metric}_low": value * 0.99, f"{metric}_high": value * 1.01,
                      f"{metric}_published": NAN}  # fmt: skip
        table.append(found | {"bits_per_byte_published": published})
    return pd.DataFrame(table)


def drawn(stage: object, folder: Path, **tables: pd.DataFrame | str) -> str:
    """Run a figure's stage; return its words."""
    arguments = {}
    for name, table in tables.items():
        if isinstance(table, pd.DataFrame):
            table.to_csv(folder / f"{name}.csv", index=False)
            arguments[name] = folder / f"{name}.csv"
        else:
            arguments[name] = table
    svg, png = folder / "figure.svg", folder / "figure.png"
    stage.run(svg=svg, png=png, **arguments)  # type: ignore[attr-defined]
    return description(svg.read_text())


def test_gains_by_position_are_drawn_in_groups(tmp_path: Path) -> None:
    words = drawn(loss_by_position, tmp_path, table=by_position(), title="Stories")
    assert "MLP: 5.00 after 1 token, 3.00 at the end." in words
    assert "gained 0.0500 after 1 token" in words
    groups = loss_by_position.grouped(by_position().iloc[:256], "loss")
    assert list(groups.index[:5]) == [1, 2, 3, 4, 5]
    assert 20 < len(groups) < 40
    with style.styled():
        figure = loss_by_position.draw(by_position())
    assert len(figure.axes) == 2
    assert len(figure.axes[1].lines) == 3  # one variant gains, and the line of zero


def test_the_leak_is_drawn_with_what_was_published(tmp_path: Path) -> None:
    each = observations(leak(), "validation_loss")
    words = drawn(steps, tmp_path, table=leak(), observations=each, title="The leak")
    assert "gpt unmasked: 4.00 (published 3.7958) at step 100" in words
    assert "0.0200 (published 0.0165) at step 500" in words
    low, high = steps.draw(leak()).axes[0].get_ylim()
    assert low < 0.0165 < 4.2 < high


def test_rows_in_bits_per_byte(tmp_path: Path) -> None:
    corpus = tmp_path / "summary.json"
    corpus.write_text('{"entropy_per_character_nats": 1.0, "characters_per_token": 2.0}')
    stories().to_csv(tmp_path / "table.csv", index=False)
    observations(stories(), "bits_per_byte").to_csv(tmp_path / "each.csv", index=False)
    svg, png = tmp_path / "figure.svg", tmp_path / "figure.png"
    rows.run(
        table=tmp_path / "table.csv", observations=tmp_path / "each.csv", corpus=corpus,
        metric="bits_per_byte", title="Stories", svg=svg, png=png,
    )  # fmt: skip
    words = description(svg.read_text())
    assert "Validation bits per byte at a context of 256 tokens" in words
    assert "published 0.6129" in words
    assert "floor" not in words


def test_the_mask_and_an_untrained_head(tmp_path: Path) -> None:
    seen = pd.DataFrame(
        [{"position": p, "token": t, "future": "", "visible": int(t <= p)}
         for p in range(1, 9) for t in range(1, 9)]
    )  # fmt: skip
    head = pd.DataFrame(
        [{"variant": "gpt", "rows": "first head", "position": p, "token": t,
          "weight": (t <= p) / p} for p in range(1, 7) for t in range(1, 7)]
    )  # fmt: skip
    words = drawn(mask, tmp_path, mask=seen, attention=head)
    assert "Position 6 of an untrained head gives its tokens weights from 0" in words


@pytest.fixture
def results(tmp_path: Path) -> Path:
    stories().to_csv(tmp_path / "stories.csv", index=False)
    leak().to_csv(tmp_path / "leak.csv", index=False)
    by_position().to_csv(tmp_path / "loss_by_position.csv", index=False)
    pd.DataFrame(
        [{"variant": "gpt_unmasked", "label": "unmasked", "seed": 0, "prompt": "Once upon a time",
          "text": " time\n\ntime a", "tokens": 4, "distinct_tokens": 2, "ended": "no"}]
    ).to_csv(tmp_path / "leak_samples.csv", index=False)  # fmt: skip
    return tmp_path


def test_the_sections_show_what_is_there(results: Path) -> None:
    sections = {section.anchor: section for section in plan_sections(CONFIG, results, [])}
    bits, gained, positions = sections["stories"].tables
    assert ("bits per byte, 256 tokens", 2) in bits.groups
    assert "Bits per byte gained" in gained.caption
    assert positions.rows[0][0] == "1"
    assert positions.rows[-1][0] == "129 to 256"
    assert float(positions.rows[-1][-1]) > float(positions.rows[0][-1])
    losses, samples = sections["leak"].tables
    assert [row[-1] for row in losses.rows][-1].startswith("0.008")
    assert samples.rows == [["unmasked", "time time a", "2 of 4"]]
    assert ("What its runs write", "stories_samples.csv") in sections["stories"].missing


def test_a_chapter_that_was_not_asked_for_says_how_to_make_it(tmp_path: Path) -> None:
    sections = {section.anchor: section for section in plan_sections(CONFIG, tmp_path, [])}
    assert sections["stories"].missing == [("This experiment", "stories.csv")]
    assert sections["leak"].missing == [("This experiment", "leak.csv")]
    curves = [name for name, _ in sections["learning-curves"].figures]
    assert "ladder_learning_curves" in curves
    assert "leak_learning_curves" not in curves


def test_what_was_asked_for_comes_first(tmp_path: Path) -> None:
    asked = CONFIG.model_copy(update={"chapters": ["gpt"]})
    anchors = [section.anchor for section in plan_sections(asked, tmp_path, [])]
    assert anchors[:3] == ["stories", "leak", "ladder"]
