"""Keys that are right by themselves and wrong together."""

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Any

from rungs.configuration.corpora import ReferentCorpus
from rungs.configuration.names import did_you_mean
from rungs.configuration.schema import Schema
from rungs.corpus.referents import WORDS, split
from rungs.errors import UserError
from rungs.probes.catalogue import BY_NAME
from rungs.probes.settings import SENTENCE
from rungs.tables.columns import PERPLEXITIES

# Results of other stages have these names in the same folder.
RESERVED = {
    *("blocks", "claims", "corpus", "cost", "exponents", "memory", "observations", "parameters"),
    *BY_NAME,
    *("loss_by_position", "readings", "seed_noise"),
}
FIGURE_ENDINGS = ("_learning_curves", "_sharpness", "_attention", "_maps", "_samples")


def problems(config: Schema) -> list[str]:
    """Return a line for each problem: the key's path, what is wrong, and a way out."""
    found = [*_duplicates(config), *_unknown_in_readings(config), *_unknown_names(config)]
    if found:  # the others follow the names
        return found
    found = [
        *_equal_labels(config),
        *_contexts_of_one_token(config),
        *_contexts_beyond_position_tables(config),
        *_variants_without_gradient_norms(config),
        *_unmeasurable_language_models(config),
        *_several_in_bytes(config),
        *_readings_without_effect(config),
        *_unsuited_to_their_corpus(config),
        *_nothing_wanted(config),
        *_unsplittable_corpora(config),
    ]
    # What is wrong with an experiment is wrong with it under every reading.
    read = tuple(f"experiments.{name}" for name in config.read_experiments)
    return [problem for problem in found if not problem.startswith(read)] or found


def _duplicates(config: Schema) -> Iterator[str]:
    lists: dict[str, list[Any]] = {
        "seeds": config.seeds,
        "chapters": config.chapters,
        "probes.language_models.variants": config.probes.language_models.variants,
        "context_lengths": config.context_lengths,
        "readings": [reading.name for reading in config.readings],
        "kernels.kernels": config.kernels.kernels,
        "kernels.tokens": config.kernels.tokens,
        "probes.widths": config.probes.widths,
        "probes.gradient_norms.variants": config.probes.gradient_norms.variants,
    }
    for name in config.experiments:
        lists[f"experiments.{name}.variants"] = config.members(name)
        lists[f"experiments.{name}.context_lengths"] = config.experiments[name].context_lengths
        lists[f"experiments.{name}.seeds"] = config.experiments[name].seeds or []
        lists[f"experiments.{name}.steps"] = config.experiments[name].steps
    for path, entries in lists.items():
        repeated = sorted({str(entry) for entry in entries if entries.count(entry) > 1})
        if repeated:
            yield f"{path}: {', '.join(repeated)} is listed twice; list it once"


def _equal_labels(config: Schema) -> Iterator[str]:
    for name in config.experiments:
        named: dict[str, str] = {}
        for variant in config.members(name):
            other = named.setdefault(config.label(variant, name), variant)
            if other != variant:
                yield (
                    f"experiments.{name}: {other} and {variant} have one label, "
                    f"{config.label(variant, name)}; change one of them, or use "
                    f"experiments.{name}.labels"
                )


def _unknown(path: str, name: str, section: str, known: Collection[str]) -> Iterator[str]:
    if name not in known:
        yield (
            f"{path}: there is no {name} under {section}"
            + (did_you_mean(name, known) or f"; known are {', '.join(sorted(known)) or 'none'}")
        )


