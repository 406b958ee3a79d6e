"""Stage `measure-text`: how many bytes of text the scored tokens are, and one sentence's tokens.

Bits per byte compares models whose tokens differ, because a text has its bytes whatever it is cut
into. The first token of a split has no predecessor and is not scored, so that its bytes do not
count; an end-of-text marker is scored, and is no text.
"""

from pathlib import Path
from typing import Annotated

import numpy as np

from rungs.corpus.tokenizer import load, token_bytes
from rungs.corpus.tokens import load_tokens
from rungs.errors import UserError
from rungs.files import write_json

BLANK = "\N{OPEN BOX}"
"""What a leading blank of a token is shown as, as the chapter prints it."""
SENTENCE = "Once upon a time there was a girl named Lily."


def run(
    *,
    tokenizer: Annotated[Path, "of the corpus, JSON"],
    validation: Annotated[Path, "validation tokens, .npy"],
    output: Annotated[Path, "JSON"],
) -> str:
    """Write the bytes of the validation text, and how the chapter's sentence is cut.

    Raises:
        UserError: a file cannot be read, or the corpus is not of text.
    """
    learned = load(tokenizer)
    try:
        spelled = token_bytes(learned)
    except UserError as error:
        raise UserError(f"{tokenizer}: {error}") from error
    lengths = np.array([len(token) for token in spelled])
    scored = load_tokens(validation)[1:]
    total = int(lengths[scored].sum())
    sentence = learned.encode(SENTENCE).ids
    pieces = [spelled[number].decode(errors="replace").replace(" ", BLANK) for number in sentence]
    write_json(
        output,
        {
            "scored_tokens": len(scored),
            "scored_bytes": total,
            "sentence": SENTENCE,
            "sentence_tokens": len(sentence),
            "sentence_pieces": " | ".join(pieces),
        },
    )
    return f"{total:,} bytes in {len(scored):,} scored tokens; the sentence has {len(sentence)}"
