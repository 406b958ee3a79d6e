"""What the columns of tables hold, words or numbers: told by their names, never by their cells.

A label may be ``1e-3``, a variant ``true`` and a prompt ``007``; guessed from cells, they would
come back as something else than what was written.
"""

import math
from collections.abc import Mapping

from rungs.corpus.referents import TARGETS

WORDS = frozenset(
    (
        *("experiment", "corpus", "budget", "variant", "metric"),
        *("label", "reference", "prompt", "text", "ended"),
        *("version", "adjective", "role"),
        *("model", "component", "closed_form"),
        *("kernel", "status", "quantity"),
        *("measure", "precision", "future", "stand_in", "in_float16", "first", "second"),
        *("divided", "rows"),
        *("id", "chapter", "section", "table", "statement", "kind", "published", "reproduced"),
        *("derived", "same_as", "reading", "standing", "default"),
        *("verdict", "reason", "exceeds_noise", "diverged"),
    )
)
"""Every other column holds finite numbers, or nothing where there is none."""

KEYS = frozenset(
    (
        *("experiment", "corpus", "budget", "variant", "seed", "context_length", "metric", "step"),
        *("version", "block", "adjective", "model", "component", "kernel", "tokens", "quantity"),
        *("measure", "precision", "stand_in", "first", "second", "width", "divided", "rows"),
        *("position", "token", "id", "reading"),
    )
)
"""What names a row, as far as a table has it."""

FILLED = frozenset(("seed", "seeds", "value", "step", "block", "width", "tokens", "exponent"))
"""Numbers that no row can be without, as far as a reader asks for them."""

UNBOUNDED = frozenset(("seeds_to_decide", "seeds_needed", "seeds_needed_low", "seeds_needed_high"))
"""Numbers that may be infinite: no number of seeds is enough."""

ANSWERS = ("accuracy", "wrong_noun", "anything_else", "training_accuracy")
"""In percent: of the held-out sentences, but for the last."""
WEIGHTS = tuple(f"{target}_weight" for target in TARGETS)
"""Of the word that answers, on those that say what the answer is."""

SCORES = ("perplexity", "training_perplexity")
"""Of every experiment that is scored."""
SHARPNESS = ("score_std_at_start", "score_std", "attention_entropy", "hard_share")
"""Of runs whose attention was observed; a table has them where there are such runs."""
PERPLEXITIES = (*SCORES, "sampled_perplexity")
"""Of the held-out split, of training text, and of random windows of the held-out split."""

BOUNDS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(ANSWERS, (0, 100)),
    **dict.fromkeys(WEIGHTS, (0, 1)),
    **dict.fromkeys(("weight", "smallest", "largest", "hard_share", "frozen", "jacobian"), (0, 1)),
    **dict.fromkeys(PERPLEXITIES, (1, math.inf)),
    **dict.fromkeys(("effective_tokens", "effective_tokens_of_a_row"), (1, math.inf)),
    **dict.fromkeys(("loss", "validation_loss", "bits_per_byte", "ratio"), (0, math.inf)),
    **dict.fromkeys(("entropy", "attention_entropy"), (0, math.inf)),
    **dict.fromkeys(("score_std", "score_std_at_start"), (0, math.inf)),
    **dict.fromkeys(("variance", "standard_deviation", "magnitude", "rounding"), (0, math.inf)),
    **dict.fromkeys(("milliseconds", "peak_mib"), (0, math.inf)),
    **dict.fromkeys(("context_length", "width", "position"), (1, 2**53)),
    "tokens": (0, 2**53),  # of what a diverged run wrote: none
    **dict.fromkeys(("whole_block", "output_projection", "difference"), (0, math.inf)),
}
"""Between what the numbers of a column lie, where not all are possible. An interval is cut there
wherever it is shown, and nowhere else (docs/decisions/verdicts.md)."""

SLACK = 1e-3
"""Of a bound, for shares that rounding adds up to more than all."""


def impossible(column: str, number: float) -> bool:
    """Say whether a number of ours, or a published one, cannot be in the column."""
    low, high = BOUNDS.get(column.removesuffix("_published"), (-math.inf, math.inf))
    return number < low - SLACK or number > high * (1 + SLACK)


def possible(column: str, end: float) -> float:
    """Return the end of an interval, moved to the nearest number that the column can hold."""
    low, high = BOUNDS.get(column, (-math.inf, math.inf))
    return end if math.isnan(end) else min(max(end, low), high)
