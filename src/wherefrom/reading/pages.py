"""HTML pages and Markdown files as lines of text: what lays them out is taken out.

A heading stands in a paragraph of its own, since it names what follows. Marks inside a line,
such as emphasis and links, are left to `markup.py`.
"""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

_UNSEEN = ("script", "style", "template", "noscript", "svg", "nav", "button", "select",
           "footer", "head")  # fmt: skip
_HEADINGS = ("title", "h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("p", "div", "section", "article", "main", "header", "aside", "figure", "table",
           "ul", "ol", "dl", "pre", "blockquote", "form", "body", *_HEADINGS)  # fmt: skip
_LINES = ("br", "li", "tr", "dt", "dd", "hr", "figcaption", "option")
_CELLS = ("td", "th")

_FRONT = "---"  # stands around the fields at the beginning of a Markdown file
_TITLE = re.compile(r"title:\s*[\"']?(.*?)[\"']?\s*", re.I)
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*")
_RULES = r"={3,}|-{3,}|\*{3,}|\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*"  # under a heading, or in a table
_NO_TEXT = re.compile(rf"\s*(?:```.*|~~~.*|<!--.*-->|{_RULES})\s*")
_ITEM = re.compile(r"\s*(?:>\s?)*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_ROW = re.compile(r"\s*\|(.*)\|\s*")


def read_page(page: str) -> str:
    """The text of an HTML page, a line for each block of it, with blank lines around paragraphs."""
    reader = _PageReader()
    reader.feed(page)
    reader.close()
    return "\n".join(" ".join(line.split()) for line in "".join(reader.parts).split("\n"))


class _PageReader(HTMLParser):
    """Gathers what a reader of the page sees."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen: list[str] = []  # elements that are open and not shown

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:  # an element inside may never have been closed
            del self._unseen[self._unseen.index(tag) :]
        self._break(tag)

    def handle_data(self, data: str) -> None:
        shown = not self._unseen or (self._unseen == ["head"] and self.lasttag == "title")
        if shown:
            self.parts.append(re.sub(r"\s+", " ", data))

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag in _LINES:
            self.parts.append("\n")
        elif tag in _CELLS:
            self.parts.append(" ")


def strip_markdown(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a Markdown file without the marks of headings, lists, quotes, tables, code."""
    lines = list(lines)
    if lines and lines[0].strip() == _FRONT and _FRONT in map(str.strip, lines[1:]):
        end = list(map(str.strip, lines)).index(_FRONT, 1)
        titles = [found[1] for line in lines[:end] if (found := _TITLE.fullmatch(line))]
        lines = [f"# {title}" for title in titles] + lines[end + 1 :]
    for line in lines:
        if heading := _HEADING.fullmatch(line):
            yield from ("", heading[1], "")
        elif _NO_TEXT.fullmatch(line):
            yield ""
        elif row := _ROW.fullmatch(line):
            yield ", ".join(cell.strip() for cell in row[1].split("|") if cell.strip())
        else:
            yield _ITEM.sub("", line, count=1)
