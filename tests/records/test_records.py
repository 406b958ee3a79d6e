"""Records of finished stages: what is written, what is refused, what is harmless."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rungs.cli import main
from rungs.code import Definition, reachable
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import write_text
from rungs.records import stages, written
from rungs.records.recording import recording


@pytest.fixture(autouse=True)
def workflow_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path(".snakemake").mkdir()
    return tmp_path


GENERATE = [
    "generate-corpus", "--log", "logs/corpus/tales/generate.log", "--stories", "3", "--seed", "0",
    "--output", "results/corpus/tales/text.txt", "--entropy", "results/corpus/tales/entropy.json",
]  # fmt: skip


def test_a_stage_that_ends_well_is_recorded() -> None:
    assert main(GENERATE) == 0
    record = stages.read(Path(), Path("logs/corpus/tales/generate.log"))
    assert record == (GENERATE, reachable("rungs.corpus.generated"))
    text = "results/corpus/tales/text.txt"
    assert Path(".rungs/written", text).read_text() == file_digest(Path(text))


def test_nothing_is_recorded_of_a_failure_or_outside_a_workflow() -> None:
    Path("results").touch()  # no folder can be made there
    assert main(GENERATE) == 2
    assert not Path(".rungs").exists()
    Path("results").unlink()
    Path(".snakemake").rmdir()
    assert main(GENERATE) == 0
    assert not Path(".rungs").exists()


def test_a_record_that_cannot_be_written_fails_no_stage() -> None:
    Path(".rungs").touch()
    assert main(GENERATE) == 0
    assert "no record of this stage is kept" in Path("logs/corpus/tales/generate.log").read_text()


def test_a_run_is_recorded_without_the_pieces_it_does_not_use() -> None:
    command = ["train", "--architecture", '{"mixer":"attention"}', "--budget", "{}"]
    assert Definition("rungs.model.positions", "Alibi") in stages.unused(command)
    Path("run.json").write_text(
        json.dumps({"architecture": {"mixer": "attention", "positions": "alibi"}})
    )
    assert Definition("rungs.model.positions", "Alibi") not in stages.unused(
        ["evaluate", "--run", "."]
    )


def recorded(path: str, content: bytes) -> Path:
    """Return a file that a stage wrote."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    before = written.stamps({"output": file})
    file.write_bytes(content)
    written.write({"output": file}, before)
    return file


