"""Stage `generate-corpus`: a corpus of very short stories whose entropy is known in closed form.

Every story is about two people, a thing and a place, for example

    Once Mia gave Tom a red kite. Tom took the red kite to the mill. At the mill Tom lost the red
    kite. At the mill Mia found the red kite. So Tom thanked Mia for the red kite.

What is new in a story cannot be guessed; what comes back in it is settled by what came before.
The colour, the thing and the place can be looked up by their kind alone. Which of the two people
comes back depends on their roles, and those on the verbs ("gave" or "got", "lost" or "hid"), so
that knowing which words occurred is not enough.

The stories are drawn independently, each of the M possible ones with probability 1/M, and no two
of the M are spelled the same. A story therefore has the entropy ln M, and a character of a long
text

    ln M / E[characters of a story]   nats.

A model that was not shown a text cannot score it better than that on average (Gibbs' inequality).
A sum over the tokens of a text is a sum over its characters, so that, whatever the tokenizer, no
expected perplexity per token is below

    exp(entropy per character * characters per token).

This is exact in expectation for a text of whole stories. In one drawn text every story still costs
exactly ln M, and only the mean length of its stories differs from the expected one. A split or a
window that starts inside a story hides part of what the floor assumes known, so that models stay
above it.
"""

import math
import random
from fractions import Fraction
from pathlib import Path
from string import Formatter
from typing import Annotated

from rungs.errors import UserError
from rungs.files import write_json, write_text

OPENINGS = (
    "Once {giver} gave {taker} a {colour} {thing}.",
    "Once {taker} got a {colour} {thing} from {giver}.",
)
EVENTS = (
    "{taker} took the {colour} {thing} to the {place}. "
    "At the {place} {taker} lost the {colour} {thing}. "
    "At the {place} {giver} found the {colour} {thing}. "
    "So {taker} thanked {giver} for the {colour} {thing}.",
    "{taker} took the {colour} {thing} to the {place}. "
    "At the {place} {taker} hid the {colour} {thing}. "
    "At the {place} {giver} missed the {colour} {thing}. "
    "So {giver} asked {taker} for the {colour} {thing}.",
)
PEOPLE = ("Ann", "Ben", "Eva", "Kim", "Leo", "Mia", "Sam", "Tom")
COLOURS = ("blue", "green", "grey", "pink", "red", "white")
THINGS = ("ball", "boat", "coat", "drum", "kite", "lamp")
PLACES = ("barn", "farm", "hill", "lake", "mill", "park")

# A taker is drawn from the people who are not the giver.
STORIES = math.prod(
    (
        *map(len, (OPENINGS, EVENTS, COLOURS, THINGS, PLACES)),
        len(PEOPLE) * (len(PEOPLE) - 1),
    )
)


def run(
    *,
    stories: Annotated[int, "how many to draw"],
    seed: int,
    output: Annotated[Path, "output, one story a line"],
    entropy: Annotated[Path, "output, JSON"],
) -> str:
    """Write the text, and its entropy in closed form.

    Raises:
        UserError: no stories are asked for.
    """
    if stories < 1:
        raise UserError(f"stories: {stories} is no text; ask for at least one")
    text = draw(stories, seed)
    write_text(output, text)
    write_json(
        entropy,
        {
            "entropy_per_character_nats": entropy_per_character(),
            "entropy_per_story_nats": math.log(STORIES),
            "possible_stories": STORIES,
            "expected_characters_per_story": float(expected_characters()),
        },
    )
    return f"{len(text):,} characters, {entropy_per_character():.4f} nats of entropy each"


def draw(stories: int, seed: int) -> str:
    """Return so many independent stories, one a line.

    Only `random.Random.random` is used, the one method whose sequence Python keeps across versions.
    """
    generator = random.Random(seed)  # noqa: S311, nothing is secret
    return "".join(story(int(generator.random() * STORIES)) for _ in range(stories))


def story(number: int) -> str:
    """Return one of the stories, ``number`` from 0 to `STORIES` - 1, with its newline.

    The number is read digit by digit, each digit in the base of one choice.
    """

    def choose(options: tuple[str, ...]) -> str:
        nonlocal number
        number, choice = divmod(number, len(options))
        return options[choice]

    giver = choose(PEOPLE)
    template = f"{choose(OPENINGS)} {choose(EVENTS)}\n"
    return template.format(
        giver=giver,
        taker=choose(tuple(person for person in PEOPLE if person != giver)),
        colour=choose(COLOURS),
        thing=choose(THINGS),
        place=choose(PLACES),
    )


def entropy_per_character() -> float:
    """Return the entropy rate, ln(`STORIES`) / `expected_characters`, in nats per character."""
    return math.log(STORIES) / float(expected_characters())


def expected_characters() -> Fraction:
    """Return the expected number of characters of a story, its newline included.

    Expectations add up: each template is as likely as its alternatives, and each of its words is
    uniform over its options, the taker too.
    """
    return _mean(OPENINGS) + _mean(EVENTS) + len(" \n")


def _mean(templates: tuple[str, ...]) -> Fraction:
    options = {
        "giver": PEOPLE,
        "taker": PEOPLE,
        "colour": COLOURS,
        "thing": THINGS,
        "place": PLACES,
    }
    total = Fraction(0)
    for literal, field, _, _ in (part for text in templates for part in Formatter().parse(text)):
        total += len(literal)
        if field:
            total += Fraction(sum(map(len, options[field])), len(options[field]))
    return total / len(templates)
