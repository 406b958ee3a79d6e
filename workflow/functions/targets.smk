"""What is made without a target: the experiments of the wanted chapters, and all that is measured
without training; and what is made by the name of a chapter."""

WANTED = CONFIG.wanted()
DEFAULT = [name for name in WANTED if name not in CONFIG.read_experiments]
ALL_RUNS = sorted({run for experiment in WANTED for run in CONFIG.runs(experiment)})
USED_CORPORA = CONFIG.used_corpora()
RUNS = [
    f"results/runs/{address(run)}/{file}"
    for run in ALL_RUNS
    for file in ("model.safetensors", "history.jsonl", "run.json")
    if file != "model.safetensors" or run not in ARCHIVED
]
EVALUATIONS = [f"results/evaluations/{address(run)}.json" for run in ALL_RUNS]


def tables_of(experiments):
    """The tables of some experiments."""
    return [
        *(f"results/{name}.csv" for name in experiments),
        *(f"results/{name}_attention.csv" for name in experiments if name in ANSWERING),
        *(f"results/{name}_samples.csv" for name in experiments if name in CONTINUED),
        *(["results/loss_by_position.csv"] if IN_BYTES in experiments else []),
    ]


def measures_of(experiments):
    """What is measured of the texts that experiments in bits per byte read."""
    corpora = {run.corpus for name in experiments if name == IN_BYTES for run in CONFIG.runs(name)}
    return [f"results/corpus/{corpus}/measures.json" for corpus in sorted(corpora)]


def chapter_results(chapter):
    """The tables and figures of a chapter's experiments that have seeds, wanted or not."""
    names = [
        name
        for name in EXPERIMENTS
        if CONFIG.experiments[name].chapter == chapter and CONFIG.seeds_of(name)
    ]
    return tables_of(names) + figures_of(names) + measures_of(names)


COUNTED_TABLES = [
    "results/memory.csv",
    "results/exponents.csv",
    "results/parameters.csv",
    "results/blocks.csv",
    *(f"results/{probe}.csv" for probe in PROBES),
]
TABLES = [*tables_of(WANTED), *COUNTED_TABLES]
READINGS = ["results/readings.csv"] if CONFIG.readings else []
PROBE_RESULTS = [f"results/probes/{probe}.json" for probe in PROBES]
