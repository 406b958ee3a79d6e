"""Measurements that need no training, one file for each question the chapters ask."""

PROBES = (
    "averaging",
    "averaging_matrix",
    "masking",
    "variance",
    "saturation",
    "equivalence",
    "gradient_norms",
)
"""Their names, which are those of their modules, results and tables, in the chapter's order."""
