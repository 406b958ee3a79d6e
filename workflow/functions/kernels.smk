"""What one point of the kernel sweep asks of a machine."""


def kernel_memory(wildcards, attempt):
    """MiB that a point may allocate: its score matrices, or its budget where they exceed it."""
    matrix = CONFIG.kernels.heads * int(wildcards.tokens) ** 2 * 4 / 2**20
    return attempt * (1_000 + int(min(3 * matrix, CONFIG.kernels.memory_budget_mib)))


def kernel_threads(_wildcards):
    """All cores for one point, though it computes with one: no neighbour disturbs its clock."""
    try:
        return workflow.cores if CONFIG.kernels.exclusive else 1
    except WorkflowError:  # no --cores: nothing is run, only drawn or linted
        return 1
