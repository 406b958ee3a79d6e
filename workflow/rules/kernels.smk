"""What one attention layer costs: one fresh process a point."""

KERNEL_POINTS = expand(
    "results/kernels/{kernel}/{tokens}.json",
    kernel=CONFIG.kernels.kernels,
    tokens=CONFIG.kernels.tokens,
)


rule kernel:
    output:
        "results/kernels/{kernel}/{tokens}.json",
    log:
        "logs/kernels/{kernel}/{tokens}.log",
    priority: reference.FIRST if CONFIG.kernels.exclusive else 0
    threads: kernel_threads
    resources:
        mem_mb=kernel_memory,
        runtime=lambda wildcards, attempt: attempt * 5,
        gpu=GPUS,
    params:
        width=CONFIG.kernels.width,
        heads=CONFIG.kernels.heads,
        memory_budget=CONFIG.kernels.memory_budget_mib,
        workspace=CONFIG.kernels.workspace_mib,
        repeats=CONFIG.kernels.repeats,
        device=CONFIG.device,
        code=code_digest("rungs.kernels.measure"),
    message:
        "Measuring {wildcards.kernel} attention on {wildcards.tokens} tokens"
    shell:
        "python -m rungs kernel --log {log:q} --code {params.code} --kernel {wildcards.kernel}"
        " --tokens {wildcards.tokens} --width {params.width} --heads {params.heads}"
        " --memory-budget-mib {params.memory_budget} --workspace-mib {params.workspace}"
        " --repeats {params.repeats} --device {params.device} --output {output:q}"


rule memory_table:
    input:
        PUBLISHED,
        points=KERNEL_POINTS,
    output:
        memory="results/memory.csv",
        exponents="results/exponents.csv",
    log:
        "logs/memory_table.log",
    localrule: True
    params:
        code=code_digest("rungs.tables.memory"),
    message:
        "Collecting the kernel measurements"
    shell:
        "python -m rungs memory-table --log {log:q} --code {params.code} --points {input.points:q}"
        " --output {output.memory:q} --exponents {output.exponents:q}"
