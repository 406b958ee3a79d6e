"""What Snakemake would run, before anything has."""

import re
import shlex
from pathlib import Path

import pytest

from rungs.probes.catalogue import PROBES
from tests.workflow.workflow import ROOT, Workflow

pytestmark = pytest.mark.workflow


def test_an_empty_folder_schedules_every_run_once(tmp_path: Path) -> None:
    counts = Workflow(tmp_path).counts()
    assert counts["evaluate"] == (28 + 4) * 3, "twelve blocks under a reading"
    assert counts["evaluate_referents"] == (5 + 3 * 5) * 3, "and three other shares held out"
    assert counts["train"] == (28 + 4 + 5 + 3 * 5) * 3
    assert counts["generate_referents"] == 2 + 3 * 2
    assert counts["kernel"] == 2 * 8
    assert counts["probe"] == counts["probe_table"] == len(PROBES) - 3
    assert counts["fixed_probes"] == 1
    assert counts["blocks"] == 1
    assert counts["download"] == counts["tokenize"] == counts["report"] == 1


def test_every_stage_is_told_the_code_that_its_result_is_kept_under(tmp_path: Path) -> None:
    output = Workflow(tmp_path).run("--dry-run", "--printshellcmds").stdout
    commands = re.findall(r"^Shell command: (python -m rungs .*)$", output, re.MULTILINE)
    assert len(commands) > 250
    assert all(re.search(r" --code [0-9a-f]{16} ", command) for command in commands)


def test_no_word_of_a_command_is_as_long_as_the_configuration(tmp_path: Path) -> None:
    """Linux allows 128 KiB of one, which hundreds of variants exceed."""
    output = Workflow(tmp_path).run("--dry-run", "--printshellcmds").stdout
    commands = re.findall(r"^Shell command: python -m rungs (.*)$", output, re.MULTILINE)
    words = [word for command in commands for word in shlex.split(command)]
    assert max(map(len, words)) < 1_000


def test_one_table_schedules_only_what_it_needs(tmp_path: Path) -> None:
    assert Workflow(tmp_path).counts("results/positions.csv") == {
        "download": 1,
        "tokenize": 1,
        "train": 5 * 3,
        "evaluate": 5 * 3,
        "observations": 1,
        "table": 1,
    }


def test_the_gpt_chapter_is_asked_for_by_name(tmp_path: Path) -> None:
    counts = Workflow(tmp_path).counts("gpt")
    assert counts["train"] == counts["evaluate"] == counts["sample_text"] == (2 + 2) * 3
    assert counts["download_stories"] == 2
    assert counts["tokenize_stories"] == counts["measure_text"] == 1
    assert counts["table"] == counts["observations"] + 1, "and that of positions"
    assert "download" not in counts


def test_the_attention_chapter_needs_no_stories(tmp_path: Path) -> None:
    counts = Workflow(tmp_path).counts("attention")
    assert counts["train"] == (28 + 4 + 5 + 3 * 5) * 3
    assert "download_stories" not in counts


