"""Stage ``report``: one self-contained HTML page and its Markdown from whatever has been run."""

import base64
import hashlib
import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from rungs.archive.proofs import Proof, read_proofs
from rungs.config import Config, parse_json_config, read_config
from rungs.errors import UserError
from rungs.files import write_json, write_text
from rungs.reading import reading
from rungs.report import markdown
from rungs.report.evidence import evidence
from rungs.report.headings import HEADINGS
from rungs.report.hours import stage_times
from rungs.report.judged import ICONS, VERDICTS, read_claims, source_of, tally
from rungs.report.outdated import outdated
from rungs.report.provenance import describe_machine, finished_runs, warnings
from rungs.report.run_list import run_list
from rungs.report.sections import plan_sections, used_corpora
from rungs.report.style import description
from rungs.report.svg import inlined, read_svg
from rungs.tables.settings import COMMAND


def run(
    *,
    results: Annotated[Path, "the folder of results"],
    configuration: Annotated[str | None, "the whole configuration as JSON"] = None,
    configuration_files: Annotated[Sequence[Path], "config.yaml, and what overrides it"] = (),
    command: Annotated[
        str | None, "the command that, followed by a target, makes it; by default from the files"
    ] = None,
    logs: Annotated[Path, "the folder of logs"] = Path("logs"),
    proofs: Annotated[Sequence[Path], "an archive's proofs that versions are equal, JSON"] = (),
    output: Annotated[Path, "the page, .html; report.md and provenance.json are written beside it"],
) -> str:
    """Write the page, its Markdown, and where the numbers come from as JSON.

    Raises:
        UserError: a result that exists cannot be read, or the page cannot be written.
    """
    if configuration_files:
        config = read_config(*configuration_files)
        command = command or _command(results.parent, configuration_files[1:])
    elif configuration is None:
        raise UserError("--configuration-files: is missing; name config.yaml and what overrides it")
    else:
        config = parse_json_config(configuration, "--configuration")
    if not results.is_dir():
        raise UserError(f"{results}: is not a folder; name the folder of results")
    page = Page(results, output, command or COMMAND)
    found = [proof for path in proofs for proof in read_proofs(path)]
    shown = contents(page, config, logs, found)
    html = _html().get_template("report.html.j2").render(shown, script=script())
    write_text(output, html)
    text = markdown.environment().get_template("report.md.j2").render(shown)
    write_text(output.with_suffix(".md"), text)
    write_json(output.with_name("provenance.json"), _provenance(shown))
    tables = sum(len(section.tables) for section in shown["sections"])
    judged = shown["tally"].sentence if shown["claims"] else "claims not judged"
    return f"{output}: {tables} tables; {judged}"


def _command(folder: Path, overlays: Sequence[Path]) -> str:
    """Return how Snakemake is started for results in a folder, from the workflow's own."""
    words = ["snakemake", "--cores", "all"]
    words += ["--directory", str(folder)] if folder != Path() else []
    words += ["--configfile", *map(str, overlays), "--"] if overlays else []
    return shlex.join(words)


def contents(page: "Page", config: Config, logs: Path, proofs: Sequence[Proof]) -> dict[str, Any]:
    """Return everything that the templates show, by name."""
    descriptions, wanted = finished_runs(page.results, config)
    claims_file, readings = page.results / "claims.csv", page.results / "readings.csv"
    claims = None
    if claims_file.is_file():
        rest = evidence(config, page.results)
        claims = read_claims(claims_file, rest, readings if readings.is_file() else None)
    return {
        "page": page,
        "sections": plan_sections(config, page.results, claims or []),
        "claims": claims,
        "tally": tally(claims or []),
        "config": config,
        "corpora": [config.corpora[name].title for name in used_corpora(config)],
        "seeds": seeds_in_words(config),
        "runs": (len(descriptions), wanted),
        "run_list": run_list(config, page.results, descriptions, claims or []),
        "groups": [
            (
                source_of(chapter),
                [(section, list(of)) for section, of in groupby(by, attrgetter("section"))],
            )
            for chapter, by in groupby(claims or [], attrgetter("chapter"))
        ],
        "verdicts": VERDICTS,
        "readings": [reading.name for reading in config.readings],
        "machine": describe_machine(config, descriptions, page.results),
        "times": stage_times(descriptions.values(), logs),
        "icons": ICONS,
        "headings": HEADINGS,
        "warnings": [
            *warnings(config, descriptions, proofs),
            *outdated(config, descriptions, page.results),
        ],
        "settings": json.dumps(config.model_dump(mode="json"), indent=2, ensure_ascii=False),
    }


def seeds_in_words(config: Config) -> str:
    """Return the seeds of the experiments, and that some have fewer of them where it is so."""
    used = [config.seeds_of(name) for name in config.wanted()]
    every = sorted({seed for seeds in used for seed in seeds})
    words = ", ".join(map(str, every))
    return words if all(sorted(seeds) == every for seeds in used) else f"{words} (some fewer)"


class Script(NamedTuple):
    """The page's script, and what names it in the page's security policy."""

    text: Markup
    digest: str


def script() -> Script:
    """Return the script, which the page does without where scripts are switched off."""
    text = resources.files("rungs.report").joinpath("templates/page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Script(Markup(text), digest)  # noqa: S704 - our own


def _html() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("rungs.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _provenance(shown: dict[str, Any]) -> dict[str, Any]:
    finished, wanted = shown["runs"]
    return {
        **shown["machine"],
        "runs finished": finished,
        "runs configured": wanted,
        "warnings": shown["warnings"],
        "stages": {
            time.stage: {
                "jobs": time.jobs,
                "wall_seconds": round(time.wall, 1),
                "core_seconds": round(time.core, 1),
            }
            for time in shown["times"]
        },
    }


@dataclass(frozen=True)
class FigureView:
    """A figure that exists, ready to be put into the page."""

    alternative: str
    svg: Markup


@dataclass(frozen=True)
class Page:
    """Where the results are, as seen from the page and from the command line."""

    results: Path
    output: Path
    command: str

    def link(self, name: str) -> str:
        """Return the relative address of a result, from the page."""
        return quote(Path(os.path.relpath(self.results / name, self.output.parent)).as_posix())

    def make(self, name: str) -> str:
        """Return the command that makes a result."""
        return f"{self.command} {self.results.name}/{name}"

    def has(self, name: str) -> bool:
        """Return whether a result exists."""
        return (self.results / name).is_file()

    def figure(self, name: str) -> FigureView | None:
        """Return the figure called ``name``, or None if it has not been drawn.

        Raises:
            UserError: it is damaged: half of it would swallow the page behind it.
        """
        path = self.results / "figures" / f"{name}.svg"
        if not path.is_file():
            return None
        with reading(path):
            svg = read_svg(path)
        return FigureView(description(svg), Markup(inlined(svg, name)))  # noqa: S704
