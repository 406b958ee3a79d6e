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


rule figure_steps:
    input:
        table="results/{experiment}.csv",
    output:
        svg=report(
            "results/figures/{experiment}.svg",
            caption="../report/steps.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "loss by step"},
        ),
        png="results/figures/{experiment}.png",
    log:
        "logs/figures/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(STEPPED) or "(?!)",
    localrule: True
    params:
        title=experiment_title,
        code=code_digest("rungs.report.figures.steps"),
    message:
        "Drawing {wildcards.experiment}"
    shell:
        "python -m rungs figure-steps --log {log:q} --code {params.code} --table {input.table:q}"
        " --title {params.title:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_loss_by_position:
    input:
        table="results/loss_by_position.csv",
    output:
        svg=report(
            "results/figures/loss_by_position.svg",
            caption="../report/loss_by_position.rst",
            category="Experiments",
            labels={"experiment": IN_BYTES, "figure": "loss by position"},
        ),
        png="results/figures/loss_by_position.png",
    log:
        "logs/figures/loss_by_position.log",
    localrule: True
    params:
        title=CONFIG.experiments[IN_BYTES].title if IN_BYTES else "",
        code=code_digest("rungs.report.figures.loss_by_position"),
    message:
        "Drawing the loss at each position"
    shell:
        "python -m rungs figure-loss-by-position --log {log:q}"
        " --code {params.code} --table {input.table:q}"
        " --title {params.title:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_mask:
    input:
        mask="results/mask.csv",
        attention="results/untrained_attention.csv",
    output:
        svg=report(
            "results/figures/mask.svg",
            caption="../report/mask.rst",
            category="Probes",
            labels={"experiment": "mask", "figure": "what a position sees"},
        ),
        png="results/figures/mask.png",
    log:
        "logs/figures/mask.log",
    localrule: True
    params:
        code=code_digest("rungs.report.figures.mask"),
    message:
        "Drawing what a position sees"
    shell:
        "python -m rungs figure-mask --log {log:q} --code {params.code} --mask {input.mask:q}"
        " --attention {input.attention:q} --svg {output.svg:q} --png {output.png:q}"
