"""What the columns of tables hold, words or numbers: told by their names, never by their cells.

A label may be ``1e-3``, a variant ``true`` and a prompt ``007``; guessed from cells, they would
come back as something else than what was written.
"""

WORDS = frozenset(
    (
        *("experiment", "corpus", "budget", "variant", "metric"),
        *("label", "reference", "prompt", "text", "ended"),
        *("version", "adjective", "role"),
        *("model", "component", "closed_form"),
        *("kernel", "status", "quantity"),
        *("measure", "precision", "future", "stand_in", "in_float16", "first", "second"),
        *("divided", "rows"),
        *("id", "chapter", "section", "statement", "kind", "published", "reproduced"),
        *("verdict", "reason", "exceeds_noise"),
    )
)
"""Every other column holds finite numbers, or nothing where there is none."""

KEYS = frozenset(
    (
        *("experiment", "corpus", "budget", "variant", "seed", "context_length", "metric", "step"),
        *("version", "block", "adjective", "model", "component", "kernel", "tokens", "quantity"),
        *("measure", "precision", "stand_in", "first", "second", "width", "divided", "rows"),
        *("position", "token", "id"),
    )
)
"""What names a row, as far as a table has it."""

FILLED = frozenset(("seed", "seeds", "value", "step", "block", "width", "tokens", "exponent"))
"""Numbers that no row can be without, as far as a reader asks for them."""

UNBOUNDED = frozenset(("seeds_needed", "seeds_needed_low", "seeds_needed_high"))
"""Numbers that may be infinite: no number of seeds is enough."""
