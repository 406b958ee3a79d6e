"""A reader's own published numbers: judged like the chapters', by the experiments configured."""

from pathlib import Path

import pytest

from rungs.claims import claim_table
from rungs.claims.configured import claim_settings
from rungs.claims.own import refuse_unanswerable
from rungs.config import read_config
from rungs.errors import UserError
from rungs.published.load import own_sections
from tests.claims.published_world import CLAIMS, World, published_world

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
OWN = """
chapter: a workshop paper
section: last year's run
claims:
  - id: workshop-one-block
    statement: one block ends at 38.1
    kind: value
    published: 38.1
    quantity: {table: ladder, row: {variant: VARIANT, context_length: 128}, column: perplexity}
"""


def section(folder: Path, text: str = OWN, variant: str = "one_block") -> Path:
    path = folder / "workshop.yaml"
    path.write_text(text.replace("VARIANT", variant))
    return path


def test_it_is_judged_beside_the_chapters(tmp_path: Path) -> None:
    own = own_sections([section(tmp_path)])
    table = claim_table.claim_table(World(published_world()), claim_settings(CONFIG), own)
    assert len(table) == len(CLAIMS) + 1
    last = table.iloc[-1]
    assert last[["id", "chapter", "table", "verdict"]].tolist() == [
        *("workshop-one-block", "a workshop paper", "ladder", "reproduced")
    ]


def test_it_is_of_the_experiment_as_configured_and_not_as_published(tmp_path: Path) -> None:
    config = read_config(
        Path(__file__).parents[2] / "config.yaml", values=["budgets={window_128: {steps: 5}}"]
    )
    own = own_sections([section(tmp_path)])
    table = claim_table.claim_table(World(published_world()), claim_settings(config), own)
    verdicts = table.set_index("id")["verdict"]
    assert verdicts["ladder-one-block"] == "not run"
    assert verdicts["workshop-one-block"] == "reproduced"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("kind: value", "kind: valu"), r"workshop\.yaml: claims\.0\.kind: .*docs/claims\.md"),
        (("published: 38.1", "publised: 38.1"), r"workshop\.yaml: claims\.0\.publised"),
        (("workshop-one-block", "ladder-one-block"), "another claim is called ladder-one-block"),
        (("claims:", "claims: ["), r"workshop\.yaml: line .* is not valid YAML"),
        (("table: ladder", "table: lader"), "there is no table lader; known are ladder"),
        (("VARIANT", "two_block"), "ladder has no variant two_block; it has no_context"),
        (
            ("column: perplexity", "column: perplex"),
            "ladder has no column perplex; it has perplexity",
        ),
        (
            ("context_length: 128", "context_length: 127"),
            "not evaluated at 127 tokens; it is at 128",
        ),
        (("variant: VARIANT, ", ""), "a row of ladder is named by its variant"),
    ],
)
def test_a_mistake_is_named_before_any_job(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        refuse_unanswerable(own_sections([section(tmp_path, OWN.replace(*change))]), CONFIG)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml: does not exist"):
        own_sections([tmp_path / "none.yaml"])
