"""Stage `generate`: a trained run writes on from a prompt, on standard output."""

import codecs
import logging
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Annotated

from rungs.device import Device
from rungs.generation.continuing import continuation
from rungs.generation.loading import load_writer
from rungs.generation.settings import Sampling

logger = logging.getLogger(__name__)


def run(
    run: Annotated[Path, "the folder of a finished run"],
    /,
    *,
    prompt: Annotated[str, "what the text begins with"],
    tokens: Annotated[int, "drawn at most (%(default)s)"] = 200,
    temperature: Annotated[float, "0 takes the most probable (%(default)g)"] = 1.0,
    top_k: Annotated[int | None, "draw from the so many most probable tokens"] = None,
    top_p: Annotated[float | None, "draw from those that reach this probability"] = None,
    seed: Annotated[int, "decides what is drawn (%(default)s)"] = 0,
    no_cache: Annotated[
        bool, "compute every token anew each time: the same text, more slowly"
    ] = False,
    tokenizer: Annotated[Path | None, "of the run's corpus, if it is elsewhere"] = None,
    device: Device = "auto",
) -> str:
    """Print the prompt and what follows it, as it is drawn; a story ends at its marker.

    Raises:
        UserError: the run or its tokenizer cannot be read, or the prompt or the sampling cannot
            be used.
    """
    sampling = Sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    writer = load_writer(run, tokenizer, device)
    beginning = writer.encode(prompt)
    cache = not no_cache
    if cache and not writer.model.architecture.causal:
        logger.info("without the causal mask nothing can be kept: every token is computed anew")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    slides = 0

    def sliding() -> None:
        nonlocal slides
        slides += 1

    print(prompt, end="", flush=True)
    started, drawn, ended = time.monotonic(), 0, False
    endless = continuation(
        writer.model, beginning, sampling, writer.context_length, seed,
        cache=cache, sliding=sliding,
    )  # fmt: skip
    for token in islice(endless, tokens):
        drawn += 1
        if token == writer.end:
            ended = True
            break
        print(decoder.decode(writer.spelled[token]), end="", flush=True)
    print(decoder.decode(b"", final=True), flush=True)
    sys.stdout.flush()
    seconds = time.monotonic() - started
    words = [f"{drawn} tokens in {seconds:.1f} s"]
    words += ["the story ended"] if ended else []
    words += [f"slid {slides} times beyond {writer.context_length} tokens"] if slides else []
    return ", ".join(words)
