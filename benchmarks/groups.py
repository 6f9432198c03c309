"""Whom the risk bound covers: answered and wrong by relation and support, and under other mixes.

Each run's policies, in use and certified, are fitted on its calibration questions and asked about
held-out ones. The bound is about people in the mix of the calibration people. `mix` asks what the
share of wrong answers would be if more or fewer of those asked about had text that omits the
answer, the others in the mix they are in. Of `people-omitted`, half of the omitted people came in
no omission row (`objectives/omissions.py`): they are counted apart.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import program  # noqa: F401  (the package beside it)

from wherefrom.core.sample_size import ALPHA
from wherefrom.evaluation.intervals import wilson
from wherefrom.objectives.omissions import is_withheld
from wherefrom.show.drawing.figures import (
    INK,
    PALE,
    RIGHT,
    WRONG,
    dress,
    legend_below,
    panels,
    to_svg,
)

WITHHELD = "omitted, withheld"
SUPPORTS = ("stated", "omitted", WITHHELD, "none")
RULES = {"in use": "answered", "certified": "certified"}
MIXES = tuple(np.linspace(0, 0.5, 26).tolist())  # of people whose text omits the answer


def count(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[tuple[str, str], np.ndarray]]:
    """For each rule and each relation and support: questions, answered, answered and wrong."""
    found: dict[str, dict[tuple[str, str], np.ndarray]] = {rule: {} for rule in RULES}
    for row in rows:
        for rule, column in RULES.items():
            key = row["relation"], row["support"]
            counts = found[rule].setdefault(key, np.zeros(3, dtype=int))
            counts += (1, row[column], row[column] and not row["right"])
    return found


def divide_omitted(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row with another support if the name was withheld from the omission rows."""
    apart = row["support"] == "omitted" and is_withheld(row["subject"])
    return {**row, "support": WITHHELD} if apart else row


def mix(groups: Mapping[tuple[str, str], np.ndarray], share: float) -> float:
    """The share wrong among answered, if this share of those asked about is omitted."""
    parts = {True: np.zeros(3), False: np.zeros(3)}
    for (_, support), row in groups.items():
        parts[support.startswith("omitted")] += row
    rates = {own: row / max(row[0], 1) for own, row in parts.items()}
    _, answered, wrong = share * rates[True] + (1 - share) * rates[False]
    return float(wrong / answered) if answered else np.nan


def find_groups(judged: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the page says: a row for each group, and the curve of the mixes."""
    counted = count(judged)
    rows: list[dict[str, Any]] = []
    in_use = counted["in use"]
    for key in sorted(in_use, key=lambda key: (key[0], SUPPORTS.index(key[1]))):
        row: dict[str, Any] = {"relation": key[0], "support": key[1]}
        for rule in RULES:
            n, answered, wrong = counted[rule][key].tolist()
            row |= {"n": n, rule: {
                "answered": _share(answered, n), "refused": _share(n - answered, n),
                "wrong": _share(wrong, n),
            }}  # fmt: skip
        rows.append(row)
    mixes = {rule: [mix(counted[rule], share) for share in MIXES] for rule in RULES}
    every = sum(in_use.values(), np.zeros(3))
    omitted = sum(row[0] for (_, s), row in in_use.items() if s.startswith("omitted"))
    return {"rows": rows, "mixes": mixes, "usual": omitted / every[0]}


def _share(part: int, n: int) -> dict[str, Any]:
    return {"share": part / n, "interval": wilson(part, n), "n": n}


def draw(found: Mapping[str, Any]) -> bytes:
    """Left, what share of each group is answered and wrong; right, the risk under other mixes."""
    figure, (groups, mixes) = panels(2)
    several = len({row["relation"] for row in found["rows"]}) > 1
    names = [
        (f"{row['relation']}, " if several else "") + row["support"].replace("none", "no text")
        for row in found["rows"]
    ]
    for at, (rule, colour) in enumerate(zip(RULES, (RIGHT, WRONG), strict=True)):
        each = [row[rule]["wrong"] for row in found["rows"]]
        share = [100 * one["share"] for one in each]
        ends = [[100 * abs(one["interval"][i] - one["share"]) for one in each] for i in (0, 1)]
        place = [i + 0.25 * at for i in range(len(names))]
        groups.errorbar(share, place, xerr=ends, fmt="o", color=colour, ecolor=PALE, markersize=4)
        risk = [100 * value for value in found["mixes"][rule]]
        mixes.plot([100 * m for m in MIXES], risk, color=colour, label=rule)
    groups.set_yticks(range(len(names)), names)
    groups.invert_yaxis()
    mixes.axhline(100 * ALPHA, color=INK, linewidth=0.8, linestyle=":", label="the bound")
    mixes.axvline(100 * found["usual"], color=PALE, label="the calibration people's mix")
    dress(groups, "answered and wrong", "% of the group")
    dress(mixes, "wrong among answered", "% whose text omits the answer", "%")
    legend_below(figure)
    return to_svg(figure)
