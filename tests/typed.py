"""Stages as they are typed."""

import argparse
from collections.abc import Iterable
from types import ModuleType

from rungs.signature import bind, declare


def typed(stage: ModuleType, words: Iterable[object]) -> str:
    """Run a stage with the words of a command."""
    parser = argparse.ArgumentParser()
    declare(parser, stage.run)
    bound = bind(stage.run, vars(parser.parse_args([str(word) for word in words])))
    return stage.run(*bound.args, **bound.kwargs)
