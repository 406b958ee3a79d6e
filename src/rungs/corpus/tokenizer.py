"""Byte-level byte-pair encoding, with the chapter's rule for ties.

The merges are learned here, because the trainer in `tokenizers` breaks ties the other way (459,792
tokens on tiny Shakespeare where the chapter has 459,760). Encoding, decoding and storing are the
library's. Method: Sennrich, Haddow & Birch 2016 (arXiv 1508.07909), algorithm 1, over the bytes and
words of GPT-2 (Radford et al. 2019, section 2.2).
"""

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from rungs.corpus.slow import Slow
from rungs.errors import UserError

Pair = tuple[int, int]

_NOTHING = -1  # no token: between two words, and where one was merged into the token before it
_PIECE = 1 << 14  # characters; small enough that the library's bookkeeping stays in the cache
# No word of GPT-2's pattern has white space after anything else, so that the text before and after
# such a place is encoded the same way together and apart.
_CUT = re.compile(r"(?<=\S)(?=[ \n])")
_SPLITTER = pre_tokenizers.ByteLevel(add_prefix_space=False)


def _symbols() -> list[str]:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    others = (symbol for symbol in alphabet if ord(symbol) > 255)
    return [chr(byte) if chr(byte) in alphabet else next(others) for byte in range(256)]


# GPT-2's printable alphabet, in which the library stores tokens: a byte that is a printable Latin-1
# character stands for itself, the other bytes follow in order from U+0100.
_SYMBOLS = _symbols()
_BYTES = {symbol: byte for byte, symbol in enumerate(_SYMBOLS)}


def pieces(text: str, size: int = _PIECE) -> Iterator[str]:
    """Cut ``text`` where no token can lie across, into pieces of ``size`` characters or more."""
    start = 0
    while start < len(text):
        cut = _CUT.search(text, start + size)
        stop = cut.start() if cut else len(text)
        yield text[start:stop]
        start = stop


