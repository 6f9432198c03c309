"""The demonstrations as one text to read: claims, figures, numbers, and what is wrong and why."""

from collections.abc import Iterable, Sequence

from wherefrom.course.lab.demonstration import Check, Demonstration


def to_markdown(shown: Sequence[Demonstration], figures: str) -> str:
    """Markdown; `figures` is the folder of NAME.svg, as seen from where the text will lie."""
    lines = ["# What attention can do, computed", ""]
    for each in shown:
        picture = f"![{each.name}]({figures}/{each.name}.svg)"
        lines += [f"## {each.name}", "", f"{_code(each.claim)}", "", picture, ""]
        lines += [*_listed(each.checks), ""]
        for wrong in each.refutations:
            word = "Wrong" if wrong.holds else "Said to be wrong, not refuted"
            lines += [f"**{word}:** {_code(wrong.statement)}", "", wrong.why, ""]
            lines += [*_listed(wrong.checks), ""]
    return "\n".join(lines)


def _listed(checks: Iterable[Check]) -> list[str]:
    return [f"- {'' if c.holds else '**does not hold** '}{_code(c.in_words())}" for c in checks]


def _code(text: str) -> str:
    """Formulas have underscores and stars, which are not meant as emphasis."""
    return f"`{text}`"
