"""Which year's hand-out a submission was made from, guessed from what its files still say.

Students leave the headers and comments of a hand-out mostly as they were. Each trait speaks for
some years and against the others; the year with the most weight for it is the guess. Years that
no file tells apart, such as CS224N's 2021 and 2022, share a row of the table.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.config import from_json
from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, year_name

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
    """A pattern in one of the files ("*": in any), and the years that it speaks for."""

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
    texts = {name: text for name in _READ if (text := _text(folder / f"{name}.py")) is not None}
    if own := _OWN.search(texts.get("utils", "")):
        try:
            return Guess(year_name(own[1]), ("YEAR in utils.py",))
        except WherefromError:
            pass  # someone else's constant
    seen = [trait for trait in TRAITS if _shows(trait, texts)]
    weights = {name: sum(t.weight for t in seen if name in t.years) for name in YEARS}
    best = max(weights, key=lambda name: (weights[name], name == DEFAULT_YEAR))
    if not weights[best]:
        return Guess(DEFAULT_YEAR)
    return Guess(best, tuple(_telling(seen, best)))


def decide_year(named: str | None, folder: Path) -> Guess:
    """The year that the user named, or the guess."""
    found = guess_year(folder)
    if named is None:
        return found
    year = year_name(named)
    differs = bool(found.because) and found.year != year
    return Guess(year, found.because, True, found.year if differs else "")


def _telling(seen: Iterable[Trait], year: str) -> list[str]:
    """The weightiest traits that speak for the year, three at most."""
    fitting = [trait for trait in seen if year in trait.years]
    ordered = sorted(fitting, key=lambda trait: -trait.weight)
    return list(dict.fromkeys(trait.says for trait in ordered))[:3]


def _shows(trait: Trait, texts: Mapping[str, str]) -> bool:
    wanted = [trait.files, f"{trait.files}s"] if trait.files == "model" else [trait.files]
    where = texts.values() if trait.files == "*" else [texts[n] for n in wanted if n in texts]
    return any(re.search(trait.pattern, text) for text in where)


def _text(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return read_text(path)
    except (OSError, WherefromError):
        return None
