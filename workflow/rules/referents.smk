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


rule referents_table:
    input:
        PUBLISHED,
        observations="results/observations/{experiment}.csv",
    output:
        answers="results/{experiment}.csv",
        attention="results/{experiment}_attention.csv",
    log:
        "logs/tables/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(ANSWERING) or "(?!)",
    localrule: True
    params:
        settings=settings_of_experiment,
        code=code_digest("rungs.tables.referents"),
    message:
        "Summarising {wildcards.experiment} over its seeds"
    shell:
        "python -m rungs referents-table --log {log:q} --code {params.code}"
        " --observations {input.observations:q}"
        " --experiment {wildcards.experiment} --settings {params.settings:q}"
        " --output {output.answers:q} --attention {output.attention:q}"


rule figure_answers:
    input:
        table="results/{experiment}.csv",
    output:
        svg=report(
            "results/figures/{experiment}.svg",
            caption="../report/answers.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "answers"},
        ),
        png="results/figures/{experiment}.png",
    log:
        "logs/figures/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(ANSWERING) or "(?!)",
    localrule: True
    params:
        title=experiment_title,
        code=code_digest("rungs.report.figures.answers"),
    message:
        "Drawing the answers of {wildcards.experiment}"
    shell:
        "python -m rungs figure-answers --log {log:q} --code {params.code} --table {input.table:q}"
        " --title {params.title:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_attention:
    input:
        evaluation=mapped_evaluation,
    output:
        svg=report(
            "results/figures/{experiment}_attention.svg",
            caption="../report/attention.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "attention when answering"},
        ),
        png="results/figures/{experiment}_attention.png",
    log:
        "logs/figures/{experiment}_attention.log",
    localrule: True
    params:
        title=experiment_title,
        code=code_digest("rungs.report.figures.attention"),
    message:
        "Drawing what {wildcards.experiment} looks at when it answers"
    shell:
        "python -m rungs figure-attention --log {log:q} --code {params.code}"
        " --evaluation {input.evaluation:q}"
        " --title {params.title:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_maps:
    input:
        evaluation=mapped_evaluation,
    output:
        svg=report(
            "results/figures/{experiment}_maps.svg",
            caption="../report/maps.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "attention maps"},
        ),
        png="results/figures/{experiment}_maps.png",
    log:
        "logs/figures/{experiment}_maps.log",
    localrule: True
    params:
        title=experiment_title,
        code=code_digest("rungs.report.figures.maps"),
    message:
        "Drawing the attention maps of {wildcards.experiment}"
    shell:
        "python -m rungs figure-maps --log {log:q} --code {params.code}"
        " --evaluation {input.evaluation:q}"
        " --title {params.title:q} --svg {output.svg:q} --png {output.png:q}"
