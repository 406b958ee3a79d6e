"""What several rules read of an experiment."""


def runs_of(experiment):
    """The runs of an experiment, which is refused where it is left out."""
    if not CONFIG.seeds_of(experiment):
        raise WorkflowError(
            f"experiments.{experiment}.seeds: is empty, which leaves the experiment out; give it "
            "seeds, or ask for another file"
        )
    return CONFIG.runs(experiment)


def evaluations(wildcards):
    return [f"results/evaluations/{address(run)}.json" for run in runs_of(wildcards.experiment)]


def observed_histories(wildcards):
    """Of runs whose attention is observed, or whose losses at several steps are shown."""
    return [
        f"results/runs/{address(run)}/history.jsonl"
        for run in runs_of(wildcards.experiment)
        if CONFIG.observed(run) or wildcards.experiment in STEPPED
    ]


def continuations(wildcards):
    name = wildcards.experiment
    return [
        f"results/samples/{name}/{run.variant}/seed{run.seed}.json"
        for run in (runs_of(name) if name in CONTINUED else [])
    ]


# Of which experiment each table of runs is, and of what kind.
TABLE_OF = {
    **{name: (name, CONFIG.kind(name)) for name in EXPERIMENTS},
    **{f"{name}_attention": (name, "attention") for name in ANSWERING},
    **({"loss_by_position": (IN_BYTES, "positions")} if IN_BYTES else {}),
}


def measured(wildcards):
    """What a table summarises; the loss at each position stands in the evaluations alone."""
    name, kind = TABLE_OF[wildcards.table]
    if kind == "positions":
        return [f"results/evaluations/{address(run)}.json" for run in runs_of(name)]
    return f"results/observations/{name}.csv"


def settings_of(experiment):
    """What its tables depend on."""
    return keep(experiment_settings(CONFIG, experiment).canonical())


def settings_of_claims(_wildcards):
    """What the judged numbers depend on."""
    return keep(claim_settings(CONFIG, command()).canonical())


def settings_of_readings(_wildcards):
    """What the numbers depend on that are judged under readings as well."""
    return keep(claim_settings(CONFIG, command(), readings=True).canonical())
