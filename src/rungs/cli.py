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
from rungs.report.catalogue import STAGES as FIGURES

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # where nothing is logged, what is printed is enough

PEOPLE = ("plan", "watch", "why", "generate", "report", "compare", "archive")
"""What a person types; the other stages are the workflow's."""

STAGES = {
    "plan": ("rungs.planning.plan", "say what would run and how long it would take"),
    "watch": ("rungs.watching.watch", "show a running workflow, live"),
    "why": ("rungs.reruns.why", "say what would run, and because of which edit"),
    "download": ("rungs.corpus.download", "fetch a file of a corpus and verify its checksum"),
    "generate-corpus": ("rungs.corpus.generated", "write a synthetic corpus of known entropy"),
    "generate-referents": (
        "rungs.corpus.generate_referents",
        "write every sentence of a language with a right answer",
    ),
    "tokenize": ("rungs.corpus.tokenize", "learn a tokenizer, encode and split a corpus"),
    "tokenize-stories": (
        "rungs.corpus.tokenize_stories",
        "learn a tokenizer from many stories and encode them, as a stream",
    ),
    "measure-text": ("rungs.corpus.measures", "count the bytes of the validation text"),
    "train": ("rungs.training.stage", "train one run"),
    "evaluate": ("rungs.evaluation.stage", "score one run at every context length"),
    "evaluate-referents": (
        "rungs.evaluation.referents",
        "count one run's right answers, and keep what it looks at",
    ),
    "archive": ("rungs.archive.keep", "keep what finished runs wrote down, without weights"),
    "prove": ("rungs.archive.prove", "show that today's code makes an archive's runs, to the bit"),
    "take-from-archive": ("rungs.archive.take", "put a run in place that was trained elsewhere"),
    "take-sample": ("rungs.archive.take_sample", "put in place what such a run wrote on"),
    "generate": ("rungs.generation.stage", "let a trained run write on from a prompt"),
    "sample-text": ("rungs.generation.samples", "keep what one run writes on as data"),
    "kernel": ("rungs.kernels.measure", "measure one attention kernel at one size"),
    "memory-table": ("rungs.tables.memory", "collect the kernel measurements"),
    "parameters": ("rungs.tables.parameters", "count parameters by component"),
    "blocks": ("rungs.tables.blocks", "count a block's parameters beside the closed forms"),
    "probe-averaging": ("rungs.probes.averaging", "compare three ways to average, and shuffle"),
    "probe-averaging-matrix": ("rungs.probes.averaging_matrix", "write the averaging matrix"),
    "probe-masking": ("rungs.probes.masking", "try minus infinity and stand-ins as a mask"),
    "probe-variance": ("rungs.probes.variance", "measure the variance of dot products"),
    "probe-saturation": ("rungs.probes.saturation", "measure how sharp a softmax of scores is"),
    "probe-mask": ("rungs.probes.mask", "write which tokens each position sees"),
    "probe-untrained-attention": (
        "rungs.probes.untrained_attention",
        "write what an untrained head looks at",
    ),
    "probe-contexts": ("rungs.probes.contexts", "count what predictions can see"),
    "probe-cached-generation": (
        "rungs.probes.cached_generation",
        "compare generation with and without a cache",
    ),
    "probe-equivalence": ("rungs.probes.equivalence", "compare our attention with torch's"),
    "probe-gradient-norms": (
        "rungs.probes.gradient_norms",
        "measure each block's gradient at initialisation",
    ),
    "probe-table": ("rungs.tables.probe", "summarise a probe over its seeds"),
    "observations": ("rungs.tables.observations", "collect evaluations into one tidy table"),
    "all-observations": ("rungs.tables.all_observations", "join the experiments' observations"),
    "table": ("rungs.tables.experiment", "summarise an experiment over its seeds"),
    "steps-table": ("rungs.tables.steps", "summarise losses at several steps over seeds"),
    "loss-by-position": (
        "rungs.tables.loss_by_position",
        "summarise the loss at each position of a window over seeds",
    ),
    "continuations-table": ("rungs.tables.continuations", "collect what runs wrote"),
    "referents-table": (
        "rungs.tables.referents",
        "summarise the answers, and the attention behind them, over seeds",
    ),
    **{stage: (figure.module, figure.draws) for stage, figure in FIGURES.items()},
    "claims": ("rungs.claims.stage", "compare every published number with ours"),
    "seed-noise": ("rungs.claims.seed_noise", "compare published differences with luck"),
    "report": ("rungs.report.page", "write the report from whatever has been run"),
    "bundle": ("rungs.bundle.stage", "pack tables, figures and report into one zip"),
    "compare": ("rungs.compare.stage", "compare two result folders or bundles"),
}


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
    for name, (module_name, help_text) in STAGES.items():
        listed: dict[str, Any] = {"help": help_text} if name in PEOPLE else {}
        stage_parser = stages.add_parser(
            name,
            **listed,
            description=help_text,
            conflict_handler="resolve",  # the code is part of a run's identity: `train` has it too
        )
        stage_parser.add_argument("--log", type=Path, help="also write the log to this file")
        stage_parser.add_argument("--code", help="refuse to run if the code has another digest")
        if words[:1] == [name]:
            module = _imported(module_name)
            FIGURES.get(name, module).configure(stage_parser)
    try:
        arguments = parser.parse_args(spelled_out(words))
    except UserError as error:
        return _failure(str(error))
    module = _imported(STAGES[arguments.stage][0])
    try:
        _log_to(arguments.log)
        if arguments.log:  # a job that is killed says no more than this
            logger.info("%s is process %d on %s", arguments.stage, os.getpid(), platform.node())
        if arguments.code:
            refuse_other_code(words, module.__name__, arguments.code)
        refuse_impossible_numbers(arguments)
        of_a_run = arguments.stage in ("train", "evaluate")
        if of_a_run:
            _imported("rungs.evaluation.windows").refuse_unfilled_windows(arguments)
        if of_a_run := of_a_run or arguments.stage == "prove":
            keep_freed_memory()
        arithmetic = flushed_denormals() if of_a_run else nullcontext()
        with recording(words, module.__name__, arguments), arithmetic:
            if arguments.stage == "train":
                summary = train_alone(module.run, arguments)
            else:
                summary = module.run(arguments)
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
    # Where standard output is the text itself, the summary is no part of it.
    print(summary, file=sys.stderr if arguments.stage == "generate" else sys.stdout, flush=True)
    # The report adds these lines up (rungs.report.hours).
    wall, core = time.monotonic() - started, time.process_time()
    logger.info("%s took %.1f s, %.1f s of processor time", arguments.stage, wall, core)
    return 0


def _stages_of_the_workflow() -> str:
    """Return the list of the other stages."""
    rows = (f"    {name:25} {words}" for name, (_, words) in STAGES.items() if name not in PEOPLE)
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
