"""Freed memory is kept: writing to it again causes no page faults."""

import platform
import resource
import subprocess
import sys

import pytest

SIZE = 2**24
PAGES = SIZE // resource.getpagesize()
PROGRAM = f"""
import ctypes, resource, sys
from rungs.heap import keep_freed_memory

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p

def write_and_free():
    memory = ctypes.c_void_p(library.malloc(ctypes.c_size_t({SIZE})))
    ctypes.memset(memory, 1, {SIZE})
    library.free(memory)

if sys.argv[1] == "kept":
    keep_freed_memory()
write_and_free()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
write_and_free()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(heap: str) -> int:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, heap], capture_output=True, text=True, check=True
    )
    return int(result.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_kept_memory_is_written_again_without_page_faults() -> None:
    assert page_faults("freed") > 0.9 * PAGES
    assert page_faults("kept") < 0.1 * PAGES
