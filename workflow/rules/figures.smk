"""Figures: each reads tables, and is drawn as SVG for the page and PNG for everything else."""

ROWS = [name for name in SCORED if len(CONFIG.experiments[name].context_lengths) == 1]
LENGTHS = [name for name in SCORED if name not in ROWS]


FIGURES = figures_of(WANTED) + expand(
    "results/figures/{figure}.{extension}",
    figure=[
        *("cost", "parameters", "averaging", "variance", "saturation", "gradient_norms"),
        *("mask", "seed_noise"),
    ],
    extension=["svg", "png"],
)


rule figure_rows:
    input:
        table="results/{experiment}.csv",
        corpus=corpus_summary,
    output:
        svg=report(
            "results/figures/{experiment}.svg",
            caption="../report/rows.rst",
            category="Experiments",
            labels=labels_of_rows,
        ),
        png="results/figures/{experiment}.png",
    log:
        "logs/figures/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(ROWS) or "(?!)",
    localrule: True
    params:
        title=experiment_title,
        metric=lambda wildcards: CONFIG.experiments[wildcards.experiment].metric,
        code=code_digest("rungs.report.figures.rows"),
    message:
        "Drawing {wildcards.experiment}"
    shell:
        "python -m rungs figure-rows --log {log:q} --code {params.code} --table {input.table:q}"
        " --corpus {input.corpus:q} --metric {params.metric} --title {params.title:q}"
        " --svg {output.svg:q} --png {output.png:q}"


rule figure_lengths:
    input:
        table="results/{experiment}.csv",
    output:
        svg=report(
            "results/figures/{experiment}.svg",
            caption="../report/lengths.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "perplexity"},
        ),
        png="results/figures/{experiment}.png",
    log:
        "logs/figures/{experiment}.log",
    wildcard_constraints:
        experiment="|".join(LENGTHS) or "(?!)",
    localrule: True
    params:
        title=experiment_title,
        trained_length=lambda wildcards: CONFIG.budgets[
            CONFIG.experiments[wildcards.experiment].budget
        ].context_length,
        code=code_digest("rungs.report.figures.lengths"),
    message:
        "Drawing {wildcards.experiment}"
    shell:
        "python -m rungs figure-lengths --log {log:q} --code {params.code} --table {input.table:q}"
        " --trained-length {params.trained_length} --title {params.title:q}"
        " --svg {output.svg:q} --png {output.png:q}"


rule figure_learning_curves:
    input:
        histories,
    output:
        svg=report(
            "results/figures/{experiment}_learning_curves.svg",
            caption="../report/learning_curves.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "learning curves"},
        ),
        png="results/figures/{experiment}_learning_curves.png",
    log:
        "logs/figures/{experiment}_learning_curves.log",
    localrule: True
    params:
        title=experiment_title,
        labels=lambda wildcards: keep(
            canonical_json(
                {
                    variant: CONFIG.label(variant, wildcards.experiment)
                    for variant in CONFIG.members(wildcards.experiment)
                }
            )
        ),
        code=code_digest("rungs.report.figures.learning_curves"),
    message:
        "Drawing the learning curves of {wildcards.experiment}"
    shell:
        "python -m rungs figure-learning-curves --log {log:q} --code {params.code}"
        " --histories {input:q}"
        " --labels {params.labels:q} --title {params.title:q}"
        " --svg {output.svg:q} --png {output.png:q}"


rule figure_sharpness:
    input:
        histories=observed_histories,
        table="results/{experiment}.csv",
    output:
        svg=report(
            "results/figures/{experiment}_sharpness.svg",
            caption="../report/sharpness.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "sharpness of attention"},
        ),
        png="results/figures/{experiment}_sharpness.png",
    log:
        "logs/figures/{experiment}_sharpness.log",
    localrule: True
    params:
        title=experiment_title,
        code=code_digest("rungs.report.figures.sharpness"),
    message:
        "Drawing how sharply the runs of {wildcards.experiment} attend"
    shell:
        "python -m rungs figure-sharpness --log {log:q} --code {params.code}"
        " --histories {input.histories:q}"
        " --table {input.table:q} --title {params.title:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_cost:
    input:
        table="results/memory.csv",
        exponents="results/exponents.csv",
    output:
        svg=report(
            "results/figures/cost.svg",
            caption="../report/cost.rst",
            category="Cost",
            labels={"experiment": "kernels", "figure": "memory and time"},
        ),
        png="results/figures/cost.png",
    log:
        "logs/figures/cost.log",
    localrule: True
    params:
        memory_budget=CONFIG.kernels.memory_budget_mib,
        code=code_digest("rungs.report.figures.cost"),
    message:
        "Drawing what attention costs"
    shell:
        "python -m rungs figure-cost --log {log:q} --code {params.code} --table {input.table:q}"
        " --exponents {input.exponents:q} --memory-budget-mib {params.memory_budget}"
        " --svg {output.svg:q} --png {output.png:q}"


