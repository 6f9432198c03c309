"""One reply as a picture: the answer with its confidence, evidence and source.

The SVG is written by hand: the same reply gives the same bytes, the text stays text, and no text
has to be measured. The picture has its own white background, so that it can be read on a dark page.
"""

from pathlib import Path
from textwrap import wrap
from xml.sax.saxutils import escape, quoteattr

from wherefrom.core.files import write_text
from wherefrom.core.replies import (
    AS_READ,
    CONTRADICTED,
    LOW_CONFIDENCE,
    NO_TEXT,
    OTHER_SPELLING,
    RECALLED,
    SILENT,
    SUPPORTED,
    UNKNOWN_NAME,
    Reply,
    Source,
    Verdict,
)
from wherefrom.show.terminal.cells import percent
from wherefrom.show.terminal.marked_text import (
    NAME,
    PLAIN,
    VALUE,
    Piece,
    cells,
    drawable,
    find_words,
    lay_out,
    mark,
)

WIDTH, EDGE = 800, 36
_INK, _GREY, _FAINT, _LINE = "#1f2328", "#59636e", "#eef1f4", "#d1d9e0"
_BLUE, _GREEN, _RED, _AMBER = "#0b57d0", "#137a3f", "#b3261e", "#8a5a00"
_PALE = {_BLUE: "#dbe8fd", _GREEN: "#cdeed9", _RED: "#fbdcd8", _AMBER: "#fbe9c6"}
_SANS = "-apple-system, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, sans-serif"
_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"
_CELL, _QUOTE_SIZE, _QUOTE_STEP = 9.0, 15, 28  # of the monospaced quote, in pixels
_MOST_RANKED, _MOST_LINES = 5, 4
_COLUMN = 420  # where the right column below the evidence begins

_REASONS = {
    UNKNOWN_NAME: "The model does not know this name",
    LOW_CONFIDENCE: "Its confidence is too low",
    OTHER_SPELLING: "The text has no such name",
}
_VERDICTS = {
    SUPPORTED: _GREEN,
    AS_READ: _AMBER,
    CONTRADICTED: _RED,
    SILENT: _AMBER,
    NO_TEXT: _AMBER,
}


def draw_reply(reply: Reply, path: str | Path) -> None:
    """Write the picture of a reply to an SVG file."""
    write_text(Path(path), picture(reply))


def picture(reply: Reply) -> str:
    """The picture of a reply, as the text of an SVG file."""
    canvas = _Canvas()
    y = _draw_question(canvas, reply, 58)
    y = _draw_answer(canvas, reply, y + 18)
    y = _draw_evidence(canvas, reply, y + 26)
    canvas.line(y + 8)
    left = _draw_source(canvas, reply.source, reply.trained_on, y + 38)
    right = _draw_ranking(canvas, reply, y + 38)
    return canvas.finish(max(left, right) + 14, _in_words(reply))


class _Canvas:
    """SVG elements in the order in which they are drawn."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, size: float = 14, colour: str = _INK, **more: str
    ) -> None:
        self.raw(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}"{_attributes(more)}>'
            f"{_safe(text)}</text>"
        )

    def box(
        self, x: float, y: float, width: float, height: float, colour: str, radius: float = 4
    ) -> None:
        self.raw(
            f'<rect x="{x:g}" y="{y:g}" width="{width:.4g}" height="{height:g}" '
            f'rx="{radius:g}" fill="{colour}"/>'
        )

    def meter(self, x: float, y: float, width: float, share: float, colour: str) -> None:
        """A bar that is filled by a share from 0 to 1."""
        self.box(x, y, width, 8, _FAINT)
        if (filled := width * min(max(share, 0.0), 1.0)) >= 1:
            self.box(x, y, filled, 8, colour)

    def line(self, y: float) -> None:
        self.raw(f'<path d="M{EDGE} {y:g}H{WIDTH - EDGE}" stroke="{_LINE}"/>')

    def heading(self, x: float, y: float, title: str, beside: str) -> None:
        self.raw(
            f'<text x="{x:g}" y="{y:g}" font-size="13" fill="{_GREY}">'
            f'<tspan font-weight="600" fill="{_INK}">{_safe(title)}</tspan> {_safe(beside)}</text>'
        )

    def raw(self, element: str) -> None:
        self._parts.append(element)

    def finish(self, height: float, words: str) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" role="img" font-family={quoteattr(_SANS)}>'
        )
        card = (
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2:g}" rx="14" '
            f'fill="#ffffff" stroke="{_LINE}" stroke-width="1.5"/>'
        )
        return "\n".join((head, f"<title>{_safe(words)}</title>", card, *self._parts, "</svg>\n"))


def _draw_question(canvas: _Canvas, reply: Reply, y: float) -> float:
    """The question; the subject's name has the same colour as in the evidence below."""
    for line in wrap(drawable(reply.question), 64)[:3] or [""]:
        parts, end = list[str](), 0
        for span in find_words(line, drawable(reply.subject)):
            parts.append(_safe(line[end : span.start]))
            parts.append(f'<tspan fill="{_BLUE}">{_safe(line[span.start : span.end])}</tspan>')
            end = span.end
        inside = "".join((*parts, _safe(line[end:])))
        canvas.raw(f'<text x="{EDGE}" y="{y:g}" font-size="21" fill="{_GREY}">{inside}</text>')
        y += 28
    return y


