"""The stage `train`: one run, from token files to weights."""

import argparse
import json
import signal
from pathlib import Path
from types import FrameType

import torch

from rungs.corpus.tokens import load_tokens
from rungs.device import describe, select_device
from rungs.digest import file_digest, text_digest
from rungs.errors import UserError
from rungs.files import canonical_json, read_json, write_json, write_text
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.budget import Budget
from rungs.training.checkpoint import save_weights
from rungs.training.loop import train


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--train", type=Path, required=True, help="training tokens, .npy")
    parser.add_argument("--validation", type=Path, required=True, help="validation tokens, .npy")
    parser.add_argument("--corpus", type=Path, required=True, help="the corpus's summary.json")
    parser.add_argument("--architecture", required=True, help="the architecture as JSON")
    parser.add_argument("--budget", required=True, help="the budget as JSON")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--code", default="", help="digest of the code; part of the run's identity")
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--output", type=Path, required=True, help="the run's folder")


def run(arguments: argparse.Namespace) -> str:
    """Train one run and write its weights, history and description.

    A run that diverges is a result: its description says at which step.

    Raises:
        UserError: a file cannot be read, the corpus fills no window, or a stop was requested.
    """
    architecture = Architecture.model_validate_json(arguments.architecture)
    budget = Budget.model_validate_json(arguments.budget)
    device = select_device(arguments.device, budget.threads)
    train_tokens = load_tokens(arguments.train)
    validation_tokens = load_tokens(arguments.validation)
    if len(train_tokens) <= budget.context_length:
        raise UserError(
            f"{arguments.train}: {len(train_tokens):,} tokens do not fill one training window of "
            f"{budget.context_length} and its next token; use a longer corpus or a shorter "
            "budget.context_length"
        )
    vocabulary = read_json(arguments.corpus)["vocabulary"]
    torch.manual_seed(arguments.seed)
    model = LanguageModel(architecture, vocabulary).to(device)
    identity = {
        "architecture": json.loads(architecture.canonical()),
        "budget": json.loads(budget.canonical()),
        "seed": arguments.seed,
        "vocabulary": vocabulary,
        "train_sha256": file_digest(arguments.train),
        "validation_sha256": file_digest(arguments.validation),
        "code": arguments.code,
        "torch": torch.__version__,
        "device": describe(device),
    }
    checkpoint = arguments.checkpoints / f"{text_digest(canonical_json(identity))}.safetensors"
    finished = train(
        model,
        budget,
        arguments.seed,
        train_tokens,
        validation_tokens,
        checkpoint,
        stop_requested=_StopSignal(),
    )
    weights = arguments.output / "model.safetensors"
    save_weights(weights, model)
    lines = "".join(json.dumps(entry) + "\n" for entry in finished.history)
    write_text(arguments.output / "history.jsonl", lines)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    write_json(
        arguments.output / "run.json",
        {
            **identity,
            "parameters": parameters,
            "weights_sha256": file_digest(weights),
            "diverged_at_step": finished.diverged_at_step,
            "seconds": round(finished.seconds, 1),
            "core_seconds": round(finished.core_seconds, 1),
        },
    )
    checkpoint.unlink(missing_ok=True)
    if finished.diverged_at_step is not None:
        return f"{arguments.output}: diverged at step {finished.diverged_at_step:,}"
    return (
        f"{arguments.output}: {budget.steps:,} steps, {parameters:,} parameters, "
        f"validation loss {finished.history[-1]['validation_loss']:.4f}"
    )


class _StopSignal:
    """Remembers that the run was told to stop, so that the loop can do so between two steps."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) != signal.SIG_IGN:  # as `nohup` has it
                signal.signal(number, self._remember)

    def __call__(self) -> bool:
        return self.requested

    def _remember(self, _number: int, _frame: FrameType | None) -> None:
        self.requested = True
