"""The configuration: what is refused, where the message points, and what is coped with."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rungs.config import Config, parse_config, read_config
from rungs.configuration.refusals import Source
from rungs.errors import UserError
from rungs.tables.configured import experiment_settings

ROOT = Path(__file__).parents[1]
SHIPPED: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text())


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the shipped configuration with the value at a dotted path replaced."""
    raw = copy.deepcopy(SHIPPED)
    *parents, last = path.split(".")
    section = raw
    for parent in parents:
        section = section[parent]
    section[last] = value
    return raw


def test_shipped_configuration_is_the_chapters() -> None:
    config = read_config(ROOT / "config.yaml")
    assert config.seeds == [0, 1, 2]
    assert config.members("positions") == [
        "no_positions", "learned", "sinusoidal", "rotary", "alibi",
    ]  # fmt: skip
    assert len(config.members("ladder")) == 10
    assert config.evaluated_lengths("learned") == [64, 128, 256]
    assert config.evaluated_lengths("one_block") == [64, 128]
    budget = config.budgets["window_128"]
    assert (budget.steps, budget.batch_size, budget.context_length) == (3000, 64, 128)
    assert (budget.learning_rate, budget.weight_decay) == (1e-3, 0.01)


def test_preview_overrides_only() -> None:
    config = read_config(ROOT / "config.yaml", ROOT / "config/preview.yaml")
    assert config.members("ladder") == read_config(ROOT / "config.yaml").members("ladder")
    used = {e.corpus for e in config.experiments.values()}
    assert used == {"stories", "referents_fair"}  # nothing that needs a network


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("variants.rotary.heads", 3, "variants.rotary.heads: 3 heads do not divide the width"),
        ("variants.rotary.head_width", 3, "variants.rotary.positions: rotary turns pairs"),
        ("variants.rotary.head", 3, "variants.rotary.head: unknown key"),
        ("variants.rotary.mixer", "mean", "variants.rotary.mixer: must be 'none', 'average', 'wi"),
        (
            "variants.rotary.mixer",
            "none",
            "rotary.heads: 4 has no effect with mixer: none",
        ),
        ("variants.average.positions", "alibi", "variants.average.positions: alibi has no effect"),
        ("variants.average.divide_scores", False, "variants.average.divide_scores: False has no"),
        ("variants.no_context.depth", 2, "variants.no_context.depth: a block without mixer"),
        ("variants.no_context.normalization", "pre", "needs a sub-layer"),
        ("variants.no_context.residual", False, "replaces each token by nothing"),
        ("variants.average.normalization", "post", "normalization: post normalises the residual"),
        (
            "variants.learned.position_rows",
            None,
            "variants.learned.position_rows: the table of pos",
        ),
        ("variants.learned.position_rows", 128, "reads contexts of 256 tokens"),
        ("variants.rotary.position_rows", 64, "only positions: learned has a table, not rotary"),
        ("variants.rotary.dropout", 1.0, "variants.rotary.dropout: "),
        ("variants.rotary.joins", ["nothing"], "there is no nothing under experiments"),
        ("variants.rotary.joins", ["positions"], "rotary is listed twice"),
        ("budgets.window_64.steps", 0, "budgets.window_64.steps: "),
        ("budgets.window_64.steps", True, "budgets.window_64.steps: a number is expected"),
        ("budgets.window_64.learning_rate", ".nan", "budgets.window_64.learning_rate: "),
        ("budgets.window_64.learning_rate", -1, "budgets.window_64.learning_rate: "),
        ("experiments.ladder.variants", [], "experiments.ladder.variants: "),
        ("experiments.ladder.variants", ["rotari"], "there is no rotari under variants"),
        ("experiments.ladder.corpus", "bible", "there is no bible under corpora"),
        ("experiments.ladder.budget", "huge", "there is no huge under budgets"),
        ("experiments.ladder.context_lengths", [512], "512 is not evaluated"),
        ("experiments.ladder.comparisons", {"one_head": "rotari"}, "there is no rotari under"),
        ("experiments.ladder.comparisons", {"average": "average"}, "is compared with itself"),
        ("experiments.cost", SHIPPED["experiments"]["ladder"], "experiments.cost: another result"),
        ("experiments.a_learning_curves", SHIPPED["experiments"]["ladder"], "another result has"),
        ("experiments.ladder.title", "a\0null", "experiments.ladder.title: "),
        ("variants.rotary.label", "two\nlines", "variants.rotary.label: "),
        ("budgets.window_64.warmup_steps", 3001, "warmup_steps: 3001 is more than the 3000"),
        ("budgets.window_64.steps", 1e20, "budgets.window_64.steps: "),
        ("corpora.shakespeare.validation_fraction", 0, "shakespeare.validation_fraction: "),
        ("seeds", [True], "seeds.0: a number is expected"),
        ("experiments.memory", SHIPPED["experiments"]["ladder"], "experiments.memory: "),
        ("corpora.shakespeare.sha256", "abc", "corpora.shakespeare.sha256: "),
        ("corpora.shakespeare.addresses", ["$(rm -rf /)"], "corpora.shakespeare.addresses.0: "),
        ("corpora.shakespeare.file_name", "../secret", "corpora.shakespeare.file_name: "),
        ("corpora.shakespeare.vocabulary", 256, "corpora.shakespeare.vocabulary: "),
        (
            "corpora.referents_fair.version",
            "easy",
            "corpora.referents_fair.version: must be 'fair' or",
        ),
        ("corpora.referents_fair.vocabulary", 300, "referents_fair.vocabulary: unknown key"),
        ("experiments.referents.titel", "x", "experiments.referents.titel: unknown key"),
        ("experiments.referents.context_lengths", [64], "referents.context_lengths: has no effect"),
        (
            "variants.fair_one_block.position_rows",
            17,
            "reads contexts of 18 tokens; give the table 18",
        ),
        ("experiments.referents.comparisons", {"fair_average": "rotary"}, "comparisons: has no ef"),
        ("experiments.referents.variants", ["fair_average"], "needs one with mixer: attention"),
        ("experiments.referents.corpora", {"fair_average": "shakespeare"}, "measured differently"),
        ("experiments.ladder.corpora", {"average": "bible"}, "there is no bible under corpora"),
        ("experiments.ladder.corpora", {"averge": "shakespeare"}, "there is no averge under vari"),
        ("experiments.ladder.context_lengths", [], "ladder.context_lengths: is required and miss"),
        ("experiments.a_maps", SHIPPED["experiments"]["ladder"], "another result has this name"),
        ("budgets.sentences.stride", 1, "budgets.sentences: a window must be one sentence"),
        ("budgets.sentences.observe_attention", True, "sentences.observe_attention: is not shown"),
        ("corpora.a b", SHIPPED["corpora"]["shakespeare"], "corpora.a b: "),
        ("seeds", [], "seeds: is empty; give at least one"),
        ("seeds", 3, "seeds: is 3, where a list is expected; write [3]"),
        ("variants", ["rotary"], "variants: is ['rotary'], where keys and values are expected"),
        ("budgets.Long", SHIPPED["budgets"]["short"], "'Long' is not a name; names are lower-case"),
        ("corpora.shakespeare.source", "books", "source: must be one of 'download', 'gen"),
        (
            "variants.rotary.label",
            "learned",
            "experiments.positions: learned and rotary have one label, learned; change one",
        ),
        ("seeds", [1, 1], "seeds: 1 is listed twice"),
        ("seeds", [-1], "seeds.0: "),
        ("device", "tpu", "device: "),
        ("kernels.heads", 7, "kernels.heads: 7 heads do not divide the width of 512"),
        ("kernels.tokens", [128, 128], "kernels.tokens: 128 is listed twice"),
        ("probes.seeds", 0, "probes.seeds: "),
        ("probes.widths", [4, 4], "probes.widths: 4 is listed twice"),
        ("probes.pair", 10, "probes.pair: unknown key"),
        (
            "probes.gradient_norms.corpus",
            "bible",
            "probes.gradient_norms.corpus: there is no bible",
        ),
        (
            "probes.gradient_norms.variants",
            ["rotari"],
            "gradient_norms.variants: there is no rotari",
        ),
        ("probes.gradient_norms.variants", ["one_head"], "one_head has no output projection"),
        ("probes.gradient_norms.variants", ["average"], "average has no output projection"),
        ("probes.gradient_norms.context_length", 129, "pre_norm has 128 position_rows, fewer than"),
        ("experiments.variance", SHIPPED["experiments"]["ladder"], "experiments.variance: another"),
        ("spelling", 1, "spelling: unknown key"),
        ("variants.rotary.head", 3, "variants.rotary.head: unknown key; did you mean heads?"),
        ("variants.rotary.zzz", 3, "variants.rotary.zzz: unknown key; check its spelling"),
        ("corpora.shakespeare.vocabulry", 3, "unknown key; did you mean vocabulary?"),
        ("experiments.stories.continues", {"prompt": "a", "token": 3}, "did you mean tokens?"),
        ("parameter_counts", [{"variants": "gpt", "vocabulary": 9}], "did you mean variant?"),
        ("experiment", {}, "experiment: unknown key; did you mean experiments?"),
        (
            "experiments.ladder.budget",
            "windw_128",
            "windw_128 under budgets; did you mean window_1",
        ),
        ("experiments.ladder.variants", ["rotari"], "under variants; did you mean rotary?"),
        ("experiments.ladder.corpus", "shakespear", "corpora; did you mean shakespeare?"),
        ("budgets.window_64.context_length", 1, "window_64.context_length: 1 token leaves nothing"),
        ("context_lengths", [1, 64, 128, 256], "config.yaml: context_lengths: 1 token leaves noth"),
        ("probes.pairs", 1, "probes.pairs: "),
        ("corpora.referents_fair.validation_fraction", 0.9, "fair.validation_fraction: 0.9 of the"),
    ],
)
def test_refused_with_the_path_of_the_key(path: str, value: Any, message: str) -> None:
    with pytest.raises(UserError) as refusal:
        parse_config(changed(path, value))
    assert message in str(refusal.value)
    assert str(refusal.value).startswith("config.yaml: ")


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"context_lengths": [64, 128]}, [".context_lengths: has no effect where answers"]),
        ({"steps": [7]}, [": steps and continues have no effect where answers are counted"]),
        (
            {"metric": "bits_per_byte", "context_lengths": [64, 128]},
            [".metric: has no effect where answers", ".context_lengths: has no effect where"],
        ),
    ],
)
def test_keys_without_effect_on_answers_are_refused_as_that_alone(
    changes: dict[str, Any], problems: list[str]
) -> None:
    raw = changed("experiments.referents", {**SHIPPED["experiments"]["referents"], **changes})
    raw["experiments"]["stories"]["metric"] = "perplexity"
    with pytest.raises(UserError) as refusal:
        parse_config(raw)
    lines = str(refusal.value).splitlines()
    assert len(lines) == len(problems)
    for line, problem in zip(lines, problems, strict=True):
        assert line.startswith(f"config.yaml: experiments.referents{problem}")


