"""The C library's heap, told to keep the memory that a stage frees."""

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_MMAP_MAX = -1, -3, -4
"""Parameters of glibc's mallopt(3)."""

MEBIBYTE = 2**20


def keep_freed_memory() -> None:
    """Let freed tensors' memory wait for the next ones instead of going back to the system.

    A training step frees its tensors and allocates the same again. Left alone, glibc gives the
    larger ones back, and each of their pages returns as a page fault: ten thousand in a step of
    one block (benchmarks/README.md). The numbers stay the same to the bit. Where the C library
    is not glibc, nothing happens.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_MMAP_THRESHOLD, 32 * MEBIBYTE)  # the largest that glibc takes
        mallopt(M_TRIM_THRESHOLD, 1_024 * MEBIBYTE)


def keep_all_memory() -> None:
    """Let even gigabytes wait for the next pass, as the allocator of a GPU does.

    A pass of attention frees whole matrices. Left alone, their pages come back from the system in
    each pass, and a virtual machine may take ten times as long for them as for the arithmetic:
    what would be measured is the system's memory, and no growth with the tokens.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_MMAP_MAX, 0)
        mallopt(M_TRIM_THRESHOLD, -1)  # never
