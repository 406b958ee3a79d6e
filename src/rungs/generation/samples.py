"""Stage `sample-text`: what a run writes on from the experiment's prompt, kept as data."""

import json
from itertools import islice
from pathlib import Path
from typing import Annotated

from rungs.device import Device
from rungs.files import write_json
from rungs.generation.continuing import continuation
from rungs.generation.loading import load_writer
from rungs.generation.settings import Continuation
from rungs.reading import read_object


def run(
    *,
    run: Annotated[Path, "the run's folder"],
    tokenizer: Annotated[Path, "of its corpus, JSON"],
    settings: Continuation,
    seed: Annotated[int, "decides what is drawn"],
    device: Device = "auto",
    output: Annotated[Path, "JSON"],
) -> str:
    """Write prompt and continuation, and how many different tokens the continuation has.

    In place of a continuation, a run that diverged has a sentence that says at which step.

    Raises:
        UserError: the run or its tokenizer cannot be read, or the prompt has no token.
    """
    asked = {"settings": json.loads(settings.canonical()), "prompt": settings.prompt}
    if step := read_object(run / "run.json").get("diverged_at_step"):
        text = f"Nothing: its training diverged at step {step}."
        nothing = {"text": text, "tokens": 0, "distinct_tokens": None, "ended": None}
        write_json(output, asked | nothing)
        return f"{output}: {text}"
    writer = load_writer(run, tokenizer, device)
    endless = continuation(
        writer.model, writer.encode(settings.prompt), settings, writer.context_length,
        seed,
    )  # fmt: skip
    drawn = []
    for token in islice(endless, settings.tokens):
        if token == writer.end:
            break
        drawn.append(token)
    text = b"".join(writer.spelled[token] for token in drawn).decode(errors="replace")
    write_json(
        output,
        {
            **asked,
            "text": text,
            "tokens": len(drawn),
            "distinct_tokens": len(set(drawn)),
            "ended": len(drawn) < settings.tokens,
        },
    )
    return f"{output}: {len(drawn)} tokens, {len(set(drawn))} different ones"
