"""What may be damaged, and what must not happen then: one function for each area."""

import json
import random
import shutil
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from rungs.archive.archived import address, read_archive, read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.bundle.crate import FORMATS, METADATA, describe
from rungs.bundle.pack import write_zip
from rungs.claims.configured import claim_settings
from rungs.config import Config, leave_if_unreadable, parse_config, read_config
from rungs.errors import UserError
from rungs.planning import reference
from rungs.records.events import EVENTS
from rungs.records.stages import STAGES, read
from rungs.records.written import WRITTEN, refuse_changed_results
from rungs.tables.configured import experiment_settings
from tests.fuzz.mutations import (
    HUGE,
    WORDS,
    damage_file,
    edited_bytes,
    edited_tree,
    edited_words,
)  # fmt: skip
from tests.fuzz.trial import SECONDS, TimeLimit, fault, run, time_limit
from tests.fuzz.world import REPOSITORY, RUNS, TINY, World
from tests.watching.folder import FIRST_RUN_DONE, TRAINING, began

BUNDLES = ("bytes", "entries", "remade", "unpacked")
"""Damaged as a zip, file by file, file by file with a description that fits, and as a folder."""

Edits = Sequence[int]
"""Seeds of edits, which are made one after the other."""
Result = tuple[str | None, str]
"""What a person should not have seen, and the case in words."""


NAMES = ("../x.csv", "/x.csv", "claims.csv", "a/b.csv", "x" * 300, "\u202e.csv")


def configuration(world: World, chance: random.Random, edits: Edits) -> Result:
    """Read files and values as the Snakefile does; what is accepted must be usable and finite."""
    shipped = REPOSITORY / "config.yaml"
    overlay = chance.choice(sorted((REPOSITORY / "config").glob("*.yaml")))
    files = chance.choice(([TINY], [TINY], [TINY], [shipped], [shipped, overlay]))
    file = files[-1] if chance.random() < 0.7 else files[0]
    written, values = file.read_bytes(), list[str]()
    said = []
    for edit in edits:
        own = random.Random(edit)
        if own.random() < 0.2:
            key = own.choice(list(yaml.safe_load(shipped.read_bytes())))
            values.append(f"{key}={own.choice(WORDS)}")
            said.append(f"--config {values[-1][:60]}")
        elif own.random() < 0.3:
            written, what = edited_bytes(written, own)
            said.append(what)
        else:
            try:
                tree, what = edited_tree(yaml.safe_load(written), own)
                written = yaml.safe_dump(tree, allow_unicode=True).encode(errors="surrogatepass")
            except (yaml.YAMLError, ValueError, IndexError, TypeError, RecursionError):
                written, what = edited_bytes(written, own)
            said.append(what)
    edited = Path("edited.yaml")
    edited.write_bytes(written)
    paths = [edited if path == file else path for path in files]
    words = f"{file.name}: {'; '.join(said)}"
    return _of_function(lambda: _as_the_snakefile(paths, values), words)


def _as_the_snakefile(paths: Sequence[Path], values: Sequence[str]) -> None:
    try:
        leave_if_unreadable(["--configfile", "edited.yaml"])
    except SystemExit as left:
        raise UserError(str(left.code).partition("\n")[2]) from None
    config = read_config(*paths, values=values)
    # Jobs get it as JSON.
    again = parse_config(json.loads(json.dumps(config.model_dump(mode="json"), allow_nan=False)))
    assert again == config
    claim_settings(config).canonical()
    for name in config.experiments:
        experiment_settings(config, name).canonical()
        config.mapped_variant(name)
        for one in config.runs(name):
            reference.run_flops(config, one)
            reference.run_minutes(config, one, 1)
            reference.run_mib(config, one, 1)
            reference.evaluation_mib(config, one, 1)
    for kernel in config.kernels.kernels:
        for tokens in config.kernels.tokens:
            reference.kernel_mib(config, kernel, tokens, 1)
    config.unused_variants()
    config.used_corpora()
    if config.archive:
        read_archive(config, Path(config.archive))


def commands(world: World, chance: random.Random, edits: Edits) -> Result:
    """Give a stage other words than it takes."""
    words = chance.choice(list(world.commands.values()))
    said = []
    for edit in edits:
        words, what = edited_words(words, random.Random(edit))
        said.append(what)
    told = f"{words[0]}: {'; '.join(said)}"
    return fault(run(words), patient=HUGE in told), told


def bundles(world: World, chance: random.Random, edits: Edits) -> Result:
    """Damage a bundle, packed or unpacked; what is compared must be what was sent."""
    with zipfile.ZipFile("a.zip") as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    metadata = content[METADATA]
    whole, said, kind = Path("a.zip").read_bytes(), [], chance.choice(BUNDLES)
    for edit in edits:
        own = random.Random(edit)
        name = own.choice(sorted(content) or [METADATA])
        if kind == "bytes":
            whole, what = edited_bytes(whole, own)
        elif own.random() < 0.2:
            to = own.choice(
                ("../x.csv", "/x.csv", "claims.csv", "a/b.csv", "x" * 300, "\u202e.csv")
            )
            content[to] = content.pop(name, b"")
            what = f"{name} is {to[:20]}"
        else:
            file = Path("edited", name.strip("./")[-200:])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.pop(name, b"{}"))
            what = damage_file(file, own)
            content |= {name: file.read_bytes()} if file.is_file() else {}
        said.append(what)
    if kind == "remade" and all(Path(name).suffix in FORMATS for name in content):
        content.pop(METADATA, None)
        content[METADATA] = json.dumps(describe(content, {"date": "x", "code": "x"})).encode()
    if kind == "bytes":
        Path("b.zip").write_bytes(whole)
    elif kind == "unpacked":
        for name, part in content.items():
            file = Path("b.zip", name.strip("./")[:200])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(part)
    else:
        write_zip(Path("b.zip"), content)
    outcome = run(["compare", "b.zip", "results"])
    vouched = kind in ("bytes", "entries") or (
        kind == "unpacked" and content.get(METADATA) == metadata
    )
    if (
        vouched
        and outcome.status != 2
        and outcome.output != world.compared.output.replace("a.zip", "b.zip")
    ):
        return "other numbers than were sent are believed", f"{kind}: {'; '.join(said)}"
    return fault(outcome, of=Path("b.zip")), f"{kind}: {'; '.join(said)}"


