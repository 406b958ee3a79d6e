"""From a public address, or a generator, to token files."""

DOWNLOADED = [name for name, c in CONFIG.corpora.items() if c.source == "download"]
GENERATED = [name for name, c in CONFIG.corpora.items() if c.source == "generated"]
STORIES = [name for name, c in CONFIG.corpora.items() if c.source == "stories"]
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
        " --partial .rungs/downloads --output {output.text:q}"


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
        "python -m rungs generate-corpus --log {log:q} --code {params.code}"
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
        # Asked by a guard that changes no result, hence no parameter: nothing is made again for it.
        longest_window=longest_window,
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
        " --longest-window {resources.longest_window}"
        " {params.entropy} --tokenizer {output.tokenizer:q} --train {output.train:q}"
        " --validation {output.validation:q} --summary {output.summary:q}"


rule download_stories:
    output:
        text="results/corpus/{corpus}/download/{part}.txt",
    log:
        "logs/corpus/{corpus}/download_{part}.log",
    wildcard_constraints:
        corpus="|".join(STORIES) or "(?!)",
        part="train|validation",
    priority: reference.FIRST
    localrule: True
    params:
        addresses=lambda wildcards: stories_file(wildcards).addresses,
        sha256=lambda wildcards: stories_file(wildcards).sha256,
        file_name=lambda wildcards: stories_file(wildcards).file_name,
        local=DATA,
        code=code_digest("rungs.corpus.download"),
    message:
        "Fetching the {wildcards.part} file of {wildcards.corpus}"
    shell:
        "python -m rungs download --log {log:q} --code {params.code}"
        " --addresses {params.addresses:q}"
        " --sha256 {params.sha256} --local {params.local:q} --file-name {params.file_name:q}"
        " --partial .rungs/downloads --output {output.text:q}"


rule tokenize_stories:
    input:
        # Too large to be compared by content; their checksums are among the parameters.
        train=ancient("results/corpus/{corpus}/download/train.txt"),
        validation=ancient("results/corpus/{corpus}/download/validation.txt"),
    output:
        text="results/corpus/{corpus}/text.txt",
        tokenizer="results/corpus/{corpus}/tokenizer.json",
        train="results/corpus/{corpus}/train.npy",
        validation="results/corpus/{corpus}/validation.npy",
        summary="results/corpus/{corpus}/summary.json",
    log:
        "logs/corpus/{corpus}/tokenize_stories.log",
    wildcard_constraints:
        corpus="|".join(STORIES) or "(?!)",
    priority: reference.FIRST
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * 1_000,
        runtime=lambda wildcards, attempt: attempt * 60,
        longest_window=longest_window,
    params:
        stories=lambda wildcards: CONFIG.corpora[wildcards.corpus].stories,
        held_out=validation_stories,
        vocabulary=lambda wildcards: CONFIG.corpora[wildcards.corpus].vocabulary,
        sha256=lambda wildcards: (
            CONFIG.corpora[wildcards.corpus].train.sha256,
            CONFIG.corpora[wildcards.corpus].validation.sha256,
        ),
        code=code_digest("rungs.corpus.tokenize_stories"),
    message:
        "Learning the tokenizer of {wildcards.corpus} and encoding its stories"
    shell:
        "python -m rungs tokenize-stories --log {log:q}"
        " --code {params.code} --stories {params.stories}"
        " {params.held_out} --vocabulary {params.vocabulary}"
        " --longest-window {resources.longest_window} --train-text {input.train:q}"
        " --validation-text {input.validation:q} --text {output.text:q}"
        " --tokenizer {output.tokenizer:q} --train {output.train:q}"
        " --validation {output.validation:q} --summary {output.summary:q}"


rule measure_text:
    input:
        tokenizer="results/corpus/{corpus}/tokenizer.json",
        validation="results/corpus/{corpus}/validation.npy",
    output:
        "results/corpus/{corpus}/measures.json",
    log:
        "logs/corpus/{corpus}/measure_text.log",
    localrule: True
    params:
        code=code_digest("rungs.corpus.measures"),
    message:
        "Counting the bytes of the validation text of {wildcards.corpus}"
    shell:
        "python -m rungs measure-text --log {log:q}"
        " --code {params.code} --tokenizer {input.tokenizer:q}"
        " --validation {input.validation:q} --output {output:q}"
