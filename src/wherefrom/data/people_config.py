"""How many generated people there are, and what their text tells."""

from dataclasses import dataclass
from typing import ClassVar

from wherefrom.core.bounds import check_whole
from wherefrom.core.config import check
from wherefrom.data import people_parts as parts

MOST_PEOPLE = 1_000_000
EXPOSURES = ("even", "zipf")


@dataclass(frozen=True)
class PeopleConfig:
    """How many people there are in each split, and what their text tells.

    `asked`, `calibration` and `held_out` count people whose text states the birthplace. The
    last two splits have besides them `omitted` people whose text leaves it out and `untold`
    people who have no text at all. `masked` further people, a split of their own, are told about
    like asked people, but their birthplace is left out on purpose: there are then enough people
    whose text omits it to learn what not knowing looks like.

    How often a stated birthplace is stated: `exposure = "even"` has `birthplace_sentences` for
    everyone, and a further sentence that may state it. Under `"zipf"` everyone draws a rank from
    1 to 16 and has exactly 16 // rank such sentences, so that 1 / k of the people are told at
    least k times. The rank depends on nothing else about a person: what is answered better where
    there are more sentences is answered better because of them.
    """

    kind: ClassVar[str] = "people"
    asked: int = 120
    calibration: int = 80
    held_out: int = 80
    omitted: int = 12
    untold: int = 60
    masked: int = 0
    cities: int = 36
    birthplace_sentences: int = 4
    exposure: str = "even"

    def __post_init__(self) -> None:
        for name in ("asked", "calibration", "held_out"):
            check_whole(self, name, 1, MOST_PEOPLE)
        for name in ("omitted", "untold", "masked"):
            check_whole(self, name, 0, MOST_PEOPLE)
        few, all_ = self.told + 2 * self.untold <= MOST_PEOPLE, "asked to masked in all"
        wanted = f"at most {MOST_PEOPLE:,} people (reading their text takes 2 GB of memory)"
        check(few, "PeopleConfig", all_, self.told + 2 * self.untold, wanted)
        most = len(parts.CITIES)
        check(2 <= self.cities <= most, "PeopleConfig", "cities", self.cities, f"2 to {most}")
        told, forms = self.birthplace_sentences, len(parts.BIRTHPLACE_FORMS)
        check(1 <= told <= forms, "PeopleConfig", "birthplace_sentences", told, f"1 to {forms}")
        known = self.exposure in EXPOSURES
        check(known, "PeopleConfig", "exposure", self.exposure, f"one of {EXPOSURES}")

    @property
    def randomised_exposure(self) -> bool:
        """Whether chance alone decides how often a person's birthplace is stated."""
        return self.exposure == "zipf"

    @property
    def told(self) -> int:
        return self.asked + self.calibration + self.held_out + 2 * self.omitted + self.masked
