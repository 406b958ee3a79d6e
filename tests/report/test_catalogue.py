"""The catalogue: what is declared of every figure agrees with itself, the code and the page."""

import importlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_type_hints

import pytest

from rungs.code import PACKAGE, reachable
from rungs.config import Config, read_config
from rungs.report import catalogue, experiment_figures
from rungs.report.catalogue import FIGURES
from rungs.report.figure import Figure
from rungs.report.questions import files_of
from rungs.report.sections import plan_sections
from tests.workflow.workflow import ROOT

EVERY = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.drawing)


@pytest.fixture(scope="module")
def config() -> Config:
    return read_config(ROOT / "config.yaml")


def experiments(figure: Figure, config: Config) -> list[str]:
    """Those that have seeds; an empty name where the figure shows none."""
    return [name for name in figure.experiments(config) if config.seeds_of(name)] or [""]


def captions(figure: Figure, config: Config) -> list[str]:
    return [figure.captioned(config, name)[1] for name in experiments(figure, config)]


def test_every_drawing_is_declared_once() -> None:
    modules = (PACKAGE / "report/figures").glob("[!_]*.py")
    assert sorted(figure.drawing for figure in FIGURES) == sorted(path.stem for path in modules)


def test_no_two_figures_have_one_file(config: Config) -> None:
    names = [
        figure.captioned(config, name)[0]
        for figure in FIGURES
        for name in experiments(figure, config)
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@EVERY
def test_a_drawing_is_given_its_parameters(figure: Figure) -> None:
    hints = get_type_hints(importlib.import_module(figure.module).run)
    paths = {name for name, hint in hints.items() if hint in (Path, Sequence[Path])}
    assert {*figure.reads, "svg", "png"} == paths
    assert {*figure.told} == {*hints} - paths - {"return"}


@EVERY
def test_an_edit_of_the_catalogue_draws_nothing_again(figure: Figure) -> None:
    """Captions stand beside what other figures read: none may be part of a figure's code."""
    read = {part.module for part in reachable(figure.module)}
    assert read.isdisjoint({catalogue.__name__, experiment_figures.__name__, Figure.__module__})


@EVERY
def test_an_edit_of_one_drawing_draws_no_other(figure: Figure) -> None:
    drawings = {part.module for part in reachable(figure.module)}
    others = {other.module for other in FIGURES if other.module in drawings} - {figure.module}
    # Both read training curves.
    assert others <= {"rungs.report.figures.learning_curves"}
    assert not others or figure.drawing == "sharpness"


@EVERY
def test_captions_are_sentences(figure: Figure, config: Config) -> None:
    assert all(words[0].isupper() and words.endswith(".") for words in captions(figure, config))


@EVERY
def test_no_caption_promises_intervals_of_one_seed(figure: Figure, config: Config) -> None:
    experiments = {
        name: experiment.model_copy(update={"seeds": None})
        for name, experiment in config.experiments.items()
    }
    one = config.model_copy(update={"seeds": [0], "experiments": experiments})
    assert not any("interval over seeds" in words for words in captions(figure, one))


def test_the_page_shows_every_figure(config: Config, tmp_path: Path) -> None:
    every = config.model_copy(update={"chapters": ["attention", "gpt"]})
    shown = {figure for section in plan_sections(every, tmp_path, []) for figure in section.figures}
    by_experiment = {
        name: {
            figure.captioned(every, name)
            for figure in FIGURES
            if name in experiments(figure, every)
        }
        for figure in FIGURES
        for name in experiments(figure, every)
    }
    linked = {file for reading in every.readings for file in files_of(every, reading)}
    for name in every.read_experiments & by_experiment.keys():
        assert {f"figures/{drawn}.svg" for drawn, _ in by_experiment.pop(name)} <= linked
        assert f"{name}.csv" in linked
    declared = {drawn for of in by_experiment.values() for drawn in of}
    # Its section says that nothing was measured before it shows a figure.
    assert declared - shown == {
        entry.captioned(every) for entry in FIGURES if entry.drawing == "seed_noise"
    }
    assert shown <= declared
