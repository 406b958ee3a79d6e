from snakemake.utils import min_version

min_version("9.27")


configfile: workflow.source_path("config.yaml")


report: "workflow/report/workflow.rst"


include: "workflow/functions/checkout.smk"
include: "workflow/functions/common.smk"
include: "workflow/functions/experiments.smk"
include: "workflow/functions/figures.smk"
include: "workflow/functions/targets.smk"
include: "workflow/functions/corpora.smk"
include: "workflow/functions/runs.smk"
include: "workflow/functions/stories.smk"
include: "workflow/functions/kernels.smk"
include: "workflow/functions/command.smk"
include: "workflow/rules/screen.smk"
include: "workflow/rules/internals.smk"
include: "workflow/rules/cluster.smk"
include: "workflow/rules/start.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/evaluations.smk"
include: "workflow/rules/referents.smk"
include: "workflow/rules/stories.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/kernels.smk"
include: "workflow/rules/probes.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        # All of it by name: what lies between two files that exist is not missed otherwise.
        expand(
            "results/corpus/{corpus}/{file}",
            corpus=USED_CORPORA,
            file=["text.txt", "tokenizer.json", "train.npy", "validation.npy", "summary.json"],
        ),
        RUNS,
        EVALUATIONS,
        KERNEL_POINTS,
        PROBE_RESULTS,
        expand("results/observations/{experiment}.csv", experiment=WANTED),
        "results/observations.csv",
        TABLES,
        FIGURES,
        "results/claims.csv",
        READINGS,
        "results/seed_noise.csv",
        "results/report.html",
        "results/report.md",
        "results/provenance.json",


rule attention:
    input:
        chapter_results("attention"),


rule gpt:
    input:
        chapter_results("gpt"),
