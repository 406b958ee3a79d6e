"""The page."""


def command():
    """The command that a reader types to make one file again, as this workflow was started."""
    folder = os.path.relpath(".", workflow.basedir)
    overlays = [
        os.path.relpath(path, workflow.basedir)
        for path in workflow.overwrite_configfiles
    ]
    words = ["snakemake --cores all"]
    words += [f"--directory {folder}"] if folder != "." else []
    words += [f"--configfile {' '.join(overlays)} --"] if overlays else []
    return " ".join(words)


rule report:
    input:
        TABLES,
        FIGURES,
        sorted((SOURCE / "report/templates").glob("*")),
        runs=lambda wildcards: [
            (RUN + "/run.json").format(**run._asdict())
            for experiment in EXPERIMENTS
            for run in CONFIG.runs(experiment)
        ],
        claims="results/claims.csv",
        observations="results/observations.csv",
    output:
        "results/report.html",
    log:
        "logs/report.log",
    localrule: True
    params:
        configuration=CONFIG.canonical(),
        command=command(),
        code=code_digest("rungs.report.page"),
    message:
        "Writing the report"
    shell:
        "python -m rungs report --log {log:q} --results results"
        " --configuration {params.configuration:q} --command {params.command:q}"
        " --output {output:q}"
