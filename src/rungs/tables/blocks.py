"""Stage ``blocks``: a block's parameters, counted and by the closed form in its width."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from rungs.model.accounting import count_block_parameters, count_parameters
from rungs.model.architecture import Architecture
from rungs.published.load import published_cells
from rungs.tables.comparable import origin
from rungs.tables.configured import published_settings
from rungs.tables.settings import NamedModel, NamedModels
from rungs.tables.writing import write_csv

COLUMNS = [
    *("model", "label", "width", "blocks", "component"),
    *("closed_form", "closed_form_parameters", "parameters", "share", "parameters_published"),
]


class Polynomial(NamedTuple):
    """a d^2 + b d, where d is the width."""

    squares: int
    linear: int

    def at(self, width: int) -> int:
        """Return its value."""
        return self.squares * width**2 + self.linear * width

    def __str__(self) -> str:
        terms = [(self.squares, "d\N{SUPERSCRIPT TWO}"), (self.linear, "d")]
        return " + ".join(f"{number}{power}" for number, power in terms if number)


def run(*, models: NamedModels, output: Path) -> str:
    """Write the components of every distinct whole block among the models, the first model's."""
    whole: dict[tuple[int, bool], NamedModel] = {}
    for entry in models:
        architecture = entry.architecture
        if is_whole_block(architecture):
            whole.setdefault((architecture.width, architecture.attention_bias), entry)
    table = pd.DataFrame(
        [row for entry in whole.values() for row in _rows(entry)], columns=COLUMNS
    ).astype({"parameters_published": "Int64"})
    write_csv(table, output, float_format="%.6f")
    return f"{output}: {len(whole)} different blocks"


def is_whole_block(architecture: Architecture) -> bool:
    """Tell a block of the closed forms: attention that partitions the width, a network, LayerNorm.

    Attention has its four d x d matrices only where W_o is one of them.
    """
    return (
        architecture.mixer == "attention"
        and architecture.output_projection
        and architecture.heads * architecture.resolved_head_width == architecture.width
        and architecture.feed_forward
        and architecture.normalization != "none"
    )


def closed_forms(architecture: Architecture) -> dict[str, Polynomial]:
    """Return the parameters of each component of a whole block, and of the block.

    Attention has four matrices and a bias for W_o alone or for all four; the feed-forward network
    has two of four times the size, with biases of 4 d and d; each LayerNorm has a gain and a bias.
    """
    parts = {
        "attention": Polynomial(4, 4 if architecture.attention_bias else 1),
        "feed-forward": Polynomial(8, 5),
        "LayerNorm": Polynomial(0, 4),
    }
    squares, linear = (sum(numbers) for numbers in zip(*parts.values(), strict=True))
    return {**parts, "block": Polynomial(squares, linear)}


def _rows(entry: NamedModel) -> Iterator[dict[str, Any]]:
    architecture = entry.architecture
    width, depth = architecture.width, architecture.depth
    counted = count_block_parameters(architecture)
    forms = closed_forms(architecture)
    whole = count_parameters(architecture, entry.vocabulary)
    in_blocks = sum(whole[component] for component in ("attention", "feed-forward", "LayerNorm"))
    final_norm = whole["LayerNorm"] - depth * counted["LayerNorm"]
    found = [
        *(
            (name, str(form), form.at(width), counted[name], counted[name] / counted["block"])
            for name, form in forms.items()
        ),
        (
            "all blocks",
            f"{depth} ({forms['block']})",
            depth * forms["block"].at(width),
            in_blocks - final_norm,
            None,
        ),
    ]
    if final_norm:
        found.append(("final LayerNorm", "2d", 2 * width, final_norm, None))
    for component, form, expected, count, share in found:
        yield {
            "model": entry.model,
            "label": entry.label,
            "width": width,
            "blocks": depth,
            "component": component,
            "closed_form": form,
            "closed_form_parameters": expected,
            "parameters": count,
            "share": share,
            "parameters_published": _published(entry.model, component, architecture),
        }


def _published(model: str, component: str, architecture: Architecture) -> int | None:
    """Return the published count of this very model's component."""
    this_model = {model: architecture.model_dump()}
    for cell, number in published_cells("blocks"):
        same = cell.row == {"model": model, "component": component} and cell.column == "parameters"
        if same and origin(cell, published_settings()) == this_model:
            return int(number)
    return None
