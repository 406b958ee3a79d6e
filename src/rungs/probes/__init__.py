"""Measurements that need no training, one file for each question the chapters ask."""

PROBES = (
    "averaging",
    "averaging_matrix",
    "masking",
    "variance",
    "saturation",
    "equivalence",
    "gradient_norms",
    "mask",
    "untrained_attention",
    "contexts",
    "cached_generation",
)
"""Their names, which are those of their modules, results and tables, in the chapters' order."""