def _unknown_names(config: Schema) -> Iterator[str]:
    own = {n: e for n, e in config.experiments.items() if n not in config.read_experiments}
    for name, e in own.items():
        path = f"experiments.{name}"
        if name in RESERVED or name.endswith(FIGURE_ENDINGS):
            yield f"{path}: another result has this name; choose another"
        yield from _unknown(f"{path}.corpus", e.corpus, "corpora", config.corpora)
        yield from _unknown(f"{path}.budget", e.budget, "budgets", config.budgets)
        for variant in e.variants:
            yield from _unknown(f"{path}.variants", variant, "variants", config.variants)
        for variant in e.labels:
            yield from _unknown(f"{path}.labels", variant, "variants", config.variants)
        for variant, budget in e.budgets.items():
            yield from _unknown(f"{path}.budgets", variant, "variants", config.variants)
            yield from _unknown(f"{path}.budgets.{variant}", budget, "budgets", config.budgets)
        for variant, corpus in e.corpora.items():
            yield from _unknown(f"{path}.corpora", variant, "variants", config.variants)
            yield from _unknown(f"{path}.corpora.{variant}", corpus, "corpora", config.corpora)
        for variant, reference in e.comparisons.items():
            if variant == reference:
                yield f"{path}.comparisons: {variant} is compared with itself"
            for end in (variant, reference):
                yield from _unknown(f"{path}.comparisons", end, "variants", config.variants)
        for length in e.context_lengths:
            if length not in config.context_lengths:
                yield (
                    f"{path}.context_lengths: {length} is not evaluated; add it to context_lengths"
                )
    for name, variant_settings in config.variants.items():
        for experiment in variant_settings.joins:
            yield from _unknown(
                f"variants.{name}.joins", experiment, "experiments", config.experiments
            )
    gradient_norms = config.probes.gradient_norms
    path = "probes.gradient_norms"
    yield from _unknown(f"{path}.corpus", gradient_norms.corpus, "corpora", config.corpora)
    for variant in gradient_norms.variants:
        yield from _unknown(f"{path}.variants", variant, "variants", config.variants)
    language_models = config.probes.language_models
    path = "probes.language_models"
    yield from _unknown(f"{path}.budget", language_models.budget, "budgets", config.budgets)
    for variant in language_models.variants:
        yield from _unknown(f"{path}.variants", variant, "variants", config.variants)
    for index, count in enumerate(config.parameter_counts):
        yield from _unknown(
            f"parameter_counts.{index}.variant", count.variant, "variants", config.variants
        )


def _unknown_in_readings(config: Schema) -> Iterator[str]:
    sections: dict[str, Collection[str]] = {
        "corpora": config.corpora,
        "budgets": config.budgets,
        "variants": config.variants,
    }
    for index, reading in enumerate(config.readings):
        for section, known in sections.items():
            for old, new in getattr(reading, section).items():
                path = f"readings.{index}.{section}"
                yield from _unknown(path, old, section, known)
                yield from _unknown(f"{path}.{old}", new, section, known)
        for table, columns in reading.columns.items():
            path = f"readings.{index}.columns"
            known = {**BY_NAME, **config.experiments}
            yield from _unknown(path, table, "probes and experiments", known)
            if table in config.experiments:
                for column in (*columns, *columns.values()):
                    yield from _unknown(f"{path}.{table}", column, "perplexities", PERPLEXITIES)


def _readings_without_effect(config: Schema) -> Iterator[str]:
    budgets, corpora = config.budgets, config.corpora
    models = {name: variant.architecture() for name, variant in config.variants.items()}
    for index, reading in enumerate(config.readings):
        path = f"readings.{index}"
        for section, known in (("budgets", budgets), ("corpora", corpora), ("variants", models)):
            for old, new in getattr(reading, section).items():
                if known[old] == known[new]:
                    yield f"{path}.{section}: {new} is the same as {old}; give another entry"
        measured = reading.variants.keys() & set(config.probes.language_models.variants)
        read = (reading.experiment(name) for name in config.experiments)
        if not (reading.columns or measured or any(name in config.experiments for name in read)):
            yield (
                f"{path}: {reading.name} changes no experiment and no probe; name an entry that "
                "one of them uses"
            )


def _contexts_of_one_token(config: Schema) -> Iterator[str]:
    lengths = {
        f"budgets.{name}.context_length": b.context_length for name, b in config.budgets.items()
    }
    lengths |= {"context_lengths": min(config.context_lengths)}
    for path, length in lengths.items():
        if length < 2:
            yield f"{path}: 1 token leaves nothing to attend to; give 2 or more"


def _nothing_wanted(config: Schema) -> Iterator[str]:
    if not config.wanted():
        yield (
            f"chapters: no experiment of {' or '.join(config.chapters)} has seeds, so that there "
            "would be no results; add a chapter, or give one of its experiments seeds"
        )


def _unsplittable_corpora(config: Schema) -> Iterator[str]:
    for name, corpus in config.corpora.items():
        if isinstance(corpus, ReferentCorpus):
            try:
                split(corpus.version, Fraction(str(corpus.validation_fraction)), corpus.seed)
            except UserError as error:
                yield f"corpora.{name}.{error}"


def _contexts_beyond_position_tables(config: Schema) -> Iterator[str]:
    for name, e in config.experiments.items():
        shown = [] if config.counts_answers(name) else e.context_lengths
        for variant in config.members(name):
            budget = config.budgets[e.budgets.get(variant, e.budget)]
            needed = max([budget.context_length, *shown])
            rows = config.variants[variant].position_rows
            if rows is not None and rows < needed:
                yield (
                    f"variants.{variant}.position_rows: {rows} rows, but experiment {name} "
                    f"reads contexts of {needed} tokens; give the table {needed} rows or more"
                )


