"""Scoring trained runs, and counting parameters."""


rule evaluate:
    input:
        RUN + "/model.safetensors",
        description=RUN + "/run.json",
        train=CORPUS + "/train.npy",
        validation=CORPUS + "/validation.npy",
    output:
        EVALUATION,
    log:
        "logs/evaluations/{corpus}/{budget}/{variant}/seed{seed}.log",
    threads: 1
    resources:
        mem_mb=2_000,
    params:
        context_lengths=lambda wildcards: CONFIG.evaluated_lengths(wildcards.variant),
        device=CONFIG.device,
        folder=lambda wildcards, input: Path(input.description).parent,
        code=code_digest("rungs.evaluation.stage"),
    message:
        "Evaluating {wildcards.variant} on {wildcards.corpus}, {wildcards.budget}, seed {wildcards.seed}"
    shell:
        "python -m rungs evaluate --log {log:q} --run {params.folder:q} --train {input.train:q}"
        " --validation {input.validation:q} --context-lengths {params.context_lengths}"
        " --device {params.device} --output {output:q}"


def counted_models(_wildcards):
    trained = {
        (
            variant,
            CONFIG.corpora[CONFIG.experiments[experiment].corpus].vocabulary,
        ): None
        for experiment in EXPERIMENTS
        for variant in CONFIG.members(experiment)
    }
    counted = [(entry.variant, entry.vocabulary) for entry in CONFIG.parameter_counts]
    return canonical_json(
        [
            {
                "model": variant,
                "label": CONFIG.label(variant),
                "architecture": json.loads(CONFIG.variants[variant].architecture()),
                "vocabulary": vocabulary,
            }
            for variant, vocabulary in [*trained, *counted]
        ]
    )


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
        code=code_digest("rungs.evaluation.parameters"),
    message:
        "Counting parameters by component"
    shell:
        "python -m rungs parameters --log {log:q} --models {params.models:q} --output {output:q}"