def train(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Return a tokenizer of ``vocabulary`` tokens learned from ``texts`` (see `pieces`).

    Ids 0 to 255 are the bytes of that value; the merged tokens follow in the order of the merges.

    Raises:
        UserError: ``vocabulary`` is below 256, or more than the texts can give.
    """
    tokens, merges = learn_merges(count_words(texts), vocabulary)
    tokenizer = Tokenizer(
        models.BPE(
            vocab={_spell(token): number for number, token in enumerate(tokens)},
            merges=[(_spell(left), _spell(right)) for left, right in merges],
        )
    )
    tokenizer.pre_tokenizer = _SPLITTER
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def count_words(texts: Iterable[str]) -> dict[bytes, int]:
    """Return how often each word of GPT-2's pattern occurs, cut as they are for encoding."""
    spelled: Counter[str] = Counter()
    for text in texts:
        spelled.update([word for word, _ in _SPLITTER.pre_tokenize_str(text)])
    return {bytes(map(_BYTES.__getitem__, word)): count for word, count in spelled.items()}


def learn_merges(
    words: Mapping[bytes, int], vocabulary: int
) -> tuple[list[bytes], list[tuple[bytes, bytes]]]:
    """Merge the most frequent pair of neighbours until there are ``vocabulary`` tokens.

    Of equally frequent pairs the one with the larger ids is merged: larger left id, then larger
    right id. This order over byte values gives the chapter's 459,760 tokens.

    A merge visits only the places of its pair, so that a long word costs no more than short ones.

    Args:
        words: how often each word occurs.
        vocabulary: number of tokens wanted, the 256 bytes included.

    Returns:
        The tokens in the order of their ids, and the merges in the order they were learned in.

    Raises:
        UserError: ``vocabulary`` is below 256, or more than the words can give.
    """
    if vocabulary < 256:
        raise UserError(f"a vocabulary of {vocabulary} has no room for the 256 bytes; raise it")
    tokens = [bytes([byte]) for byte in range(256)]
    ids = {token: number for number, token in enumerate(tokens)}
    merges: list[tuple[bytes, bytes]] = []

    row = [_NOTHING]  # the tokens of all words, nothing between two words
    weights = [0]  # of each place in the row, how often its word occurs
    for word, count in words.items():
        row += [*word, _NOTHING]
        weights += [count] * (len(word) + 1)
    before, after = list(range(-1, len(row) - 1)), list(range(1, len(row) + 1))

    counts: defaultdict[Pair, int] = defaultdict(int)
    places: defaultdict[Pair, list[int]] = defaultdict(list)  # where the pair stands, or stood
    for place, pair in enumerate(pairwise(row)):
        if _NOTHING not in pair:
            counts[pair] += weights[place]
            places[pair].append(place)
    queue = [(-count, -left, -right) for (left, right), count in counts.items()]
    heapq.heapify(queue)

    progress = Slow("learning a tokenizer", vocabulary, "tokens")
    while len(tokens) < vocabulary:
        progress.at(len(tokens))
        best = _pop(queue, counts)
        if best is None:
            raise UserError(
                f"a vocabulary of {vocabulary} is more than the text can give; "
                f"the largest it can give is {len(tokens)}"
            )
        left, right = tokens[best[0]], tokens[best[1]]
        merges.append((left, right))
        merged = ids.setdefault(left + right, len(tokens))
        if merged == len(tokens):  # else spelled before by other parts, as "a"+"aa" and "aa"+"a"
            tokens.append(left + right)
        changed: set[Pair] = set()
        for place in sorted(places.pop(best)):  # from left to right: only the first "aa" of "aaa"
            second = after[place]
            if (row[place], row[second]) != best:
                continue
            first, following = before[place], after[second]
            row[place], row[second] = merged, _NOTHING
            after[place], before[following] = following, place
            for at, old, new in (
                (first, (row[first], best[0]), (row[first], merged)),
                (place, (best[1], row[following]), (merged, row[following])),
            ):
                if _NOTHING not in new:
                    counts[old] -= weights[place]
                    counts[new] += weights[place]
                    places[new].append(at)
                    changed.add(new)
        del counts[best]
        for pair in changed:
            if counts[pair]:
                heapq.heappush(queue, (-counts[pair], -pair[0], -pair[1]))
    return tokens, merges


def _pop(queue: list[tuple[int, int, int]], counts: Mapping[Pair, int]) -> Pair | None:
    """Take the most frequent pair; each is queued at its present count or an older, higher one."""
    while queue:
        negative, left, right = heapq.heappop(queue)
        count = counts[-left, -right]
        if count == -negative:
            return -left, -right
        if count:
            heapq.heappush(queue, (-count, left, right))
    return None


def _spell(token: bytes) -> str:
    return "".join(_SYMBOLS[byte] for byte in token)


def encode(tokenizer: Tokenizer, texts: Iterable[str]) -> npt.NDArray[np.uint16]:
    """Return the ids of the concatenated ``texts`` (see `pieces`), shape (tokens,)."""
    # Only the batch call can leave out offsets, which saves a third of the time.
    encodings = (tokenizer.encode_batch_fast([text])[0] for text in texts)
    return np.concatenate([np.array(encoding.ids, dtype=np.uint16) for encoding in encodings])


def load(path: Path) -> Tokenizer:
    """Return the tokenizer stored at ``path``.

    Raises:
        UserError: the file is missing or not a tokenizer.
    """
    try:
        return Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except Exception as error:  # the library raises nothing narrower
        raise UserError(f"{path}: is not a tokenizer ({error}); delete it and run again") from error


def token_bytes(tokenizer: Tokenizer) -> list[bytes]:
    """Return the bytes of text that each id stands for; none of a special token.

    Raises:
        UserError: the tokens are not spelled in bytes.
    """
    if not isinstance(tokenizer.decoder, decoders.ByteLevel):
        raise UserError("the tokenizer is not byte-level; choose a corpus of text")
    found = []
    for number in range(tokenizer.get_vocab_size()):
        token = tokenizer.id_to_token(number) or ""
        special = number in tokenizer.get_added_tokens_decoder()
        found.append(b"" if special else bytes(map(_BYTES.__getitem__, token)))
    return found