def archives(world: World, chance: random.Random, edits: Edits) -> Result:
    """Damage an archived run or the proofs; a number that is none is never taken."""
    file = Path("archive", chance.choice((*(f"{address}.json" for address in RUNS), "proofs.json")))
    shutil.copy2(REPOSITORY / "reference/archive/proofs.json", "archive/proofs.json")
    said = _damaged(file, edits)
    match chance.randrange(4):
        case 0:
            words = list(world.commands["take-from-archive"])
            words[2] = str(file)
            outcome = run(words)
            if outcome.status == 0:
                for taken in ("taken/run/run.json", "taken/evaluation.json"):
                    json.loads(Path(taken).read_bytes(), parse_constant=_refused_constant)
            return fault(outcome, of=file), said
        case 1:
            return fault(run(["archive", "archive"]), of=file), said
        case 2:
            return fault(run(["prove", "archive", "--results", "empty"]), of=file), said
        case _:
            return _of_function(_as_an_archive(world.config), said)


def _as_an_archive(config: Config) -> Callable[[], None]:
    def read() -> None:
        archive = Path("archive")
        for one in read_archive(config, archive).taken:
            path = archive / f"{address(one)}.json"
            refuse_implausible(path, read_archived(path))

    return read


def results(world: World, chance: random.Random, edits: Edits) -> Result:
    """Damage what a stage reads; with the record of it, bytes that no stage wrote are refused."""
    words = world.commands[chance.choice(list(world.commands))]
    inputs = sorted(_inputs(words))
    if not inputs or chance.random() < 0.2:
        return _records(chance, edits, words)
    file = chance.choice(inputs)
    before = file.read_bytes()
    recorded = (WRITTEN / file).is_file() and chance.random() < 0.4
    if not recorded:
        (WRITTEN / file).unlink(missing_ok=True)
    said = f"{words[0]}, {'recorded' if recorded else 'allowed'} {_damaged(file, edits)}"
    damaged = recorded and file.is_file() and file.read_bytes() != before
    outcome = run(words)
    if damaged and outcome.status in (0, 1):
        return "bytes that no stage wrote are believed", said
    return fault(outcome, patient=HUGE in said, of=file), said


def _records(chance: random.Random, edits: Edits, words: Sequence[str]) -> Result:
    """Damage what the workflow itself keeps in .rungs."""
    refuse_changed_results("snakemake", Path())
    events = [began(configuration=""), *TRAINING, *FIRST_RUN_DONE]
    EVENTS.write_text(
        "".join(json.dumps({"event": e, "time": t, **s}) + "\n" for t, e, s in events)
    )
    file = chance.choice(sorted(path for path in Path(".rungs").rglob("*") if path.is_file()))
    said = f"{words[0]}, {_damaged(file, edits)}"
    match chance.randrange(4):
        case 0:
            return fault(run(["watch", "--once"])), said
        case 1:
            return fault(run(words)), said
        case 2:
            return _of_function(lambda: refuse_changed_results("snakemake", Path()), said)
        case _:
            return _of_function(_all_records, said)


def _all_records() -> None:
    for log in sorted(STAGES.rglob("*.json")):
        read(Path(), log.relative_to(STAGES).with_suffix(".log"))


def _inputs(words: Sequence[str]) -> Iterator[Path]:
    """Yield the files that a command is given, and those in its folders."""
    for path in map(Path, words[1:]):
        if len(str(path)) < 200 and path.exists() and path != Path():
            yield from filter(Path.is_file, path.rglob("*") if path.is_dir() else [path])


def _damaged(file: Path, edits: Edits) -> str:
    return "; ".join(damage_file(file, random.Random(edit)) for edit in edits if file.is_file())


def _refused_constant(word: str) -> None:
    raise AssertionError(f"{word} was taken from an archive")


def _of_function(call: Callable[[], None], said: str) -> Result:
    """Judge what a function of the workflow's raises: one line, or several, and nothing else."""
    try:
        with time_limit():
            call()
    except UserError as error:
        lines = str(error).splitlines()
        fine = lines and all(line.strip() for line in lines)
        return None if fine else f"an empty line in {lines}", said
    except TimeLimit:
        return f"ran for more than {SECONDS} s", said
    except Exception:
        return traceback.format_exc(limit=-5), said
    return None, said


AREAS: Mapping[str, Callable[[World, random.Random, Edits], Result]] = {
    area.__name__: area for area in (configuration, commands, bundles, archives, results)
}