def _variants_without_gradient_norms(config: Schema) -> Iterator[str]:
    length = config.probes.gradient_norms.context_length
    for name in config.probes.gradient_norms.variants:
        variant = config.variants[name]
        if variant.mixer != "attention" or not variant.output_projection:
            yield (
                f"probes.gradient_norms.variants: {name} has no output projection; choose "
                "variants with attention of several heads"
            )
        if variant.position_rows is not None and variant.position_rows < length:
            yield (
                f"probes.gradient_norms.context_length: {name} has {variant.position_rows} "
                f"position_rows, fewer than {length}"
            )


def _unmeasurable_language_models(config: Schema) -> Iterator[str]:
    models = config.probes.language_models
    length = config.budgets[models.budget].context_length
    longest = max(length, len(SENTENCE))
    for name in models.variants:
        variant = config.variants[name]
        path = f"probes.language_models.variants: {name}"
        if not variant.causal:
            yield f"{path} sees the future; what a prefix says is asked of causal models"
        if variant.position_rows is not None and variant.position_rows < longest:
            of = f"budgets.{models.budget}" if longest == length else "the sentence that it reads"
            yield (
                f"{path} has {variant.position_rows} position_rows, fewer than the {longest} "
                f"tokens of {of}"
            )
    if not any(config.variants[name].mixer == "attention" for name in models.variants):
        yield "probes.language_models.variants: needs one with mixer: attention"


def _several_in_bytes(config: Schema) -> Iterator[str]:
    names = [name for name, e in config.experiments.items() if e.metric == "bits_per_byte"]
    for name in (name for name in names[1:] if name not in config.read_experiments):
        yield (
            f"experiments.{name}.metric: {names[0]} is about bits per byte as well, and "
            "loss_by_position.csv is of one experiment; let its variants join that one"
        )


def _unsuited_to_their_corpus(config: Schema) -> Iterator[str]:
    for name, e in config.experiments.items():
        path, answers = f"experiments.{name}", config.counts_answers(name)
        for run in config.runs(name):
            if isinstance(config.corpora[run.corpus], ReferentCorpus) != answers:
                yield (
                    f"{path}.corpora.{run.variant}: {run.corpus} and {e.corpus} are measured "
                    "differently, by answers and by perplexity; make two experiments"
                )
        if not answers and not e.context_lengths:
            yield f"{path}.context_lengths: is required and missing"
        yield from _unsuited_to_their_kind(config, name)
        if answers:
            yield from _unsuited_to_answers(config, name)


def _unsuited_to_their_kind(config: Schema, name: str) -> Iterator[str]:
    e, path, kind = config.experiments[name], f"experiments.{name}", config.kind(name)
    if kind != "scores" and e.metric != "perplexity":
        yield f"{path}.metric: has no effect where answers are counted or steps are shown"
    if kind == "answers" and (e.steps or e.continues):
        yield f"{path}: steps and continues have no effect where answers are counted"
    if kind == "scores" and e.metric == "bits_per_byte" and len(e.context_lengths) > 1:
        yield f"{path}.context_lengths: give one for bits per byte"
    if kind == "steps":
        yield from _unsuited_to_steps(config, name)


def _unsuited_to_steps(config: Schema, name: str) -> Iterator[str]:
    e, path = config.experiments[name], f"experiments.{name}"
    if len(e.context_lengths) > 1:
        yield f"{path}.context_lengths: give one where steps are shown"
    for budget_name in dict.fromkeys(run.budget for run in config.runs(name)):
        budget = config.budgets[budget_name]
        every = range(budget.validate_every, budget.steps, budget.validate_every)
        for step in e.steps:
            if step not in every and step != budget.steps:
                yield (
                    f"{path}.steps: budget {budget_name} records no loss at step {step}; "
                    f"choose a multiple of its validate_every, {budget.validate_every}, "
                    f"or its last step, {budget.steps}"
                )


def _unsuited_to_answers(config: Schema, name: str) -> Iterator[str]:
    path = f"experiments.{name}"
    for key in ("context_lengths", "comparisons"):
        if getattr(config.experiments[name], key):
            yield f"{path}.{key}: has no effect where answers are counted; drop the key"
    if config.mapped_variant(name) is None:
        yield f"{path}.variants: needs one with mixer: attention, whose attention is drawn"
    for budget in dict.fromkeys(run.budget for run in config.runs(name)):
        chosen = config.budgets[budget]
        if (chosen.context_length, chosen.stride) != (len(WORDS), len(WORDS)):
            yield (
                f"budgets.{budget}: a window must be one sentence of {path}; set "
                f"context_length and stride to {len(WORDS)}"
            )
        if chosen.observe_attention:
            yield f"budgets.{budget}.observe_attention: is not shown of {path}; drop the key"