def flip_a_bit(file: Path) -> None:
    """Change the middle byte, and set the time of the change back."""
    times, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x40
    file.write_bytes(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("given_as", ["file", "folder", "folder above"])
@pytest.mark.parametrize("name", ["model.safetensors", "train.npy", "seed0.json", "ladder.csv"])
def test_a_flipped_bit_is_refused_with_both_ways_out(name: str, given_as: str) -> None:
    file = recorded(f"results/some/{name}", b"0.25, 0.5\n")
    folder = {"file": file, "folder": file.parent, "folder above": Path("results")}[given_as]
    reader = {"given": folder}
    written.refuse_changed(reader)
    flip_a_bit(file)
    with pytest.raises(UserError, match=rf"^results/some/{name}: its bytes are not .* Delete it"):
        written.refuse_changed(reader)
    Path(f".rungs/written/results/some/{name}").unlink()
    written.refuse_changed(reader)


def test_bytes_that_changed_unseen_are_refused_by_the_stage_that_reads_them() -> None:
    """As of a disk: neither size nor times tell."""
    weights = recorded("results/runs/seed0/model.safetensors", b"weights")
    written.refuse_changed_results("snakemake", Path())
    flip_a_bit(weights)
    seen = json.loads(written.SEEN.read_text())
    seen[str(weights)][1:] = written.stamps({"run": weights})[weights]
    written.SEEN.write_text(json.dumps(seen))
    written.refuse_changed_results("snakemake", Path())
    for given in (weights, weights.parent):
        with pytest.raises(UserError, match=r"model\.safetensors: its bytes are not"):
            written.refuse_changed({"run": given})


def test_a_workflow_does_not_start_over_changed_results() -> None:
    page = recorded("results/report.html", b"<p>3.2 nats</p>")
    recorded("results/provenance.json", b"{}")
    written.refuse_changed_results("snakemake --cores all", Path("preview"))
    page.write_bytes(b"<p>3.1 nats</p>")
    with pytest.raises(UserError) as refused:
        written.refuse_changed_results("snakemake --cores all --", Path("preview"))
    assert str(refused.value).splitlines() == [
        "results/report.html: no stage wrote these bytes; damaged, or edited. To have them made "
        "again, and then only what differs because of them, type",
        "  rm preview/results/report.html && snakemake --cores all -- results/report.html",
        "and the same command as now; to use them as they are, type",
        "  rm preview/.rungs/written/results/report.html",
    ]
    page.unlink()  # it will be made again
    written.refuse_changed_results("snakemake", Path())


def test_changed_results_are_made_again_one_by_one_in_the_order_in_which_they_were_made() -> None:
    for time, name in enumerate(("z", "b", "a")):
        recorded(f"results/{name}", b"1").write_bytes(b"2")
        os.utime(f".rungs/written/results/{name}", (time, time))
    order = (
        "type\n  rm results/z results/b results/a && s results/z && s results/b && s results/a\n"
    )
    with pytest.raises(UserError, match=order):
        written.refuse_changed_results("s", Path())


def test_many_changed_results_are_counted() -> None:
    for number in range(written.SHOWN + 3):
        recorded(f"results/{number:02}.csv", b"1").write_bytes(b"2")
    with pytest.raises(UserError, match=r"results/19\.csv and 3 more: no stage wrote"):
        written.refuse_changed_results("snakemake", Path())


def touched(file: Path) -> None:
    os.utime(file, ns=(0, 0))


def replaced_by_equal_bytes(file: Path) -> None:
    write_text(file, file.read_text())


def without_records(_file: Path) -> None:
    for path in (written.WRITTEN / "results/ladder.csv", written.SEEN):
        path.unlink()


def without_what_was_seen(_file: Path) -> None:
    written.SEEN.unlink()


@pytest.mark.parametrize(
    "event", [touched, replaced_by_equal_bytes, without_records, without_what_was_seen]
)
def test_equal_bytes_are_no_change(event: Callable[[Path], None]) -> None:
    file = recorded("results/ladder.csv", b"a,b\n1,2\n")
    written.refuse_changed_results("snakemake", Path())
    event(file)
    written.refuse_changed_results("snakemake", Path())
    written.refuse_changed({"table": file})


def test_only_files_with_another_stamp_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [recorded(f"results/{name}.csv", b"a\n") for name in ("ladder", "positions")]
    read: list[Path] = []
    monkeypatch.setattr(written, "file_digest", lambda path: read.append(path) or file_digest(path))
    for expected in (files, [], files[1:], []):
        written.refuse_changed_results("snakemake", Path())
        assert read == expected
        read.clear()
        if expected == []:
            os.utime(files[1])


def test_a_record_of_an_earlier_file_is_not_taken_for_what_was_seen() -> None:
    table = recorded("results/ladder.csv", b"a\n")
    written.refuse_changed_results("snakemake", Path())
    Path(".rungs/written/results/ladder.csv").write_text(hashlib.sha256(b"b\n").hexdigest())
    with pytest.raises(UserError, match="no stage wrote these bytes"):
        written.refuse_changed_results("snakemake", Path())
    assert table.read_bytes() == b"a\n"


def test_the_records_are_those_of_the_workflow_whose_results_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as inside:
        Path("preview").mkdir()
        inside.chdir("preview")
        recorded("results/ladder.csv", b"a,b\n1,2\n")
    table = Path("preview/results/ladder.csv")
    written.refuse_changed({"results": Path("preview/results")})
    flip_a_bit(table)
    with pytest.raises(UserError, match=r"^preview/results/ladder\.csv: its bytes are not"):
        written.refuse_changed({"results": Path("preview/results")})
    written.write({"output": table}, {})  # by hand, from above
    written.refuse_changed({"results": Path("preview/results")})
    assert not Path(".rungs").exists()


def test_what_is_gone_is_forgotten() -> None:
    table = recorded("results/ladder.csv", b"a\n")
    table.unlink()
    written.refuse_changed({"output": table})
    assert not Path(".rungs/written/results/ladder.csv").exists()


def test_only_files_that_the_stage_wrote_are_recorded() -> None:
    for name in ("read", "written", ".temporary"):
        Path("results").mkdir(exist_ok=True)
        Path("results", name).write_text(name)
    arguments = {"run": Path("results"), "elsewhere": Path("/etc/hostname")}
    before = written.stamps(arguments)
    Path("results/written").write_text("again and longer")
    written.write(arguments, before)
    assert [path.name for path in Path(".rungs/written").rglob("*") if path.is_file()] == [
        "written"
    ]


@pytest.mark.parametrize("name", ["checkpoints", "partial"])
def test_what_another_stage_goes_on_writing_is_not_recorded(name: str) -> None:
    other = Path(".rungs", name, "other")
    arguments = {name: other.parent}
    before = written.stamps(arguments)
    write_text(other, "up to step 250")
    written.write(arguments, before)  # a stage ends meanwhile
    write_text(other, "up to step 250, and to step 500")
    written.refuse_changed(arguments)  # a third one starts


def test_code_is_read_before_the_stage_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {Definition("rungs.a", "f"): "before"}
    monkeypatch.setattr(stages, "reachable", lambda *_: dict(now))
    with recording(GENERATE, "rungs.corpus.generated", {}):
        now[Definition("rungs.a", "f")] = "after"
    record = stages.read(Path(), Path("logs/corpus/tales/generate.log"))
    assert record is not None
    assert record.code == {Definition("rungs.a", "f"): "before"}


def test_damaged_records_are_bytes_that_no_stage_wrote() -> None:
    file = recorded("results/a.csv", b"1")
    written.refuse_changed_results("snakemake", Path())
    written.SEEN.write_text("[]")
    written.refuse_changed_results("snakemake", Path())
    Path(".rungs/written/results/a.csv").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"^results/a\.csv: its bytes are not"):
        written.refuse_changed({"table": file})


def test_a_damaged_description_is_named_by_what_asks_for_its_pieces() -> None:
    write_text(Path("run/run.json"), '{"architecture": {"widths": 3}}')
    with pytest.raises(UserError, match=r"^run/run\.json: widths: Extra inputs"):
        stages.unused(["evaluate", "--run", "run"])
