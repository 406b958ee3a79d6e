"""The command line: `python -m rungs STAGE ...`, each stage a function of files."""

import argparse
import gc
import importlib
import logging
import os
import platform
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

from rungs.arguments import refuse_impossible_numbers, sentence
from rungs.denormals import flushed_denormals
from rungs.errors import UserError
from rungs.finding import Finding
from rungs.heap import keep_freed_memory
from rungs.kept_settings import spelled_out
from rungs.records.alone import train_alone
from rungs.records.recording import recording
from rungs.records.stages import refuse_other_code
from rungs.signature import bind, declare
from rungs.stages import STAGES

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # where nothing is logged, what is printed is enough


def main(command_line: Sequence[str] | None = None) -> int:
    """Run one stage; return 0, or 2 after saying on standard error what is wrong, a defect too.

    A finding, such as a verdict that is not what it was, is no error: it is said on standard
    output and returns 1, as of ``diff``.

    Only the chosen stage's module is imported, so that a table never waits for torch.
    """
    started = time.monotonic()
    words = list(sys.argv[1:] if command_line is None else command_line)
    parser = argparse.ArgumentParser(
        prog="python -m rungs",
        description=__doc__,
        epilog=_stages_of_the_workflow(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    stages = parser.add_subparsers(
        dest="stage", required=True, metavar="STAGE", title="what a person types"
    )
    for name, stage in STAGES.items():
        listed: dict[str, Any] = {"help": stage.help} if stage.typed else {}
        stage_parser = stages.add_parser(
            name,
            **listed,
            description=stage.help,
            conflict_handler="resolve",  # the code is part of a run's identity: `train` has it too
        )
        stage_parser.add_argument("--log", type=Path, help="also write the log to this file")
        stage_parser.add_argument("--code", help="refuse to run if the code has another digest")
        if words[:1] == [name]:
            declare(stage_parser, _imported(stage.module).run)
    try:
        arguments = parser.parse_args(spelled_out(words))
    except UserError as error:
        return _failure(str(error))
    stage = STAGES[arguments.stage]
    run = _imported(stage.module).run
    try:
        _log_to(arguments.log)
        if arguments.log:  # a job that is killed says no more than this
            logger.info("%s is process %d on %s", arguments.stage, os.getpid(), platform.node())
        if arguments.code:
            refuse_other_code(words, stage.module, arguments.code)
        bound = bind(run, vars(arguments))
        refuse_impossible_numbers(bound.arguments)
        if stage.computes_runs:
            keep_freed_memory()
        arithmetic = flushed_denormals() if stage.computes_runs else nullcontext()
        with recording(words, stage.module, bound.arguments), arithmetic:
            if stage.alone:
                summary = train_alone(lambda: run(*bound.args, **bound.kwargs), bound.arguments)
            else:
                summary = run(*bound.args, **bound.kwargs)
    except Finding as finding:
        logger.info("%s", finding)
        print(finding, flush=True)
        return 1
    except (UserError, KeyboardInterrupt) as error:
        return _failure(str(error) or "interrupted; run again")
    except BrokenPipeError:
        raise  # standard output has no reader any more, which is no failure of the stage
    except Exception as error:
        if refused := sentence(error):
            return _failure(refused)
        return _defect(arguments.stage, error, arguments.log)
    logger.info("%s", summary)
    print(summary, file=sys.stderr if stage.prints else sys.stdout, flush=True)
    # The report adds these lines up (rungs.report.hours).
    wall, core = time.monotonic() - started, time.process_time()
    logger.info("%s took %.1f s, %.1f s of processor time", arguments.stage, wall, core)
    return 0


def _stages_of_the_workflow() -> str:
    """Return the list of the other stages."""
    rows = (f"    {name:25} {stage.help}" for name, stage in STAGES.items() if not stage.typed)
    return "\n".join(["what the workflow runs:", *rows])


def _failure(problem: str) -> int:
    logger.error("%s", problem)
    print(f"error: {problem}", file=sys.stderr, flush=True)
    return 2


def _defect(stage: str, error: Exception, log: Path | None) -> int:
    """Keep the traceback of what should not have happened; 1 would be a finding."""
    if log is None:
        traceback.print_exc()
    else:
        logger.exception("%s failed", stage)
    what = "".join(traceback.format_exception_only(error)).strip()
    where = f"see {log}" if log else "its traceback is above"
    print(f"error: {stage} failed, a defect of ours ({what}); {where}", file=sys.stderr, flush=True)
    return 2


def _imported(module_name: str) -> ModuleType:
    """Import a stage's module without collecting garbage meanwhile.

    Nothing is garbage while thousands of torch's objects are created, and looking for it takes
    an eighth of the import. What was imported stays, so that it is never looked at again.
    """
    gc.disable()
    module = importlib.import_module(module_name)
    gc.freeze()
    gc.enable()
    return module


def _log_to(path: Path | None) -> None:
    """Send log lines to the file, or to standard error where there is none.

    What this module logs is printed as well, so that a terminal needs it only once.

    Raises:
        UserError: the file cannot be written.
    """
    logger.propagate = path is not None
    logging.raiseExceptions = False  # a line that finds the disk full is lost, not the stage
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(path, mode="w") if path else logging.StreamHandler()
    except OSError as error:
        raise UserError(f"{path}: cannot write here ({error.strerror})") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(handler)
