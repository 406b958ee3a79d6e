"""The sections of the page, from the configuration and whatever tables exist."""

from collections.abc import Sequence
from pathlib import Path

from rungs.config import Config
from rungs.configuration.corpora import GeneratedCorpus
from rungs.files import read_json
from rungs.reading import reading
from rungs.report.answer_views import (
    ANSWER_COLUMNS,
    ATTENTION_COLUMNS,
    answers_view,
    attention_view,
)
from rungs.report.catalogue import SEED_DIFFERENCES, figures_in, figures_of
from rungs.report.experiment_views import (
    EXPERIMENT_COLUMNS,
    PUBLISHED_COLUMNS,
    experiment_views,
)
from rungs.report.judged import ClaimView
from rungs.report.other_views import (
    BLOCKS,
    COSTS,
    EXPONENTS,
    PARAMETER_COLUMNS,
    corpora_view,
    corpus_cells,
    parameter_views,
)
from rungs.report.probe_sections import probe_sections
from rungs.report.reading_view import reading_section
from rungs.report.section import Section
from rungs.report.seed_noise_view import LEAD, measured_noise, noise_sentence, noise_view
from rungs.report.seed_noise_view import TARGET as NOISE_TABLE
from rungs.report.settle_view import settle_section
from rungs.report.showing import show
from rungs.report.story_sections import (
    add_samples,
    complete_steps,
    complete_stories,
)
from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown
from rungs.training.budget import Budget


def plan_sections(config: Config, results: Path, claims: Sequence[ClaimView]) -> list[Section]:
    """Return the sections in reading order; claims on no table of theirs come in a last one.

    What the configuration leaves out comes after the experiments that it asks for.

    Raises:
        UserError: a table that exists cannot be read.
    """
    wanted = config.wanted()
    seeded = [name for name in _own(config) if config.seeds_of(name)]
    names = sorted(seeded, key=lambda name: name not in wanted)
    sections = [_experiment(config, results, name) for name in names]
    for name, section in zip(names, sections, strict=True):
        add_samples(config, results, name, section)
    *probed, last_probed = probe_sections(config, results)
    sections += [
        *probed,
        _cost(config, results),
        _parameters(config, results),
        last_probed,
        _seed_noise(config, results),
        *filter(None, (settle_section(config, results), reading_section(config, results, claims))),
        _learning_curves(config, results),
        _corpora(config, results),
        *_left_out(config),
    ]
    homes = {source: section for section in sections for source in section.sources}
    others = Section("other-claims", "Other claims")
    for claim in claims:
        homes.get(claim.table, others).claims.append(claim)
    return [*sections, others] if others.claims else sections


def _own(config: Config) -> list[str]:
    """Return the experiments but for those under readings, which their questions link to."""
    return [name for name in config.experiments if name not in config.read_experiments]


def used_corpora(config: Config) -> list[str]:
    """Return the names of the corpora that a wanted experiment or a probe uses, in order."""
    runs = (run for experiment in config.wanted() for run in config.runs(experiment))
    used = [*(run.corpus for run in runs), config.probes.gradient_norms.corpus]
    return list(dict.fromkeys(used))


def _experiment(config: Config, results: Path, name: str) -> Section:
    experiment = config.experiments[name]
    lead = [_training(config, name)]
    section = Section(name, experiment.title, [name], lead)
    section.figures = list(figures_of(config, name))
    match config.kind(name):
        case "answers":
            return _answers(config, results, name, section)
        case "steps":
            return complete_steps(results, name, section)
    generated = isinstance(config.corpora[experiment.corpus], GeneratedCorpus)
    if experiment.metric == "bits_per_byte":
        section.lead.append(
            "Bits per byte count the bytes of the validation text, whatever it was cut into."
        )
    target = f"{name}.csv"
    if not (results / target).is_file():
        section.missing.append(("This experiment", target))
        return section
    table = read_shown(results / target, EXPERIMENT_COLUMNS)
    section.tables = experiment_views(table, target)
    if experiment.metric == "bits_per_byte":
        complete_stories(section, results)
    if table[list(PUBLISHED_COLUMNS)].isna().all(axis=None):
        what = "corpus" if generated else "experiment"
        section.lead.append(f"No published value applies to this {what}.")
    return section


def _left_out(config: Config) -> list[Section]:
    """Return one section for all experiments without a seed: each alone would be empty."""
    names = [name for name in _own(config) if not config.seeds_of(name)]
    titles = "; ".join(config.experiments[name].title for name in names)
    lead = [f"The configuration gives these experiments no seed, which leaves them out: {titles}."]
    return [Section("left-out", "Left out", names, lead)] if names else []


