"""Results in a notebook: the answer card of the report, plain tables, and rows for pandas.

Colours and words are those of the report. Whatever comes from a text is escaped.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from wherefrom.core.contracts import Span
from wherefrom.core.errors import UsageError
from wherefrom.core.measures import measured

GREEN, RED, BLUE, AMBER, QUIET = "#1f7a46", "#b8431f", "#1f5fa6", "#9a5b00", "#646d78"
_COLOURS = {"supported": GREEN, "contradicted": RED, "recalled": BLUE, "guessed": AMBER}
_SIGNS = {"supported": "■", "contradicted": "✕", "recalled": "●", "guessed": "◌"}
_CARD = (
    "border:1px solid #dfe2e6;border-radius:10px;padding:.8em 1.1em;max-width:40em;margin:.4em 0"
)


def percent(share: float) -> str:
    """97.5 %; nothing but a certainty is 0 or 100 %."""
    if 0 < share < 0.001 or 0.999 < share < 1:
        return "<0.1 %" if share < 0.5 else ">99.9 %"
    return f"{100 * share:.1f} %"


def card(
    question: str, answer: str, beside: str, labels: Iterable[str], quote: str, value: Span | None
) -> str:
    """An answer: how sure it is, its labels, and the sentence with the value marked."""
    marks = (
        f'<span style="color:{_COLOURS.get(label, QUIET)};margin-right:1.2em">'
        f"{_SIGNS.get(label, '○')} {escape(label)}</span>"
        for label in labels
    )
    shown = escape(quote)
    if value is not None:
        start, end = escape(quote[: value.start]), escape(quote[value.end :])
        shown = f"{start}<mark>{escape(value.of(quote))}</mark>{end}"
    return (
        f'<div style="{_CARD}"><div style="color:{QUIET}">{escape(question)}</div>'
        f'<div><b style="font-size:1.5em">{escape(answer)}</b> {escape(beside)}</div>'
        f"<div>{''.join(marks)}</div>" + (f"<div>“{shown}”</div>" if quote else "") + "</div>"
    )


def table(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with the same fields, as HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else {}))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_spell(value))}</td>' for value in row.values())}</tr>"
        for row in rows
    )
    return (
        f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def list_results(results: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each result as a row: what is measured, its interval, and what it rests on."""
    rows: list[dict[str, Any]] = []
    for name, found in results.items():
        measure, value = measured(found)
        low, high = found.get("interval") or (None, None)
        rows.append(
            {"name": name, "measure": measure, "value": value, "low": low, "high": high}
            | {"n": found.get("n")}
        )
    return rows


def make_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a pandas DataFrame."""
    try:
        import pandas  # pyright: ignore[reportMissingImports, reportMissingModuleSource]
    except ImportError:
        raise UsageError(
            "to_frame: expected pandas, found none; install it (pip install pandas), or use "
            "wherefrom.to_json"
        ) from None
    return pandas.DataFrame([dict(row) for row in rows])


def _spell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
