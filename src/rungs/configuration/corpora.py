"""Where the text comes from, which a run is trained on."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from rungs.configuration.words import Seed, Text
from rungs.corpus.referents import VOCABULARY, Version
from rungs.settings import Count, Fraction, Settings

FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Address = Annotated[str, StringConstraints(pattern=r"^(https?|file)://[^\s'\"]+$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Share = Annotated[Fraction, Field(ge=0.001, le=0.9)]
Vocabulary = Annotated[Count, Field(ge=257, le=65_536)]


class DownloadedCorpus(Settings):
    """A text fetched from the first public address that answers, or found in ``data/``."""

    source: Literal["download"]
    title: Text
    addresses: list[Address] = Field(default=[])
    """None where only ``data/`` can hold the file."""
    sha256: Sha256
    file_name: FileName
    """The name under which ``data/`` may hold the file, so that no network is needed."""
    vocabulary: Vocabulary
    validation_fraction: Share = 0.1


class GeneratedCorpus(Settings):
    """A synthetic text whose entropy rate is known in closed form."""

    source: Literal["generated"]
    title: Text
    stories: Count
    seed: Seed = 0
    vocabulary: Vocabulary
    validation_fraction: Share = 0.1


class ReferentCorpus(Settings):
    """Every sentence of a language with a right answer, one token a word."""

    source: Literal["referents"]
    title: Text
    version: Version
    """Whether the words of a sentence are enough for the answer, without their order."""
    seed: Seed = 0
    validation_fraction: Share = 0.25
    """The share of the ordered pairs of nouns that is held out."""

    @property
    def vocabulary(self) -> int:
        """The words of the language."""
        return len(VOCABULARY)


class TextFile(Settings):
    """A large text fetched from the first public address that answers, or found in ``data/``."""

    addresses: list[Address] = Field(default=[])
    """None where only ``data/`` can hold the file."""
    sha256: Sha256
    file_name: FileName
    """The name under which ``data/`` may hold the file, so that no network is needed."""


class StoriesCorpus(Settings):
    """The first stories of a large file, with a validation file of its own."""

    source: Literal["stories"]
    title: Text
    train: TextFile
    validation: TextFile
    stories: Count = 200_000
    """How many are read, from the beginning of the training file."""
    validation_stories: Count | None = None
    """How many are scored, from the beginning of the validation file; by default all."""
    vocabulary: Vocabulary
    """Entries of the tokenizer, the end-of-text marker included."""

    @property
    def sha256(self) -> str:
        """Of the training file, which stands for both."""
        return self.train.sha256

    @property
    def validation_fraction(self) -> float:
        """None of the training file is held out."""
        return 0.0


Corpus = Annotated[
    DownloadedCorpus | GeneratedCorpus | ReferentCorpus | StoriesCorpus,
    Field(discriminator="source"),
]
