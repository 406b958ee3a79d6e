"""The GPT chapter: where a long view helps, what the leak does, what runs write."""


rule sample_text:
    input:
        lambda wildcards: "results/runs/{corpus}/{budget}/{variant}/seed{seed}/model.safetensors".format(
            **continued_run(wildcards)
        ),
        description=lambda wildcards: "results/runs/{corpus}/{budget}/{variant}/seed{seed}/run.json".format(
            **continued_run(wildcards)
        ),
        tokenizer=lambda wildcards: "results/corpus/{corpus}/tokenizer.json".format(
            **continued_run(wildcards)
        ),
    output:
        "results/samples/{experiment}/{variant}/seed{seed}.json",
    log:
        "logs/samples/{experiment}/{variant}/seed{seed}.log",
    wildcard_constraints:
        experiment="|".join(CONTINUED) or "(?!)",
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 1_000,
        runtime=lambda wildcards, attempt: attempt * 10,
        gpu=GPUS,
    params:
        settings=lambda wildcards: CONFIG.experiments[wildcards.experiment].continues.canonical(),
        device=CONFIG.device,
        folder=lambda wildcards, input: Path(input.description).parent,
        code=continuation_code,
    message:
        "Letting {wildcards.variant} write on, {wildcards.experiment}, seed {wildcards.seed}"
    shell:
        "python -m rungs sample-text --log {log:q} --code {params.code} --run {params.folder:q}"
        " --tokenizer {input.tokenizer:q} --settings {params.settings:q}"
        " --seed {wildcards.seed} --device {params.device} --output {output:q}"


rule continuations_table:
    input:
        continuations,
    output:
        "results/{experiment}_samples.csv",
    log:
        "logs/tables/{experiment}_samples.log",
    wildcard_constraints:
        experiment="|".join(CONTINUED) or "(?!)",
    localrule: True
    params:
        settings=settings_of_experiment,
        code=code_digest("rungs.tables.continuations"),
    message:
        "Collecting what the runs of {wildcards.experiment} wrote"
    shell:
        "python -m rungs continuations-table --log {log:q}"
        " --code {params.code} --continuations {input:q}"
        " --settings {params.settings:q} --output {output:q}"


rule loss_by_position:
    input:
        evaluations_in_bytes if IN_BYTES else [],
    output:
        "results/loss_by_position.csv",
    log:
        "logs/tables/loss_by_position.log",
    localrule: True
    params:
        settings=lambda wildcards: (
            keep(experiment_settings(CONFIG, IN_BYTES).canonical()) if IN_BYTES else ""
        ),
        code=code_digest("rungs.tables.loss_by_position"),
    message:
        "Summarising the loss at each position"
    shell:
        "python -m rungs loss-by-position --log {log:q}"
        " --code {params.code} --evaluations {input:q}"
        " --settings {params.settings:q} --output {output:q}"


rule steps_table:
    input:
        PUBLISHED,
        observations="results/observations/{experiment}.csv",
    output:
        "results/{experiment}.csv",
    log:
        "logs/tables/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(STEPPED) or "(?!)",
    localrule: True
    params:
        settings=settings_of_experiment,
        code=code_digest("rungs.tables.steps"),
    message:
        "Summarising {wildcards.experiment} over its seeds"
    shell:
        "python -m rungs steps-table --log {log:q}"
        " --code {params.code} --observations {input.observations:q}"
        " --experiment {wildcards.experiment} --settings {params.settings:q} --output {output:q}"
