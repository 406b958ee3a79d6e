"""What a model looks at when it has to name the referent: maps, and their rows in numbers.

The rows are those of the answering position, the last one of a prompt, and are means over the
heads of a block, as in the attention chapter.
"""

from typing import Any

import torch
from torch import Tensor

from rungs.corpus.referents import ADJECTIVE, TARGETS


def weights_by_adjective(maps: list[Tensor], adjectives: list[str]) -> dict[str, float]:
    """Return the mean weight that each block puts on both nouns and on the adjective.

    Args:
        maps: of each block, (sentences, heads, tokens, tokens).
        adjectives: of each sentence.

    Returns:
        By ``block_{number}_{adjective}_{target}``, for every adjective among them and target.
    """
    found = {}
    for number, weights in enumerate(maps, start=1):
        rows = _answering(weights)
        for adjective in dict.fromkeys(adjectives):
            chosen = rows[torch.tensor([other == adjective for other in adjectives])]
            for target, position in TARGETS.items():
                mean = chosen[:, position].mean().item()
                found[f"block_{number}_{adjective}_{target}"] = mean
    return found


def compare(maps: list[Tensor]) -> dict[str, float]:
    """Return by how much two sentences that differ in the adjective differ in their maps.

    Args:
        maps: of each block, (2, heads, tokens, tokens).

    Returns:
        For each block the largest absolute difference of a weight, by name:

        ``block_{number}_before``: in the rows before the adjective. A causal model has read
        the same words there, so that it is zero in every block.

        ``block_{number}_others``: in the answering row, its weights on all words but the
        adjective scaled to sum to one. In block 1 it is zero: a position's query and its key are
        functions of its own word and place, and the adjective is the only word that differs. Its
        score alone differs, and the softmax shares what it leaves in the same proportions.

        ``block_{number}_row``: in the answering row as it is.
    """
    found = {}
    for number, weights in enumerate(maps, start=1):
        before = weights[:, :, :ADJECTIVE].double()
        rows = _answering(weights)
        kept = [position for position in range(rows.shape[-1]) if position != ADJECTIVE]
        # Each head has a softmax of its own: the scaling comes before the mean.
        others = weights[:, :, -1, kept].double()
        others = (others / others.sum(-1, keepdim=True)).mean(1)
        for name, pair in (("before", before), ("others", others), ("row", rows)):
            found[f"block_{number}_{name}"] = (pair[0] - pair[1]).abs().max().item()
    return found


def drawn(maps: list[Tensor], words: list[list[str]]) -> list[dict[str, Any]]:
    """Return each sentence with its words and its maps, one a block, the mean over heads."""
    return [
        {
            "words": sentence,
            "blocks": [weights[index].double().mean(0).tolist() for weights in maps],
        }
        for index, sentence in enumerate(words)
    ]


def _answering(maps: Tensor) -> Tensor:
    """Return the answering rows, the mean over heads: (sentences, tokens), float64."""
    return maps[:, :, -1].double().mean(1)
