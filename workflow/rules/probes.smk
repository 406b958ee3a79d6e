"""Measurements that need no training: one file a question, then a table each."""


rule probe:
    output:
        "results/probes/{probe}.json",
    log:
        "logs/probes/{probe}.log",
    wildcard_constraints:
        probe="|".join(name for name in PROBES if name != "gradient_norms"),
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 1_000,
        runtime=lambda wildcards, attempt: attempt * 5,
    params:
        stage=lambda wildcards: f"probe-{wildcards.probe}".replace("_", "-"),
        options=probe_options,
        code=lambda wildcards: code_digest(f"rungs.probes.{wildcards.probe}"),
    message:
        "Measuring {wildcards.probe}"
    shell:
        "python -m rungs {params.stage} --log {log:q} --code {params.code}"
        " {params.options} --output {output:q}"


rule gradient_norms:
    input:
        train=f"results/corpus/{CONFIG.probes.gradient_norms.corpus}/train.npy",
        corpus=f"results/corpus/{CONFIG.probes.gradient_norms.corpus}/summary.json",
    output:
        "results/probes/gradient_norms.json",
    log:
        "logs/probes/gradient_norms.log",
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 2_000,
        runtime=lambda wildcards, attempt: attempt * 5,
    params:
        variants=gradient_norm_variants,
        batch_size=CONFIG.probes.gradient_norms.batch_size,
        context_length=CONFIG.probes.gradient_norms.context_length,
        seeds=CONFIG.probes.repetitions("gradient_norms"),
        code=code_digest("rungs.probes.gradient_norms"),
    message:
        "Measuring gradients at initialisation"
    shell:
        "python -m rungs probe-gradient-norms --log {log:q} --code {params.code}"
        " --train {input.train:q}"
        " --corpus {input.corpus:q} --variants {params.variants:q}"
        " --batch-size {params.batch_size} --context-length {params.context_length}"
        " --seeds {params.seeds} --output {output:q}"


rule probe_table:
    input:
        PUBLISHED,
        measurements="results/probes/{probe}.json",
    output:
        "results/{probe}.csv",
    log:
        "logs/tables/{probe}.log",
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
