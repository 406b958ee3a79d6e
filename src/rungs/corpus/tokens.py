"""Token ids on disk: one-dimensional `.npy` files of uint16."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from rungs.errors import UserError, guard
from rungs.files import replacing

LARGEST_VOCABULARY = 1 << 16  # ids are stored as uint16


def save_tokens(path: Path, tokens: npt.NDArray[np.uint16]) -> None:
    """Write ``tokens``, shape (tokens,), to ``path`` atomically."""
    with replacing(path) as temporary:
        np.save(temporary, tokens, allow_pickle=False)


def load_tokens(path: Path) -> npt.NDArray[np.uint16]:
    """Return the tokens in ``path``, shape (tokens,), read from disk as they are used.

    Raises:
        UserError: the file is missing, cut short, or not a file of tokens.
    """
    way_out = "delete it and run again"
    try:
        tokens = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); {way_out}") from error
    except Exception as error:  # numpy parses the header as Python: damaged, it raises anything
        raise UserError(f"{path}: is cut short or not a file of tokens; {way_out}") from error
    if not isinstance(tokens, np.ndarray) or tokens.dtype != np.uint16 or tokens.ndim != 1:
        raise UserError(f"{path}: does not hold a row of uint16 tokens; {way_out}")
    return tokens


@guard
def refuse_other_vocabulary(path: Path, tokens: np.ndarray, vocabulary: int) -> None:
    """Refuse tokens that a model of the corpus's vocabulary has no embedding for.

    Raises:
        UserError: names the file and its largest token.
    """
    if (largest := int(tokens.max(initial=0))) >= vocabulary:
        raise UserError(
            f"{path}: has a token {largest:,}, and its corpus has only {vocabulary:,}: damaged, or "
            "of another corpus; delete it and run again"
        )


@guard
def refuse_short_validation(path: Path, tokens: int, window: int) -> None:
    """Refuse a validation split that the windows it is read in do not fill.

    Its only window would be shorter, and a table would show it as if it were whole.

    Args:
        path: of the split.
        tokens: how many it has.
        window: the longest that it is read in, in tokens.

    Raises:
        UserError: names the split, its tokens and what they do not fill.
    """
    if tokens > max(window, 4):
        return
    whole = "four quarters with a prediction in each"
    if tokens <= window:
        whole = f"one window of {window} and its next token"
    raise UserError(
        f"{path}: {tokens:,} tokens do not fill {whole}; use a longer corpus, a larger "
        "validation_fraction or shorter context lengths"
    )
