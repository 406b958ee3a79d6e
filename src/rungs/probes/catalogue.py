"""Every probe, declared once.

Its stage, the rule that measures it, what its published numbers hold for, its cost, its table and
figure on the page follow from here. Read while the graph of jobs is built, hence without torch and
pandas; no stage but the page reads it, so that an edit of a caption measures nothing again.
"""

from typing import TYPE_CHECKING, Any

from rungs.probes.probe import Drawn, Probe, ProbeSection, architectures
from rungs.report.labels import MEASURES, SCORES
from rungs.report.shown import DIFFERENCES, Cells, Shown, metric, numbers, words
from rungs.tables.numbers import counted

if TYPE_CHECKING:
    from rungs.config import Config

COUNT, WEIGHT = "{:,.0f}".format, "{:g}".format
ROOT = "\N{SQUARE ROOT}d"


def _language_models(config: "Config") -> dict[str, Any]:
    return {"variants": architectures(config, config.probes.language_models.variants)}


def _step(config: "Config") -> dict[str, Any]:
    """Return the size of one step of the language models."""
    budget = config.budgets[config.probes.language_models.budget]
    return {"batch_size": budget.batch_size, "context_length": budget.context_length}


def _gradient_norms(config: "Config") -> dict[str, Any]:
    settings = config.probes.gradient_norms
    return {
        "variants": architectures(config, settings.variants),
        "batch_size": settings.batch_size,
        "context_length": settings.context_length,
    }


PROBES = (
    Probe(
        "averaging",
        "compare three ways to average, and shuffle",
        "the-average",
        table=Shown(
            "Largest difference between two computations",
            (words("compared", "measure", MEASURES.__getitem__), *DIFFERENCES),
        ),
        drawn=Drawn(
            "the average as a matrix",
            reads={"table": "results/averaging.csv", "matrix": "results/averaging_matrix.csv"},
            caption=(
                "Left, the weight that each position's average gives to each token. Right, the "
                "largest difference between two computations; hollow marks are published."
            ),
            label="matrix and differences",
        ),
    ),
    Probe("averaging_matrix", "write the averaging matrix", "the-average", exact=True),
    Probe(
        "masking",
        "try minus infinity and stand-ins as a mask",
        "the-average",
        exact=True,
        table=Shown(
            "Softmax of a forbidden and an allowed token. The allowed token's score is three "
            "standard deviations low: of a fresh divided head (1), and of the chapter's undivided "
            "head after training (5,147).",
            (
                words("forbidden score", "stand_in"),
                words("in float16", "in_float16"),
                *(
                    numbers(heading, column, WEIGHT, "weight of a forbidden token")
                    for heading, column in (
                        ("fresh head", "weight_at_initialisation"),
                        ("collapsed head", "weight_after_collapse"),
                    )
                ),
            ),
        ),
    ),
    Probe(
        "raw_scores",
        "score token vectors as they are, and through maps",
        "queries-and-keys",
        table=Shown(
            "What undivided scores make of a sequence",
            (
                words("dot products of", "measure"),
                numbers("share that choose themselves", "chooses_itself"),
                metric("weight on itself", "weight"),
                metric("asymmetry", "difference"),
            ),
        ),
        drawn=Drawn(
            "whom a token looks at",
            caption=(
                "Left, the mean weight of a token on itself. Right, the largest difference of a "
                "score from its mirror image, relative to the largest score."
            ),
            label="itself and symmetry",
        ),
    ),
    Probe(
        "variance",
        "measure the variance of dot products",
        "why-scores-are-divided",
        lambda config: {"widths": config.probes.widths, "pairs": config.probes.pairs},
        table=Shown(
            "The spread of a dot product",
            (
                numbers("width, d", "width", "{:,}".format),
                metric("variance of q\N{DOT OPERATOR}k", "variance"),
                metric("standard deviation", "standard_deviation"),
                numbers(ROOT, "expected_standard_deviation", "{:.3f}".format),
            ),
        ),
        drawn=Drawn(
            "the spread of dot products",
            caption="The standard deviation of a dot product, and its variance over the width.",
            label="spread of dot products",
        ),
    ),
    Probe(
        "saturation",
        "measure how sharp a softmax of scores is",
        "why-scores-are-divided",
        lambda config: {"widths": config.probes.widths, "rows": config.probes.rows},
        table=Shown(
            "The softmax of rows of 64 scores",
            (
                numbers("width, d", "width", "{:,}".format),
                words("scores", "divided", SCORES.__getitem__),
                metric("entropy, nats", "entropy"),
                metric("effective tokens", "effective_tokens"),
                metric("sum of w(1 \N{MINUS SIGN} w)", "jacobian"),
                metric("share of rows frozen", "frozen"),
            ),
        ),
        drawn=Drawn(
            "where a softmax saturates",
            caption=(
                "The softmax of 64 random scores against the width: undivided, it begins to choose "
                "at small widths and is frozen in most rows at the largest."
            ),
            label="where large begins",
        ),
    ),
    Probe(
        "gradient_norms",
        "measure each block's gradient at initialisation",
        "gradient-norms",
        _gradient_norms,
        corpus=lambda config: config.probes.gradient_norms.corpus,
        table=Shown(
            "Gradient norms at initialisation",
            (
                numbers("block", "block", str),
                metric("whole block", "whole_block"),
                metric("W_o", "output_projection"),
            ),
            across="variant",
        ),
        drawn=Drawn(
            "gradients at initialisation",
            told={
                "labels": lambda config, _name: {
                    variant: config.label(variant)
                    for variant in config.probes.gradient_norms.variants
                }
            },
            caption="The gradient norm of each block before any step, with its interval.",
            label="norm by block",
        ),
    ),
    Probe(
        "properties",
        "try what is said of the parts",
        "the-parts",
        table=Shown(
            "Largest difference between two computations",
            (words("compared", "measure"), *DIFFERENCES),
        ),
    ),
    Probe(
        "equivalence",
        "compare our attention with torch's",
        "ours-and-torchs",
        table=Shown(
            "Largest difference between two computations",
            (
                words("this", "first"),
                words("beside this", "second"),
                *DIFFERENCES,
                Cells("mean magnitude", "magnitude", "beside", precision="float32"),
            ),
        ),
    ),
    Probe(
        "mask",
        "write which tokens each position sees",
        "what-a-position-sees",
        exact=True,
        drawn=Drawn(
            "what a position sees",
            reads={"mask": "results/mask.csv", "attention": "results/untrained_attention.csv"},
            caption=(
                "Left, the mask of 8 tokens. Right, what the first head of the GPT makes of it "
                "before any training, in the chapter's sentence: each weight its mean over "
                "initialisations. The table has each initialisation's smallest and largest weight, "
                "and their means."
            ),
            label="what a position sees",
        ),
    ),
    Probe(
        "contexts",
        "count what predictions can see",
        "what-a-position-sees",
        lambda config: {**_language_models(config), **_step(config)},
        exact=True,
        table=Shown(
            "What the predictions of one step see: counted.",
            (
                words("model", "variant"),
                numbers("predictions a step", "predictions", COUNT),
                Cells("tokens seen, mean", "mean_context", "beside", "{:,.2f}".format),
                numbers("at most", "largest_context", COUNT),
            ),
        ),
    ),
    Probe(
        "untrained_attention",
        "write what an untrained head looks at",
        "what-a-position-sees",
        _language_models,
        table=Shown(
            "The first head before any training",
            (
                words("model", "variant"),
                numbers("tokens seen", "position", COUNT),
                metric("smallest weight", "smallest"),
                metric("largest weight", "largest"),
                metric("effective tokens", "effective_tokens"),
            ),
            having="smallest",
        ),
    ),
    Probe(
        "cached_generation",
        "compare generation with and without a cache",
        "what-a-position-sees",
        lambda config: {
            **_language_models(config),
            "context_length": _step(config)["context_length"],
        },
        table=Shown(
            "Largest difference of a logit, read token by token and at once",
            (words("model", "variant"), *DIFFERENCES),
        ),
    ),
)
"""In the chapters' order, and within a section in that of its tables."""


