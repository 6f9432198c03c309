"""Charts as inline SVG that fits any width: a phone's, a screen's, a sheet of paper's.

Across, places are in per cent of the width; down, they are in pixels. So a chart stretches without
stretching its text, which stays text. Only lines with many points are drawn in a box that is
stretched as a whole, with a stroke that is not. Colours come from the page's style by class, so a
chart is light or dark with the page. Labels of the vertical axis stand on their grid lines.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

ROW, HEAD = 46, 30  # pixels of a row of dots, and of a heading above some
SHAPES = {  # centred on 0, 0; the same marks as everywhere on the page
    "disc": "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0",
    "ring": "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0",
    "square": "M-4.5,-4.5h9v9h-9z",
    "diamond": "M0,-6L6,0L0,6L-6,0z",
    "tick": "M0,-7V7",
}


@dataclass(frozen=True)
class Dot:
    """A share with its interval, in a row of its own."""

    label: str
    value: float
    low: float
    high: float
    shape: str = "disc"
    tone: str = "accent"
    note: str = ""


@dataclass(frozen=True)
class Point:
    """A place in a chart of two axes, from 0 to 1 each, with an interval upright."""

    x: float
    y: float
    low: float
    high: float
    shape: str = "disc"
    tone: str = "accent"
    title: str = ""


@dataclass(frozen=True)
class Line:
    """Neighbouring points joined, both axes from 0 to 1; its label stands above the chart."""

    points: Sequence[tuple[float, float]]
    tone: str = "accent"
    label: str = ""


def dots(groups: Iterable[tuple[str, Sequence[Dot]]], said: str) -> Markup:
    """Rows of dots with intervals on one scale from 0 to 100 %, in groups with a heading."""
    parts: list[Markup] = []
    y = 0
    for heading, rows in groups:
        if heading:
            y += HEAD
            parts.append(_text(0, y - 10, heading, "head"))
        for row in rows:
            parts.append(_row(row, y))
            y += ROW
    grid = [_upright(x, 0, y, "grid") for x in (0, 25, 50, 75, 100)]
    axis = [
        _text(x, y + 18, f"{x}\u00a0%" if x in (0, 100) else str(x), f"axis {_anchor(x)}")
        for x in (0, 25, 50, 75, 100)
    ]
    return _svg([*grid, *parts, *axis], y + 26, said)


def _row(row: Dot, y: int) -> Markup:
    value = f"{100 * row.value:.1f}".removesuffix(".0")
    middle = y + 32
    return Markup("").join(
        (
            _text(0, y + 18, row.label, "label"),
            Markup('<text x="100%" y="{}" class="end label"><tspan class="figure">{}\u00a0%</tspan>'
                   '<tspan class="fine" dx="6">{:.0f} to {:.0f}</tspan></text>').format(
                y + 18, value, 100 * row.low, 100 * row.high),
            Markup('<line x1="{}%" x2="{}%" y1="{}" y2="{}" class="interval {}"/>').format(
                _n(100 * row.low), _n(100 * row.high), middle, middle, row.tone),
            _mark(100 * row.value, middle, row.shape, row.tone, row.note),
        )
    )  # fmt: skip


def plot(
    lines: Sequence[Line],
    points: Sequence[Point],
    said: str,
    *,
    x_ticks: Sequence[tuple[float, str]],
    y_ticks: Sequence[tuple[float, str]],
    x_name: str,
    y_name: str,
    height: int = 220,
    here: float = 0.0,
    square: bool = False,
) -> Markup:
    """A chart of two axes. `here` adds a mark that the page's slider moves: the risk at the top."""
    named = [line for line in lines if line.label]
    top = 64 if named else 44  # room for the axis's name, and for the lines' names below it

    def down(y: float) -> float:
        return round(top + (1 - y) * height, 1)

    parts = [_text(0, 12, y_name, "axis"), *([_legend(named)] if named else [])]
    parts += _ticks(x_ticks, [(down(at), label) for at, label in y_ticks], top + height + 18)
    parts.append(_text(100, top + height + 38, x_name, "axis end"))
    box = (
        '<svg y="{}" width="100%" height="{}" viewBox="0 0 1000 1000" preserveAspectRatio="none" '
        'overflow="visible">'  # a line along the edge is as wide as any other
    )
    drawn = [
        Markup('<polyline class="line {}" points="{}"/>').format(
            line.tone, " ".join(f"{_n(1000 * x)},{_n(1000 * (1 - y))}" for x, y in line.points)
        )
        for line in lines
    ]
    parts.append(Markup(box).format(top, height) + Markup("").join(drawn) + Markup("</svg>"))
    for point in points:
        low, high = down(point.low), down(point.high)
        parts.append(_upright(100 * point.x, low, high, f"interval {point.tone}"))
        parts.append(_mark(100 * point.x, down(point.y), point.shape, point.tone, point.title))
    if here:
        parts.append(_slider_mark(top, height, here))
    return _svg(parts, top + height + 46, said, "chart square" if square else "chart")


