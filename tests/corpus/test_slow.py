"""Slow work says how far it is, and quick work says nothing."""

import pytest

from rungs.corpus import slow
from rungs.corpus.tokenizer import learn_merges


def test_a_line_after_two_seconds_and_twice_as_long_each_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(slow.time, "monotonic", lambda: now)
    work = slow.Slow("learning a tokenizer", 1024, "tokens")
    said = []
    for second in range(20):
        now = float(second)
        work.at(256 + second)
        said += [second] if capsys.readouterr().err else []
    assert said == [2, 4, 8, 16]
    now = 60.0
    work.at(1000)
    expected = "learning a tokenizer: 1,000 of 1,024 tokens after 60 s\n"
    assert capsys.readouterr().err == expected


def test_learning_merges_shows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_merges({b"abcabc": 3}, 258)
    assert not capsys.readouterr().err
    monkeypatch.setattr(slow, "QUIET_SECONDS", 0.0)
    learn_merges({b"abcabc": 3}, 258)
    assert "learning a tokenizer: 256 of 258 tokens" in capsys.readouterr().err
