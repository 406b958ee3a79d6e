"""What the keys of the GPT chapter refuse."""

from pathlib import Path

import pytest

from rungs.config import read_config
from rungs.configuration.corpora import StoriesCorpus
from rungs.errors import UserError

SHIPPED = Path(__file__).parents[1] / "config.yaml"
FOLDER = Path(__file__).parents[1] / "config"


@pytest.mark.parametrize(
    ("overlay", "problem"),
    [
        ("experiments: {leak: {steps: [150]}}", r"experiments\.leak\.steps: budget leak records"),
        ("experiments: {leak: {metric: bits_per_byte}}", r"experiments\.leak\.metric: "),
        ("experiments: {ladder: {metric: bits_per_byte}}", "about bits per byte as well"),
        ("experiments: {referents: {steps: [5]}}", r"experiments\.referents: steps and continues"),
        ("experiments: {stories: {context_lengths: [64, 256]}}", "give one for bits per byte"),
        ("experiments: {stories: {continues: {prompt: ''}}}", r"continues\.prompt"),
        (
            "experiments: {stories: {continues: {temperature: 1e-308}}}",
            r"continues\.temperature: must be 0, or 0\.001 or more",
        ),
        ("experiments: {stories: {continues: {top_p: 2}}}", r"continues\.top_p"),
        ("experiments: {stories: {chapter: third}}", r"experiments\.stories\.chapter"),
        ("chapters: [gpt, gpt]", "chapters: gpt is listed twice"),
        ("chapters: []", "chapters"),
        ("corpora: {tinystories: {train: {sha256: x}}}", r"corpora\.tinystories\..*train\.sha256"),
        ("probes: {language_models: {variants: [gpt_unmasked]}}", "gpt_unmasked sees the future"),
        ("probes: {language_models: {variants: [mlp]}}", "needs one with mixer: attention"),
        ("probes: {language_models: {variants: [one_block]}}", "fewer than the 256 tokens"),
        ("probes: {language_models: {budget: none}}", r"probes\.language_models\.budget: there is"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, overlay: str, problem: str) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(overlay)
    with pytest.raises(UserError, match=problem):
        read_config(SHIPPED, mine)


def test_each_shipped_configuration_says_which_chapters_it_makes() -> None:
    attention = ["ladder", "positions", "score_scale", "normalization", "referents"]
    for overlays in ([], [FOLDER / "preview.yaml"]):
        config = read_config(SHIPPED, *overlays)
        assert [
            name for name in config.wanted() if name not in config.read_experiments
        ] == attention


def test_both_models_of_a_comparison_are_trained_alike() -> None:
    config = read_config(SHIPPED)
    assert config.measured_in_bytes() == "stories"
    for name in ("stories", "leak"):
        assert len({(run.corpus, run.budget) for run in config.runs(name)}) == 1


def test_stories_may_be_local_files_alone() -> None:
    mix = read_config(SHIPPED, FOLDER / "tinystories_mix.yaml")
    corpus = mix.corpora["tinystories_mix"]
    assert isinstance(corpus, StoriesCorpus)
    assert corpus.train.addresses == corpus.validation.addresses == []
    assert {mix.experiments[name].corpus for name in mix.wanted()} == {"tinystories_mix"}
    shipped = read_config(SHIPPED)
    assert mix.budgets == shipped.budgets
