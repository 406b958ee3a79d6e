"""The user's account and partitions, from the environment or a file, into the profile."""

from pathlib import Path
from typing import Any

import pytest
from snakemake.profiles import ProfileConfigFileParser

from rungs.cluster import site as sites
from rungs.cluster import status as statuses
from rungs.cluster.site import Site, site
from rungs.errors import UserError
from tests.cluster.commands import NO_ACCOUNTING, on_path
from tests.conftest import REPOSITORY


def test_nothing_is_needed(tmp_path: Path) -> None:
    assert site(tmp_path / "site.yaml", {}) == Site()


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text("{account: physics, partition: short, gpu_partition: a100}")
    assert site(file, {"SBATCH_ACCOUNT": "chemistry"}) == Site(
        account="chemistry", partition="short", gpu_partition="a100"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("acount: physics", "acount: Extra inputs are not permitted; known are account, partition"),
        ("account: 'a b'", "account: String should match"),
        ("physics", "has no keys"),
        ("{", "is not valid YAML"),
    ],
)
def test_a_file_that_is_wrong_is_named(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"site\.yaml") as refused:
        site(file, {})
    assert message in str(refused.value)


def profile(here: Site, monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, Any]:
    """Return the shipped profile as Snakemake reads it on a cluster without accounting."""
    on_path(folder, monkeypatch, sacct=NO_ACCOUNTING, scontrol="echo 'MinJobAge = 300 sec'")
    monkeypatch.setattr(sites, "site", lambda: here)
    statuses.status.cache_clear()
    with (REPOSITORY / "profiles/slurm/profile.yaml").open() as stream:
        return dict(ProfileConfigFileParser().parse(stream))


def test_the_profile_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Site(account="physics", partition="short", gpu_partition="a100")
    settings = profile(here, monkeypatch, tmp_path)
    assert {"slurm_account='physics'", "slurm_partition='short'"} < {*settings["default-resources"]}
    on_gpus = [word for word in settings["set-resources"] if word.endswith("='a100'")]
    assert {word.partition(":")[0] for word in on_gpus} == {
        *("train", "evaluate", "evaluate_referents", "kernel", "sample_text"),
    }


def test_the_profile_does_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = profile(Site(), monkeypatch, tmp_path)
    assert settings["default-resources"] == ["mem_mb=1000", "runtime=30", "tmpdir=system_tmpdir"]
    assert settings["set-resources"] == ["kernel:slurm_extra='--exclusive'"]
    assert settings["slurm-status-command"] == "squeue"


def test_a_rule_that_may_use_a_gpu_goes_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profile names the rules; a new one with a GPU must not be forgotten there."""
    settings = profile(Site(gpu_partition="a100"), monkeypatch, tmp_path)
    rules = "".join(path.read_text() for path in (REPOSITORY / "workflow/rules").glob("*.smk"))
    with_gpu = {text.split(":")[0] for text in rules.split("\nrule ")[1:] if "gpu=GPUS" in text}
    sent = {
        word.partition(":")[0] for word in settings["set-resources"] if "slurm_partition" in word
    }
    assert sent == with_gpu
    assert not with_gpu & {"probe"}, "probes compute on the processor"


def test_the_profile_says_all_that_the_default_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workflow profile takes the place of the default one, so nothing of that is inherited."""
    settings = profile(Site(), monkeypatch, tmp_path)
    with (REPOSITORY / "profiles/default/profile.yaml").open() as stream:
        default = dict(ProfileConfigFileParser().parse(stream))
    del default["resources"]  # what one machine has
    assert {key: settings[key] for key in default} == default
