"""From a public address, or a generator, to token files."""

DOWNLOADED = [name for name, c in CONFIG.corpora.items() if c.source == "download"]
GENERATED = [name for name, c in CONFIG.corpora.items() if c.source == "generated"]
REFERENTS = [name for name, c in CONFIG.corpora.items() if c.source == "referents"]


rule download:
    output:
        text="results/corpus/{corpus}/text.txt",
    log:
        "logs/corpus/{corpus}/download.log",
    wildcard_constraints:
        corpus="|".join(DOWNLOADED) or "(?!)",
    priority: reference.FIRST
    localrule: True
    params:
        addresses=lambda wildcards: CONFIG.corpora[wildcards.corpus].addresses,
        sha256=lambda wildcards: CONFIG.corpora[wildcards.corpus].sha256,
        file_name=lambda wildcards: CONFIG.corpora[wildcards.corpus].file_name,
        local=DATA,
        code=code_digest("rungs.corpus.download"),
    message:
        "Fetching the corpus {wildcards.corpus}"
    shell:
        "python -m rungs download --log {log:q} --code {params.code}"
        " --addresses {params.addresses:q}"
        " --sha256 {params.sha256} --local {params.local:q} --file-name {params.file_name:q}"
        " --output {output.text:q}"


rule generate:
    output:
        text="results/corpus/{corpus}/text.txt",
        entropy="results/corpus/{corpus}/entropy.json",
    log:
        "logs/corpus/{corpus}/generate.log",
    wildcard_constraints:
        corpus="|".join(GENERATED) or "(?!)",
    priority: reference.FIRST
    localrule: True
    params:
        stories=lambda wildcards: CONFIG.corpora[wildcards.corpus].stories,
        seed=lambda wildcards: CONFIG.corpora[wildcards.corpus].seed,
        code=code_digest("rungs.corpus.generated"),
    message:
        "Generating the corpus {wildcards.corpus}"
    shell:
        "python -m rungs generate --log {log:q} --code {params.code}"
        " --stories {params.stories} --seed {params.seed}"
        " --output {output.text:q} --entropy {output.entropy:q}"


rule tokenize:
    input:
        text="results/corpus/{corpus}/text.txt",
        entropy=corpus_entropy,
    output:
        tokenizer="results/corpus/{corpus}/tokenizer.json",
        train="results/corpus/{corpus}/train.npy",
        validation="results/corpus/{corpus}/validation.npy",
        summary="results/corpus/{corpus}/summary.json",
    log:
        "logs/corpus/{corpus}/tokenize.log",
    wildcard_constraints:
        corpus="|".join([*DOWNLOADED, *GENERATED]) or "(?!)",
    priority: reference.FIRST
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 2_000,
        runtime=lambda wildcards, attempt: attempt * 20,
    params:
        vocabulary=lambda wildcards: CONFIG.corpora[wildcards.corpus].vocabulary,
        validation_fraction=lambda wildcards: CONFIG.corpora[wildcards.corpus].validation_fraction,
        entropy=lambda wildcards, input: (f"--entropy {input.entropy}" if input.entropy else ""),
        code=code_digest("rungs.corpus.tokenize"),
    message:
        "Learning the tokenizer of {wildcards.corpus}, encoding and splitting"
    shell:
        "python -m rungs tokenize --log {log:q} --code {params.code} --text {input.text:q}"
        " --vocabulary {params.vocabulary} --validation-fraction {params.validation_fraction}"
        " {params.entropy} --tokenizer {output.tokenizer:q} --train {output.train:q}"
        " --validation {output.validation:q} --summary {output.summary:q}"
