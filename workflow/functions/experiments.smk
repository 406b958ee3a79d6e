"""What several rules read of an experiment."""


def evaluations(wildcards):
    if not CONFIG.seeds_of(wildcards.experiment):
        raise WorkflowError(
            f"experiments.{wildcards.experiment}.seeds: is empty, which leaves the experiment out; "
            "give it seeds, or ask for another file"
        )
    return [f"results/evaluations/{address(run)}.json" for run in CONFIG.runs(wildcards.experiment)]


def histories(wildcards):
    return [
        f"results/runs/{address(run)}/history.jsonl" for run in CONFIG.runs(wildcards.experiment)
    ]


def observed_histories(wildcards):
    """Of runs whose attention is observed, or whose losses at several steps are shown."""
    return [
        f"results/runs/{address(run)}/history.jsonl"
        for run in CONFIG.runs(wildcards.experiment)
        if CONFIG.budgets[run.budget].observe_attention or wildcards.experiment in STEPPED
    ]


def continuations(wildcards):
    name = wildcards.experiment
    return [
        f"results/samples/{name}/{run.variant}/seed{run.seed}.json"
        for run in (CONFIG.runs(name) if name in CONTINUED else [])
    ]


def corpus_summary(wildcards):
    return f"results/corpus/{CONFIG.experiments[wildcards.experiment].corpus}/summary.json"


def experiment_title(wildcards):
    return CONFIG.experiments[wildcards.experiment].title


def mapped_evaluation(wildcards):
    """The evaluation whose attention is drawn: one model's, since maps of several do not average."""
    variant = CONFIG.mapped_variant(wildcards.experiment)
    runs = CONFIG.runs(wildcards.experiment)
    first = next(run for run in runs if run.variant == variant)
    return f"results/evaluations/{address(first)}.json"
