"""`watch`: one live screen for a running workflow. It reads files and changes nothing."""

import time
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.live import Live

from rungs.config import Config, parse_json_config
from rungs.errors import UserError
from rungs.records.events import last_invocation
from rungs.watching.configured import published_losses
from rungs.watching.screen import Published, divergences, failures, headline, line, screen
from rungs.watching.state import State, look


def run(
    *,
    directory: Annotated[Path, "where results/ is"] = Path(),
    once: Annotated[bool, "show the state and leave"] = False,
    interval: Annotated[
        float | None, "seconds between two looks, by default 2 at a terminal and 30 elsewhere"
    ] = None,
) -> str:
    """Show the state until nothing runs any more, and return its last headline.

    Raises:
        UserError: there is no such folder.
    """
    if not directory.is_dir():
        raise UserError(f"{directory}: is not a folder; --directory names where results/ is")
    console = Console(highlight=False)
    seconds = interval or (2.0 if console.is_terminal else 30.0)
    try:
        if console.is_terminal:
            state = _show(directory, console, seconds, once)
        else:
            state = _tell(directory, console, seconds, once)
    except KeyboardInterrupt:
        return "The workflow goes on; only the watching has ended"
    return headline(state, _now())


def _show(folder: Path, console: Console, interval: float, once: bool) -> State:
    """Redraw one screen in place."""
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        for state, published in _looks(folder, interval, once):
            live.update(screen(state, published, _now(), console.width), refresh=True)
    return state


def _tell(folder: Path, console: Console, interval: float, once: bool) -> State:
    """Print a line at each look, and at the end what failed and what diverged."""
    for state, published in _looks(folder, interval, once):
        console.print(line(state, published, _now()), soft_wrap=True)
    if state.invocation:
        for words in (*failures(state.invocation), *divergences(state.invocation)):
            console.print(words, soft_wrap=True)
    return state


def _looks(folder: Path, interval: float, once: bool) -> Iterator[tuple[State, Published]]:
    """Yield the state again and again, until nothing runs."""
    while True:
        last = last_invocation(folder)
        config, published = _configured(last.configuration) if last else (None, {})
        state = look(folder, config, _now())
        yield state, published
        if once or state.status not in ("starting", "running", "elsewhere"):
            return
        time.sleep(interval)


@cache
def _configured(configuration: str) -> tuple[Config | None, Published]:
    try:
        config = parse_json_config(configuration, "the running workflow's configuration")
    except UserError:  # of another version of this program
        return None, {}
    return config, published_losses(config)


def _now() -> datetime:
    return datetime.now()
