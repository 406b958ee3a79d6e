"""The stages in which a plan and a running workflow are shown."""

CORPUS, TRAINING, EVALUATION, KERNELS = "corpus", "training", "evaluation", "kernels"
PROBES = "probes"
REST = "tables and figures"

ORDER = (CORPUS, TRAINING, EVALUATION, KERNELS, PROBES, REST)

_STAGES = {
    "download": CORPUS,
    "generate": CORPUS,
    "generate_referents": CORPUS,
    "tokenize": CORPUS,
    "download_stories": CORPUS,
    "tokenize_stories": CORPUS,
    "measure_text": CORPUS,
    "train": TRAINING,
    "evaluate": EVALUATION,
    "evaluate_referents": EVALUATION,
    "sample_text": EVALUATION,
    "take_from_archive": EVALUATION,
    "take_sample": EVALUATION,
    "kernel": KERNELS,
    "probe": PROBES,
    "gradient_norms": PROBES,
}


def stage_of(rule: str) -> str:
    """Return the stage that a rule belongs to."""
    return _STAGES.get(rule, REST)
