"""Training: one process, one run."""


rule train:
    input:
        train="results/corpus/{corpus}/train.npy",
        validation="results/corpus/{corpus}/validation.npy",
        corpus="results/corpus/{corpus}/summary.json",
    output:
        "results/runs/{corpus}/{budget}/{variant}/seed{seed}/model.safetensors",
        history="results/runs/{corpus}/{budget}/{variant}/seed{seed}/history.jsonl",
        description="results/runs/{corpus}/{budget}/{variant}/seed{seed}/run.json",
    log:
        "logs/runs/{corpus}/{budget}/{variant}/seed{seed}.log",
    priority: run_priority
    group:
        run_group
    threads: run_threads
    resources:
        mem_mb=run_memory,
        runtime=run_minutes,
        gpu=GPUS,
    params:
        architecture=lambda wildcards: CONFIG.variants[wildcards.variant].architecture(),
        budget=lambda wildcards: CONFIG.budgets[wildcards.budget].canonical(),
        device=CONFIG.device,
        folder=lambda wildcards, output: Path(output.description).parent,
        code=training_code,
    message:
        "Training {wildcards.variant} on {wildcards.corpus}, {wildcards.budget}, seed {wildcards.seed}"
    shell:
        "python -m rungs train --log {log:q} --train {input.train:q}"
        " --validation {input.validation:q} --corpus {input.corpus:q}"
        " --architecture {params.architecture:q} --budget {params.budget:q}"
        " --seed {wildcards.seed} --device {params.device} --code {params.code}"
        " --checkpoints .rungs/checkpoints --output {params.folder:q}"
