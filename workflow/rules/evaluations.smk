"""Scoring trained runs, and counting parameters."""


rule evaluate:
    input:
        "results/runs/{corpus}/{budget}/{variant}/seed{seed}/model.safetensors",
        description="results/runs/{corpus}/{budget}/{variant}/seed{seed}/run.json",
        train="results/corpus/{corpus}/train.npy",
        validation="results/corpus/{corpus}/validation.npy",
    output:
        EVALUATION,
    log:
        "logs/evaluations/{corpus}/{budget}/{variant}/seed{seed}.log",
    wildcard_constraints:
        corpus="|".join([*DOWNLOADED, *GENERATED, *STORIES]) or "(?!)",
    group:
        run_group
    threads: 1
    resources:
        mem_mb=evaluation_memory,
        runtime=lambda wildcards, attempt: attempt * 5,
        gpu=GPUS,
    params:
        context_lengths=lambda wildcards: CONFIG.evaluated_lengths(wildcards.variant),
        device=CONFIG.device,
        folder=lambda wildcards, input: Path(input.description).parent,
        code=evaluation_code,
    message:
        "Evaluating {wildcards.variant} on {wildcards.corpus}, {wildcards.budget}, seed {wildcards.seed}"
    shell:
        "python -m rungs evaluate --log {log:q} --code {params.code}"
        " --run {params.folder:q} --train {input.train:q}"
        " --validation {input.validation:q} --context-lengths {params.context_lengths}"
        " --device {params.device} --output {output:q}"


rule parameters:
    input:
        PUBLISHED,
    output:
        "results/parameters.csv",
    log:
        "logs/parameters.log",
    localrule: True
    params:
        models=counted_models,
        code=code_digest("rungs.tables.parameters"),
    message:
        "Counting parameters by component"
    shell:
        "python -m rungs parameters --log {log:q} --code {params.code}"
        " --models {params.models:q} --output {output:q}"
