"""How long Snakemake takes to see what there is to do, from one seed to a hundred.

    python benchmarks/scale.py [SEEDS ...]

Each row is a dry run of everything in an empty folder: reading the rules, building the graph of
all jobs, and printing every job. Processor seconds do not depend on what else the machine does.
The last row groups the runs as a cluster profile does.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
GROUPS = [f"runs_{2**n}={2**n}" for n in range(1, 7)]


def dry_run(seeds: int, *words: str) -> tuple[int, float, float]:
    """Return the number of jobs, the wall seconds and the processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1"]
        command += ["--directory", folder, "--config", f"seeds={list(range(seeds))}", *words]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    output = result.stdout + result.stderr
    total = next(line for line in output.splitlines() if line.startswith("total"))
    return int(total.split()[1]), wall, processor


def main() -> None:
    """Print the table."""
    numbers = [int(word) for word in sys.argv[1:]] or [1, 10, 30, 100]
    print("seeds   jobs   wall s   processor s   ms per job, beyond the first row", flush=True)
    first: tuple[int, float] | None = None
    for seeds in numbers:
        jobs, wall, processor = dry_run(seeds)
        first = first or (jobs, processor)
        more = jobs - first[0]
        slope = f"{(processor - first[1]) / more * 1e3:.2f}" if more else ""
        print(f"{seeds:5} {jobs:6,} {wall:8.1f} {processor:13.1f}   {slope}", flush=True)
    jobs, wall, processor = dry_run(numbers[-1], "--group-components", *GROUPS)
    print(f"{numbers[-1]:5} {jobs:6,} {wall:8.1f} {processor:13.1f}   in groups", flush=True)


if __name__ == "__main__":
    main()
