"""A language with a right answer: which of two nouns does "it" stand for?

Every sentence is

    the X did not cross the Y because it was too ADJECTIVE , so the REFERENT waited .

and the adjective alone decides the referent: "tired" is said of the crosser X, "wet" of the
crossed Y. What can be known without the order of the words differs between two versions:

*cheatable*: X is an animal and Y a place, so that the adjective names the category of the
referent, and the only noun of that category is the answer.

*fair*: both nouns come from one pool of 16 and stand in either slot. A pair is held out in one
order only and its other order is trained on, with the same adjectives and the opposite answers: a
model that knows which words there are and not their order has learned to answer it backwards.

The sentences are Winograd schemas (Levesque, Davis & Morgenstern 2012); the task and the adjectives
are the attention chapter's.
"""

import random
from fractions import Fraction
from itertools import permutations, product
from typing import Literal

from rungs.errors import UserError

Version = Literal["fair", "cheatable"]
Pair = tuple[str, str]
"""The crosser X and the crossed Y."""

TEMPLATE = (
    "the {x} did not cross the {y} because it was too {adjective} , so the {referent} waited ."
)
WORDS = TEMPLATE.split()
CROSSER, CROSSED, ADJECTIVE, REFERENT = map(
    WORDS.index, ("{x}", "{y}", "{adjective}", "{referent}")
)
"""Positions in a sentence; the referent is answered after all words before `REFERENT`."""

TARGETS = {"first_noun": CROSSER, "second_noun": CROSSED, "adjective": ADJECTIVE}
"""The words that say what the answer is: where attention has to go."""

# The chapter names "animal" and "street" of its 16 nouns.
ANIMALS = ("animal", "cat", "dog", "duck", "fox", "goat", "horse", "mouse")
PLACES = ("street", "bridge", "canal", "field", "park", "river", "road", "track")
ROLES = {
    **dict.fromkeys(("tired", "scared", "slow", "weak"), "crosser"),
    **dict.fromkeys(("wet", "wide", "busy", "steep"), "crossed"),
}
"""Which of the two nouns an adjective is said of."""

EXAMPLE: Pair = ("animal", "street")
"""The pair whose attention the chapter draws; held out always, so that no map is of a sentence
that was trained on."""

VOCABULARY = (
    *dict.fromkeys(word for word in WORDS if not word.startswith("{")),
    *ANIMALS,
    *PLACES,
    *ROLES,
)


def pairs(version: Version) -> list[Pair]:
    """Return every pair of nouns that a sentence can be about: 240 fair ones, 64 cheatable."""
    if version == "cheatable":
        return list(product(ANIMALS, PLACES))
    return list(permutations((*ANIMALS, *PLACES), 2))


def split(version: Version, held_out: Fraction, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that are trained on and those that are held out, no pair in both orders.

    Only `random.Random.random` is used, the one method whose sequence Python keeps across versions.

    Args:
        version: of the language.
        held_out: share of the pairs, rounded to a whole number of them.
        seed: decides which.

    Raises:
        UserError: so many pairs are held out that one would be in both orders, or that a noun
            would never be trained on in a slot.
    """
    generator = random.Random(seed)  # noqa: S311, nothing is secret
    possible = pairs(version)
    wanted = max(1, round(held_out * len(possible)))
    chosen: set[Pair] = set()
    for x, y in sorted(possible, key=lambda pair: (pair != EXAMPLE, generator.random())):
        if len(chosen) < wanted and (y, x) not in chosen:
            chosen.add((x, y))
    trained = [pair for pair in possible if pair not in chosen]
    every_noun = all(
        {pair[slot] for pair in trained} == {pair[slot] for pair in possible} for slot in (0, 1)
    )
    if len(chosen) < wanted or not every_noun:
        raise UserError(
            f"validation_fraction: {float(held_out):g} of the {len(possible)} pairs is too many to "
            "hold out, since a pair's other order and every noun must be trained on; lower it"
        )
    return trained, [pair for pair in possible if pair in chosen]


def sentences(about: list[Pair]) -> list[str]:
    """Return the sentences about these pairs, each pair with all eight adjectives."""
    return [
        TEMPLATE.format(x=x, y=y, adjective=adjective, referent=x if role == "crosser" else y)
        for x, y in about
        for adjective, role in ROLES.items()
    ]
