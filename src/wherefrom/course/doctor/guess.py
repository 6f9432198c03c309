"""Which year's hand-out a submission was made from, guessed from what its files still say.

Students leave the headers and comments of a hand-out mostly as they were. Each trait speaks for
some years and against the others; the year with the most weight for it is the guess. Years that
no file tells apart, such as CS224N's 2021 and 2022, share a row of the table.
"""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.years import ALIASES, DEFAULT_YEAR, YEARS, year_name

_READ = ("attention", "dataset", "helper", "model", "models", "run", "utils")


class Guess(NamedTuple):
    """A year of the table, and why it was taken for that one."""

    year: str
    said: str


# A pattern in files of some names, its weight, what it says, and the years that it speaks for.
TRAITS = json.loads(Path(__file__).with_name("traits.json").read_text("utf-8"))
_OWN = re.compile(r'^YEAR = "(\w+)"', re.MULTILINE)  # what our starter writes into its utils.py


def decide_year(named: str | None, folder: Path) -> Guess:
    """The year that the user named, or the one whose hand-out the files look most like."""
    looks, traits = _likeliest(folder)
    year = year_name(named) if named is not None else looks or DEFAULT_YEAR
    title = YEARS[year].title
    if named is not None:
        other = f", but its files look like {looks} ({traits})" if looks not in ("", year) else ""
        return Guess(year, f"taken as {title} ({year}){other}")
    said = f"looks like {title}: {year} ({traits})"
    unknown = f"nothing in its files says which hand-out; taken for {title} ({year})"
    return Guess(year, f"{said if looks else unknown}; --year NAME chooses another")


def _likeliest(folder: Path) -> tuple[str, str]:
    """The year that most speaks for, and the three weightiest traits; "" if nothing does."""
    texts: dict[str, str] = {}
    for name in _READ:
        with suppress(OSError, WherefromError):
            texts[name] = read_text(folder / f"{name}.py")
    own = _OWN.search(texts.get("utils", ""))
    if own and (year := ALIASES.get(own[1], own[1])) in YEARS:
        return year, "YEAR in utils.py"
    seen = [trait for trait in TRAITS
            if any(re.fullmatch(trait["files"], name) and re.search(trait["pattern"], text)
                   for name, text in texts.items())]  # fmt: skip
    weights = {year: sum(t["weight"] for t in seen if year in t["years"]) for year in YEARS}
    best = max(weights, key=lambda year: (weights[year], year == DEFAULT_YEAR))
    telling = sorted((t for t in seen if best in t["years"]), key=lambda t: -t["weight"])
    says = list(dict.fromkeys(trait["says"] for trait in telling))[:3]
    return best if says else "", ", ".join(says)
