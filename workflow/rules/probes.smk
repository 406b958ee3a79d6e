"""Measurements that need no training: one file a question, then a table each."""

FIXED = [name for name, probe in PROBES.items() if probe.fixed]
SETTABLE = "|".join(name for name in PROBES if name not in FIXED)


# Apart, each would be two starts of Python for a few numbers.
rule fixed_probes:
    input:
        PUBLISHED,
    output:
        measurements=expand("results/probes/{probe}.json", probe=FIXED),
        tables=expand("results/{probe}.csv", probe=FIXED),
    log:
        "logs/probes/fixed.log",
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 1_000,
        runtime=lambda wildcards, attempt: attempt * 5,
    params:
        code=code_digest("rungs.probes.fixed"),
    message:
        "Measuring and summarising what no setting enters"
    shell:
        "python -m rungs fixed-probes --log {log:q} --code {params.code}"
        " --measurements {output.measurements:q} --tables {output.tables:q}"


rule probe:
    input:
        unpack(lambda wildcards: PROBES[wildcards.probe].reads(CONFIG)),
    output:
        "results/probes/{probe}.json",
    log:
        "logs/probes/{probe}.log",
    wildcard_constraints:
        probe=SETTABLE,
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt
        * (2_000 if PROBES[wildcards.probe].corpus else 1_000),
        runtime=lambda wildcards, attempt: attempt * 5,
    params:
        stage=lambda wildcards: PROBES[wildcards.probe].stage,
        options=lambda wildcards: options(PROBES[wildcards.probe].options(CONFIG)),
        code=lambda wildcards: code_digest(PROBES[wildcards.probe].module),
    message:
        "Measuring {wildcards.probe}"
    shell:
        "python -m rungs {params.stage} --log {log:q} --code {params.code}"
        " {params.options} --output {output:q}"


rule probe_table:
    input:
        PUBLISHED,
        measurements="results/probes/{probe}.json",
    output:
        "results/{probe}.csv",
    log:
        "logs/tables/{probe}.log",
    wildcard_constraints:
        probe=SETTABLE,
    localrule: True
    params:
        settings=lambda wildcards: keep(probe_settings(CONFIG, wildcards.probe).canonical()),
        code=code_digest("rungs.tables.probe"),
    message:
        "Summarising {wildcards.probe} over its seeds"
    shell:
        "python -m rungs probe-table --log {log:q} --code {params.code}"
        " --measurements {input.measurements:q}"
        " --probe {wildcards.probe} --settings {params.settings:q} --output {output:q}"


rule blocks:
    input:
        PUBLISHED,
    output:
        "results/blocks.csv",
    log:
        "logs/blocks.log",
    localrule: True
    params:
        models=counted_models,
        code=code_digest("rungs.tables.blocks"),
    message:
        "Counting the parameters of a block"
    shell:
        "python -m rungs blocks --log {log:q} --code {params.code}"
        " --models {params.models:q} --output {output:q}"
