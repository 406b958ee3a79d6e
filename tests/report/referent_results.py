"""Results of the referent language written by hand, with the published numbers."""

from typing import Any

import pandas as pd

from rungs.corpus.referents import EXAMPLE, ROLES, TEMPLATE

ANSWERS = [
    # variant, label, version, right, wrong, published
    ("cheatable_average", "uniform average, cheatable", "cheatable", 99.2, 0.8, 100.0),
    ("cheatable_one_block", "one block, cheatable", "cheatable", 97.5, 2.5, 91.7),
    ("fair_average", "uniform average, fair", "fair", 31.5, 50.2, 27.9),
    ("fair_one_block", "one block, fair", "fair", 94.4, 4.4, 92.7),
    ("fair_two_blocks", "two blocks, fair", "fair", 100.0, 0.0, 100.0),
]


def answers(seeds: int = 3, published: bool = True) -> pd.DataFrame:
    """Return ``referents.csv``."""
    rows = []
    for variant, label, version, right, wrong, claimed in ANSWERS:
        shares = {
            "accuracy": right,
            "wrong_noun": wrong,
            "anything_else": 100 - right - wrong,
            "training_accuracy": 99.5,
        }
        row: dict[str, Any] = {
            "variant": variant,
            "label": label,
            "version": version,
            "seeds": seeds,
            "diverged": "",
            "parameters": 200_000,
            "chance": 50.0,
        }
        for metric, mean in shares.items():
            row[metric] = mean
            row[f"{metric}_low"] = mean - 1.5 if seeds > 1 else None
            row[f"{metric}_high"] = mean + 1.5 if seeds > 1 else None
            row[f"{metric}_published"] = None
        row["accuracy_published"] = claimed if published else None
        rows.append(row)
    table = pd.DataFrame(rows)
    endings = ("_low", "_high", "_published")
    return table.astype({name: float for name in table.columns if name.endswith(endings)})


def attention() -> pd.DataFrame:
    """Return ``referents_attention.csv``, of the deepest variant alone."""
    rows = []
    for block in (1, 2):
        for adjective, role in ROLES.items():
            kept = block == 2 and role == "crosser"
            weights = {
                "first_noun_weight": 0.7 if block == 1 else 0.0,
                "second_noun_weight": 0.06 if block == 1 else 0.0 if kept else 0.49,
                "adjective_weight": 1.0 if kept else 0.03,
            }
            row: dict[str, Any] = {
                "variant": "fair_two_blocks",
                "label": "two blocks, fair",
                "version": "fair",
                "seeds": 3,
                "diverged": "",
                "block": block,
                "adjective": adjective,
                "role": role,
            }
            for target, mean in weights.items():
                ends = {f"{target}_low": mean - 0.1, f"{target}_high": mean + 0.1}
                row |= {target: mean, **ends}
            rows.append(row)
    return pd.DataFrame(rows)


def evaluation() -> dict[str, Any]:
    """Return an evaluation whose answering rows are the published ones, the others uniform."""
    x, y = EXAMPLE
    sentences = []
    for adjective in ("tired", "wet"):
        words = TEMPLATE.format(x=x, y=y, adjective=adjective, referent="").split()[:15]
        uniform = [[1 / (t + 1)] * (t + 1) + [0.0] * (14 - t) for t in range(14)]
        first, second = [*uniform, [0.0] * 15], [*uniform, [0.0] * 15]
        first[-1][1], first[-1][6], first[-1][12], first[-1][14] = 0.70, 0.06, 0.05, 0.19
        if adjective == "tired":
            second[-1][11] = 1.0
        else:
            second[-1][4], second[-1][6], second[-1][10] = 0.03, 0.49, 0.20
            second[-1][11], second[-1][14] = 0.03, 0.25
        sentences.append({"words": words, "blocks": [first, second]})
    return {"attention": sentences}


def claims() -> pd.DataFrame:
    """Return ``claims.csv`` with one claim on the referent language."""
    return pd.DataFrame(
        [
            {
                "id": "referents-average",
                "chapter": "attention",
                "section": "a language with a right answer",
                "statement": "in the fair version the uniform average reaches 27.9 %",
                "table": "referents",
                "kind": "value",
                "same_as": "",
                "derived": "",
                "published": "27.9",
                "reproduced": "31.5",
                "low": "",
                "high": "",
                "one_more_low": "",
                "one_more_high": "",
                "seeds_to_decide": "",
                "verdict": "reproduced",
                "reason": "published 27.9; reproduced 31.5",
            }
        ]
    )
