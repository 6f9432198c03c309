"""The assignments that can be handed out: where their sources are, their parts and points.

The sources stand in the repository's folder `course`; there is one text of each file, and markers
in it say what students are to write.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import wherefrom
from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.years import YEARS, Year, year_name
from wherefrom.data.fetching import registry

COURSE = Path(wherefrom.__file__).resolve().parents[2] / "course"
HW2 = "hw2"
WRITTEN = "written"
BASIC = "-basic"  # how the ids of visible tests end
POINTS = "points.json"  # the table of tests


@dataclass(frozen=True)
class Part:
    """A lettered part: `topic` names its written questions, "" if it is code."""

    name: str
    points: float
    topic: str = ""


@dataclass(frozen=True)
class Assignment:
    """The files of one; patterns are of names in its home."""

    folder: str  # in `course`
    year: str
    title: str
    solved: Sequence[str]  # what students write; solutions stand between markers
    tools: Sequence[str]  # what they get as it is
    data: Sequence[str]
    registered: str  # the name that the data may be registered under
    archive: str  # what is handed in
    more: Sequence[str] = ()  # data that come along where they are

    @property
    def home(self) -> Path:
        return COURSE / self.folder

    @property
    def rules(self) -> Year | None:
        return YEARS.get(self.year)

    @property
    def place(self) -> str:
        """Where students have the tools and data: XCS224N's work in `src`."""
        return "src/" if self.rules is not None and self.rules.package else ""

    @cached_property
    def tests(self) -> dict[str, list[Any]]:
        """Points and kind of every test, by id; the homework has none."""
        if self.rules is None:
            return {}
        return json.loads((self.home / POINTS).read_text("utf-8"))[self.year]

    @cached_property
    def written(self) -> dict[str, Any]:
        """The written questions of all assignments, and which of them each asks."""
        return json.loads((COURSE / "written.json").read_text("utf-8"))

    def sections(self) -> list[tuple[str, str, list[Part]]]:
        """Number, kind and parts of every section; `code` has the parts that are tested."""
        found: list[tuple[str, str, list[Part]]] = []
        for number, (kind, topics) in enumerate(self.written["years"][self.year], 1):
            parts = [Part(f"{number}{letter}", self.worth(f"{number}{letter}"), topic)
                     for letter, topic in zip("abcdefgh", topics, strict=False)]  # fmt: skip
            names = {part.name for part in parts}
            parts += [part for part in self.coded(str(number)) if part.name not in names]
            found.append((str(number), kind, parts))
        return found

    def coded(self, number: str) -> list[Part]:
        """The parts with tests; one that only a person can mark is about rotary positions."""
        kinds = {t.split("-")[0]: row[1] for t, row in self.tests.items() if t.startswith(number)}
        return [Part(name, self.worth(name), "rotation" if kind == WRITTEN else "")
                for name, kind in kinds.items()]  # fmt: skip

    def worth(self, part: str) -> float:
        return sum(row[0] for test, row in self.tests.items() if test.split("-")[0] == part)

    @cached_property
    def letters(self) -> dict[str, str]:
        """The first part whose tests are of a kind: 1e for "spans"."""
        return {row[1]: test.split("-")[0] for test, row in reversed(self.tests.items())}

    def find_data(self, named: Path | None) -> Path:
        """The folder that was named, or the registered one."""
        folder = named or registry.find_unchanged(self.registered)
        if folder is None:
            raise MissingInput(
                f"Missing --data FOLDER with {self.data[0]} and the others; or register it once "
                f"with 'wherefrom data add {self.registered} FOLDER'"
            )
        for name in self.data:
            if not (folder / name).is_file():
                raise MissingInput(f"{folder / name}: expected the course's data, found no file")
        return folder


def find_assignment(year: str) -> Assignment:
    """The assignment as that year's hand-out has it; "hw2" is the homework."""
    if not COURSE.is_dir():
        raise MissingInput(
            f"{COURSE}: expected the courses' sources, found none; they are in the repository and "
            "not in the installed package: run the command from a clone of it"
        )
    rows = json.loads((COURSE / "assignments.json").read_text("utf-8"))
    if year == HW2:
        return Assignment(year=HW2, **rows[HW2])
    name, row = year_name(year), rows["a5"]
    rules, tools, programs = YEARS[name], row.pop("tools"), row.pop("package_tools")
    tools += programs if rules.package else []
    title = f"{row.pop('title')}: {rules.title}"
    return Assignment(year=name, title=title, tools=tools, archive=rules.archive, **row)