def _ticks(
    across: Sequence[tuple[float, str]], up: Sequence[tuple[float, str]], bottom: float
) -> list[Markup]:
    """The numbers along both axes, those of the upright one on their grid lines."""
    line = Markup('<line x1="0" x2="100%" y1="{0}" y2="{0}" class="grid"/>')
    return [
        *(line.format(_n(y)) + _text(0, y - 4, label, "axis") for y, label in up),
        *(_text(100 * at, bottom, label, f"axis {_anchor(100 * at)}") for at, label in across),
    ]


def _legend(named: Sequence[Line]) -> Markup:
    """The names of lines, side by side."""
    spans = (
        Markup('<tspan class="name {}" dx="{}">{}</tspan>').format(
            line.tone, 16 if i else 0, line.label
        )
        for i, line in enumerate(named)
    )
    return Markup('<text x="0" y="32">{}</text>').format(Markup("").join(spans))


def _slider_mark(top: int, height: int, most: float) -> Markup:
    moved = '<svg class="here" overflow="visible" data-top="{}" data-height="{}" data-most="{}">'
    halo = '<path class="halo" d="M-9,0a9,9 0 1,0 18,0a9,9 0 1,0 -18,0"/>'
    disc = Markup('<path class="mark accent" d="{}"/></svg>').format(SHAPES["disc"])
    return Markup(moved).format(top, height, most) + Markup(halo) + disc


def _svg(parts: Iterable[Markup], height: float, said: str, look: str = "chart") -> Markup:
    head = Markup('<svg class="{}" role="img" aria-label="{}" width="100%" height="{}">')
    return head.format(look, said, _n(height)) + Markup("").join(parts) + Markup("</svg>")


def _text(x: float, y: float, text: str, classes: str) -> Markup:
    return Markup('<text x="{}%" y="{}" class="{}">{}</text>').format(_n(x), _n(y), classes, text)


def _upright(x: float, top: float, bottom: float, classes: str) -> Markup:
    return Markup('<line x1="{0}%" x2="{0}%" y1="{1}" y2="{2}" class="{3}"/>').format(
        _n(x), _n(top), _n(bottom), classes
    )


def _mark(x: float, y: float, shape: str, tone: str, title: str = "") -> Markup:
    hint = Markup("<title>{}</title>").format(title) if title else Markup("")
    return Markup(
        '<svg x="{}%" y="{}" overflow="visible"><path class="mark {} {}" d="{}">{}</path></svg>'
    ).format(_n(x), _n(y), shape, tone, SHAPES[shape], hint)


def _anchor(x: float) -> str:
    """Labels at the ends of an axis stay inside the chart."""
    return "start" if x <= 2 else "end" if x >= 98 else "middle"


def _n(value: float) -> str:
    """A number with at most two decimals, the same everywhere."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
