"""Training: one process, one thread, one run."""


rule train:
    input:
        train=CORPUS + "/train.npy",
        validation=CORPUS + "/validation.npy",
        corpus=CORPUS + "/summary.json",
    output:
        RUN + "/model.safetensors",
        history=RUN + "/history.jsonl",
        description=RUN + "/run.json",
    log:
        "logs/runs/{corpus}/{budget}/{variant}/seed{seed}.log",
    threads: 1
    resources:
        mem_mb=2_000,
    params:
        architecture=lambda wildcards: CONFIG.variants[wildcards.variant].architecture(),
        budget=lambda wildcards: CONFIG.budgets[wildcards.budget].canonical(),
        device=CONFIG.device,
        folder=lambda wildcards, output: Path(output.description).parent,
        code=code_digest("rungs.training.stage"),
    message:
        "Training {wildcards.variant} on {wildcards.corpus}, {wildcards.budget}, seed {wildcards.seed}"
    shell:
        "python -m rungs train --log {log:q} --train {input.train:q}"
        " --validation {input.validation:q} --corpus {input.corpus:q}"
        " --architecture {params.architecture:q} --budget {params.budget:q}"
        " --seed {wildcards.seed} --device {params.device} --code {params.code}"
        " --checkpoints .rungs/checkpoints --output {params.folder:q}"
