"""The page: whatever has been run, in words, in one file, the same for the same inputs."""

import base64
import hashlib
import html
import itertools
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from rungs.archive.proofs import Proof
from rungs.config import Config, parse_config, read_config
from rungs.errors import UserError
from rungs.report import markdown, page, provenance
from rungs.tables.configured import experiment_settings
from tests.report import referent_results
from tests.report import results_folder as hand
from tests.typed import typed

ROOT = Path(__file__).parents[2]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
VOID = {"meta", "link", "img", "br", "input"}
RENDERER = MarkdownIt("commonmark", {"xhtmlOut": False}).enable(["table", "strikethrough"])


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796000000")


@pytest.fixture(autouse=True)
def code_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code is what the runs by hand say they were made by."""
    monkeypatch.setattr(provenance, "code_digest", lambda *_: "c0de")


@pytest.fixture(scope="module")
def config() -> Config:
    return _handwritten(read_config(ROOT / "config.yaml"))


@pytest.fixture(scope="module")
def preview() -> Config:
    return _handwritten(read_config(ROOT / "config.yaml", ROOT / "config" / "preview.yaml"))


def _handwritten(config: Config) -> Config:
    """Keep the experiments whose results are written by hand."""
    return _only(config, "ladder", "positions")


def _only(config: Config, *experiments: str) -> Config:
    kept = {name: config.experiments[name] for name in experiments}
    return config.model_copy(update={"experiments": kept, "readings": []})


def _write(results: Path, config: Config, *more: str) -> str:
    output = results / "report.html"
    settings = json.dumps(config.model_dump(mode="json"))
    words = ["--results", str(results), "--configuration", settings, "--output", str(output)]
    typed(page, [*words, *more])
    return output.read_text("utf-8")


class _Document(HTMLParser):
    """Checks that tags are closed in order; collects text, headings, addresses and images."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append((tag, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] = (self.open[-1], self.headings[-1][1] + data)
        if not {"style", "script"} & set(self.open):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def figures(self) -> list[str]:
        """The figures in words."""
        return [str(found["aria-label"]) for tag, found in self.tags
                if tag == "div" and found.get("role") == "img"]  # fmt: skip

    def values(self, tag: str, attribute: str) -> list[str]:
        return [
            str(attrs[attribute]) for name, attrs in self.tags if name == tag and attribute in attrs
        ]


