"""Which year's hand-out a submission was made from, guessed from what its files still say.

Students leave the headers and comments of a hand-out mostly as they were. Each trait speaks for
some years and against the others; the year with the most weight for it is the guess. Years that
no file tells apart, such as CS224N's 2021 and 2022, share a row of the table.
"""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.config import from_json
from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.years import ALIASES, DEFAULT_YEAR, YEARS, year_name

_LARGEST = 1 << 20
_READ = ("attention", "dataset", "helper", "model", "models", "run", "utils")


@dataclass(frozen=True)
class Guess:
    """A year of the table, and the traits that speak for it; `wanted` if the user named it.

    Files that look like another year's than the wanted one have it as `instead`.
    """

    year: str
    because: tuple[str, ...] = ()
    wanted: bool = False
    instead: str = ""

    def __str__(self) -> str:
        title = YEARS[self.year].title
        traits = ", ".join(self.because)
        if self.wanted:
            other = f", but its files look like {self.instead} ({traits})" if self.instead else ""
            return f"taken as {title} ({self.year}){other}"
        if not self.because:
            return (
                f"nothing in its files says which hand-out; taken for {title} ({self.year}); "
                "--year NAME chooses another"
            )
        return f"looks like {title}: {self.year} ({traits}); --year NAME chooses another"


@dataclass(frozen=True)
class Trait:
    """A pattern in files of some names, and the years that it speaks for."""

    files: str
    pattern: str
    weight: int
    says: str
    years: tuple[str, ...]


TRAITS = tuple(
    from_json(Trait, row, "traits.json")
    for row in json.loads(Path(__file__).with_name("traits.json").read_text("utf-8"))
)
_OWN = re.compile(r'^YEAR = "(\w+)"', re.MULTILINE)  # what our starter writes into its utils.py


def guess_year(folder: Path) -> Guess:
    """The year whose hand-out the files in the folder look most like."""
    texts: dict[str, str] = {}
    for name in _READ:
        path = folder / f"{name}.py"
        with suppress(OSError, WherefromError):
            if path.stat().st_size <= _LARGEST:
                texts[name] = read_text(path)
    own = _OWN.search(texts.get("utils", ""))
    if own and (year := ALIASES.get(own[1], own[1])) in YEARS:
        return Guess(year, ("YEAR in utils.py",))
    seen = [trait for trait in TRAITS
            if any(re.fullmatch(trait.files, name) and re.search(trait.pattern, text)
                   for name, text in texts.items())]  # fmt: skip
    weights = {name: sum(t.weight for t in seen if name in t.years) for name in YEARS}
    best = max(weights, key=lambda name: (weights[name], name == DEFAULT_YEAR))
    if not weights[best]:
        return Guess(DEFAULT_YEAR)
    # The weightiest traits that speak for it, three at most.
    telling = sorted((t for t in seen if best in t.years), key=lambda trait: -trait.weight)
    return Guess(best, tuple(dict.fromkeys(trait.says for trait in telling))[:3])


def decide_year(named: str | None, folder: Path) -> Guess:
    """The year that the user named, or the guess."""
    found = guess_year(folder)
    if named is None:
        return found
    year = year_name(named)
    differs = bool(found.because) and found.year != year
    return Guess(year, found.because, True, found.year if differs else "")
