"""The page."""


rule report:
    input:
        TABLES,
        FIGURES,
        sorted((SOURCE / "report/templates").glob("*")),
        [file for file in RUNS if file.endswith("run.json")],
        claims="results/claims.csv",
        observations="results/observations.csv",
    output:
        "results/report.html",
    log:
        "logs/report.log",
    localrule: True
    params:
        # Not sorted: the page shows the experiments in the configuration's order. Functions,
        # because Snakemake looks for wildcards in a plain string.
        configuration=lambda wildcards: CONFIG.model_dump_json(),
        command=lambda wildcards: command(),
        code=code_digest("rungs.report.page"),
    message:
        "Writing the report"
    shell:
        "python -m rungs report --log {log:q} --results results"
        " --configuration {params.configuration:q} --command {params.command:q}"
        " --output {output:q}"
