"""A study of capacity as a page: tables, a picture, and what the literature has."""

# pyright: reportUnknownMemberType=false
# (matplotlib leaves the keywords of its plotting functions untyped)

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wherefrom.core.durations import duration
from wherefrom.experiments.capacity_findings import CapacityFindings, Extraction, Filling
from wherefrom.show.drawing.figures import (
    INK,
    OTHER,
    PALE,
    RIGHT,
    WRONG,
    dress,
    legend_below,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Bits per parameter in the literature: facts after 1,000 exposures and after 100, random strings.
FACTS_BITS, FEW_EXPOSURES_BITS, STRINGS_BITS = 2.0, 1.0, 3.6
ONE_WORDING, FIVE_WORDINGS = 0.097, 0.962  # right answers about people who were not asked about
_COLOURS = (RIGHT, WRONG, OTHER, "#8a5fa8", "#b8862b", INK)


def write_page(found: CapacityFindings, figure: str) -> str:
    """The whole page, in Markdown."""
    return "\n".join(
        [
            f"# {found.name}: how many facts fit into how many parameters",
            "",
            describe_runs(found),
            "",
            f"![bits per parameter, share of the text stored, and questions answered]({figure})",
            "",
            *list_fillings(found.fillings),
            "",
            *list_extractions(found.extractions),
        ]
    )


def describe_runs(found: CapacityFindings) -> str:
    """Which sizes were run, where, and how long it took."""
    arms = dict.fromkeys(
        f"{row.items:,} {'people' if row.text == 'biographies' else 'strings'} "
        f"at {row.exposures:,} exposures"
        for row in found.fillings
    )
    versions = ", ".join(f"{name} {value}" for name, value in found.versions.items())
    return (
        f"Run: {'; '.join(arms) or 'no text to fill models with'}. Seed {found.seed} on, "
        f"{found.device} ({versions}), {duration(found.seconds)} in all."
    )


def list_fillings(rows: Sequence[Filling]) -> list[str]:
    """A row for each model size."""
    head = (
        "text", "exposures", "width", "parameters", "bits per parameter", "95 % interval",
        "without embeddings", "facts stored", "names stored", "seeds",
    )  # fmt: skip
    cells = [
        (
            f"{row.items:,} {'people' if row.text == 'biographies' else 'strings'}",
            f"{row.exposures:,}",
            str(row.width),
            f"{row.parameters:,}",
            f"{row.bits_per_parameter:.2f}",
            "[{:.2f}, {:.2f}]".format(*row.interval),
            f"{row.bits_beside_embeddings:.2f}",
            _percent(row.facts),
            "" if row.names is None else _percent(row.names),
            str(row.seeds),
        )
        for row in rows
    ]
    fullest = [max(own, key=lambda row: row.bits_per_parameter) for own in _by_arm(rows)]
    lines = [
        f"- {row.items:,} {'people' if row.text == 'biographies' else 'strings'} at "
        f"{row.exposures:,} exposures: at most {row.bits_per_parameter:.2f} bits per parameter "
        f"[{row.interval[0]:.2f}, {row.interval[1]:.2f}], with {row.parameters:,} parameters; "
        f"the literature has {_literature(row)}"
        for row in fullest
    ]
    return [*_table(head, cells), "", *lines]


def _literature(row: Filling) -> str:
    if row.text == "biographies":
        return f"{FACTS_BITS:g} after 1,000 exposures, {FEW_EXPOSURES_BITS:g} after 100"
    return f"{STRINGS_BITS:g} once nothing more is stored"


def list_extractions(rows: Sequence[Extraction]) -> list[str]:
    head = (
        "wordings", "people", "exposures", "parameters", "facts stored", "asked people answered",
        "held-out people answered", "95 % interval", "literature", "seeds",
    )  # fmt: skip
    known = {1: ONE_WORDING, 5: FIVE_WORDINGS}
    cells = [
        (
            str(row.wordings),
            f"{row.items:,}",
            f"{row.exposures:,}",
            f"{row.parameters:,}",
            _percent(row.stored),
            _percent(row.taught),
            _percent(row.accuracy),
            "[{:.1f}, {:.1f}]".format(*(100 * end for end in row.interval)),
            _percent(known[row.wordings]) if row.wordings in known else "",
            str(row.seeds),
        )
        for row in rows
    ]
    return _table(head, cells) if cells else []


def draw_study(found: CapacityFindings) -> "Figure":
    figure, axes = panels(3 if found.extractions else 2)
    colours = dict(zip(_arms(found.fillings), _COLOURS * 10, strict=False))
    for rows in _by_arm(found.fillings):
        _draw_arm(axes[0], axes[1], rows, colours[rows[0].arm])
    for value, name in ((FACTS_BITS, "facts"), (STRINGS_BITS, "strings")):
        label = f"literature: {value:g} ({name})"
        axes[0].axhline(value, color=PALE, linestyle=":" if name == "facts" else "--", label=label)
    axes[0].set_ylim(bottom=0)
    axes[1].set_ylim(0, 105)
    ticks = _choose_ticks([row.parameters for row in found.fillings])
    for each, title in zip(
        axes, ("bits per parameter", "stored, % of the text's bits"), strict=False
    ):
        each.set_xscale("log")
        dress(each, title, x="parameters")
        each.set_xticks(ticks, [_spell_count(tick) for tick in ticks])
        each.minorticks_off()
    if found.extractions:
        _draw_extractions(axes[2], found.extractions)
    legend_below(figure)
    return figure


def _choose_ticks(sizes: Sequence[int]) -> list[int]:
    """1, 2, 5, 10, 20, ... as far as there are sizes: a logarithmic axis alone has one or two.

    Over two powers of ten and more, their names would touch: 1, 3, 10, 30, ...
    """
    least, most = min(sizes, default=1), max(sizes, default=1)
    digits = (1, 2, 5) if most < 100 * least else (1, 3)
    steps = [digit * 10**zeros for zeros in range(12) for digit in digits]
    found = [step for step in steps if least <= step <= most]
    return found if len(found) > 1 else sorted(set(sizes))


def _spell_count(count: int) -> str:
    for size, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:g}{name}"
    return str(count)


