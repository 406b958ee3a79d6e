"""The page, and the zip to send."""


rule report:
    input:
        TABLES,
        FIGURES,
        sorted((SOURCE / "report/templates").glob("*")),
        [file for file in RUNS if not file.endswith("model.safetensors")],
        READINGS,
        PROBE_RESULTS,
        expand("results/observations/{experiment}.csv", experiment=DEFAULT),
        claims="results/claims.csv",
        noise="results/seed_noise.csv",
        observations="results/observations.csv",
        proofs=PROOFS,
    output:
        html="results/report.html",
        markdown="results/report.md",
        provenance="results/provenance.json",
    log:
        "logs/report.log",
    localrule: True
    params:
        # Not sorted: the page shows the experiments in the configuration's order. Functions,
        # because Snakemake looks for wildcards in a plain string.
        configuration=lambda wildcards: keep(CONFIG.model_dump_json()),
        command=lambda wildcards: command(),
        code=code_digest("rungs.report.page"),
    message:
        "Writing the report"
    shell:
        "python -m rungs report --log {log:q} --code {params.code} --results results"
        " --configuration {params.configuration:q} --command {params.command:q}"
        " --proofs {input.proofs:q} --logs logs --output {output.html:q}"


rule bundle:
    input:
        TABLES,
        [figure for figure in FIGURES if figure.endswith(".svg")],
        [file for file in RUNS if file.endswith("run.json")],
        KERNEL_POINTS,
        expand("results/corpus/{corpus}/summary.json", corpus=USED_CORPORA),
        "results/claims.csv",
        READINGS,
        "results/seed_noise.csv",
        "results/observations.csv",
        "results/report.html",
        "results/report.md",
        "results/provenance.json",
    output:
        "results/bundle.zip",
    log:
        "logs/bundle.log",
    localrule: True
    params:
        configuration=lambda wildcards: keep(CONFIG.model_dump_json()),
        code=code_digest("rungs.bundle.pack"),
    message:
        "Packing tables, figures and report"
    shell:
        "python -m rungs bundle --log {log:q} --code {params.code}"
        " --results results --files {input:q}"
        " --configuration {params.configuration:q} --output {output:q}"
