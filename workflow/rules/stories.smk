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
        settings=lambda wildcards: settings_of(wildcards.experiment),
        code=code_digest("rungs.tables.continuations"),
    message:
        "Collecting what the runs of {wildcards.experiment} wrote"
    shell:
        "python -m rungs continuations-table --log {log:q}"
        " --code {params.code} --continuations {input:q}"
        " --settings {params.settings:q} --output {output:q}"
