"""Figures: each reads tables, and is drawn as SVG for the page and PNG for everything else."""

FIGURES = figures_of(WANTED) + expand(
    "results/figures/{figure}.{extension}",
    figure=[figure.name for figure in CATALOGUE if not figure.shows],
    extension=["svg", "png"],
)


for figure in CATALOGUE:
    # Evaluated here; what is below `shell` is read once the loop is over.
    figure_path = f"results/figures/{figure.name.format('{experiment}')}"

    rule:
        name:
            f"figure_{figure.drawing}"
        input:
            unpack(figure_inputs(figure)),
        output:
            svg=report(
                f"{figure_path}.svg",
                caption="../report/figure.rst",
                category=figure.category,
                labels=figure_labels(figure),
            ),
            png=f"{figure_path}.png",
        log:
            f"logs/{figure_path.removeprefix('results/')}.log",
        wildcard_constraints:
            experiment="|".join(figure.experiments(CONFIG)) or "(?!)",
        localrule: True
        params:
            stage=figure.stage,
            arguments=figure_arguments(figure),
            code=code_digest(figure.module),
        message:
            figure.doing.format("{wildcards.experiment}")
        shell:
            "python -m rungs {params.stage} --log {log:q} --code {params.code}"
            " {params.arguments} --svg {output.svg:q} --png {output.png:q}"
