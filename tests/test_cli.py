"""The command line: stages, exit codes, and where messages go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rungs import cli
from rungs.code import code_digest


def test_every_stage_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for stage in cli.STAGES:
        with pytest.raises(SystemExit) as leaving:
            cli.main([stage, "--help"])
        assert leaving.value.code == 0
        assert "--log" in capsys.readouterr().out


def test_what_people_type_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    people, workflow = capsys.readouterr().out.split("what the workflow runs:")
    listed = [line.split()[0] for line in people.splitlines() if line.startswith("    ")]
    assert listed == [stage for stage in cli.STAGES if cli.STAGES[stage].typed]
    others = [line.split()[0] for line in workflow.splitlines() if line]
    assert others == [stage for stage in cli.STAGES if not cli.STAGES[stage].typed]


@pytest.mark.parametrize("words", [[], ["nonsense"], ["train"]])
def test_unusable_words_are_explained(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        cli.main(words)
    assert leaving.value.code == 2
    assert "usage: python -m rungs" in capsys.readouterr().err


def broken_table(folder: Path) -> list[str]:
    return ["figure-parameters", "--table", str(folder / "no.csv"), "--models", "x",
            "--svg", str(folder / "x.svg"), "--png", str(folder / "x.png")]  # fmt: skip


def test_a_user_error_is_one_line_and_in_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "logs/x.log"
    assert cli.main([*broken_table(tmp_path), "--log", str(log)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert "no.csv: cannot be read" in error
    assert len(error.splitlines()) == 1
    assert "no.csv: cannot be read" in log.read_text()


def test_a_defect_leaves_its_traceback_in_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rungs.report.figures import parameters

    def read_shown(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(parameters, "read_shown", read_shown)
    log = tmp_path / "x.log"
    assert cli.main([*broken_table(tmp_path), "--log", str(log)]) == 2
    said = f"error: figure-parameters failed, a defect of ours (ZeroDivisionError); see {log}\n"
    assert capsys.readouterr().err == said
    assert "Traceback" in log.read_text()


def test_a_defect_without_a_log_has_not_the_status_of_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rungs.report.figures import parameters

    def read_shown(*_: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(parameters, "read_shown", read_shown)
    assert cli.main(broken_table(tmp_path)) == 2
    *trace, last = capsys.readouterr().err.splitlines()
    assert trace[0].startswith("Traceback")
    assert last == (
        "error: figure-parameters failed, a defect of ours (ValueError: no such thing); "
        "its traceback is above"
    )


def test_what_fails_before_a_stage_begins_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("raise RuntimeError('broken installation')")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    answer = subprocess.run(
        [sys.executable, "-m", "rungs", "compare", "a", "b"],
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1].startswith("error: rungs cannot start")


def test_no_stage_is_imported_before_it_is_chosen() -> None:
    code = "import sys, rungs.cli; sys.exit('torch' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def blocks(folder: Path, code: str) -> list[str]:
    return ["blocks", "--code", code, "--models", "[]", "--output", str(folder / "blocks.csv")]


def test_code_that_was_edited_meanwhile_computes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = code_digest("rungs.tables.blocks")
    other = f"{int(before[0], 16) ^ 1:x}{before[1:]}"
    assert cli.main(blocks(tmp_path, other)) == 2
    error = capsys.readouterr().err
    assert "`blocks` is not the one that this workflow was started with" in error
    assert "run the same command again" in error
    assert not (tmp_path / "blocks.csv").exists()
    assert cli.main(blocks(tmp_path, before)) == 0
    assert (tmp_path / "blocks.csv").exists()


def test_who_has_read_enough_leaves_without_a_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    answer = subprocess.run(
        [sys.executable, "-m", "rungs", *blocks(tmp_path, ""), "--log", str(tmp_path / "log")],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert answer.stderr == ""
    assert answer.returncode == 0


def test_a_terminal_without_a_letter_shows_its_number(tmp_path: Path) -> None:
    models = '[{"model":"a","label":"a","architecture":{},"vocabulary":9}]'
    words = ["parameters", "--models", models, "--output", str(tmp_path / "\u00b5.csv")]
    result = subprocess.run(
        [sys.executable, "-m", "rungs", *words],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "\\xb5.csv" in result.stdout