def test_a_configuration_of_no_experiments_is_refused() -> None:
    raw = changed("seeds", [0])
    for experiment in raw["experiments"].values():
        experiment["seeds"] = []
    with pytest.raises(UserError, match="chapters: no experiment of attention has seeds"):
        parse_config(raw)


def test_the_untrained_models_can_read_the_sentence() -> None:
    raw = changed("variants.mlp", {"mixer": "attention", "positions": "learned"})
    raw["variants"]["mlp"] |= {"position_rows": 10}
    raw["budgets"]["tiny"] = {"context_length": 8}
    raw["probes"]["language_models"] = {"variants": ["mlp"], "budget": "tiny"}
    raw["experiments"]["stories"] |= {"variants": ["gpt"]}
    with pytest.raises(UserError, match="mlp has 10 position_rows, fewer than the 11 tokens of th"):
        parse_config(raw)


def test_variants_of_which_nothing_is_made() -> None:
    assert read_config(ROOT / "config.yaml").unused_variants() == []
    assert parse_config(changed("variants.mine", {"mixer": "average"})).unused_variants() == [
        "mine"
    ]
    joining = {"mixer": "average", "joins": ["ladder"]}
    assert parse_config(changed("variants.mine", joining)).unused_variants() == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty; give it a key, or leave it out"),
        (b"# only a comment\n", "is empty; give it a key"),
        (b"seeds: [0]\nvariants: [a\nseeds: 3\n", "line 3 is not valid YAML: "),
        (b"variants: {rotary: {label: \xff}}", "is not valid YAML at position 27: "),
        (b"variants: &all {rotary: *all}", "an entry holds itself, or is nested too deeply"),
        (b"[" * 200_000, "an entry holds itself, or is nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_in_one_line(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_bytes(content)
    with pytest.raises(UserError) as refusal:
        read_config(ROOT / "config.yaml", mine)
    assert str(refusal.value).startswith(f"{mine}: {problem}")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("spelling", ["1e3", "1E3", "1000", 1000, 1e3])
def test_whole_numbers_may_have_an_exponent(spelling: Any) -> None:
    assert parse_config(changed("budgets.short.steps", spelling)).budgets["short"].steps == 1_000


def test_a_part_is_no_whole_number() -> None:
    with pytest.raises(UserError, match=r"budgets\.short\.steps: must be a valid integer"):
        parse_config(changed("budgets.short.steps", "1e-3"))


def test_attention_is_observed_where_there_is_some() -> None:
    raw = changed("variants.average.joins", ["score_scale"])
    config = parse_config(raw)
    observed = {run.variant for run in config.runs("score_scale") if config.observed(run)}
    assert observed == {name for name in config.members("score_scale") if name.startswith("head_")}


def test_every_problem_is_reported_at_once() -> None:
    raw = changed("experiments.ladder.corpus", "bible")
    raw["experiments"]["positions"]["budget"] = "huge"
    with pytest.raises(UserError) as refusal:
        parse_config(raw)
    assert len(str(refusal.value).splitlines()) == 2


@pytest.mark.parametrize("spelling", ["1e-3", "0.001", 0.001, "1.0e-3"])
def test_numbers_written_as_strings_are_numbers(spelling: Any) -> None:
    """YAML reads 1e-3 as a string, and Snakemake's --config passes nested values as strings."""
    config = parse_config(changed("budgets.window_64.learning_rate", spelling))
    assert (
        config.budgets["window_64"].canonical()
        == parse_config(SHIPPED).budgets["window_64"].canonical()
    )


def test_one_entry_adds_a_variant_to_an_experiment() -> None:
    entry = {"mixer": "attention", "heads": 8, "joins": ["positions"]}
    config = parse_config(changed("variants.eight_heads", entry))
    assert config.members("positions")[-1] == "eight_heads"
    assert len(config.runs("positions")) == 18


def test_a_variant_can_have_a_corpus_of_its_own() -> None:
    config = parse_config(SHIPPED)
    runs = {run.variant: run.corpus for run in config.runs("referents")}
    assert runs["cheatable_average"] == "referents_cheatable"
    assert runs["fair_average"] == "referents_fair"
    assert config.mapped_variant("referents") == "fair_two_blocks"
    rows = {row.variant: row.corpus for row in experiment_settings(config, "referents").rows}
    assert rows["fair_average"] is None  # the experiment's
    assert rows["cheatable_average"].version == "cheatable"


def test_an_overlay_can_shorten_an_experiment() -> None:
    config = parse_config(changed("experiments.positions.variants", ["rotary", "alibi"]))
    assert experiment_settings(config, "positions").comparisons == {}


def test_labels_and_key_order_are_not_part_of_an_architecture() -> None:
    relabelled = parse_config(changed("variants.rotary.label", "RoPE"))
    entry = dict(reversed(SHIPPED["variants"]["rotary"].items()))
    reordered = parse_config(changed("variants.rotary", entry))
    expected = parse_config(SHIPPED).variants["rotary"].architecture()
    assert relabelled.variants["rotary"].architecture() == expected
    assert reordered.variants["rotary"].architecture() == expected


def leaves(value: Any, path: str = "") -> list[str]:
    if not isinstance(value, dict):
        return [path]
    return [leaf for key, child in value.items() for leaf in leaves(child, f"{path}.{key}")]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=4,
)


