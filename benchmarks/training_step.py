"""Our training step against the textbook's and the matrix products of this machine.

Each has a process of one thread, and they take turns, so that a ratio compares what ran within
the same seconds; medians and quartiles are over the rounds.
"""

import argparse
import statistics

from benchmarks.subject import BATCH, SQUARE, TOKENS, VOCABULARY, WIDTH, Subject

WARM_UP = 2


def step_flops(depth: int) -> int:
    """Return the floating-point operations of the matrix products of one step.

    Three products (forward, two gradients) of two operations for each weight and token, and
    twelve for each feature of each pair of tokens: scores and sums, without using the mask.
    """
    weights = depth * 12 * WIDTH**2 + WIDTH * VOCABULARY
    return BATCH * TOKENS * (6 * weights + 12 * depth * WIDTH * TOKENS)


def main() -> None:
    """Print the table for one block and for twelve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 12])
    parser.add_argument(
        "--bfloat16", action="store_true",
        help="time bfloat16 products as well; a processor without them takes ten times as long",
    )  # fmt: skip
    arguments = parser.parse_args()
    names = ["matrix product", "textbook step", "our step"]
    names += ["our step, bfloat16"] if arguments.bfloat16 else []
    print("| blocks | what | ms, median (quartiles) | GFLOP/s | of the peak | times faster | MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for depth in arguments.depths:
        subjects = {name: Subject(name, depth) for name in names}
        print_rows(depth, subjects, arguments.rounds)
        for subject in subjects.values():
            subject.end()


def print_rows(depth: int, subjects: dict[str, Subject], rounds: int) -> None:
    """Time the subjects in turn and print a row for each."""
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for turn in range(WARM_UP + rounds):
        for name, subject in subjects.items():
            spent = subject.seconds()
            if turn >= WARM_UP:
                seconds[name].append(spent)
    peak = [2 * SQUARE**3 / spent for spent in seconds["matrix product"]]
    for name, own in seconds.items():
        flops = 2 * SQUARE**3 if name == "matrix product" else step_flops(depth)
        low, middle, high = statistics.quantiles(own, n=4)
        share = [flops / mine / best for mine, best in zip(own, peak, strict=True)]
        memory = subjects[name].peak_mib()
        faster = [slow / mine for slow, mine in zip(seconds["textbook step"], own, strict=True)]
        print(
            f"| {depth} | {name} | {middle * 1e3:.0f} ({low * 1e3:.0f}-{high * 1e3:.0f}) "
            f"| {flops / middle / 1e9:.0f} | {_spread(share, '.0%')} "
            f"| {_spread(faster, '.2f') if 'step' in name else ''} | {memory:.0f} |"
        )


def _spread(values: list[float], form: str) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:{form}} ({low:{form}}-{high:{form}})"


if __name__ == "__main__":
    main()
