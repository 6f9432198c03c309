"""Results as tables of aligned text.

Nothing is computed here; core/measures.py says what a result measures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from wherefrom.core.measures import (
    BITS,
    BY_RELATION,
    CHECKS,
    NOT_SHOWN,
    PERPLEXITY,
    POOLED,
    UNVERIFIED,
    WHY_NOT,
    is_share,
    measured,
    unit_of,
)
from wherefrom.show.terminal.colours import BOLD, paint
from wherefrom.show.terminal.messages import printable

Result = Mapping[str, Any]

INTERVAL = "95 % interval"
NOTHING = "-"
_INDENT = "  "  # of a relation, below the result over all relations

_TITLES = {CHECKS: "claims", BITS: "bits per character"}
_IN_WORDS = {
    "answered_share": "answered",
    "precision": "right among answered",
    "precision_everyone": "right among answered, everyone asked",
    "refused_without_text": "declined: no text",
    "refused_omitted": "declined: text omits it",
    "refused_unanswerable": "declined: has no answer",
}
# Of a run that took notes: the two scores that belong together.
READERS = {
    "open_book": "open-book reader",
    "with_pretraining": "closed-book, taught from notes",
}
_NOTES = (
    "Notes make the model learn what the reader found: it can hardly know more than the open-book "
    "reader, and it learns the reader's mistakes."
)
_ABSTENTION = 'when it may say "I don\'t know"'


@dataclass(frozen=True)
class Section:
    """Rows under a heading; the first cell of a row is its name."""

    title: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Table:
    """Sections under common headings; `columns` has no heading for the first cell of a row."""

    columns: tuple[str, ...]
    sections: tuple[Section, ...]


def results_table(results: Mapping[str, Result]) -> Table:
    """The results of one run."""
    if results and all(CHECKS in result for result in results.values()):
        return _claims_table(results)

    def cells(result: Result) -> tuple[str, ...]:
        value, interval = _value_and_interval(result)
        nats = result.get("nats_per_target")
        beside = "" if nats is None else f", {nats:.3f} nats each"
        return value, interval, f"n={result['n']}{beside}"

    return Table(("", INTERVAL, ""), _sections(results, cells))


def _claims_table(results: Mapping[str, Result]) -> Table:
    """The results of demonstrations, which have no intervals."""

    def cells(row: Result) -> tuple[str, ...]:
        wrong = f"{row['refuted']} of {row['statements']}" if row["statements"] else NOTHING
        return f"{row['held']} of {row['n']}", wrong

    return Table(("checks that held", "wrong statements refuted"), _sections(results, cells))


def seeds_table(results: Mapping[str, Result]) -> Table:
    """Means over several seeds, each with the worst seed's value."""

    def cells(result: Result) -> tuple[str, ...]:
        worst = show_value(measured(result)[0], result["worst"])
        return (*_value_and_interval(result), worst, str(result["n"]))

    return Table(("mean", INTERVAL, "worst", "seeds"), _sections(results, cells))


def runs_table(
    runs: Mapping[str, Mapping[str, Result]], primary: Sequence[Mapping[str, Any]] = ()
) -> Table:
    """The results of several runs side by side; a dash if a run has no such result.

    `primary` has the name and the cost of each run's primary model.
    """
    keyed = [dict(_rows(results)) for results in runs.values()]
    every = _in_order(key for results in keyed for key in results)

    def cells(key: _Key) -> tuple[str, ...]:
        found = [results.get(key) for results in keyed]
        return tuple(" ".join(_value_and_interval(r)) if r else NOTHING for r in found)

    return Table(tuple(runs), (*_grouped(every, cells), *_costs(primary)))


def _costs(primary: Sequence[Mapping[str, Any]]) -> tuple[Section, ...]:
    """What the primary models cost."""
    if not primary:
        return ()
    rows = (
        ("name", *(cost["primary"] for cost in primary)),
        ("parameters trained", *(_count(cost["parameters"]) for cost in primary)),
        ("seconds of training", *(f"{cost['seconds']:.1f}" for cost in primary)),
    )
    return (Section("primary model", rows),)


def _count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"


def pairs_table(pairs: Iterable[Mapping[str, Any]], first: str) -> Table:
    """How much the accuracy of each other run differs from the first, question by question."""
    rows: list[tuple[str, ...]] = []
    for pair in pairs:
        rows.append((f"{pair['run']}: {pair['task']}", *_difference(pair)))
        each = pair.get(BY_RELATION, {}).items()
        rows += [(f"{_INDENT}{relation}", *_difference(part)) for relation, part in each]
    title = f"accuracy compared with {first}, on the same questions"
    return Table(("", INTERVAL, "", "right in one run only"), (Section(title, tuple(rows)),))


def _difference(pair: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"{100 * pair['difference']:+.1f} points",
        "[{:+.1f}, {:+.1f}]".format(*(100 * end for end in pair["interval"])),
        f"n={pair['n']}",
        f"{pair['only_a']} : {pair['only_b']}",
    )


def explain_abstention(results: Mapping[str, Result]) -> list[str]:
    """Why nothing is answered or verified; relations of which the same is so share a sentence."""
    said: dict[str, list[str]] = {}
    for key, row in _rows(results):
        for sentence in explain_threshold("", row):
            said.setdefault(sentence, []).append(key.relation)
    named = ((", ".join(filter(None, relations)), line) for line, relations in said.items())
    return [f"{relations}: {line}" if relations else line for relations, line in named]