@given(path=st.sampled_from(leaves(SHIPPED)), value=JUNK)
def test_any_value_anywhere_is_accepted_or_refused_in_words(path: str, value: Any) -> None:
    try:
        config = parse_config(changed(path.removeprefix("."), value))
    except UserError as refusal:
        assert str(refusal).startswith("config.yaml: ")  # noqa: PT017
    else:
        assert isinstance(config, Config)


def test_files_that_are_not_configurations(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    with pytest.raises(UserError, match=r"mine\.yaml: does not exist; .*put -- before it"):
        read_config(path)
    with pytest.raises(UserError, match="cannot be read"):
        read_config(tmp_path)
    path.write_text("a: [1")
    with pytest.raises(UserError, match="not valid YAML"):
        read_config(path)
    path.write_text("- a\n- b\n")
    with pytest.raises(UserError, match="has no keys"):
        read_config(path)


def test_the_file_that_wrote_it_is_named(tmp_path: Path) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "{budgets: {window_64: {steps: 0}}, variants: {rotary: {heads: 3}}, kernels: {width: 13}}"
    )
    with pytest.raises(UserError) as refusal:
        read_config(ROOT / "config.yaml", overlay, values=["device=tpu"])
    lines = str(refusal.value).splitlines()
    assert len(lines) == 4
    for problem in ("budgets.window_64.steps: ", "variants.rotary.heads: 3", "kernels.heads: 8"):
        file = ROOT / "config.yaml" if problem.startswith("kernels") else overlay
        assert any(line.startswith(f"{file}: {problem}") for line in lines)
    assert any(line.startswith("--config: device: must be 'auto'") for line in lines)


