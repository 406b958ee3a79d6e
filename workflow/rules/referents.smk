"""A language with a right answer: its sentences, who answers them, and what attention looks at."""


rule generate_referents:
    output:
        text="results/corpus/{corpus}/text.txt",
        tokenizer="results/corpus/{corpus}/tokenizer.json",
        train="results/corpus/{corpus}/train.npy",
        validation="results/corpus/{corpus}/validation.npy",
        summary="results/corpus/{corpus}/summary.json",
    log:
        "logs/corpus/{corpus}/generate_referents.log",
    wildcard_constraints:
        corpus="|".join(REFERENTS) or "(?!)",
    priority: reference.FIRST
    localrule: True
    params:
        version=lambda wildcards: CONFIG.corpora[wildcards.corpus].version,
        validation_fraction=lambda wildcards: CONFIG.corpora[wildcards.corpus].validation_fraction,
        seed=lambda wildcards: CONFIG.corpora[wildcards.corpus].seed,
        code=code_digest("rungs.corpus.generate_referents"),
    message:
        "Writing every sentence of {wildcards.corpus}"
    shell:
        "python -m rungs generate-referents --log {log:q} --code {params.code}"
        " --version {params.version}"
        " --validation-fraction {params.validation_fraction} --seed {params.seed}"
        " --text {output.text:q} --tokenizer {output.tokenizer:q} --train {output.train:q}"
        " --validation {output.validation:q} --summary {output.summary:q}"


rule evaluate_referents:
    input:
        "results/runs/{corpus}/{budget}/{variant}/seed{seed}/model.safetensors",
        description="results/runs/{corpus}/{budget}/{variant}/seed{seed}/run.json",
        tokenizer="results/corpus/{corpus}/tokenizer.json",
        train="results/corpus/{corpus}/train.npy",
        validation="results/corpus/{corpus}/validation.npy",
    output:
        EVALUATION,
    log:
        "logs/evaluations/{corpus}/{budget}/{variant}/seed{seed}.log",
    wildcard_constraints:
        corpus="|".join(REFERENTS) or "(?!)",
    group:
        run_group
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 1_000,
        runtime=lambda wildcards, attempt: attempt * 5,
        gpu=GPUS,
    params:
        device=CONFIG.device,
        folder=lambda wildcards, input: Path(input.description).parent,
        code=evaluation_code,
    message:
        "Asking {wildcards.variant} for referents on {wildcards.corpus}, {wildcards.budget}, seed {wildcards.seed}"
    shell:
        "python -m rungs evaluate-referents --log {log:q} --code {params.code}"
        " --run {params.folder:q}"
        " --tokenizer {input.tokenizer:q} --train {input.train:q} --validation {input.validation:q}"
        " --device {params.device} --output {output:q}"
