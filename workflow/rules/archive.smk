"""Runs that were trained elsewhere: what they wrote down takes the place of training them."""

ARCHIVED_SAMPLES = {
    f"{name}/{run.variant}/seed{run.seed}": run
    for name in CONTINUED
    for run in CONFIG.runs(name)
    if run in ARCHIVED
}


rule take_from_archive:
    input:
        archived=f"{ARCHIVE}/{{run}}.json",
        train=lambda wildcards: f"results/corpus/{corpus_of(wildcards.run)}/train.npy",
        validation=lambda wildcards: f"results/corpus/{corpus_of(wildcards.run)}/validation.npy",
    output:
        history="results/runs/{run}/history.jsonl",
        description="results/runs/{run}/run.json",
        evaluation="results/evaluations/{run}.json",
    log:
        "logs/archive/{run}.log",
    wildcard_constraints:
        run="|".join(map(address, sorted(ARCHIVED))) or "(?!)",
    localrule: True
    params:
        folder=lambda wildcards, output: Path(output.description).parent,
        code=code_digest("rungs.archive.take"),
    message:
        "Taking {wildcards.run} from the archive"
    shell:
        "python -m rungs take-from-archive --log {log:q} --code {params.code}"
        " --archived {input.archived:q} --train {input.train:q}"
        " --validation {input.validation:q} --output {params.folder:q}"
        " --evaluation {output.evaluation:q}"


rule take_sample:
    input:
        archived=lambda wildcards: f"{ARCHIVE}/{address(ARCHIVED_SAMPLES[wildcards.sample])}.json",
    output:
        "results/samples/{sample}.json",
    log:
        "logs/archive/samples/{sample}.log",
    wildcard_constraints:
        sample="|".join(ARCHIVED_SAMPLES) or "(?!)",
    localrule: True
    params:
        experiment=lambda wildcards: wildcards.sample.partition("/")[0],
        code=code_digest("rungs.archive.take_sample"),
    message:
        "Taking what {wildcards.sample} wrote from the archive"
    shell:
        "python -m rungs take-sample --log {log:q} --code {params.code}"
        " --archived {input.archived:q} --experiment {params.experiment} --output {output:q}"


ruleorder: take_from_archive > train
ruleorder: take_from_archive > evaluate
ruleorder: take_from_archive > evaluate_referents
ruleorder: take_sample > sample_text
