"""Which pieces of code a run does without: an edit of one leaves the run's numbers alone."""

from rungs.code import Definition
from rungs.model.architecture import Architecture
from rungs.model.positions import encoding_of, encodings
from rungs.training.budget import Budget


def unused_by_model(architecture: Architecture) -> frozenset[Definition]:
    """Return the definitions of ``rungs.model`` that a model of this architecture never calls."""
    used = {
        Definition("rungs.model.attention", "Attention"): architecture.mixer == "attention",
        Definition("rungs.model.attention", "UniformAverage"): architecture.mixer == "average",
        Definition("rungs.model.attention", "Window"): architecture.mixer == "window",
        Definition("rungs.model.block", "feed_forward"): architecture.feed_forward,
        Definition("rungs.model.initialization", "initialize_as_gpt2"): (
            architecture.initialization == "gpt2"
        ),
        **{
            Definition("rungs.model.positions", encoding.__name__): (
                isinstance(encoding_of(architecture), encoding)
            )
            for encoding in encodings().values()
        },
    }
    return frozenset(piece for piece, needed in used.items() if not needed)


def unused_by_run(architecture: Architecture, budget: Budget) -> frozenset[Definition]:
    """Return the definitions that training never calls for this architecture and budget."""
    observed = {Definition("rungs.model.observe", "attention_statistics")}
    return unused_by_model(architecture) | (set() if budget.observe_attention else observed)
