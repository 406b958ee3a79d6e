"""How large a corpus is, or is going to be, in characters and tokens."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from rungs.config import Config
from rungs.configuration.corpora import GeneratedCorpus, ReferentCorpus, StoriesCorpus
from rungs.corpus import generated, referents
from rungs.files import read_json
from rungs.reading import reading

CHARACTERS_UNKNOWN = 1_000_000
"""Of a corpus that is not here yet. Tiny Shakespeare has 1,115,394."""
CHARACTERS_PER_TOKEN = 2.4
"""With 1,024 tokens on Shakespeare, and with 320 on the generated stories."""

CHARACTERS_PER_STORY = 900
"""Of TinyStories: 1.92 GB are 2.1 million stories."""
STORIES_CHARACTERS_PER_TOKEN = 3.1
"""Of them, with 1,024 tokens."""
STORIES_IN_FILE = {"train": 2_120_000, "validation": 22_000}
"""Of TinyStories, whose files are kept whole however few stories of them are read."""


class Size(NamedTuple):
    """Of one corpus."""

    characters: int
    train_tokens: int
    validation_tokens: int


def sizes(config: Config, folder: Path, data: Path) -> Mapping[str, Size]:
    """Return the size of every configured corpus: counted where it is there, else expected.

    Args:
        config: the corpora.
        folder: the working folder, which holds ``results``.
        data: where corpora are kept to be used without a network.
    """
    return {name: _size(config, name, folder, data) for name in config.corpora}


def _size(config: Config, name: str, folder: Path, data: Path) -> Size:
    corpus = config.corpora[name]
    summary = folder / "results/corpus" / name / "summary.json"
    if summary.exists():
        with reading(summary):
            counted = read_json(summary)
            return Size(
                *(int(counted[key]) for key in ("characters", "train_tokens", "validation_tokens"))
            )
    if isinstance(corpus, ReferentCorpus):
        share = Fraction(str(corpus.validation_fraction))
        parts = [
            referents.sentences(p) for p in referents.split(corpus.version, share, corpus.seed)
        ]
        trained, held_out = (len(part) * len(referents.WORDS) for part in parts)
        return Size(sum(len(s) + 1 for part in parts for s in part), trained, held_out)
    if isinstance(corpus, StoriesCorpus):
        stories = (corpus.stories, corpus.validation_stories or STORIES_IN_FILE["validation"])
        sizes = [count * CHARACTERS_PER_STORY for count in stories]
        trained, held_out = (round(size / STORIES_CHARACTERS_PER_TOKEN) for size in sizes)
        return Size(sum(sizes), trained, held_out)
    if isinstance(corpus, GeneratedCorpus):
        characters = round(corpus.stories * float(generated.expected_characters()))
    else:
        here = [data / corpus.file_name, folder / "results/corpus" / name / "text.txt"]
        characters = next((p.stat().st_size for p in here if p.exists()), CHARACTERS_UNKNOWN)
    tokens = round(characters / CHARACTERS_PER_TOKEN)
    held_out = round(tokens * corpus.validation_fraction)
    return Size(characters, tokens - held_out, held_out)
