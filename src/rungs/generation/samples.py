"""Stage `sample-text`: what a run writes on from the experiment's prompt, kept as data."""

import argparse
import json
from itertools import islice
from pathlib import Path

from rungs.files import read_json, write_json
from rungs.generation.continuing import continuation
from rungs.generation.loading import load_writer
from rungs.generation.settings import Continuation


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--run", type=Path, required=True, help="the run's folder")
    parser.add_argument("--tokenizer", type=Path, required=True, help="of its corpus, JSON")
    parser.add_argument("--settings", required=True, help="JSON of Continuation")
    parser.add_argument("--seed", type=int, required=True, help="decides what is drawn")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--output", type=Path, required=True, help="JSON")


def run(arguments: argparse.Namespace) -> str:
    """Write prompt and continuation, and how many different tokens the continuation has.

    In place of a continuation, a run that diverged has a sentence that says at which step.

    Raises:
        UserError: the run or its tokenizer cannot be read, or the prompt has no token.
    """
    settings = Continuation.model_validate_json(arguments.settings)
    asked = {"settings": json.loads(settings.canonical()), "prompt": settings.prompt}
    if step := read_json(arguments.run / "run.json").get("diverged_at_step"):
        text = f"Nothing: its training diverged at step {step}."
        nothing = {"text": text, "tokens": 0, "distinct_tokens": None, "ended": None}
        write_json(arguments.output, asked | nothing)
        return f"{arguments.output}: {text}"
    writer = load_writer(arguments.run, arguments.tokenizer, arguments.device)
    endless = continuation(
        writer.model, writer.encode(settings.prompt), settings, writer.context_length,
        arguments.seed,
    )  # fmt: skip
    drawn = []
    for token in islice(endless, settings.tokens):
        if token == writer.end:
            break
        drawn.append(token)
    text = b"".join(writer.spelled[token] for token in drawn).decode(errors="replace")
    write_json(
        arguments.output,
        {
            **asked,
            "text": text,
            "tokens": len(drawn),
            "distinct_tokens": len(set(drawn)),
            "ended": len(drawn) < settings.tokens,
        },
    )
    return f"{arguments.output}: {len(drawn)} tokens, {len(set(drawn))} different ones"
