"""From evaluations to tables: a mean and an interval over seeds, beside what was published."""


rule observations:
    input:
        evaluations=evaluations,
        histories=observed_histories,
        measures=lambda wildcards: measures_of([wildcards.experiment]),
        samples=continuations,
    output:
        "results/observations/{experiment}.csv",
    log:
        "logs/observations/{experiment}.log",
    localrule: True
    params:
        steps=lambda wildcards: CONFIG.experiments[wildcards.experiment].steps,
        code=code_digest("rungs.tables.observations"),
    message:
        "Collecting the evaluations of {wildcards.experiment}"
    shell:
        "python -m rungs observations --log {log:q} --code {params.code}"
        " --evaluations {input.evaluations:q} --histories {input.histories:q}"
        " --steps {params.steps} --measures {input.measures:q} --samples {input.samples:q}"
        " --output {output:q}"


rule all_observations:
    input:
        expand("results/observations/{experiment}.csv", experiment=WANTED),
    output:
        "results/observations.csv",
    log:
        "logs/observations.log",
    localrule: True
    params:
        code=code_digest("rungs.tables.all_observations"),
    message:
        "Collecting the observations of all experiments"
    shell:
        "python -m rungs all-observations --log {log:q} --code {params.code}"
        " --observations {input:q}"
        " --output {output:q}"


rule table:
    input:
        PUBLISHED,
        measured=measured,
    output:
        "results/{table}.csv",
    log:
        "logs/tables/{table}.log",
    wildcard_constraints:
        table="|".join(TABLE_OF) or "(?!)",
    localrule: True
    params:
        kind=lambda wildcards: TABLE_OF[wildcards.table][1],
        experiment=lambda wildcards: TABLE_OF[wildcards.table][0],
        settings=lambda wildcards: settings_of(TABLE_OF[wildcards.table][0]),
        code=code_digest("rungs.tables.experiment"),
    message:
        "Summarising {wildcards.table} over its seeds"
    shell:
        "python -m rungs table --log {log:q} --code {params.code}"
        " --kind {params.kind} --measured {input.measured:q}"
        " --experiment {params.experiment} --settings {params.settings:q} --output {output:q}"


rule claims:
    input:
        PUBLISHED,
        tables_of(DEFAULT),
        COUNTED_TABLES,
        PROBE_RESULTS,
        expand("results/observations/{experiment}.csv", experiment=DEFAULT),
        expand("results/corpus/{corpus}/summary.json", corpus=USED_CORPORA),
        measures_of(DEFAULT),
        own=OWN_CLAIMS,
    output:
        "results/claims.csv",
    log:
        "logs/claims.log",
    localrule: True
    params:
        settings=settings_of_claims,
        code=code_digest("rungs.claims.claim_table"),
    message:
        "Judging the published claims"
    shell:
        "python -m rungs claims --log {log:q} --code {params.code}"
        " --results results --settings {params.settings:q} --own {input.own:q}"
        " --output {output:q}"


rule readings:
    input:
        PUBLISHED,
        PROBE_RESULTS,
        expand("results/observations/{experiment}.csv", experiment=WANTED),
    output:
        "results/readings.csv",
    log:
        "logs/readings.log",
    localrule: True
    params:
        settings=settings_of_readings,
        code=code_digest("rungs.claims.readings"),
    message:
        "Judging claims under other readings of the text"
    shell:
        "python -m rungs readings --log {log:q} --code {params.code}"
        " --results results --settings {params.settings:q}"
        " --output {output:q}"


rule seed_noise:
    input:
        PUBLISHED,
        PROBE_RESULTS,
        expand("results/observations/{experiment}.csv", experiment=DEFAULT),
    output:
        "results/seed_noise.csv",
    log:
        "logs/seed_noise.log",
    localrule: True
    params:
        settings=settings_of_claims,
        code=code_digest("rungs.claims.seed_noise"),
    message:
        "Comparing the published differences with luck"
    shell:
        "python -m rungs seed-noise --log {log:q} --code {params.code}"
        " --results results --settings {params.settings:q}"
        " --output {output:q}"