def test_a_file_that_is_refused_by_another_is_unharmed(tmp_path: Path) -> None:
    overlays = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    overlays[0].write_text("{variants: {mine: {mixer: average, joins: [ladder]}}}")
    overlays[1].write_text("{variants: {mine: {mixer: mean}}}")
    with pytest.raises(UserError, match=r"b\.yaml: variants\.mine\.mixer"):
        read_config(ROOT / "config.yaml", *overlays)


def test_keys_stay_in_the_order_in_which_files_give_them_first() -> None:
    """Snakemake merges an overlay's keys to the front."""
    base = yaml.safe_load((ROOT / "config.yaml").read_text())
    overlay = {"experiments": {"referents": {"seeds": [7]}}}
    merged = copy.deepcopy(base)
    last = merged["experiments"].pop("referents")
    merged["experiments"] = {"referents": last | {"seeds": [7]}, **merged["experiments"]}
    config = parse_config(merged, [Source("a", base), Source("b", overlay)])
    own = [name for name in config.experiments if name not in config.read_experiments]
    assert own == list(base["experiments"])
    assert config.seeds_of("referents") == [7]


def test_a_value_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UserError, match=r"^--config variants: is nested too deeply"):
        read_config(ROOT / "config.yaml", values=[f"variants={'[' * 9000}"])