def _answers(config: Config, results: Path, name: str, section: Section) -> Section:
    """Complete the section of an experiment that counts right answers."""
    section.lead.append(
        "Every sentence ends in a word that is either right or wrong. A model is asked for it on "
        "pairs of nouns that were held out; in the fair version the same two nouns were trained "
        "on in the other order, with the opposite answers."
    )
    mapped = config.mapped_variant(name)
    assert mapped is not None, "the configuration was validated"
    answers, attention = f"{name}.csv", f"{name}_attention.csv"
    if not (results / answers).is_file():
        section.missing.append(("This experiment", answers))
        return section
    section.tables.append(answers_view(read_shown(results / answers, ANSWER_COLUMNS), answers))
    if (results / attention).is_file():
        table = read_shown(results / attention, ATTENTION_COLUMNS)
        of_mapped = table[table["variant"] == mapped]
        section.tables.append(attention_view(of_mapped, config.label(mapped, name), attention))
    return section


def _training(config: Config, name: str) -> str:
    experiment = config.experiments[name]
    others: dict[str, list[str]] = {}
    for variant in config.members(name):
        if variant in experiment.budgets:
            label = f"\N{LEFT DOUBLE QUOTATION MARK}{config.label(variant, name)}"
            label += "\N{RIGHT DOUBLE QUOTATION MARK}"  # labels have commas of their own
            others.setdefault(experiment.budgets[variant], []).append(label)
    used = dict.fromkeys(run.corpus for run in config.runs(name))
    titles = " and ".join(config.corpora[corpus].title for corpus in used)
    words = _budget(config.budgets[experiment.budget])
    for budget, labels in others.items():
        words += f"; {', '.join(labels)}: {_budget(config.budgets[budget])}"
    seeds = config.seeds_of(name)
    listed = ", ".join(map(str, seeds))
    return f"Trained on {titles}: {words}; {'seed' if len(seeds) == 1 else 'seeds'} {listed}."


def _budget(budget: Budget) -> str:
    warmup = f", reached in {counted(budget.warmup_steps, 'step')}" if budget.warmup_steps else ""
    return (
        f"{counted(budget.steps, 'step')} of {counted(budget.batch_size, 'window')} of "
        f"{counted(budget.context_length, 'token')} at a learning rate of "
        f"{budget.learning_rate:g}{warmup}"
    )


def _cost(config: Config, results: Path) -> Section:
    kernels = config.kernels
    section = Section("cost-of-attention", "What attention costs", ["memory", "exponents"])
    section.lead = [
        f"One layer of width {kernels.width} with {counted(kernels.heads, 'head')}, one sequence, "
        f"forward only, with a memory budget of {kernels.memory_budget_mib:,.0f} MiB. Memory is "
        "counted and the same on any machine; milliseconds are this machine's, so that only "
        "their growth compares with the chapter's."
    ]
    section.figures = figures_in(config, section.anchor)
    show(section, results, "memory.csv", COSTS, "The measurement of memory and time")
    show(section, results, "exponents.csv", EXPONENTS, "")
    return section


def _parameters(config: Config, results: Path) -> Section:
    section = Section("parameter-counts", "Where the parameters are", ["parameters", "blocks"])
    section.figures = figures_in(config, section.anchor)
    if (results / "parameters.csv").is_file():
        table = read_shown(results / "parameters.csv", PARAMETER_COLUMNS)
        section.tables = parameter_views(table, "parameters.csv")
    else:
        section.missing.append(("The count of parameters", "parameters.csv"))
    show(section, results, "blocks.csv", BLOCKS, "The count of a block's parameters")
    return section


def _seed_noise(config: Config, results: Path) -> Section:
    section = Section("seed-noise", "What one seed can tell")
    table = measured_noise(results)
    if table is None:
        section.missing.append(("The noise of single seeds", NOISE_TABLE))
    elif table.empty:
        section.lead = ["No published difference compares with these runs."]
    else:
        spread = table["standard_deviation"].notna().any()
        section.lead = [noise_sentence(table), *(LEAD if spread else ())]
        figures = figures_in(config, section.anchor)
        if not spread:  # nothing is drawn of luck
            figures = [(name, SEED_DIFFERENCES) for name, _ in figures]
        section.figures = figures
        section.tables = [noise_view(table)]
    return section


def _learning_curves(config: Config, results: Path) -> Section:
    """Of the wanted experiments, and of others whose curves are there."""
    section = Section("learning-curves", "Learning curves")
    section.figures = [
        (figure, caption)
        for name in _own(config)
        for figure, caption in figures_of(config, name, section.anchor)
        if name in config.wanted() or (results / f"figures/{figure}.svg").is_file()
    ]
    return section


def _corpora(config: Config, results: Path) -> Section:
    section = Section("the-corpora", "The corpora", ["corpus"])
    others = (n for n in config.corpora if (results / f"corpus/{n}/summary.json").is_file())
    found, targets = [], []
    for name in dict.fromkeys([*used_corpora(config), *others]):
        title, target = config.corpora[name].title, f"corpus/{name}/summary.json"
        if (results / target).is_file():
            with reading(results / target):
                found.append((title, corpus_cells(read_json(results / target))))
            targets.append(target)
        else:
            section.missing.append((f"The corpus {title}", target))
    if found:
        section.tables = [corpora_view(found, targets[0])]
    return section
