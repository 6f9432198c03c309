"""Perplexities of texts side by side, where the loss comes from, and why texts differ."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from wherefrom.show.terminal.result_tables import (
    INTERVAL,
    NOTHING,
    Section,
    Table,
    percent,
    show_interval,
)

Measured = Mapping[str, Any]
_Cell = Callable[[Measured], str]
_UNITS = ("per_character_seen", "per_original_character", "charged_per_original_character")


def perplexity_table(
    title: str,
    unit: str,
    texts: Mapping[str, Measured],
    gaps: Mapping[str, Mapping[str, float]],
    spelt: str,
) -> Table:
    """The texts of one model, one column each; a measured text is encoded by `to_json`.

    `gaps` has nats per target compared with the first text, by text and class.
    """
    found = list(texts.values())
    sections = [
        _section(f"{title}: per {unit}", _rows(unit, spelt), found),
        _section("share of the loss (of the targets)", _class_rows(found), found),
    ]
    if found[0]["preprocessed"]:
        note = (
            "perplexity per character read / per original character / the same with losses charged"
        )
        title = f"preprocessed: {note}; characters changed"
        sections.append(_section(title, _chain_rows(found[0]), found))
    if found[0]["temperatures"]:
        note = "a diagnosis of the model's confidence, not a score"
        sections.append(_section(f"at a temperature: {note}", _heat_rows(found[0]), found))
    if gaps:
        sections.append(_gap_section(gaps, next(iter(texts))))
    return Table(tuple(texts), tuple(sections))


def _rows(unit: str, spelt: str) -> dict[str, _Cell]:
    return {
        "original characters": lambda m: f"{m['characters']:,}",
        f"{unit}s": lambda m: f"{m['n']:,}",
        "perplexity": lambda m: f"{m['perplexity']:.2f}",
        INTERVAL: lambda m: show_interval("perplexity", m["interval"]),
        f"nats per {unit}": lambda m: f"{m['nats_per_target']:.3f}",
        f"bits per {unit}": lambda m: f"{m['bits_per_target']:.3f}",
        "nats per original character": lambda m: f"{m['nats_per_character']:.3f}",
        "bits per original character": lambda m: f"{m['bits_per_character']:.3f}",
        f"unknown {unit}s": lambda m: f"{100 * m['unknown_share']:.1f} %",
        f"perplexity, unknowns {spelt}": lambda m: _large(m["charged"]["perplexity"]),
        "  bits per original character": lambda m: f"{m['charged']['bits_per_character']:.3f}",
    }


def _class_rows(found: Sequence[Measured]) -> dict[str, _Cell]:
    def show(name: str, measured: Measured) -> str:
        if not (part := measured["classes"].get(name)):
            return NOTHING
        return f"{percent(part['share_of_loss'])} ({percent(part['share'])})"

    names = dict.fromkeys(n for m in found for n in m["classes"])
    return {name: partial(show, name) for name in names}


def _chain_rows(first: Measured) -> dict[str, _Cell]:
    def show(number: int, measured: Measured) -> str:
        part = measured["preprocessed"][number]
        return f"{' / '.join(f'{part[unit]:.2f}' for unit in _UNITS)}; {part['changed']:,}"

    chains = enumerate(first["preprocessed"])
    return {" + ".join(chain["steps"]): partial(show, i) for i, chain in chains}


def _heat_rows(first: Measured) -> dict[str, _Cell]:
    def show(number: int, measured: Measured) -> str:
        return f"{measured['temperatures'][number]['perplexity']:.2f}"

    heats = enumerate(first["temperatures"])
    return {f"{heat['temperature']:g}": partial(show, i) for i, heat in heats}


def _gap_section(gaps: Mapping[str, Mapping[str, float]], first: str) -> Section:
    every = [{**gap, "total": sum(gap.values())} for gap in gaps.values()]
    classes = [*dict.fromkeys(name for gap in gaps.values() for name in gap), "total"]
    rows = tuple(
        (name, "", *(f"{gap[name]:+.3f}" if name in gap else NOTHING for gap in every))
        for name in classes
    )
    return Section(f"nats per target, compared with {first}", rows)


def _section(title: str, rows: Mapping[str, _Cell], found: Sequence[Measured]) -> Section:
    return Section(title, tuple((name, *map(cell, found)) for name, cell in rows.items()))


def _large(perplexity: float | None) -> str:
    if perplexity is None:
        return "too large"
    return f"{perplexity:,.2f}" if perplexity < 1e9 else f"{perplexity:.1e}"
