"""Stage `generate`: a trained run writes on from a prompt, on standard output."""

import argparse
import codecs
import logging
import sys
import time
from itertools import islice
from pathlib import Path

from rungs.generation.continuing import continuation
from rungs.generation.loading import load_writer
from rungs.generation.settings import Sampling

logger = logging.getLogger(__name__)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("run", type=Path, help="the folder of a finished run")
    parser.add_argument("--prompt", required=True, help="what the text begins with")
    parser.add_argument("--tokens", type=int, default=200, help="drawn at most (%(default)s)")
    parser.add_argument(
        "--temperature", type=float, default=1.0, help="0 takes the most probable (%(default)g)"
    )
    parser.add_argument("--top-k", type=int, help="draw from the so many most probable tokens")
    parser.add_argument("--top-p", type=float, help="draw from those that reach this probability")
    parser.add_argument("--seed", type=int, default=0, help="decides what is drawn (%(default)s)")
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="compute every token anew each time: the same text, more slowly",
    )
    parser.add_argument("--tokenizer", type=Path, help="of the run's corpus, if it is elsewhere")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def run(arguments: argparse.Namespace) -> str:
    """Print the prompt and what follows it, as it is drawn; a story ends at its marker.

    Raises:
        UserError: the run or its tokenizer cannot be read, or the prompt or the sampling cannot
            be used.
    """
    sampling = Sampling(
        temperature=arguments.temperature, top_k=arguments.top_k, top_p=arguments.top_p
    )
    writer = load_writer(arguments.run, arguments.tokenizer, arguments.device)
    prompt = writer.encode(arguments.prompt)
    cache = not arguments.no_cache
    if cache and not writer.model.architecture.causal:
        logger.info("without the causal mask nothing can be kept: every token is computed anew")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    slides = 0

    def sliding() -> None:
        nonlocal slides
        slides += 1

    print(arguments.prompt, end="", flush=True)
    started, drawn, ended = time.monotonic(), 0, False
    tokens = continuation(
        writer.model, prompt, sampling, writer.context_length, arguments.seed,
        cache=cache, sliding=sliding,
    )  # fmt: skip
    for token in islice(tokens, arguments.tokens):
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