def _draw_arm(left: "Axes", right: "Axes", rows: Sequence[Filling], colour: str) -> None:
    at = [row.parameters for row in rows]
    bits = [row.bits_per_parameter for row in rows]
    # A skewed interval may leave its value at an end, but never outside by more than rounding.
    down = [max(row.bits_per_parameter - row.interval[0], 0.0) for row in rows]
    up = [max(row.interval[1] - row.bits_per_parameter, 0.0) for row in rows]
    noun = "people" if rows[0].text == "biographies" else "strings"
    label = f"{rows[0].items:,} {noun}, {rows[0].exposures:,} exposures"
    style: dict[str, Any] = {"color": colour, "marker": "o", "markersize": 3}
    left.errorbar(at, bits, [down, up], label=label, ecolor=PALE, **style)
    right.plot(at, [100 * row.share for row in rows], **style)


def _draw_extractions(axes: "Axes", rows: Sequence[Extraction]) -> None:
    places = list(range(len(rows)))
    stored = [100 * row.stored for row in rows]
    answered = [100 * row.accuracy for row in rows]
    axes.bar([p - 0.2 for p in places], stored, width=0.36, color=PALE, label="facts stored, %")
    axes.bar(
        [p + 0.2 for p in places], answered, width=0.36, color=RIGHT, label="questions answered, %"
    )
    ticks = [f"{row.wordings} wording{'s' if row.wordings > 1 else ''}" for row in rows]
    axes.set_xticks(places, ticks)
    axes.set_ylim(0, 105)
    dress(axes, "people who were not asked about, %")


def _arms(rows: Sequence[Filling]) -> list[str]:
    return list(dict.fromkeys(row.arm for row in rows))


def _by_arm(rows: Sequence[Filling]) -> list[list[Filling]]:
    return [[row for row in rows if row.arm == arm] for arm in _arms(rows)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    ruled = ("---:",) * len(head)
    return [f"| {' | '.join(cells)} |" for cells in (head, ruled, *rows)]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
