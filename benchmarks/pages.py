"""Pages of docs/ from templates/ and plain dictionaries; how a figure is written."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader
from program import ROOT

DOCS = ROOT / "docs"
RESULTS = DOCS / "results"


def render(template: str, data: Mapping[str, Any]) -> str:
    """A template of templates/ with its figures; what is not there is a dash."""
    pages = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters |= {"show": show, "spread": spread}
    return pages.get_template(template).render(data)


def fill(page: Path, maker: str, text: str) -> None:
    """Puts what a program has made between the program's two marks on a page."""
    begin, end = f"<!-- made by {maker} -->", f"<!-- end of {maker} -->"
    head, _, rest = page.read_text("utf-8").partition(begin)
    _, found, tail = rest.partition(end)
    assert found, f"{page}: expected the marks of {maker}"
    page.write_text(f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}", "utf-8")


def show(value: Any, form: str) -> str:
    """A figure as `form` says; a finding that is not there is a dash.

    A format such as .2f; % for a share, p for a share in per cent without the sign; d for a count;
    [.2f], [%], [p] with the interval, and [.3f .2f] with another format for its ends. Of findings
    also: count for "79 of 80", n for how many there are, slope for a calibration line.
    """
    if value is None or isinstance(value, ChainableUndefined):
        return "-"
    if not isinstance(value, Mapping):
        return _number(float(value), form)
    if form == "slope":
        return show({"slope": value["slope"], "interval": value["slope_interval"]}, "[.2f]")
    first = value.get("share", next(iter(value.values())))
    if first is None:
        return "-"
    if form == "count":
        return f"{round(first * value['n'])} of {value['n']:,}"
    if form == "n":
        return f"{value['n']:,}"
    forms = form.strip("[]").split()
    number, ends = _number(float(first), forms[0]), value.get("interval")
    if not form.startswith("[") or ends is None:
        return number
    low, high = (_number(end, forms[-1]).removesuffix(" %") for end in ends)
    return f"{number} [{low}, {high}]"


def _number(value: float, form: str) -> str:
    if form in ("%", "p"):
        return f"{100 * value:.1f}{' %' if form == '%' else ''}"
    return f"{round(value):,}" if form == "d" else f"{value:{form}}"


def spread(values: Sequence[float], digits: int = 1, one: str = " (one seed)") -> str:
    """A mean with the range of its seeds."""
    if not values:
        return "-"
    middle = f"{mean(values):.{digits}f}"
    if len(values) == 1:
        return f"{middle}{one}"
    return f"{middle} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines; none if there is no file."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line]


def read_audits() -> dict[str, Any]:
    """The findings of audited runs, by the names of their folders."""
    paths = sorted(RESULTS.glob("audit.*.json"))
    return {path.name.split(".")[1]: json.loads(path.read_text("utf-8")) for path in paths}


def read_readings() -> dict[str, Any]:
    """How far evidence labels and two blind readings of the same answers agree."""
    rows = read_lines(RESULTS / "evidence-readings.jsonl")
    labels = [row["label"] for row in rows]
    first, second = zip(*(row["readings"] for row in rows), strict=True)
    return {
        "read": len(rows),
        **{f"read_{name}": labels.count(name) for name in set(labels)},
        "read_agree": sum(a == b for a, b in zip(labels, first, strict=True)),
        "read_kappa": kappa(labels, first),
        "readers_agree": sum(a == b for a, b in zip(first, second, strict=True)),
        "readers_kappa": kappa(first, second),
    }


def kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Cohen's: agreement beyond what the two would have by chance."""
    n, names = len(one), set(one) | set(other)
    seen = sum(a == b for a, b in zip(one, other, strict=True)) / n
    chance = sum(one.count(name) * other.count(name) for name in names) / n**2
    return 1.0 if chance == 1 else (seen - chance) / (1 - chance)
