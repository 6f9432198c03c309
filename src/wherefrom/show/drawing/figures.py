"""Small figures as SVG: light, without pyplot, the same bytes for the same numbers.

matplotlib is imported when a figure is drawn, not before: it takes longer than all the sums.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RIGHT, WRONG, OTHER, PALE = "#1f5fa8", "#c8442b", "#5b7f3a", "#9aa3ad"
INK = "#2b2f33"

# Text stays text, so that the files are small and can be searched; no date, so that they repeat.
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "wherefrom",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": PALE,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.titlesize": 9.5,
    "legend.fontsize": 8,
    "text.parse_math": False,
}


def panels(count: int = 1) -> "tuple[Figure, list[Axes]]":
    """A white figure with `count` panels side by side."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(
            figsize=(3.9 * count if count > 1 else 5.2, 3.5),
            layout="constrained",
            facecolor="white",
        )
        return figure, [figure.add_subplot(1, count, i + 1) for i in range(count)]


def dress(axes: "Axes", title: str, x: str = "", y: str = "", legend: bool = False) -> None:
    """Title and labels; no frame above and to the right; the legend below, off the curves."""
    import matplotlib

    with matplotlib.rc_context(_SETTINGS):
        axes.set_title(title, loc="left")
        axes.set(xlabel=x, ylabel=y)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e6e9ec", linewidth=0.8)
        axes.set_axisbelow(True)
        _plain_numbers(axes)
        if legend:
            axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


def _plain_numbers(axes: "Axes") -> None:
    """0.01 on a logarithmic axis: matplotlib would write mathematics, which is not parsed here."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda value, _: "")


def legend_below(figure: "Figure") -> None:
    """One legend under the whole figure, however deep its labels reach."""
    import matplotlib

    with matplotlib.rc_context(_SETTINGS):
        figure.legend(frameon=False, loc="outside lower center", ncols=2)


def grid(axes: "Axes", title: str, matrix: np.ndarray, rows: Sequence[str], columns: Any) -> None:
    """A matrix as coloured cells with their values, blue above zero and red below."""
    reach = max(abs(matrix).max(), 1e-12)
    edges = [[i - 0.5 for i in range(size + 1)] for size in matrix.shape]
    axes.pcolormesh(edges[1], edges[0], matrix, cmap="RdBu", vmin=-1.6 * reach, vmax=1.6 * reach)
    axes.invert_yaxis()
    for (i, j), value in _cells(matrix):
        axes.text(j, i, f"{value:.2f}".replace("-0.00", "0.00"), ha="center", va="center")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left")


def to_svg(figure: "Figure") -> bytes:
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    out = BytesIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(_SETTINGS):
        FigureCanvasSVG(figure).print_svg(out, metadata=nothing)
    return out.getvalue()


def _cells(matrix: np.ndarray) -> list[tuple[tuple[int, int], float]]:
    rows, columns = matrix.shape
    return [((i, j), float(matrix[i, j])) for i in range(rows) for j in range(columns)]
