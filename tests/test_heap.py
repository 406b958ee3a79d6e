"""Freed memory is kept: writing to it again causes no page faults."""

import platform
import resource
import subprocess
import sys

import pytest

PAGE = resource.getpagesize()
PROGRAM = """
import ctypes, resource, sys
from rungs.heap import keep_all_memory, keep_freed_memory

size = int(sys.argv[2])
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p

def write_and_free():
    memory = ctypes.c_void_p(library.malloc(ctypes.c_size_t(size)))
    ctypes.memset(memory, 1, size)
    library.free(memory)

if sys.argv[1] == "freed kept":
    keep_freed_memory()
elif sys.argv[1] == "all kept":
    keep_all_memory()
write_and_free()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
write_and_free()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(heap: str, size: int) -> int:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, heap, str(size)], capture_output=True, text=True, check=True
    )
    return int(result.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
@pytest.mark.parametrize(("heap", "size"), [("freed kept", 2**24), ("all kept", 2**27)])
def test_kept_memory_is_written_again_without_page_faults(heap: str, size: int) -> None:
    assert page_faults("", size) > 0.9 * size // PAGE
    assert page_faults(heap, size) < 0.1 * size // PAGE


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_only_all_that_is_freed_includes_what_is_large() -> None:
    assert page_faults("freed kept", 2**27) > 0.9 * 2**27 // PAGE
