"""Words stay words in Markdown, read back by a renderer that is not ours."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rungs.report import markdown

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = "\\`*_{}[]()<>#+-.!|~=&$@:;'\"/1 2a b\n\t"


class _Text(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def rendered(source: str) -> _Text:
    return _Text(RENDERER.render(source))


@given(st.text(st.sampled_from(NASTY) | st.characters(codec="utf-8"), max_size=40))
def test_a_paragraph_shows_the_words_as_they_are(text: str) -> None:
    expected = " ".join(text.replace("\x00", "\ufffd").split())
    found = rendered(str(markdown.escape(text)))
    assert " ".join(found.text.split()) == expected
    assert set(found.tags) <= {"p"}


@given(st.text(st.sampled_from(NASTY), max_size=40))
def test_a_cell_stays_one_cell(text: str) -> None:
    table = markdown.table(("a", "b"), [(text, "end")], (False, True))
    found = rendered(str(table))
    assert found.tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert found.text.split() == ["a", "b", *text.split(), "end"]


@given(st.text(st.sampled_from("`ab |<*\\"), min_size=1, max_size=20))
def test_code_stays_code(text: str) -> None:
    words = " ".join(text.split())
    if words:
        found = rendered(f"see {markdown.code(text)}.")
        assert found.tags == ["p", "code"]
        assert found.text.strip() == f"see {words}."


def test_nobody_is_mentioned_and_no_issue_is_linked() -> None:
    escaped = str(markdown.escape("thanks @somebody, see #12"))
    assert "@somebody" not in escaped
    assert "#12" not in escaped
    assert rendered(escaped).text.strip() == "thanks @somebody, see #12"


def test_a_template_escapes_what_it_is_given_and_not_what_it_says() -> None:
    template = markdown.environment().from_string("**{{ word }}** {{ word | code }}\n")
    assert template.render(word="a_b") == "**a\\_b** `a_b`\n"
