"""What training, evaluating and counting one model depends on, and asks of a machine."""


def training_code(wildcards):
    """A run depends on the pieces of its own architecture, not on those of the others."""
    variant, budget = CONFIG.variants[wildcards.variant], CONFIG.budgets[wildcards.budget]
    return code_digest("rungs.training.train", unused_by_run(variant, budget))


def run_at(wildcards):
    return Run(wildcards.corpus, wildcards.budget, wildcards.variant, int(wildcards.seed))


def run_threads(wildcards):
    return CONFIG.budgets[wildcards.budget].threads


def run_priority(wildcards):
    return reference.priority(reference.run_flops(CONFIG, run_at(wildcards)))


def run_minutes(wildcards, attempt):
    return reference.run_minutes(CONFIG, run_at(wildcards), attempt)


def run_memory(wildcards, attempt):
    return reference.run_mib(CONFIG, run_at(wildcards), attempt)


def evaluation_memory(wildcards, attempt):
    return reference.evaluation_mib(CONFIG, run_at(wildcards), attempt)


def run_group(wildcards):
    """A profile that says how many `runs_N` make one cluster job gets runs in such groups."""
    if any(name.startswith("runs_") for name in workflow.group_settings.group_components):
        return f"runs_{reference.runs_per_group(CONFIG, run_at(wildcards))}"
    return None


def evaluation_code(wildcards):
    answers = CONFIG.corpora[wildcards.corpus].source == "referents"
    return code_digest(
        "rungs.evaluation.referents" if answers else "rungs.evaluation.evaluate",
        unused_by_model(CONFIG.variants[wildcards.variant]),
    )


def counted_models(_wildcards):
    """Every trained or listed model once; the vocabulary is named where one name has several."""
    pairs = [
        (variant, CONFIG.corpora[CONFIG.corpus_of(variant, experiment)].vocabulary)
        for experiment in EXPERIMENTS
        for variant in CONFIG.members(experiment)
    ]
    pairs += [(entry.variant, entry.vocabulary) for entry in CONFIG.parameter_counts]
    models = {}
    for variant, vocabulary in dict.fromkeys(pairs):
        name = variant if variant not in models else f"{variant}_{vocabulary}"
        models[name] = {
            "model": name,
            "label": CONFIG.label(variant),
            "architecture": json.loads(CONFIG.variants[variant].architecture()),
            "vocabulary": vocabulary,
        }
    return keep(canonical_json(list(models.values())))


def corpus_of(run):
    """The corpus of a run's address."""
    return run.partition("/")[0]
