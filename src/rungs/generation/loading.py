"""A finished run as something that writes: its model, its tokenizer, its context."""

from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from rungs.corpus.stories import MARKER
from rungs.corpus.tokenizer import load, token_bytes
from rungs.device import select_device
from rungs.digest import refuse_undescribed
from rungs.errors import UserError
from rungs.files import read_json
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.checkpoint import load_weights


@dataclass(frozen=True)
class Writer:
    """What a run needs to write on.

    Attributes:
        model: the trained model.
        tokenizer: of its corpus.
        spelled: the bytes of each token.
        context_length: tokens per training window; positions beyond were never trained.
        end: the end-of-text marker's id, if the corpus has one.
    """

    model: LanguageModel
    tokenizer: Tokenizer
    spelled: list[bytes]
    context_length: int
    end: int | None

    def encode(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt.

        Raises:
            UserError: it has none.
        """
        tokens = self.tokenizer.encode(prompt).ids
        if not tokens:
            raise UserError("--prompt: is empty; give the model something to write on from")
        return tokens


def load_writer(run: Path, tokenizer_file: Path | None, device_name: str) -> Writer:
    """Return the run in a folder as a writer.

    Args:
        run: ``results/runs/{corpus}/{budget}/{variant}/seed{seed}``.
        tokenizer_file: of its corpus; None where the folder is at its address.
        device_name: auto, cpu or cuda.

    Raises:
        UserError: the run or its tokenizer is missing, or they do not belong together.
    """
    description = read_json(run / "run.json")
    path = tokenizer_file or tokenizer_of(run)
    tokenizer = load(path)
    vocabulary = description["vocabulary"]
    if tokenizer.get_vocab_size() != vocabulary:
        raise UserError(
            f"{path}: has {tokenizer.get_vocab_size():,} tokens and the run {vocabulary:,}; "
            "give the tokenizer of the run's corpus as --tokenizer"
        )
    try:
        spelled = token_bytes(tokenizer)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    model = LanguageModel(Architecture.model_validate(description["architecture"]), vocabulary)
    load_weights(run / "model.safetensors", model)
    refuse_undescribed(description, run, {"weights_sha256": run / "model.safetensors"})
    return Writer(
        model=model.to(select_device(device_name)),
        tokenizer=tokenizer,
        spelled=spelled,
        context_length=description["budget"]["context_length"],
        end=tokenizer.token_to_id(MARKER),
    )


def tokenizer_of(run: Path) -> Path:
    """Return where the tokenizer of a run at its address is.

    Raises:
        UserError: it is not there.
    """
    parts = run.resolve().parts
    if len(parts) > 5 and parts[-5] == "runs":
        path = Path(*parts[:-5], "corpus", parts[-4], "tokenizer.json")
        if path.exists():
            return path
    raise UserError(
        f"{run}: its corpus has no tokenizer.json beside the runs; give one as --tokenizer"
    )