def _sees(config: "Config") -> str:
    step = _step(config)
    return (
        f"A step of {step['batch_size']:,} windows of {step['context_length']:,} tokens predicts "
        "at every position. Which tokens a prediction sees is found by exchanging them one by one. "
        "What a causal position has computed never changes, so that a cache may keep it: reading "
        "token by token gives the logits of the whole text, up to rounding."
    )


def _divided(config: "Config") -> str:
    probes = config.probes
    return (
        f"Queries and keys of independent normal numbers: {counted(probes.pairs, 'pair')} behind "
        f"each variance, and {counted(probes.rows, 'row')} of 64 scores behind each number on the "
        "softmax. A row is frozen when one token has more than 0.99 of its weight."
    )


def _gradients(config: "Config") -> str:
    settings = config.probes.gradient_norms
    return (
        f"Models at their initialisation and one batch of "
        f"{config.corpora[settings.corpus].title}, {counted(settings.batch_size, 'window')} of "
        f"{counted(settings.context_length, 'token')} spread evenly over the training split. The "
        "chapter's gradient norm per block is read as the norm over all parameters of a block. "
        "Beside it, unjudged, the norm of W_o alone, the output projection of its attention."
    )


SECTIONS = (
    ProbeSection("what-a-position-sees", "What a position sees", _sees),
    ProbeSection(
        "the-average",
        "The average, three times",
        (
            "A running mean, a product with a triangular matrix and a softmax of masked zeros are "
            "one function, and it sees no order. Neither does attention without a mask. Rounding "
            "explains a difference that is no larger than what float32 does to the two "
            "computations, each beside its own value in float64; 6 random tokens of width 128."
        ),
    ),
    ProbeSection(
        "queries-and-keys",
        "Why queries and keys",
        (
            "Scored by the dot product of its vector with the others', a token looks at itself, "
            "and every look is returned. One map for both roles changes neither; two maps change "
            "both. 16 random tokens of width 128, random maps, no mask."
        ),
    ),
    ProbeSection("why-scores-are-divided", f"Why scores are divided by {ROOT}", _divided),
    ProbeSection("gradient-norms", "Gradients at initialisation", _gradients),
    ProbeSection(
        "the-parts",
        "What is said of the parts",
        (
            "Properties that no training changes, each an equality of two computations: 100 random "
            "tokens of width 128, in 4 heads."
        ),
    ),
    ProbeSection(
        "ours-and-torchs",
        "Ours and torch's",
        (
            "Attention written out as a formula, the layer our models use, and torch's two "
            "implementations, all with the same weights: 4 sequences of 16 tokens, 4 heads, width "
            "128. The chapter does not describe its input, on which the sizes depend."
        ),
    ),
)
"""In the order of the page, the last of them after the sections on costs."""

BY_NAME = {probe.name: probe for probe in PROBES}