def _draw_answer(canvas: _Canvas, reply: Reply, y: float) -> float:
    """The answer with its confidence, or "I don't know" with the reason and the best guess."""
    said = _best(reply) if reply.answered else "I don’t know"
    size = min(42.0, 430 / (0.56 * max(sum(map(cells, said)), 1)))
    canvas.text(EDGE, y + 20, said, size, _answer_colour(reply), font_weight="700")
    right = WIDTH - EDGE
    if reply.confidence is not None:
        sure, colour = f"{percent(reply.confidence)} sure", _INK if reply.answered else _AMBER
        beside = "calibrated on other questions"
        canvas.text(right, y + 2, sure, 23, colour, text_anchor="end", font_weight="600")
        if not reply.answered:
            beside = f"of its best guess, {beside}"
        canvas.text(right, y + 22, beside, 13, _GREY, text_anchor="end")
        canvas.meter(EDGE, y + 40, right - EDGE, reply.confidence, colour)
        y += 54
    else:
        y += 36
    for line in _asides(reply):
        canvas.text(EDGE, y + 20, line, 15, _GREY)
        y += 23
    return y


def _asides(reply: Reply) -> list[str]:
    """The lines below the answer: why it is withheld, or why there is no confidence."""
    lines: list[str] = []
    if not reply.answered:
        why = _REASONS.get(reply.reason or "", "It declines")
        guess = f"; its best guess is {_best(reply)}" if _may_show_guess(reply) else ""
        lines.append(f"{why}{guess}.")
    elif reply.confidence is None:
        lines.append("There is no confidence: this run has no calibration questions.")
    if reply.did_you_mean:
        lines.append(f"Did you mean {_cut(' or '.join(map(drawable, reply.did_you_mean)), 70)}?")
    return lines


def _may_show_guess(reply: Reply) -> bool:
    """Whether there is a guess about the person who was asked about."""
    return bool(reply.candidates) and reply.reason != OTHER_SPELLING


def _best(reply: Reply) -> str:
    return _cut(drawable(reply.answer) or "nothing", 44)


def _draw_evidence(canvas: _Canvas, reply: Reply, y: float) -> float:
    """The verdict, and the line of the text that it rests on, with its marks."""
    evidence = reply.evidence
    canvas.heading(EDGE, y + 10, "Evidence", "what the text says")
    if evidence is None:
        canvas.text(EDGE, y + 36, "Not judged: no extractor was learnt for this relation.", 15)
        return y + 52
    colour = _VERDICTS.get(evidence.shown, _AMBER)
    _pill(canvas, y - 6, evidence.shown, colour)
    canvas.text(EDGE, y + 36, _explain(evidence, drawable(reply.subject)), 15)
    y += 52
    if evidence.quote is None:
        return y
    quote = drawable(evidence.quote)
    marks = mark(quote, drawable(reply.subject), evidence.span)
    width = int((WIDTH - 2 * EDGE - 32) / _CELL)
    return _draw_quote(canvas, lay_out(quote, marks, width, _MOST_LINES), y, colour)


def _draw_quote(canvas: _Canvas, lines: list[list[Piece]], y: float, colour: str) -> float:
    height = _QUOTE_STEP * len(lines) + 18
    canvas.box(EDGE, y, WIDTH - 2 * EDGE, height, "#f6f8fa", 8)
    canvas.box(EDGE, y, 4, height, colour, 2)
    for i, line in enumerate(lines):
        for piece in line:
            _draw_piece(canvas, piece, y + 30 + i * _QUOTE_STEP, colour)
    return y + height + 14


