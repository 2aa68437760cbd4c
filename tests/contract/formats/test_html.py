"""The pages to read: hostile text stays text, and nothing is fetched."""

import re
from html.parser import HTMLParser

from floe.actions.convert import convert
from tests.helpers.conversions import CASES, ORDERS

HOSTILE = CASES / "convert" / "hostile.odcs.yaml"


class Tags(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def parsed(source) -> Tags:
    tags = Tags()
    tags.feed(convert(source, "html").text)
    return tags


def test_the_page_says_what_a_reader_asks_first():
    text = " ".join(" ".join(parsed(ORDERS).words).split())
    for said in (
        "orders",
        "Version 1.2.0",
        "Status ✓ active",
        "Owner shop@acme.example",
        "Orders of the shop.",
        "Reports on sales.",
        "host=lake. acme. example",
        "Number of the order",
        "one of open, closed",
        "more than 0 rows (error)",
        "At most 6 hours old (orders.placed_at)",
        "Available 99.9 % of the time",
        "#orders",
        "sales_reader",
    ):
        assert said in text


def test_hostile_text_makes_no_element_and_no_link():
    page = parsed(HOSTILE)
    assert page.tags <= set(
        "html head meta title style body main header h1 h2 ul li b p nav a section dl dt dd div table thead tbody tr th td code wbr footer span".split()  # noqa: SIM905
    )
    links = [value for name, value in page.attributes if name in ("href", "src")]
    assert all(link.startswith(("#", "https://", "mailto:")) for link in links)
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "<script>alert(1)</script>" in "".join(page.words)
    assert "\u202e" not in "".join(page.words)


def test_the_page_is_one_file_without_script_or_request():
    text = convert(ORDERS, "html").text
    assert "<script" not in text
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"<(link|img|iframe|object)\b", text)
    assert "prefers-color-scheme: dark" in text


def test_markdown_keeps_hostile_text_harmless():
    text = convert(HOSTILE, "markdown").text
    assert text.startswith("# &lt;script&gt;alert(1)&lt;/script&gt;\n")
    assert "<img" not in text
    assert "\n\\# not a heading" in text
    assert "\\[a\\](javascript:alert(1))" in text
    assert "](<javascript" not in text
    assert '](<https://example.com/?a=1&b="%3E%3Cscript%3E>)' in text
