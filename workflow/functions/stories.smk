"""What the GPT chapter's rules read."""


def continued_run(wildcards):
    """The run that writes on, as a dictionary of its address."""
    return next(
        run._asdict()
        for run in CONFIG.runs(wildcards.experiment)
        if (run.variant, str(run.seed)) == (wildcards.variant, wildcards.seed)
    )


def continuation_code(wildcards):
    return code_digest(
        "rungs.generation.samples", unused_by_model(CONFIG.variants[wildcards.variant])
    )
