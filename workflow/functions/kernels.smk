"""What one point of the kernel sweep asks of a machine."""


def kernel_memory(wildcards, attempt):
    return reference.kernel_mib(CONFIG, wildcards.kernel, int(wildcards.tokens), attempt)


def kernel_threads(_wildcards):
    """All cores for one point, though it computes with one: no neighbour disturbs its clock."""
    try:
        return workflow.cores if CONFIG.kernels.exclusive else 1
    except WorkflowError:  # no --cores: nothing is run, only drawn or linted
        return 1
