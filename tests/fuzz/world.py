"""A finished workflow of tiny runs, made in seconds, with the records that Snakemake's has."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from rungs.claims.configured import claim_settings, probe_settings
from rungs.config import Config, read_config
from rungs.tables.configured import experiment_settings
from tests.fuzz.trial import run

REPOSITORY = Path(__file__).parents[2]
TINY = REPOSITORY / "tests/workflow/tiny.yaml"
CORPUS = "results/corpus/stories"
RUNS = tuple(f"stories/window_128/{variant}/seed0" for variant in ("no_context", "one_head"))
OBSERVED = "stories/short/undivided/seed0"
EMPTY = (".snakemake", "empty")
LOOP = "loop"

Words = list[str]


class World:
    """The folder, which has to be the current one, and the commands that made it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = read_config(TINY)
        self.commands = dict(_commands(self.config))
        """By name; each reads files that those before it wrote."""
        for name in EMPTY:
            (folder / name).mkdir()
        (folder / LOOP).symlink_to(LOOP)
        for words in self.commands.values():
            outcome = run(words)
            assert outcome.status == 0, (words, outcome)
        self.compared = run(["compare", "a.zip", "results"])
        """What an undamaged bundle says."""
        self._kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self._stamps = {path: _stamp(path) for path in folder.rglob("*")}

    def restore(self) -> None:
        """Undo what a case did to the files."""
        for place, folders, files in os.walk(self.folder, topdown=False):
            for path in (Path(place, name) for name in (*folders, *files)):
                if self._stamps.get(path) != (found := _stamp(path)):
                    shutil.rmtree(path) if stat.S_ISDIR(found[0]) else path.unlink()
        for path, content in self._kept.items():
            if not os.path.lexists(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                self._stamps[path] = _stamp(path)
        for name in EMPTY:
            (self.folder / name).mkdir(exist_ok=True)
        if not os.path.lexists(loop := self.folder / LOOP):
            loop.symlink_to(LOOP)
            self._stamps[loop] = _stamp(loop)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what tells that a file was touched, and of a folder that it is one."""
    found = path.lstat()
    folder = stat.S_ISDIR(found.st_mode)
    return (found.st_mode, *(() if folder else (found.st_size, found.st_mtime_ns)))


def _commands(config: Config) -> Iterator[tuple[str, Words]]:
    whole = config.model_dump_json()
    claims = claim_settings(config).canonical()
    tokens = ["--train", f"{CORPUS}/train.npy", "--validation", f"{CORPUS}/validation.npy"]
    yield "generate-corpus", [
        *("generate-corpus", "--stories", "300", "--seed", "0"),
        *("--output", f"{CORPUS}/text.txt", "--entropy", f"{CORPUS}/entropy.json"),
    ]  # fmt: skip
    yield "tokenize", [
        *("tokenize", "--text", f"{CORPUS}/text.txt", "--vocabulary", "260"),
        *("--validation-fraction", "0.1", "--longest-window", "16"),
        *("--entropy", f"{CORPUS}/entropy.json", "--tokenizer", f"{CORPUS}/tokenizer.json"),
        *(*tokens, "--summary", f"{CORPUS}/summary.json"),
    ]  # fmt: skip
    for run_of in (*RUNS, OBSERVED):
        _, budget, variant, _ = run_of.split("/")
        yield f"train {variant}", [
            *("train", *tokens, "--corpus", f"{CORPUS}/summary.json"),
            *("--architecture", config.variants[variant].architecture()),
            *("--budget", config.budgets[budget].canonical(), "--seed", "0", "--device", "cpu"),
            *("--checkpoints", ".rungs/checkpoints", "--output", f"results/runs/{run_of}"),
        ]  # fmt: skip
        yield f"evaluate {variant}", [
            *("evaluate", "--run", f"results/runs/{run_of}", *tokens),
            *("--context-lengths", "8", "16", "--device", "cpu"),
            *("--output", f"results/evaluations/{run_of}.json"),
        ]  # fmt: skip
    for experiment, of in {"ladder": RUNS, "score_scale": (OBSERVED,)}.items():
        histories = [f"results/runs/{run_of}/history.jsonl" for run_of in of]
        yield f"observations {experiment}", [
            *("observations", "--evaluations", *(f"results/evaluations/{r}.json" for r in of)),
            *("--histories", *(histories if experiment == "score_scale" else [])),
            *("--steps", "--measures", "--samples"),
            *("--output", f"results/observations/{experiment}.csv"),
        ]  # fmt: skip
        yield f"table {experiment}", [
            *("table", "--kind", "scores"),
            *("--measured", f"results/observations/{experiment}.csv"),
            *("--experiment", experiment),
            *("--settings", experiment_settings(config, experiment).canonical()),
            *("--output", f"results/{experiment}.csv"),
        ]  # fmt: skip
    yield "all-observations", [
        *("all-observations", "--observations", "results/observations/ladder.csv"),
        *("results/observations/score_scale.csv", "--output", "results/observations.csv"),
    ]  # fmt: skip
    yield "kernel", [
        *("kernel", "--kernel", "naive", "--tokens", "64", "--width", "16", "--heads", "2"),
        *("--memory-budget-mib", "0.001", "--workspace-mib", "8", "--repeats", "1"),
        *("--device", "cpu", "--output", "results/kernels/naive/64.json"),
    ]  # fmt: skip
    yield "memory-table", [
        *("memory-table", "--points", "results/kernels/naive/64.json"),
        *("--output", "results/memory.csv", "--exponents", "results/exponents.csv"),
    ]  # fmt: skip
    sizes = {"variance": ["--widths", "4", "8", "--pairs", "50"], "averaging": []}
    for probe, words in sizes.items():
        measured = f"results/probes/{probe}.json"
        yield f"probe-{probe}", [f"probe-{probe}", "--seeds", "2", *words, "--output", measured]
        yield f"table of {probe}", [
            *("probe-table", "--measurements", measured, "--probe", probe),
            *("--settings", probe_settings(config, probe).canonical()),
            *("--output", f"results/{probe}.csv"),
        ]  # fmt: skip
    for stage in ("claims", "seed-noise"):
        output = f"results/{stage.replace('-', '_')}.csv"
        yield stage, [stage, "--results", "results", "--settings", claims, "--output", output]
    drawn = {
        "rows": [
            *("--table", "results/ladder.csv", "--corpus", f"{CORPUS}/summary.json"),
            *("--observations", "results/observations/ladder.csv"),
            *("--metric", "perplexity", "--title", "The ladder"),
        ],
        "learning-curves": [
            *("--histories", *(f"results/runs/{run_of}/history.jsonl" for run_of in RUNS)),
            *("--descriptions", *(f"results/runs/{run_of}/run.json" for run_of in RUNS)),
            *("--labels", '{"no_context": "none", "one_head": "one"}', "--title", "The ladder"),
        ],
        "variance": ["--table", "results/variance.csv"],
        "seed-noise": ["--table", "results/seed_noise.csv"],
    }  # fmt: skip
    for figure, words in drawn.items():
        path = f"results/figures/{figure}"
        yield f"figure-{figure}", [
            f"figure-{figure}", *words, "--svg", f"{path}.svg", "--png", f"{path}.png",
        ]  # fmt: skip
    yield "report", [
        *("report", "--results", "results", "--configuration", whole),
        *("--command", "snakemake", "--proofs", "--logs", "logs"),
        *("--output", "results/report.html"),
    ]  # fmt: skip
    yield "bundle", [
        *("bundle", "--results", "results", "--configuration", whole, "--output", "a.zip"),
        *("--files", "results/claims.csv", "results/observations.csv", "results/variance.csv"),
        *("results/ladder.csv", "results/report.md", "results/provenance.json"),
    ]  # fmt: skip
    yield "archive", ["archive", "archive"]
    yield "generate", ["generate", f"results/runs/{RUNS[1]}", "--prompt", "the", "--tokens", "5"]
    yield "compare", ["compare", "a.zip", "results"]
    yield "watch", ["watch", "--once"]
    archived = f"archive/{RUNS[1]}.json"
    yield "take-from-archive", [
        *("take-from-archive", "--archived", archived, *tokens),
        *("--output", "taken/run", "--evaluation", "taken/evaluation.json"),
    ]  # fmt: skip
