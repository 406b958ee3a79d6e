"""What the probes' rows are called on the page and in figures."""

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