def _draw_piece(canvas: _Canvas, piece: Piece, y: float, colour: str) -> None:
    """A few characters of the quote; `textLength` fits them to their cells in any font."""
    x, width = EDGE + 20 + _CELL * piece.column, _CELL * piece.cells
    ink = {PLAIN: _INK, NAME: _BLUE, VALUE: colour}[piece.mark]
    if piece.mark != PLAIN:
        canvas.box(x - 3, y - 17, width + 6, 24, _PALE[ink])
    more = {"font_family": _MONO, "textLength": f"{width:g}", "xml:space": "preserve"}
    if piece.mark != PLAIN:
        more |= {"font_weight": "600", "class": piece.mark}
    if piece.text.strip():
        canvas.text(x, y, piece.text, _QUOTE_SIZE, ink, **more)


def _draw_source(canvas: _Canvas, source: Source | None, trained_on: bool, y: float) -> float:
    canvas.heading(EDGE, y, "Source", "whether the model recalled it")
    if source is None:
        canvas.text(EDGE, y + 32, "Not judged.", 15)
        return y + 46
    colour = _GREEN if source.label == RECALLED else _AMBER
    canvas.text(EDGE, y + 36, source.label, 24, colour, font_weight="700")
    canvas.meter(EDGE, y + 52, _COLUMN - EDGE - 48, source.probability_recalled, colour)
    chance = f"{percent(source.probability_recalled)} probability that it was recalled"
    lines = [chance, *(["by a predictor fitted on another run"] if source.borrowed else [])]
    if trained_on:
        lines += ["trained on this very question: the answer", "need not come from the text"]
    for i, line in enumerate(lines):
        canvas.text(EDGE, y + 80 + 19 * i, line, 13, _GREY)
    return y + 80 + 19 * len(lines)


def _draw_ranking(canvas: _Canvas, reply: Reply, y: float) -> float:
    """The answers that the search found, with the model's own probabilities."""
    canvas.heading(_COLUMN, y, "Ranking", "the model’s own probabilities, uncalibrated")
    start, room = _COLUMN + 124, WIDTH - EDGE - 62 - (_COLUMN + 124)
    y += 30
    for rank, found in enumerate(reply.candidates[:_MOST_RANKED]):
        weight = "600" if rank == 0 else "400"
        text = _cut(drawable(found.text) or "nothing", 15)
        canvas.text(_COLUMN, y, text, 14, _INK, font_weight=weight)
        canvas.meter(start, y - 9, room, found.model_probability, "#6b7f99")
        share = percent(found.model_probability)
        canvas.text(WIDTH - EDGE, y, share, 14, _GREY, text_anchor="end")
        y += 26
    return y


def _pill(canvas: _Canvas, y: float, label: str, colour: str) -> None:
    width = 8.2 * len(label) + 24
    canvas.box(WIDTH - EDGE - width, y, width, 26, _PALE[colour], 13)
    middle = WIDTH - EDGE - width / 2
    canvas.text(middle, y + 18, label, 14, colour, text_anchor="middle", font_weight="600")


def _explain(evidence: Verdict, subject: str) -> str:
    who = _cut(subject, 40)
    stated = _cut(drawable(evidence.stated or "it"), 30)
    others = ", ".join(drawable(other.text) for other in evidence.also)
    also = f" It also states {_cut(others, 30)}." if others else ""
    return {
        SUPPORTED: f"The text about {who} states {stated}.{also}",
        AS_READ: f"The sentence of the note, read again by its reader: {stated}.{also}",
        CONTRADICTED: f"The text about {who} states another answer: {stated}.{also}",
        SILENT: f"The text about {who} does not state it.",
        NO_TEXT: f"The corpus has no text about {who}.",
    }.get(evidence.shown, evidence.label)


def _in_words(reply: Reply) -> str:
    """The picture's title, for readers who cannot see it."""
    said = reply.answer if reply.answered else f"I don't know (best guess: {reply.answer})"
    sure = "" if reply.confidence is None else f", {percent(reply.confidence)} sure"
    evidence = "" if reply.evidence is None else f"; evidence: {reply.evidence.shown}"
    source = "" if reply.source is None else f"; source: {reply.source.label}"
    return f"{reply.question} {said}{sure}{evidence}{source}"


def _answer_colour(reply: Reply) -> str:
    if not reply.answered or reply.evidence is None:
        return _INK
    return _VERDICTS.get(reply.evidence.shown, _INK)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _safe(text: str) -> str:
    return escape(drawable(text))


def _attributes(more: dict[str, str]) -> str:
    return "".join(f" {_spell(name)}={quoteattr(value)}" for name, value in more.items())


def _spell(name: str) -> str:
    """An attribute's name in SVG, since a Python keyword cannot have a dash."""
    return name if name == "textLength" else name.replace("_", "-")
