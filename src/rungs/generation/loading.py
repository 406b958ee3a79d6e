"""A finished run as something that writes: its model, its tokenizer, its context."""

from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer, decoders

from rungs.corpus.stories import MARKER
from rungs.corpus.tokenizer import load, token_bytes
from rungs.device import select_device
from rungs.digest import refuse_undescribed
from rungs.errors import UserError
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.reading import read_object, reading
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
            UserError: it has none, is not UTF-8, or has a word that its corpus of words lacks.
        """
        try:
            prompt.encode()
            tokens = self.tokenizer.encode(prompt).ids
        except UnicodeEncodeError as error:
            raise UserError("--prompt: is not UTF-8; give it in UTF-8") from error
        except Exception as error:  # the library raises nothing narrower
            known = ", ".join(sorted(self.tokenizer.get_vocab()))
            raise UserError(
                f"--prompt: has an unknown word; the corpus has only {known}"
            ) from error
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
        UserError: the run or its tokenizer is missing, they do not belong together, or the run
            diverged.
    """
    description = read_object(run / "run.json")
    if step := description.get("diverged_at_step"):
        raise UserError(f"{run}: its training diverged at step {step}; choose another run")
    path = tokenizer_file or tokenizer_of(run)
    tokenizer = load(path)
    with reading(run / "run.json"):
        vocabulary = description["vocabulary"]
        model = LanguageModel(Architecture.model_validate(description["architecture"]), vocabulary)
        context_length = int(description["budget"]["context_length"])
    if tokenizer.get_vocab_size() != vocabulary:
        raise UserError(
            f"{path}: has {tokenizer.get_vocab_size():,} tokens and the run {vocabulary:,}; "
            "give the tokenizer of the run's corpus as --tokenizer"
        )
    load_weights(run / "model.safetensors", model)
    refuse_undescribed(description, run, {"weights_sha256": run / "model.safetensors"})
    return Writer(
        model=model.to(select_device(device_name)),
        tokenizer=tokenizer,
        spelled=_spelled(tokenizer),
        context_length=context_length,
        end=tokenizer.token_to_id(MARKER),
    )


def _spelled(tokenizer: Tokenizer) -> list[bytes]:
    """Return the bytes of each token; a language of words has a blank before each."""
    if isinstance(tokenizer.decoder, decoders.ByteLevel):
        return token_bytes(tokenizer)
    return [f" {tokenizer.id_to_token(n)}".encode() for n in range(tokenizer.get_vocab_size())]


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
