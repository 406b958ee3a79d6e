"""Where a corpus comes from."""


def stories_file(wildcards):
    """The addresses and the checksum of one file of a corpus of stories."""
    return getattr(CONFIG.corpora[wildcards.corpus], wildcards.part)


def validation_stories(wildcards):
    count = CONFIG.corpora[wildcards.corpus].validation_stories
    return f"--validation-stories {count}" if count else ""


def corpus_entropy(wildcards):
    """A generated corpus comes with its entropy, a downloaded one does not."""
    if CONFIG.corpora[wildcards.corpus].source == "generated":
        return f"results/corpus/{wildcards.corpus}/entropy.json"
    return []


def longest_window(wildcards):
    """The most tokens that any configured run reads of a corpus at once."""
    return max(
        (
            CONFIG.longest_window(run)
            for experiment in EXPERIMENTS
            for run in CONFIG.runs(experiment)
            if run.corpus == wildcards.corpus
        ),
        default=1,
    )
