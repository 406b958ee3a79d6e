"""`settle`: the cheapest seeds first, with the configuration that runs exactly these."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from rungs.config import read_config
from rungs.errors import UserError
from rungs.files import write_json
from rungs.planning import settle
from rungs.planning.jobs import Job
from tests.planning.machines import MACHINE

ROOT = Path(__file__).parents[2]
INFINITY = float("inf")


def test_claims_that_share_an_experiment_share_its_seeds() -> None:
    rows = [
        ("one-block", "referents", 20),
        ("order", "referents", 12),
        ("layer-norm", "ladder", 5),
        ("variance-4", "variance", 8),
        ("one", "ladder", INFINITY),
    ]
    found = settle.proposals(pd.DataFrame(rows, columns=["id", "table", "seeds_to_decide"]))
    assert {(p.source, p.seeds): set(p.claims) for p in found} == {
        ("ladder", 5): {"layer-norm"},
        ("variance", 8): {"variance-4"},
        ("referents", 12): {"order"},
        ("referents", 20): {"order", "one-block"},
    }


@pytest.mark.parametrize(
    ("source", "there", "seeds", "expected"),
    [
        ("ladder", [0, 1, 2], 5, [0, 1, 2, 3, 4]),
        ("ladder", [3, 0], 4, [3, 0, 1, 2]),
    ],
)
def test_the_configuration_keeps_the_seeds_that_are_there(
    source: str, there: list[int], seeds: int, expected: list[int]
) -> None:
    config = read_config(
        ROOT / "config.yaml", values=[f"experiments={{{source}: {{seeds: {there}}}}}"]
    )
    setting = settle.Proposal(source, seeds, ()).setting(config)
    assert yaml.safe_load(setting) == {"experiments": {source: {"seeds": expected}}}


def test_a_probe_is_given_its_own_number_whatever_the_others_have() -> None:
    config = read_config(ROOT / "config.yaml")
    assert config.probes.repetitions("gradient_norms") == 20
    setting = settle.Proposal("gradient_norms", 31, ()).setting(config)
    key, _, value = setting.partition(": ")
    asked = read_config(ROOT / "config.yaml", values=[f"{key}={value}"])
    assert asked.probes.repetitions("gradient_norms") == 31
    assert asked.probes.repetitions("variance") == config.probes.repetitions("variance")


def write_claims(folder: Path, **needed: float | str) -> None:
    tables = [name.partition("_")[0] for name in needed]
    ids = [name.replace("_", "-") for name in needed]
    rows = list(zip(ids, tables, needed.values(), strict=True))
    (folder / "results").mkdir(parents=True)
    table = pd.DataFrame(rows, columns=["id", "table", "seeds_to_decide"])
    table.to_csv(folder / "results/claims.csv", index=False)


def test_the_cheapest_is_first_and_what_nothing_decides_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claims(tmp_path, ladder_layer_norm=5, referents_order=6, variance_16="inf")
    calibration = tmp_path / "machine.json"
    write_json(calibration, MACHINE.model_dump(mode="json"))
    asked = []

    def jobs(words: list[str], _folder: Path) -> list[Job]:
        asked.append(words)
        ladder = "experiments={ladder: {seeds: [0, 1, 2, 3, 4]}}" in words
        variant, corpus = (
            ("one_block", "shakespeare") if ladder else ("fair_one_block", "referents_fair")
        )
        budget = "window_128" if ladder else "sentences"
        of = {"corpus": corpus, "budget": budget, "variant": variant, "seed": "3"}
        return [Job("train", of), Job("train", of | {"seed": "4"})]

    monkeypatch.setattr(settle, "jobs_to_run", jobs)
    monkeypatch.chdir(ROOT)
    summary = settle.run(directory=tmp_path, calibration=calibration)
    said = capsys.readouterr().out
    assert said.index("referents to 6 seeds: 2 runs") < said.index("ladder to 5 seeds: 2 runs")
    assert "decides ladder-layer-norm\n  experiments: {ladder: {seeds: [0, 1, 2, 3, 4]}}" in said
    assert "1 claim is decided by no number of seeds: variance-16" in said
    assert summary.startswith("2 claims would be decided")
    assert len(asked) == 2


def test_unjudged_claims_are_refused_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"claims\.csv: is missing; run snakemake .*results/claims"):
        settle.run(directory=tmp_path)