def test_readings_are_run_only_where_they_are_asked_for(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("readings: []")
    without = Workflow(tmp_path, [mine]).counts()
    assert without["train"] == (28 + 5) * 3
    assert "readings" not in without
    one = Workflow(tmp_path).counts("results/normalization_batch_32.csv")
    assert one["train"] == one["evaluate"] == 4 * 3


def test_an_experiment_without_seeds_is_left_out_of_its_chapter(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("experiments: {normalization: {seeds: []}, stories: {seeds: []}}\nreadings: []")
    workflow = Workflow(tmp_path, [mine])
    assert workflow.counts("attention")["train"] == (28 - 4 + 5) * 3
    assert workflow.counts("gpt")["train"] == 2 * 3
    for target in ("figures/normalization_learning_curves.svg", "loss_by_position.csv"):
        refused = workflow.run("--dry-run", f"results/{target}", check=False)
        assert refused.returncode == 1
        assert "seeds: is empty, which leaves the experiment out" in refused.stdout


def test_the_kernel_sweep_needs_no_corpus(tmp_path: Path) -> None:
    assert Workflow(tmp_path).counts("results/memory.csv") == {"kernel": 16, "memory_table": 1}


@pytest.mark.parametrize("probe", ["averaging", "variance", "saturation", "equivalence"])
def test_a_probe_needs_no_corpus_and_no_training(probe: str, tmp_path: Path) -> None:
    expected = {"probe": 1, "probe_table": 1}
    assert Workflow(tmp_path).counts(f"results/{probe}.csv") == expected


def test_gradient_norms_need_a_corpus_and_no_training(tmp_path: Path) -> None:
    assert Workflow(tmp_path).counts("results/gradient_norms.csv") == {
        "download": 1,
        "tokenize": 1,
        "probe": 1,
        "probe_table": 1,
    }


def test_seeds_from_the_command_line(tmp_path: Path) -> None:
    counts = Workflow(tmp_path).counts("results/ladder.csv", "--config", "seeds=[5]")
    assert counts["train"] == 10


def test_a_variant_is_added_by_one_entry(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "variants:\n  deep: {mixer: average, feed_forward: true, depth: 3, joins: [ladder]}\n"
    )
    counts = Workflow(tmp_path, [mine]).counts("results/ladder.csv")
    assert counts["train"] == 11 * 3


def test_a_variant_without_attention_joins_runs_whose_attention_is_observed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("variants: {plain: {mixer: average, joins: [score_scale]}}")
    target = "results/observations/score_scale.csv"
    output = Workflow(tmp_path, [mine]).run("--dry-run", "--printshellcmds", target).stdout
    evaluations, histories = re.findall(
        r"rungs observations .* --evaluations (.*) --histories (.*) --steps", output
    )[0]
    assert "/plain/" in evaluations
    assert "/plain/" not in histories
    assert "/head_256/" in histories


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        ("variants: {rotary: {heads: 3}}", "variants.rotary.heads: 3 heads do not divide"),
        ("budgets: {window_64: {step: 9}}", "budgets.window_64.step: unknown key"),
        ('variants: {"$(touch pwned)": {}}', "variants.$(touch pwned): "),
    ],
)
def test_a_refused_configuration_starts_no_job(tmp_path: Path, overlay: str, message: str) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(overlay)
    result = Workflow(tmp_path, [mine]).run(check=False)
    output = result.stdout + result.stderr
    assert result.returncode == 1
    assert message in output
    assert "Traceback" not in output
    assert not (tmp_path / "results").exists()
    assert not list(ROOT.glob("**/pwned"))


def test_braces_and_quotes_in_words_reach_the_command_as_they_are(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("experiments: {ladder: {title: '{wildcards} {x} \"q\" $(touch pwned)'}}")
    result = Workflow(tmp_path, [mine]).run("--dry-run", "--printshellcmds")
    assert "--title '{wildcards} {x} \"q\" $(touch pwned)'" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty; give it a key, or leave it out"),
        (b"variants: [a\nseeds: 3\n", "line 2 is not valid YAML"),
        (b"variants: {rotary: {label: \xff}}", "is not valid YAML at position 27"),
        (b"variants: &all {rotary: *all}", "an entry holds itself"),
    ],
)
def test_a_file_that_snakemake_cannot_read_is_named(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    """Snakemake reads it before the Snakefile: the profile looks at it first."""
    mine = tmp_path / "mine.yaml"
    mine.write_bytes(content)
    result = Workflow(tmp_path, [mine]).run("-n", check=False)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(f"{mine}: {problem}")
    assert "Traceback" not in result.stderr


def test_a_variant_of_which_nothing_is_made_is_hinted_at(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    for joins in ("", "joins: [ladder]"):
        mine.write_text(f"variants: {{mine: {{mixer: average, {joins}}}}}")
        output = Workflow(tmp_path, [mine]).run("--dry-run", "results/memory.csv").stdout
        hints = [line for line in output.splitlines() if "nothing is made of them" in line]
        assert len(hints) <= 1
        assert ("mine" in "".join(hints)) == (not joins)


def test_a_target_of_an_unknown_variant_is_refused_without_a_traceback(tmp_path: Path) -> None:
    target = "results/runs/shakespeare/window_128/averge/seed0/run.json"
    result = Workflow(tmp_path).run("--dry-run", target, check=False)
    assert result.returncode == 1
    assert f"No rule to produce {target}" in result.stdout
    assert "Traceback" not in result.stdout


def test_braces_in_a_path_are_refused_in_a_sentence(tmp_path: Path) -> None:
    result = Workflow(tmp_path / "{corpus}").run("--dry-run", check=False)
    assert result.returncode == 1
    assert "{corpus}: Snakemake takes braces for wildcards; use a path without" in result.stdout
    assert "Traceback" not in result.stdout


def test_lint_finds_nothing_but_the_environments_we_do_not_use(tmp_path: Path) -> None:
    """The environment is requirements.lock (docs/decisions/environment.md), not conda's."""
    result = Workflow(tmp_path).run("--lint", check=False)
    lines = (result.stdout + result.stderr).splitlines()
    findings = {line.strip() for line in lines if line.startswith("    * ")}
    assert {finding.partition(":")[0] for finding in findings} <= {
        "* Specify a conda environment or container for each rule."
    }, findings