def test_full_results(tmp_path: Path, config: Config) -> None:
    hand.write_everything(tmp_path / "results")
    source = _write(tmp_path / "results", config)
    document = _Document(source)
    levels = [int(tag[1]) for tag, _ in document.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert [words for tag, words in document.headings if tag == "h2"] == [
        "At a glance",
        *(experiment.title for experiment in config.experiments.values()),
        "What a position sees",
        "The average, three times",
        "Why queries and keys",
        "Why scores are divided by \N{SQUARE ROOT}d",
        "Gradients at initialisation",
        "What is said of the parts",
        "What attention costs",
        "Where the parameters are",
        "Ours and torch's",
        "What one seed can tell",
        "Learning curves",
        "The corpora",
        "Other claims",
        "Where the numbers come from",
    ]
    assert (
        "Of 6 claims that a run could break: 2 reproduced, 2 direction only, 1 not reproduced, "
        "1 not run. Of 2 checks that none could: 1 reproduced, 1 not run."
    ) in document.text
    for verdict in ("reproduced 2", "direction only 2", "not reproduced 1", "not run 1"):
        assert verdict in document.text
    # Published beside reproduced, paired improvements, growth, corpus.
    for cells in ("38.1 [37.1, 39.1] 38.07", "+2.10 [1.86, 2.34] +2.14 better", "out of memory"):
        assert cells in document.text
    assert "−9.00 [−9.38, −8.62] — worse" in document.text
    assert "published 38.07; reproduced 39.9 [39.1, 40.7]: 4.7% from the mean" in document.text
    for cells in (
        "running mean, matrix product 1.4e−7 [1.3e−7, 1.5e−7] 6.0e−8 2.4e−7 2.6e−16",
        "-1e4 -10000 0 1",
        "1,024 1,014 [912, 1,115] 1,015.56 32.0 [28.8, 35.2] 31.8679 32.000",
        "256 undivided 0.336 [0.303, 0.370] 1.40 [1.26, 1.54] 1 0.150 [0.135, 0.165] — 0.480",
        "pre-norm, whole block pre-norm, W_o post-norm, whole block post-norm, W_o",
        "12 0.180 [0.162, 0.198] 0.0657 0.0674 [0.0607, 0.0741] 0.360 [0.324, 0.396] 0.1613",
        "GPT-2 small, d = 768 block 12d² + 13d 7,087,872 7,087,872 7,087,872 100.0 %",
        "formula nn.MultiheadAttention 2.2e−7 [2.0e−7, 2.4e−7] 1.8e−7 9.0e−7 4.8e−16 0.147",
    ):
        assert cells in document.text
    assert "GPT-2 small component reproduced published token embedding 38,597,376 38,597,376" in (
        document.text
    )
    assert "has not been run" not in document.text
    assert "Not drawn yet" not in document.text
    assert all(alt for alt in document.figures)
    assert len(document.figures) == 13
    tables = sum(tag == "table" for tag, _ in document.tags)
    assert tables == sum(tag == "caption" for tag, _ in document.tags) == 22
    assert all("scope" in attrs for tag, attrs in document.tags if tag == "th")


def test_claims_stand_in_the_section_of_their_table(tmp_path: Path, config: Config) -> None:
    hand.write_everything(tmp_path / "results")
    source = _write(tmp_path / "results", config)
    places = [
        source.index(word)
        for word in (
            'id="ladder"',
            'statement">one block reaches 38.07',
            'id="positions"',
            'statement">ALiBi reaches 44.95',
            'id="why-scores-are-divided"',
            'statement">over 20,000 random pairs of width 4, the variance of q.k is 3.975',
            'id="cost-of-attention"',
            "14.6 MB</span></summary>",
            'id="the-corpora"',
            "459,760 tokens</span></summary>",
            'id="other-claims"',
            'statement">a claim on',
        )
    ]
    assert places == sorted(places)


def test_page_is_one_file_whose_links_lead_to_results(tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_everything(results)
    source = _write(results, config)
    document = _Document(source)
    assert len(source.encode()) < 5_000_000
    assert {tag for tag, _ in document.tags}.isdisjoint({"iframe", "object", "base"})
    (script,) = re.findall(r"<script>(.*?)</script>", source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html.unescape(source)
    assert document.values("link", "href") == ["data:,"]
    assert "url(" not in source
    assert "@import" not in source
    for address in document.values("a", "href"):
        target = address.removeprefix("#")
        if target.startswith("?"):
            assert target.startswith(("?rests=", "?verdict="))
        elif target != address:
            assert f'id="{target}"' in source
        else:
            assert (results / address).is_file()
    identifiers = [str(attrs["id"]) for _, attrs in document.tags if "id" in attrs]
    assert len(identifiers) == len(set(identifiers))


def test_seeds_are_those_of_the_experiments() -> None:
    every = read_config(ROOT / "config.yaml", values=["seeds=[0, 2]"])
    assert page.seeds_in_words(every) == "0, 2"
    more = read_config(ROOT / "config.yaml", values=["experiments={ladder: {seeds: [0, 1, 2, 3]}}"])
    assert page.seeds_in_words(more) == "0, 1, 2, 3 (some fewer)"


def test_nothing_has_been_run(tmp_path: Path, config: Config) -> None:
    (tmp_path / "results").mkdir()
    document = _Document(_write(tmp_path / "results", config))
    assert "The published claims have not been judged yet." in document.text
    tables = ("ladder", "positions", "memory", "parameters", "blocks", "claims", "averaging")
    probes = ("masking", "variance", "saturation", "gradient_norms", "equivalence")
    for target in (f"{table}.csv" for table in (*tables, *probes)):
        assert f"snakemake --cores all results/{target}" in document.text
    assert "This experiment has not been run." in document.text
    assert "0 of 45" in document.text
    assert not [tag for tag, _ in document.tags if tag in ("table", "img")]


def test_part_has_been_run(tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_table(results / "ladder.csv", hand.ladder(seeds=1))
    hand.write_run(results, "one_block", 0)
    hand.write_run(results, "no_longer_configured", 0, code="0ld")
    document = _Document(_write(results, config, "--command", "snakemake --cores 2 --directory x"))
    assert "38.1 (1 seed) 38.07" in document.text
    assert "one seed, no interval" in document.text
    assert "of 1 seed, hence no interval" in document.text
    assert "Not drawn yet: Validation perplexity of each row" in document.text
    assert "snakemake --cores 2 --directory x results/figures/ladder.svg draws it" in document.text
    assert "snakemake --cores 2 --directory x results/positions.csv makes it" in document.text
    assert "1 of 45" in document.text
    assert "Warning" not in document.text


def test_preview_reads_naturally(tmp_path: Path, preview: Config) -> None:
    hand.write_everything(tmp_path / "results", "stories", generated=True)
    document = _Document(_write(tmp_path / "results", preview))
    assert document.text.count("No published value applies to this corpus.") == 2
    assert "None of the 8 published claims has been tested here." in document.text
    assert "3 published claims not tested here" in document.text
    assert "generated stories" in document.text
    assert "no model of this corpus can beat" in document.text
    assert "38.1 [37.1, 39.1]" in document.text
    headings = [words for words in document.words if words.strip() == "published"]
    # The sizes of rounding alone: no configuration enters them.
    assert len(headings) == 2


def test_configured_words_are_text_and_not_markup(tmp_path: Path, config: Config) -> None:
    hostile = "<script>alert(1)</script> \"quoted\" & 'single' {{ 7 * 6 }}"
    raw: dict[str, Any] = config.model_dump(mode="json")
    raw["experiments"]["ladder"]["title"] = hostile
    raw["corpora"]["shakespeare"]["title"] = "<i>tiny</i>"
    raw["variants"]["one_block"]["label"] = hostile
    results = tmp_path / "results"
    hand.write_everything(results)
    table = hand.ladder()
    table.loc[0, "label"] = hostile
    hand.write_table(results / "ladder.csv", table)
    hand.write_figure(results, "ladder", f"{hostile}. 38.1")
    source = _write(results, parse_config(raw))
    document = _Document(source)
    assert source.count("<script") == 1
    assert "<i>" not in source
    assert document.text.count(hostile) >= 4  # contents, heading, two tables
    assert f"{hostile}. 38.1" in document.figures
    assert 'a claim on <b>no table</b> & "quoted"' in document.text


def test_added_experiments_get_sections(tmp_path: Path, config: Config) -> None:
    raw = config.model_dump(mode="json")
    added = dict(raw["experiments"]["ladder"], title="Mine", variants=["one_block"], comparisons={})
    raw["experiments"] = {"price": added} | raw["experiments"]
    table = hand.ladder(published=False)
    table = table[table["variant"] == "one_block"].assign(reference=None, improvement=float("nan"))
    hand.write_table(tmp_path / "results" / "price.csv", table)
    document = _Document(_write(tmp_path / "results", parse_config(raw)))
    assert [words for tag, words in document.headings if tag == "h2"][1] == "Mine"
    assert "No published value applies to this experiment." in document.text
    assert sum(tag == "table" for tag, _ in document.tags) == 1
    identifiers = [str(attrs["id"]) for _, attrs in document.tags if "id" in attrs]
    assert len(identifiers) == len(set(identifiers))


def test_answers_stand_beside_published_ones_and_attention_by_adjective(tmp_path: Path) -> None:
    results = tmp_path / "results"
    config = _only(read_config(ROOT / "config.yaml"), "referents")
    results.mkdir()
    nothing = _Document(_write(results, config))
    assert "snakemake --cores all results/referents.csv makes it" in nothing.text
    hand.write_table(results / "referents.csv", referent_results.answers())
    hand.write_table(results / "referents_attention.csv", referent_results.attention())
    for name in ("referents", "referents_attention", "referents_maps"):
        hand.write_figure(results, name)
    hand.write_table(results / "claims.csv", referent_results.claims())
    source = _write(results, config)
    text = _Document(source).text
    titles = "the referent language, cheatable and the referent language, fair"
    assert f"Trained on {titles}: 3,000 steps of 16 windows of 18 tokens" in text
    assert "one block, fair 200,000 50.0 94.4 [92.9, 95.9] 92.7 4.40 [2.90, 5.90]" in text
    assert "wet crossed 0.70 [0.60, 0.80] 0.06 [0.00, 0.16] 0.03" in text
    assert "two blocks, fair, seed 0, mean over heads" in text
    assert source.index('id="referents"') < source.index(
        'statement">in the fair version the uniform average reaches 27.9'
    )
    assert "Other claims" not in text


def test_runs_that_do_not_compare_are_pointed_out(tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_run(results, "one_block", 0)
    hand.write_run(results, "two_blocks", 0, code="beef", torch="2.14.0")
    document = _Document(_write(results, config))
    assert (
        "1 of 2 runs were made by another version of the training code than the one that wrote "
        "this report (two_blocks, window_128, seed 0)." in document.text
    )
    assert (
        "The runs were made with 2 versions of torch: 2.13.0, 2.14.0. Each rounds in its own way, "
        "so that one seed gives other numbers on each" in document.text
    )
    today = json.loads(
        (results / "runs/shakespeare/window_128/one_block/seed0/run.json").read_text()
    )
    proof = Proof("beef", today["code"], "", 250, "", "")
    hand.write_json(tmp_path / "proofs.json", [proof._asdict()])
    proved = _Document(_write(results, config, "--proofs", str(tmp_path / "proofs.json")))
    assert "another version of the training code" not in proved.text
    assert "devices:" not in document.text
    assert "CPU (AVX2, one thread)" in document.text


@pytest.mark.parametrize("epoch", ["9" * 30, "-1e9", "today"])
def test_a_date_that_is_none_is_refused(epoch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(UserError, match=r"^SOURCE_DATE_EPOCH: .* is no time in seconds"):
        provenance.report_date()


def test_results_of_an_earlier_configuration_are_pointed_out(
    tmp_path: Path, config: Config
) -> None:
    results = tmp_path / "results"
    hand.write_run(results, "one_block", 0)
    hand.write_run(results, "two_blocks", 0, architecture={"depth": 3})
    for experiment, settings in (
        ("ladder", experiment_settings(config, "ladder").canonical()),
        ("positions", experiment_settings(config, "ladder").canonical()),
    ):
        record = {"command": ["table", "--settings", settings], "code": "c0de"}
        hand.write_json(tmp_path / f".rungs/stages/logs/tables/{experiment}.json", record)
    text = _Document(_write(results, config)).text
    assert (
        "1 of 2 runs were trained with another architecture or budget than this configuration's: "
        "two_blocks, window_128, seed 0." in text
    )
    assert "positions.csv was made with other settings than this configuration's" in text
    assert "ladder.csv was made" not in text


@pytest.mark.parametrize("name", ["ladder", "referents", "leak", "stories"])
def test_an_experiment_without_seeds_is_said_to_be_left_out(tmp_path: Path, name: str) -> None:
    changes = [f"experiments={{{name}: {{seeds: []}}}}", "readings=[]"]
    config = read_config(ROOT / "config.yaml", values=changes)
    hand.write_everything(tmp_path / "results")
    document = _Document(_write(tmp_path / "results", config))
    title = config.experiments[name].title
    assert f"gives these experiments no seed, which leaves them out: {title}." in document.text
    assert title not in [heading for _, heading in document.headings]
    assert "Left out" in [heading for _, heading in document.headings]


def test_the_archive_is_counted_in_the_provenance(tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_run(results, "one_block", 0)
    hand.write_run(results, "two_blocks", 0)
    weights = next((results / "runs").rglob("run.json")).with_name("model.safetensors")
    weights.touch()
    archived = config.model_copy(update={"archive": "reference/archive"})
    assert "runs from the archive 1 of 2" in _Document(_write(results, archived)).text
    assert "runs from the archive" not in _Document(_write(results, config)).text


def test_time_is_shown_by_stage(tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_run(results, "one_block", 0, seconds=7_500, core_seconds=7_260)
    log = tmp_path / "logs" / "figures" / "cost.log"
    log.parent.mkdir(parents=True)
    log.write_text("12:00:00 figure-cost took 2.0 s, 1.5 s of processor time\n")
    document = _Document(_write(results, config, "--logs", str(tmp_path / "logs")))
    rendered = _Document(RENDERER.render(_markdown(results)))
    for text in (document.text, rendered.text):
        assert "Time taken Training over all starts of each run; the other stages as far as" in text
        assert "train 1 2 h 05 min 2 h 01 min figure-cost 1 2.0 s 1.5 s" in text
    stages = json.loads((results / "provenance.json").read_text())["stages"]
    assert stages["figure-cost"] == {"jobs": 1, "wall_seconds": 2.0, "core_seconds": 1.5}


def _markdown(results: Path) -> str:
    return (results / "report.md").read_text("utf-8")


def test_markdown_says_what_the_page_says(tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_everything(results)
    page_source = _write(results, config)
    document = _Document(page_source)
    source = _markdown(results)
    rendered = _Document(RENDERER.render(source))
    assert [h for h in rendered.headings if h[0] == "h2"] == [
        h for h in document.headings if h[0] == "h2"
    ]
    # Every figure and link, every cell of a table that is not long, and what does not hold.
    assert source.count("\n![") == len(document.figures)
    short, long = 0, 0
    for card in re.findall(r'<div class="card">.*?</table>', page_source, re.DOTALL):
        cells = [html.unescape(c) for c in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", card)]
        if card.split("<tbody>")[1].count("<tr>") > markdown.LONGEST:
            long += 1
            assert not all(cell in rendered.text for cell in cells)
        else:
            short += 1
            assert all(cell in rendered.text for cell in cells)
    assert short > 5
    assert long > 1
    assert "published 38.07; reproduced 39.9 [39.1, 40.7]: 4.7% from the mean" in rendered.text
    assert "without context, an embedding" not in source, "what holds is counted"
    for address in rendered.values("a", "href") + rendered.values("img", "src"):
        assert (results / address).is_file()


def test_markdown_shows_configured_words_as_words(tmp_path: Path, config: Config) -> None:
    hostile = "<script>alert(1)</script> [x](y) | `a` *b* ![z](w) $c$ @somebody"
    raw: dict[str, Any] = config.model_dump(mode="json")
    raw["experiments"]["ladder"]["title"] = hostile
    raw["variants"]["one_block"]["label"] = hostile
    results = tmp_path / "results"
    hand.write_everything(results)
    table = hand.ladder()
    table.loc[0, "label"] = hostile
    hand.write_table(results / "ladder.csv", table)
    hand.write_figure(results, "ladder", hostile)
    _write(results, parse_config(raw))
    source = _markdown(results)
    rendered = _Document(RENDERER.render(source))
    assert "<script" not in source
    assert not [x for x in source.splitlines() if "@somebody" in x and not x.startswith("![")]
    assert ("h2", hostile) in rendered.headings
    # Heading, two tables; a comment stands between the sign and the name.
    assert rendered.text.count(hostile.replace("@", "@ ")) >= 3
    assert "w" not in rendered.values("img", "src")
    assert "y" not in rendered.values("a", "href")


def test_markdown_of_nothing(tmp_path: Path, config: Config) -> None:
    (tmp_path / "results").mkdir()
    _write(tmp_path / "results", config)
    rendered = _Document(RENDERER.render(_markdown(tmp_path / "results")))
    assert "The published claims have not been judged yet." in rendered.text
    assert "snakemake --cores all results/ladder.csv makes it." in rendered.text
    assert [tag for tag, _ in rendered.tags].count("table") == 1  # where it all comes from


def test_same_inputs_give_the_same_bytes(tmp_path: Path, config: Config) -> None:
    hand.write_everything(tmp_path / "results")
    first = _write(tmp_path / "results", config)
    assert "2026-11-30 00:53 UTC" in first
    assert _write(tmp_path / "results", config) == first


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one commit, from which the package is imported."""
    package = tmp_path / "clone/src/rungs"
    for path in (package / "__init__.py", tmp_path / "clone/workflow/a.smk"):
        path.parent.mkdir(parents=True)
        path.touch()
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (["init"], ["add", "."], [*author, "commit", "--message", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path / "clone", check=True, capture_output=True)
    monkeypatch.setattr(provenance.rungs, "__file__", str(package / "__init__.py"))
    return tmp_path / "clone"


def test_code_version_is_the_commit_of_the_code(checkout: Path) -> None:
    assert re.fullmatch("commit [0-9a-f]{12}", clean := provenance.code_version())
    (checkout / "mine.yaml").write_text("seeds: [0]")
    assert provenance.code_version() == clean, "a configuration of one's own"
    for name in ("src/rungs/new.py", "workflow/new.smk"):
        (checkout / name).touch()
        assert provenance.code_version() == f"{clean}, with uncommitted changes"
        (checkout / name).unlink()
    (checkout / "workflow/a.smk").write_text("edited")
    assert provenance.code_version() == f"{clean}, with uncommitted changes"


def test_code_without_a_checkout_says_so(checkout: Path, config: Config) -> None:
    subprocess.run(["git", "rm", "-r", "--cached", "src"], cwd=checkout, check=True)
    assert provenance.code_version() == "rungs 0.1.0, not a git checkout", "installed inside one"
    assert provenance.warnings(config, {}, []) == []


def test_a_checkout_of_another_user_is_warned_of(
    checkout: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert provenance.code_version() == "rungs 0.1.0, commit unknown"
    (warning,) = provenance.warnings(config, {}, [])
    assert f"git config --global --add safe.directory {checkout}" in warning


@pytest.mark.parametrize(
    "name",
    [
        *("ladder.csv", "memory.csv", "parameters.csv", "claims.csv"),
        *("averaging.csv", "masking.csv", "saturation.csv", "gradient_norms.csv", "blocks.csv"),
    ],
)
def test_damaged_result_is_named(name: str, tmp_path: Path, config: Config) -> None:
    results = tmp_path / "results"
    hand.write_everything(results)
    (results / name).write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=rf"{name}: has no column"):
        _write(results, config)
    assert not (results / "report.html").exists()


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
def test_browser_shows_the_page_without_sideways_scrolling(tmp_path: Path, config: Config) -> None:
    hand.write_everything(tmp_path / "results")
    raw = config.model_dump(mode="json")
    raw["experiments"]["ladder"]["title"] = "The ladder " + "wide" * 40
    source = _write(tmp_path / "results", parse_config(raw))
    # The page in frames as wide as a telephone and a desk, and a script outside it that measures.
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px" srcdoc="{html.escape(source)}"></iframe>'
        for width in (360, 390, 768, 1280, 1920)
    )
    measure = """
        addEventListener("load", () => {
          const frames = [...document.querySelectorAll("iframe")].map(f => f.contentDocument);
          document.body.textContent = "MEASURED" + JSON.stringify(frames.map(page => ({
            overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
            images: [...page.querySelectorAll("figure svg")].filter(i => i.clientWidth > 9).length,
            headings: [...page.querySelectorAll("h2")].map(h => h.textContent),
            requests: page.defaultView.performance.getEntriesByType("resource")
              .filter(r => !r.name.startsWith("data:")).length,
          })));
        });
    """
    (tmp_path / "frames.html").write_text(f"<body>{frames}<script>{measure}</script>")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    profile = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000"]
    dumped = subprocess.run(
        [*command, *profile, (tmp_path / "frames.html").as_uri()],
        capture_output=True, text=True, check=True, timeout=300,
    ).stdout  # fmt: skip
    measured = json.loads(html.unescape(dumped.split("MEASURED")[1].split("</body>")[0].strip()))
    for frame in measured:
        assert frame["overflow"] == 0
        assert frame["images"] == 13
        assert frame["requests"] == 0
        assert frame["headings"][0] == "At a glance"
        assert len(frame["headings"]) == 17
