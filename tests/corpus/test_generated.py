import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rungs.corpus import generated
from rungs.errors import UserError

WORD = r"[A-Za-z]+"
# A second description of the language, written without the templates: what a reader would expect.
STORY = re.compile(
    rf"Once (?:(?P<giver>{WORD}) gave (?P<taker>{WORD}) a (?P<what>{WORD} {WORD})"
    rf"|(?P<taker2>{WORD}) got a (?P<what2>{WORD} {WORD}) from (?P<giver2>{WORD}))\. "
    rf"(?P<t>{WORD}) took the (?P<w>{WORD} {WORD}) to the (?P<place>{WORD})\. "
    r"At the (?P=place) (?P=t) (?P<did>lost|hid) the (?P=w)\. "
    rf"At the (?P=place) (?P<g>{WORD}) (?P<outcome>found|missed) the (?P=w)\. "
    rf"So (?P<one>{WORD}) (?P<said>thanked|asked) (?P<other>{WORD}) for the (?P=w)\."
)


def log_probability(line: str) -> float:
    """Score one story from the roles a reader finds in it, minus infinity if it is none."""
    match = STORY.fullmatch(line)
    if not match:
        return -math.inf
    giver, taker = match["giver"] or match["giver2"], match["taker"] or match["taker2"]
    lost = match["did"] == "lost"
    consistent = (
        giver != taker
        and (match["g"], match["t"], match["w"]) == (giver, taker, match["what"] or match["what2"])
        and match["outcome"] == ("found" if lost else "missed")
        and match["said"] == ("thanked" if lost else "asked")
        and (match["one"], match["other"]) == ((taker, giver) if lost else (giver, taker))
    )
    opening_and_event, people, colour_thing_place = 2 * 2, 8 * 7, 6 * 6 * 6
    return -math.log(opening_and_event * people * colour_thing_place) if consistent else -math.inf


def test_the_possible_stories_are_distinct_and_their_probabilities_sum_to_one() -> None:
    stories = {generated.story(number) for number in range(generated.STORIES)}
    assert len(stories) == generated.STORIES
    total = sum(math.exp(log_probability(story.removesuffix("\n"))) for story in stories)
    assert total == pytest.approx(1.0, abs=1e-9)
    characters = sum(map(len, stories))
    assert generated.expected_characters() * generated.STORIES == characters  # exactly


def test_closed_form_entropy_is_that_of_drawn_text() -> None:
    lines = generated.draw(4000, seed=3).splitlines()
    scores = np.array([log_probability(line) for line in lines])
    lengths = np.array([len(line) + 1 for line in lines])
    measured = -scores.sum() / lengths.sum()
    # Only the mean length varies; its relative standard error is that of the ratio.
    error = measured * lengths.std() / lengths.mean() / math.sqrt(len(lines))
    assert abs(measured - generated.entropy_per_character()) < 4 * error
    assert error < 0.001 * measured  # the comparison means something


def test_stories_are_drawn_uniformly() -> None:
    numbers = {generated.story(number): number for number in range(generated.STORIES)}
    drawn = generated.draw(8000, seed=0).splitlines(keepends=True)
    counts = Counter(numbers[story] * 16 // generated.STORIES for story in drawn)
    assert stats.chisquare([counts[part] for part in range(16)]).pvalue > 0.001


def test_the_seed_decides_the_text() -> None:
    assert generated.draw(50, seed=0) == generated.draw(50, seed=0)
    assert generated.draw(50, seed=0) != generated.draw(50, seed=1)
    assert generated.draw(1, seed=0) == (  # and it does so in every version of Python
        "Once Kim got a grey ball from Ann. Kim took the grey ball to the park. At the park Kim "
        "hid the grey ball. At the park Ann missed the grey ball. So Ann asked Kim for the grey "
        "ball.\n"
    )


def generate(folder: Path, stories: int) -> None:
    generated.run(
        stories=stories, seed=0, output=folder / "text.txt", entropy=folder / "entropy.json"
    )


def test_stage_writes_the_text_and_its_entropy(tmp_path: Path) -> None:
    generate(tmp_path, stories=7)
    assert (tmp_path / "text.txt").read_text().count("\n") == 7
    entropy = json.loads((tmp_path / "entropy.json").read_text())
    assert entropy["entropy_per_story_nats"] == pytest.approx(math.log(48_384))
    assert entropy["entropy_per_character_nats"] == pytest.approx(
        entropy["entropy_per_story_nats"] / entropy["expected_characters_per_story"]
    )


def test_no_stories_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at least one"):
        generate(tmp_path, stories=0)
    assert not list(tmp_path.iterdir())
