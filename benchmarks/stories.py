"""What preparing a large corpus of stories takes: memory above all.

    python -m benchmarks.stories [GIGABYTES] [STORIES]

Writes a file of generated stories of that size (2 GB) into a temporary folder, tokenizes the first
so many of them (all), and prints the largest resident memory of that process. The stories are drawn
from 20,000 different ones, whose words are made up, 20,000 of them, and drawn with the frequencies
of Zipf's law.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from rungs.corpus.stories import MARKER
from rungs.durations import duration

WORDS = 20_000
DIFFERENT_STORIES = 20_000
STORY_WORDS = 170
VALIDATION_STORIES = 2_000


def words() -> tuple[list[str], list[float]]:
    """Return made-up words and their cumulated frequencies."""
    generator = random.Random(0)
    spelled = [
        "".join(generator.choice("bdfgklmnprstvz") + generator.choice("aeiou") for _ in range(size))
        for size in (generator.choice((1, 2, 2, 3, 3, 4)) for _ in range(WORDS))
    ]
    return spelled, list(accumulate(1 / rank for rank in range(1, WORDS + 1)))


def write(path: Path, size: int) -> int:
    """Write stories until the file has ``size`` bytes; return how many."""
    spelled, weights = words()
    generator = random.Random(1)
    stories = [
        " ".join(generator.choices(spelled, cum_weights=weights, k=STORY_WORDS))
        for _ in range(DIFFERENT_STORIES)
    ]
    written = count = 0
    with path.open("w") as file:
        while written < size:
            written += file.write(f"{generator.choice(stories)}.\n{MARKER}\n")
            count += 1
    return count


def main() -> None:
    """Print one line."""
    size = int(float(sys.argv[1]) * 1e9) if len(sys.argv) > 1 else 2 * 10**9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written = write(folder / "train.txt", size)
        stories = sys.argv[2] if len(sys.argv) > 2 else str(written)
        write(folder / "validation.txt", VALIDATION_STORIES * STORY_WORDS * 6)
        outputs = {
            option: folder / file
            for option, file in {
                "train-text": "train.txt", "validation-text": "validation.txt",
                "text": "text.txt", "tokenizer": "tokenizer.json", "train": "train.npy",
                "validation": "validation.npy", "summary": "summary.json",
            }.items()
        }  # fmt: skip
        command = [sys.executable, "-m", "rungs", "tokenize-stories"]
        command += ["--stories", stories, "--vocabulary", "4096"]
        for option, path in outputs.items():
            command += [f"--{option}", str(path)]
        started = time.monotonic()
        subprocess.run(command, check=True)
        seconds = time.monotonic() - started
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        file = (folder / "train.txt").stat().st_size / 1e9
        print(f"a file of {file:.2f} GB: largest memory {peak:.2f} GiB, {duration(seconds)}")


if __name__ == "__main__":
    main()
