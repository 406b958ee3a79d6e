"""From evaluations to tables: a mean and an interval over seeds, beside what was published."""


def table_settings(wildcards):
    experiment = CONFIG.experiments[wildcards.experiment]
    return canonical_json(
        {
            "rows": [
                {"variant": variant, "label": CONFIG.label(variant)}
                for variant in CONFIG.members(wildcards.experiment)
            ],
            "context_lengths": experiment.context_lengths,
            "comparisons": experiment.comparisons,
            "corpus": experiment.corpus,
            "budget": CONFIG.budgets[experiment.budget].model_dump(mode="json"),
        }
    )


rule observations:
    message:
        "Collecting the evaluations of {wildcards.experiment}"
    input:
        evaluations,
    output:
        "results/observations/{experiment}.csv",
    params:
        code=code_digest("rungs.report.observations"),
    log:
        "logs/observations/{experiment}.log",
    localrule: True
    shell:
        "python -m rungs observations --log {log:q} --evaluations {input:q} --output {output:q}"
