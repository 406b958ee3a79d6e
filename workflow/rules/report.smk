"""The page."""


rule report:
    input:
        TABLES,
        FIGURES,
        sorted((SOURCE / "report/templates").glob("*")),
        runs=lambda wildcards: [
            "results/runs/{corpus}/{budget}/{variant}/seed{seed}/run.json".format(**run._asdict())
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
