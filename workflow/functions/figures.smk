"""What the one rule of figures asks of the catalogue."""

import re

from rungs.report import catalogue

# A kind that shows none of the configured experiments has no rule.
CATALOGUE = [
    figure for figure in catalogue.FIGURES if not figure.shows or figure.experiments(CONFIG)
]


def figures_of(experiments):
    """The figures of some experiments."""
    names = [
        figure.file(name)
        for figure in CATALOGUE
        for name in figure.experiments(CONFIG)
        if name in experiments
    ]
    return expand("results/figures/{figure}.{extension}", figure=names, extension=["svg", "png"])


def shown_experiment(figure, wildcards):
    """The experiment that a figure shows, which is refused where it is left out."""
    name = wildcards.get("experiment") or next(iter(figure.experiments(CONFIG)), "")
    if figure.shows:
        runs_of(name)
    return name


def figure_inputs(figure):
    def inputs(wildcards):
        return figure.values(CONFIG, shown_experiment(figure, wildcards))[0]

    return inputs


def figure_arguments(figure):
    """The words of the command, without the outputs."""

    def arguments(wildcards):
        reads, told = figure.values(CONFIG, shown_experiment(figure, wildcards))
        return options(reads | told)

    return arguments


def figure_labels(figure):
    def labels(wildcards):
        return figure.labelled(CONFIG, shown_experiment(figure, wildcards))

    return labels


def caption_of(figure, experiment):
    """The caption that the page has, as reStructuredText."""
    return re.sub(r"([\\*`|_])", r"\\\1", figure.captioned(CONFIG, experiment)[1])


# No parameters: a figure is not drawn again for its caption. Templates see the configuration.
config["captions"] = {
    f"results/figures/{figure.file(name)}.svg": caption_of(figure, name)
    for figure in CATALOGUE
    for name in (figure.experiments(CONFIG) if figure.shows else [""])
    if not figure.shows or CONFIG.seeds_of(name)
}
