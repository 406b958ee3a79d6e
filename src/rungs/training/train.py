"""The stage `train`: one run, from token files to weights."""

import json
import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import torch

from rungs.corpus.tokens import load_tokens, refuse_other_vocabulary, refuse_short_validation
from rungs.device import Device, describe, select_device
from rungs.digest import file_digest, text_digest
from rungs.errors import UserError
from rungs.files import canonical_json, read_json, write_json, write_text
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.reading import reading
from rungs.training import loop
from rungs.training.budget import Budget
from rungs.training.checkpoint import save_weights


def run(
    *,
    train: Annotated[Path, "training tokens, .npy"],
    validation: Annotated[Path, "validation tokens, .npy"],
    corpus: Annotated[Path, "the corpus's summary.json"],
    architecture: Architecture,
    budget: Budget,
    seed: int,
    device: Device = "auto",
    code: Annotated[str, "digest of the code; part of the run's identity"] = "",
    checkpoints: Annotated[Path, "folder for checkpoints"],
    output: Annotated[Path, "the run's folder"],
) -> str:
    """Train one run and write its weights, history and description.

    A run that diverges is a result: its description says at which step.

    Raises:
        UserError: a file cannot be read, a split fills no window, or a stop was requested.
    """
    torch_device = select_device(device, budget.threads)
    train_tokens = load_tokens(train)
    validation_tokens = load_tokens(validation)
    if len(train_tokens) <= budget.context_length:
        raise UserError(
            f"{train}: {len(train_tokens):,} tokens do not fill one training window of "
            f"{budget.context_length} and its next token; use a longer corpus or a shorter "
            "budget.context_length"
        )
    refuse_short_validation(validation, len(validation_tokens), budget.context_length)
    with reading(corpus):
        vocabulary = int(read_json(corpus)["vocabulary"])
    refuse_other_vocabulary(train, train_tokens, vocabulary)
    refuse_other_vocabulary(validation, validation_tokens, vocabulary)
    torch.manual_seed(seed)
    model = LanguageModel(architecture, vocabulary).to(torch_device)
    identity = {
        "architecture": json.loads(architecture.canonical()),
        "budget": json.loads(budget.canonical()),
        "seed": seed,
        "vocabulary": vocabulary,
        "train_sha256": file_digest(train),
        "validation_sha256": file_digest(validation),
        "code": code,
        "torch": torch.__version__,
        "device": describe(torch_device),
    }
    checkpoint = checkpoints / f"{text_digest(canonical_json(identity))}.safetensors"
    finished = loop.train(
        model,
        budget,
        seed,
        train_tokens,
        validation_tokens,
        checkpoint,
        stop_requested=_StopSignal(),
    )
    weights = output / "model.safetensors"
    save_weights(weights, model)
    lines = "".join(json.dumps(entry) + "\n" for entry in finished.history)
    write_text(output / "history.jsonl", lines)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    write_json(
        output / "run.json",
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
        return f"{output}: diverged at step {finished.diverged_at_step:,}"
    return (
        f"{output}: {budget.steps:,} steps, {parameters:,} parameters, "
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
