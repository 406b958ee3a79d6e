"""What things are called on the page, in figures and in captions."""

import re

MEASURES = {
    "matrix_product": "running mean, matrix product",
    "masked_softmax": "running mean, masked softmax",
    "shuffled_window": "average, window shuffled",
    "permuted_without_mask": "attention, no mask, permuted",
    "permuted_with_mask": "attention, masked, permuted",
    "permuted_prefix": "its last token, prefix permuted",
}
SCORES = {"yes": "divided", "no": "undivided"}

METRICS = {"perplexity": "perplexity", "bits_per_byte": "bits per byte"}
"""The metrics that an experiment can be about, in words."""


def diverged(cell: str) -> str:
    """Return what a row without numbers shows, ``diverged at step 212``, of a table's ``diverged``.

    Of several seeds it has every step once; of none it is empty.
    """
    steps = re.findall(r"at step (\d+)", cell)
    return f"diverged at step {' and '.join(dict.fromkeys(steps))}" if steps else ""


def as_sentence(title: str) -> str:
    """Return a title with the full stop that it lacks; a question has its mark."""
    return title if title.endswith((".", "?", "!")) else f"{title}."
