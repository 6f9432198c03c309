"""Figures as the cells of a table: shares in percent, areas, intervals."""

from collections.abc import Mapping
from typing import Any

from wherefrom.show.terminal.result_tables import NOTHING

Findings = Mapping[str, Any]


def share(score: Findings | None) -> tuple[str, str]:
    """The value and the interval of a score; its first entry is the value."""
    if score is None:
        return NOTHING, ""
    return percent(score), percents(score["interval"])


def percent(value: float | Findings) -> str:
    number = float(next(iter(value.values())) if isinstance(value, Mapping) else value)
    return f"{100 * number:.1f} %"


def percents(interval: Any) -> str:
    return f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def ends(interval: Any) -> str:
    return "" if interval is None else f"[{interval[0]:.2f}, {interval[1]:.2f}]"


def area(found: Findings | None) -> str:
    return NOTHING if found is None else f"{found['auroc']:.3f}"