rule figure_parameters:
    input:
        table="results/parameters.csv",
    output:
        svg=report(
            "results/figures/parameters.svg",
            caption="../report/parameters.rst",
            category="Cost",
            labels={"experiment": "parameters", "figure": "shares"},
        ),
        png="results/figures/parameters.png",
    log:
        "logs/figures/parameters.log",
    localrule: True
    params:
        models=[
            *CONFIG.members(EXPERIMENTS[0]),
            *(entry.variant for entry in CONFIG.parameter_counts if entry.drawn),
        ],
        code=code_digest("rungs.report.figures.parameters"),
    message:
        "Drawing where the parameters are"
    shell:
        "python -m rungs figure-parameters --log {log:q} --code {params.code}"
        " --table {input.table:q}"
        " --models {params.models:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_averaging:
    input:
        table="results/averaging.csv",
        matrix="results/averaging_matrix.csv",
    output:
        svg=report(
            "results/figures/averaging.svg",
            caption="../report/averaging.rst",
            category="Probes",
            labels={"experiment": "averaging", "figure": "matrix and differences"},
        ),
        png="results/figures/averaging.png",
    log:
        "logs/figures/averaging.log",
    localrule: True
    params:
        code=code_digest("rungs.report.figures.averaging"),
    message:
        "Drawing the average as a matrix"
    shell:
        "python -m rungs figure-averaging --log {log:q} --code {params.code}"
        " --table {input.table:q}"
        " --matrix {input.matrix:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_variance:
    input:
        table="results/variance.csv",
    output:
        svg=report(
            "results/figures/variance.svg",
            caption="../report/variance.rst",
            category="Probes",
            labels={"experiment": "variance", "figure": "spread of dot products"},
        ),
        png="results/figures/variance.png",
    log:
        "logs/figures/variance.log",
    localrule: True
    params:
        code=code_digest("rungs.report.figures.variance"),
    message:
        "Drawing the spread of dot products"
    shell:
        "python -m rungs figure-variance --log {log:q} --code {params.code} --table {input.table:q}"
        " --svg {output.svg:q} --png {output.png:q}"


rule figure_saturation:
    input:
        table="results/saturation.csv",
    output:
        svg=report(
            "results/figures/saturation.svg",
            caption="../report/saturation.rst",
            category="Probes",
            labels={"experiment": "saturation", "figure": "where large begins"},
        ),
        png="results/figures/saturation.png",
    log:
        "logs/figures/saturation.log",
    localrule: True
    params:
        code=code_digest("rungs.report.figures.saturation"),
    message:
        "Drawing where a softmax saturates"
    shell:
        "python -m rungs figure-saturation --log {log:q} --code {params.code}"
        " --table {input.table:q}"
        " --svg {output.svg:q} --png {output.png:q}"


rule figure_gradient_norms:
    input:
        table="results/gradient_norms.csv",
    output:
        svg=report(
            "results/figures/gradient_norms.svg",
            caption="../report/gradient_norms.rst",
            category="Probes",
            labels={"experiment": "gradient norms", "figure": "norm by block"},
        ),
        png="results/figures/gradient_norms.png",
    log:
        "logs/figures/gradient_norms.log",
    localrule: True
    params:
        labels=lambda wildcards: keep(
            canonical_json(
                {
                    variant: CONFIG.label(variant)
                    for variant in CONFIG.probes.gradient_norms.variants
                }
            )
        ),
        code=code_digest("rungs.report.figures.gradient_norms"),
    message:
        "Drawing gradients at initialisation"
    shell:
        "python -m rungs figure-gradient-norms --log {log:q} --code {params.code}"
        " --table {input.table:q}"
        " --labels {params.labels:q} --svg {output.svg:q} --png {output.png:q}"


rule figure_seed_noise:
    input:
        table="results/seed_noise.csv",
    output:
        svg=report(
            "results/figures/seed_noise.svg",
            caption="../report/seed_noise.rst",
            category="Seeds",
            labels={"experiment": "published differences", "figure": "what one seed can tell"},
        ),
        png="results/figures/seed_noise.png",
    log:
        "logs/figures/seed_noise.log",
    localrule: True
    params:
        code=code_digest("rungs.report.figures.seed_noise"),
    message:
        "Drawing what one seed can tell"
    shell:
        "python -m rungs figure-seed-noise --log {log:q} --code {params.code}"
        " --table {input.table:q}"
        " --svg {output.svg:q} --png {output.png:q}"
