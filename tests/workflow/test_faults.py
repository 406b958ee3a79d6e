"""Whatever interrupts it, the same command finishes the work with the same bytes."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.workflow.dry_runs import scheduled
from tests.workflow.processes import descendants, gone, is_snakemake, is_training, stoppable
from tests.workflow.tree import Tree
from tests.workflow.workflow import SNAKEMAKE

pytestmark = pytest.mark.workflow

RUN = "results/runs/stories/window_64/rotary/seed0"
WEIGHTS = f"{RUN}/model.safetensors"
LOG = "logs/runs/stories/window_64/rotary/seed0.log"
EVALUATION = "results/evaluations/stories/window_64/rotary/seed0.json"


@pytest.fixture(scope="module")
def long_run(finished_tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> tuple[Tree, bytes]:
    """A tree with one run that takes seconds and is still to be made; and its weights."""
    tree = finished_tree.copy(tmp_path_factory.mktemp("long") / "clone")
    tree.configure("budgets.window_64.steps", 1_000)
    tree.configure("budgets.window_64.validate_every", 500)
    undisturbed = tree.copy(tree.folder.with_name("undisturbed"))
    undisturbed.run(WEIGHTS)
    return tree, (undisturbed.folder / WEIGHTS).read_bytes()


def start_training(tree: Tree) -> tuple[subprocess.Popen[str], dict[str, psutil.Process]]:
    """Start the long run; return the shell, and each process of the tree once it trains."""
    shell = tree.start(WEIGHTS)
    while not (training := [p for p in descendants(shell.pid) if is_training(p) and stoppable(p)]):
        assert shell.poll() is None, shell.communicate()
        time.sleep(0.02)
    return shell, {
        "shell": psutil.Process(shell.pid),
        "snakemake": next(filter(is_snakemake, descendants(shell.pid))),
        "training": training[0],
    }


@pytest.mark.parametrize(
    ("victim", "number", "says"),
    [
        ("training", signal.SIGKILL, ""),
        ("training", signal.SIGTERM, "run again to continue"),
        ("training", signal.SIGINT, "1 run stopped at a checkpoint"),
        ("snakemake", signal.SIGINT, ""),
        ("snakemake", signal.SIGTERM, ""),
        ("snakemake", signal.SIGHUP, ""),
        ("snakemake", signal.SIGQUIT, ""),
        ("snakemake", signal.SIGKILL, ""),
        ("shell", signal.SIGTERM, ""),
        ("shell", signal.SIGKILL, ""),
        ("all", signal.SIGHUP, "1 run stopped at a checkpoint"),
        ("all", signal.SIGQUIT, ""),
    ],
)
def test_a_killed_process_costs_nothing(
    long_run: tuple[Tree, bytes], tmp_path: Path, victim: str, number: signal.Signals, says: str
) -> None:
    tree = long_run[0].copy(tmp_path / "clone")
    shell, family = start_training(tree)
    if victim == "all":  # as a terminal that is closed, or its Ctrl-\\
        os.killpg(shell.pid, number)
    else:
        family[victim].send_signal(number)
    output, _ = shell.communicate()
    assert says in output
    gone([family["snakemake"]])  # without its shell it goes on, and holds the lock meanwhile
    locked = any((tree.folder / ".snakemake/locks").glob("*"))
    assert locked == ((victim, number) == ("snakemake", signal.SIGKILL))
    tree.finish(WEIGHTS)
    assert (tree.folder / WEIGHTS).read_bytes() == long_run[1]
    gone([family["training"]])
    assert not list((tree.folder / ".rungs/checkpoints").glob("*"))


@pytest.mark.parametrize("damage", ["none", "cut short", "empty"])
def test_a_run_continues_from_a_checkpoint_or_without_one(
    long_run: tuple[Tree, bytes], tmp_path: Path, damage: str
) -> None:
    tree = long_run[0].copy(tmp_path / "clone")
    shell, family = start_training(tree)
    family["training"].terminate()
    shell.communicate()
    (checkpoint,) = (tree.folder / ".rungs/checkpoints").glob("*.safetensors")
    if damage != "none":
        os.truncate(checkpoint, checkpoint.stat().st_size // 2 if damage == "cut short" else 0)
    tree.finish(WEIGHTS)
    assert ("continuing at step" in (tree.folder / LOG).read_text()) == (damage == "none")
    assert (tree.folder / WEIGHTS).read_bytes() == long_run[1]


def test_a_second_snakemake_in_the_folder_refuses_and_disturbs_nothing(
    long_run: tuple[Tree, bytes], tmp_path: Path
) -> None:
    tree = long_run[0].copy(tmp_path / "clone")
    shell, family = start_training(tree)
    family["training"].suspend()  # it would be done before the second has begun
    second = tree.run(WEIGHTS, check=False)
    family["training"].resume()
    assert second.returncode == 1
    assert "cannot be locked" in second.stdout + second.stderr
    output, _ = shell.communicate()
    assert shell.returncode == 0, output
    assert (tree.folder / WEIGHTS).read_bytes() == long_run[1]


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """Mount a small memory disk over the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip(f"mounting is not allowed here: {answer.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def refused(tree: Tree, *targets: str) -> str:
    result = tree.run(*targets, check=False)
    output = result.stdout + result.stderr
    assert result.returncode == 1, output
    return output


@pytest.mark.parametrize(
    ("disk", "target"), [(RUN, WEIGHTS), ("results/figures", "results/figures/cost.svg")]
)
def test_a_full_disk_is_named_and_the_work_goes_on_with_more_room(
    tree: Tree, finished_tree: Tree, disk: str, target: str
) -> None:
    folder = tree.folder / disk
    with mounted(folder, "size=8k"):
        output = refused(tree, target)
        assert "No space left on device" in output or "see logs/" in output
        assert not (tree.folder / target).exists()
        subprocess.run(["mount", "-o", "remount,size=9m", str(folder)], check=True)
        tree.finish(target)
        made = (tree.folder / target).read_bytes()
    assert made == (finished_tree.folder / target).read_bytes()


def test_a_read_only_folder_is_named(tree: Tree, finished_tree: Tree) -> None:
    target = "results/figures/cost.svg"
    with mounted(tree.results / "figures", "ro"):
        assert "Read-only file system" in refused(tree, target)
    tree.finish(target)
    assert (tree.folder / target).read_bytes() == (finished_tree.folder / target).read_bytes()


def flip_a_bit(path: Path) -> None:
    """Damage the middle of a file as a disk does: neither its size nor its time tells."""
    content, times = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 2] ^= 0x40
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def cut_short(path: Path) -> None:
    """Take the last third away, at the end of a line, where nothing in the file says so."""
    content = path.read_bytes()
    cut = content[: len(content) * 2 // 3]
    path.write_bytes(cut[: cut.rfind(b"\n") + 1] or cut)


def type_what_is_said(tree: Tree, output: str, start: str = "rm results/") -> None:
    """Type the line that a refusal prints for one of both ways out."""
    line = next(line for line in output.splitlines() if line.lstrip().startswith(start))
    path = f"{SNAKEMAKE.parent}:{os.environ['PATH']}"
    answer = subprocess.run(
        line, shell=True, cwd=tree.folder, env={**tree.environment(), "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stdout + answer.stderr


DAMAGED = {
    WEIGHTS: flip_a_bit,
    EVALUATION: flip_a_bit,
    "results/runs/stories/window_128/no_context/seed0/history.jsonl": cut_short,
    "results/observations/score_scale.csv": flip_a_bit,
    "results/ladder.csv": cut_short,
    "results/figures/cost.svg": flip_a_bit,
    "results/claims.csv": flip_a_bit,
    "results/report.html": cut_short,  # which nothing reads, as the next
    "results/provenance.json": lambda path: path.write_bytes(b""),
}


def test_damaged_results_are_named_and_made_again(tree: Tree, finished_tree: Tree) -> None:
    for name, damage in DAMAGED.items():
        damage(tree.folder / name)
    for words in ([], ["--dry-run"], ["results/positions.csv"]):
        output = refused(tree, *words)
        assert all(name in output for name in DAMAGED)
    type_what_is_said(tree, output)
    tree.finish()
    assert tree.content() == finished_tree.content()


def test_damaged_tokens_are_made_again_and_train_nothing(tree: Tree, finished_tree: Tree) -> None:
    name = "results/corpus/stories/train.npy"
    flip_a_bit(tree.folder / name)
    (tree.results / "provenance.json").write_text("")
    trained = (tree.folder / WEIGHTS).stat().st_mtime_ns
    type_what_is_said(tree, refused(tree))
    assert scheduled(tree.folder) == set()
    assert (tree.folder / WEIGHTS).stat().st_mtime_ns == trained
    assert tree.content() == finished_tree.content()


def test_an_edit_by_hand_is_used_once_it_is_allowed(tree: Tree) -> None:
    name = "results/observations/score_scale.csv"
    table = tree.folder / name
    table.write_text(table.read_text().replace("undivided", "undivideD"))
    type_what_is_said(tree, refused(tree, "results/score_scale.csv"), "rm .rungs/written/")
    assert scheduled(tree.folder, "results/score_scale.csv") == {
        "Summarising score_scale over its seeds"
    }
    assert "undivideD" in table.read_text()


@pytest.mark.parametrize("gone", [".rungs", ".rungs/written", ".rungs/seen.json"])
def test_results_without_records_are_believed(tree: Tree, gone: str) -> None:
    """As those copied from elsewhere are."""
    scheduled(tree.folder)
    path = tree.folder / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert scheduled(tree.folder) == set()


def test_one_core_and_all_give_the_same_bytes(tree: Tree, finished_tree: Tree) -> None:
    """Beside others in the finished tree; here one after the other, in a clone elsewhere."""
    targets = [WEIGHTS, "results/runs/stories/short/undivided/seed1/model.safetensors"]
    tree.run("--cores", "1", "--force", *targets)
    assert tree.content() == finished_tree.content()


def test_hostile_words_stay_words(tree: Tree) -> None:
    hostile = "</script><script>x</script> '\"; touch pwned; $(touch pwned) `touch pwned` {x}"
    tree.configure("variants.one_head.label", hostile)
    tree.configure("experiments.ladder.title", hostile)
    tree.configure("corpora.stories.title", hostile)
    tree.run("results/figures/ladder.svg", "results/figures/ladder_learning_curves.svg")
    assert not list(tree.folder.rglob("pwned"))
    assert "<script" not in (tree.results / "figures/ladder.svg").read_text()
    assert hostile.replace('"', '""') in (tree.results / "ladder.csv").read_text()


def test_a_short_validation_is_refused_before_a_run_that_could_not_be_evaluated(tree: Tree) -> None:
    tokens = json.loads((tree.results / "corpus/stories/summary.json").read_text())
    tree.configure("context_lengths", [8, 16, tokens["validation_tokens"]])
    tree.configure("budgets.window_64.learning_rate", 0.002)
    result = tree.run(WEIGHTS, check=False)
    assert result.returncode == 1
    assert "validation.npy: " in result.stdout + result.stderr
    assert "tokens do not fill one window of" in result.stdout + result.stderr
    assert not (tree.folder / LOG).exists() or "0.002" not in (tree.folder / LOG).read_text()
    tree.run("results/exponents.csv")
