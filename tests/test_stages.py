"""The catalogue of stages: what it says agrees with the workflow's rules and the modules."""

import re
import subprocess
import sys

import pytest

from rungs.code import reachable
from rungs.planning.measure import IMPORTING
from rungs.probes.catalogue import PROBES
from rungs.probes.fixed import MEASURES
from rungs.stages import OF_RULE, STAGES, Stage
from tests.workflow.workflow import ROOT

BLOCKS = {
    block.partition(":")[0]: block
    for path in (ROOT / "workflow/rules").glob("*.smk")
    for block in re.split(r"^ *rule *", path.read_text(), flags=re.MULTILINE)[1:]
    if "python -m rungs" in block
}
"""The rules by name; of the figures' rule, which has none in the text, the name is empty."""

SLOW = ("pandas", "matplotlib", "torch")
"""In the order in which the kinds of imports come to have them."""


def test_every_rule_is_that_of_a_stage() -> None:
    figures = {rule for rule in OF_RULE if rule.startswith("figure_")}
    assert {*OF_RULE} == figures | {*BLOCKS} - {""}


@pytest.mark.parametrize("rule", [rule for rule in BLOCKS if rule])
def test_a_rule_is_what_its_stage_says(rule: str) -> None:
    stage, block = OF_RULE[rule], BLOCKS[rule]
    assert stage.local == ("localrule: True" in block)
    (command,) = re.findall(r"python -m rungs (\S+)", block)
    if not command.startswith("{"):
        assert STAGES[command] == stage
    for module in re.findall(r'code_digest\("([\w.]+)"\)', block):
        assert module == stage.module


def test_figures_are_drawn_where_snakemake_runs() -> None:
    assert "localrule: True" in BLOCKS[""]
    assert all(stage.local for rule, stage in OF_RULE.items() if rule.startswith("figure_"))


@pytest.mark.parametrize(("kind", "allowed"), [("plain", 0), ("tables", 1), ("figures", 2)])
def test_no_stage_imports_more_than_it_says(kind: str, allowed: int) -> None:
    modules = [stage.module for stage in OF_RULE.values() if stage.imports == kind]
    code = f"import sys, {', '.join(modules)}; print({{*{SLOW[allowed:]}}} & {{*sys.modules}})"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout == "set()\n", answer.stderr


@pytest.mark.parametrize("kind", IMPORTING)
def test_the_time_of_an_import_is_measured_with_a_stage_that_does_it(kind: str) -> None:
    assert STAGES[IMPORTING[kind]].imports == kind


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_an_edit_of_the_catalogue_makes_nothing_again(stage: Stage) -> None:
    if stage.rules != ():
        read = {part.module for part in reachable(stage.module)}
        assert read.isdisjoint({"rungs.stages", "rungs.signature", "rungs.cli"})
        # The page alone shows what the catalogue of probes says.
        assert stage.typed or read.isdisjoint({"rungs.probes.catalogue", "rungs.probes.probe"})


def test_what_is_measured_together_is_what_the_catalogue_says() -> None:
    assert sorted(MEASURES) == sorted(probe.name for probe in PROBES if probe.fixed)