def explain_threshold(relation: str, row: Mapping[str, Any]) -> list[str]:
    """What a reader must know about a threshold before the figures beside it."""
    about = f"{relation}: " if relation else ""
    said = {WHY_NOT: "nothing is answered", UNVERIFIED: f"the answers are unverified ({NOT_SHOWN})"}
    lines = [f"{about}{words}: {row[name]}" for name, words in said.items() if row.get(name)]
    if row.get(POOLED):
        lines.append(f"{about}its threshold was shown for several relations together, not for each")
    return lines


def explain_notes(results: Mapping[str, Result]) -> list[str]:
    """What notes do, in a sentence, if the model was taught from them."""
    return [_NOTES] if READERS.keys() <= results.keys() else []


def title(name: str, result: Result) -> str:
    """The heading of a result: what it measures, and per which unit."""
    if name in _IN_WORDS:
        return _ABSTENTION
    measure = measured(result)[0]
    if measure == PERPLEXITY and (unit := unit_of(result)):
        return f"{PERPLEXITY} per {unit}"
    return _TITLES.get(measure, measure)


def show_value(measure: str, value: float) -> str:
    return f"{100 * value:.1f} %" if is_share(measure) else f"{value:.2f}"


def show_interval(measure: str, interval: Sequence[float] | None) -> str:
    if interval is None:
        return NOTHING
    factor, digits = (100, 1) if is_share(measure) else (1, 2)
    low, high = (f"{factor * end:.{digits}f}" for end in interval)
    return f"[{low}, {high}]"


def draw(table: Table) -> None:
    """Print a table."""
    safe = Table(
        tuple(map(printable, table.columns)),
        tuple(
            Section(printable(s.title), tuple(tuple(map(printable, r)) for r in s.rows))
            for s in table.sections
        ),
    )
    titles = {section.title for section in safe.sections}
    for line in layout(safe):
        print(paint(line, BOLD) if line in titles else line)


def layout(table: Table) -> list[str]:
    """Aligned lines: names are aligned to the left, other cells to the right."""
    head = ("", *table.columns)
    rows = [(f"  {name}", *cells) for s in table.sections for name, *cells in s.rows]
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        name, *cells = row
        aligned = (f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        return f"{name:<{widths[0]}}{''.join(aligned)}".rstrip()

    lines, left = [line(head)], iter(rows)
    for i, section in enumerate(table.sections):
        lines += ["", section.title] if i else [section.title]
        lines += [line(next(left)) for _ in section.rows]
    return lines


def _value_and_interval(result: Result) -> tuple[str, str]:
    measure, value = measured(result)
    return show_value(measure, value), show_interval(measure, result.get("interval"))


class _Key(NamedTuple):
    """Which row: its heading, the result's name, and the relation ("" for all relations)."""

    heading: str
    name: str
    relation: str


def _rows(results: Mapping[str, Result]) -> Iterable[tuple[_Key, Result]]:
    """A row for each result, and below it one for each relation, where there are several."""
    for name, result in results.items():
        heading = title(name, result)
        yield _Key(heading, name, ""), result
        for relation, part in result.get(BY_RELATION, {}).items():
            yield _Key(heading, name, relation), part


def _in_order(keys: Iterable[_Key]) -> list[_Key]:
    """Each key once; a relation that only a later run has stands with its result all the same."""
    every = list(dict.fromkeys(keys))
    first = {key[:2]: i for i, key in reversed(list(enumerate(every)))}
    return sorted(every, key=lambda key: first[key[:2]])


def _sections(
    results: Mapping[str, Result], cells: Callable[[Result], tuple[str, ...]]
) -> tuple[Section, ...]:
    """Rows grouped by what they measure; the rows about abstention stand together, in words."""
    rows = dict(_rows(results))
    named = READERS if READERS.keys() <= results.keys() else None
    return _grouped(rows, lambda key: cells(rows[key]), named)


def _grouped(
    keys: Iterable[_Key],
    cells: Callable[[_Key], tuple[str, ...]],
    named: Mapping[str, str] | None = None,
) -> tuple[Section, ...]:
    """Rows grouped under their headings; some results are `named` in words."""
    words = {**_IN_WORDS, **(named or {})}
    rows: dict[str, list[tuple[str, ...]]] = {}
    for key in keys:
        label = f"{_INDENT}{key.relation}" if key.relation else words.get(key.name, key.name)
        rows.setdefault(key.heading, []).append((label, *cells(key)))
    return tuple(Section(heading, tuple(each)) for heading, each in rows.items())


# -- figures as cells ---------------------------------------------------------------------


def share(score: Result | None) -> tuple[str, str]:
    """The value and the interval of a score; its first entry is the value."""
    if score is None:
        return NOTHING, ""
    return percent(score), percents(score["interval"])


def percent(value: float | Result) -> str:
    number = float(next(iter(value.values())) if isinstance(value, Mapping) else value)
    return f"{100 * number:.1f} %"


def percents(interval: Any) -> str:
    return f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def ends(interval: Any) -> str:
    return "" if interval is None else f"[{interval[0]:.2f}, {interval[1]:.2f}]"


def area(found: Result | None) -> str:
    return NOTHING if found is None else f"{found['auroc']:.3f}"
