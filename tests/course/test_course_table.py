"""docs/COURSE.md's tables of every part of five solutions: nothing in them may be gone.

The words of each command are looked up: in the manual, which another test compares with the
commands, or in the program itself. Figures must stand on the page that they are from.
"""

import json
import re
import shlex
from pathlib import Path

from tests.course.files import A5
from wherefrom.course.classroom import assignment_commands as commands
from wherefrom.course.lab.running import DEMONSTRATIONS
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "COURSE.md"

# What the solutions answer, as they number it.
PARTS = {
    "000": "1a 1b 1c.i 1c.ii 1d.i 1d.ii 1e.i 1e.ii 2 3",
    "001": "1a 1b 1c 1d 1e 1f 1g deliverables 2a 2b 2c 3a 3b 3c.i 3c.ii 3d.i 3d.ii 3e.i 3e.ii",
    "002": "1a.i 1a.ii 1a.iii 1a.iv 1b.i 1b.ii 1c.i 1c.ii 1d.i 1d.ii 2d 2e 2f 2g 3a 3b 3c",
    "003": "1a 1b 1c 1d 2a 2b 3a 3b 3c 3d 4e 5.1a 5.1b 5.1c 5.1d 5.2a 5.2b 5.3a 5.3b 5.4a 5.4b",
    "004": "a.i a.ii a.iii a.iv b.i b.ii c.i c.ii d.i d.ii",
}
LAB = "wherefrom run attention-lab"


Row = tuple[str, ...]


def read_rows() -> list[Row]:
    """Rows of the two tables: parts, command or demonstration, and what comes out."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = tuple(c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1])
        if cells and re.match(r"00\d ", cells[0]):
            found.append(cells)
    return found


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


ROWS = read_rows()
SHOWN = [name for row in ROWS for name in named(row[1]) if len(row) == 3]
COMMANDS = sorted({LAB, *(name for row in ROWS for name in named(row[1]) if len(row) == 4)})


def test_every_part_of_every_solution_stands_in_one_row():
    found: list[tuple[str, str]] = []
    for row in ROWS:
        for group in row[0].split("; "):
            solution, *parts = group.split()
            found += [(solution, part) for part in parts]
    assert sorted(found) == sorted((s, part) for s in PARTS for part in PARTS[s].split())
    assert all(cell for row in ROWS for cell in row)


def page_of(command: str, words: list[str]) -> str:
    """What says which words a command knows: a page of the manual, or a program's own text."""
    if command == "wherefrom":
        pages = (ROOT / "docs" / "COMMANDS.md").read_text("utf-8").split("\n## `wherefrom ")
        return next((page for page in pages if page.startswith(f"{words[0]}`")), "")
    if command == "make":
        return re.search(r"^(\w+ )+\w+:", (ROOT / "Makefile").read_text("utf-8"), re.M)[0]
    path = ROOT / (words[0] if command == "python" else command)
    if path == A5 / "run.sh" and (words[0] == "hand_in" or commands.find(words[0])):
        path = A5 / ("hand_in.py" if words[0] == "hand_in" else "run.py")
        return f"{words[0]} {path.read_text('utf-8')}"
    named = json.loads((path.parent / "points.json").read_text()) if "grader" in path.name else {}
    parts = {test.split("-")[0] for tests in named.values() for test in tests}
    own = words[0] if command == "python" else ""
    return " ".join([own, path.read_text("utf-8", "replace"), *parts])


def is_there(command: str) -> bool:
    """Every name and option of it: words in capitals are the reader's to fill in."""
    first, *words = shlex.split(command)
    try:
        page = page_of(first, words)
    except OSError:
        return False
    wanted = [word for word in words if word.startswith("--")]
    wanted += words[: 2 if first == "python" else 1]
    if words[:1] == ["run"] and words[1] not in RECIPES:
        return False
    return all(word.isupper() or word in page for word in wanted)


GONE = (
    "wherefrom nothing", "wherefrom run nothing", "wherefrom ask RUN --nothing",
    "course/a5/run.sh vanilla_nothing", "course/a5/run.sh vanilla_pretrain --nothing 1",
    "python course/a5/nothing.py", "python course/a5/grader.py 9z", "make nothing",
    "python course/a5/submission/dataset.py nomdata", "docs/nothing.md",
)  # fmt: skip


def test_every_command_is_there_and_one_that_is_gone_is_noticed():
    assert [command for command in COMMANDS if not is_there(command)] == []
    assert [command for command in GONE if is_there(command)] == []


def test_demonstrations_are_there_and_all_are_used():
    assert {*SHOWN, "synthesizer"} == set(DEMONSTRATIONS)  # that one is a claim of 1g's text
    derived = PAGE.read_text("utf-8").partition("## Attention, computed")[2]
    assert set(re.findall(r"^- `([\w-]+)`", derived, re.MULTILINE)) == set(DEMONSTRATIONS)


def pages_of(row: Row) -> list[Path]:
    """Where the figures of a row stand: on the pages that it names, or else on that of results."""
    named_pages = re.findall(r"\((\S+\.md)\)", row[2])
    return [ROOT / name for name in named_pages or ["docs/research/RESULTS.md"]]


def test_figures_stand_on_the_pages_that_they_are_from():
    strange, seen = [], 0
    for row in ROWS:
        if len(row) == 3 or ("run.sh" not in row[1] and ".md)" not in row[2]):
            continue
        text = " ".join(page.read_text("utf-8") for page in pages_of(row))
        said = re.sub(r"`[^`]*`", "", row[2])
        figures = re.findall(r"(?<![\w.-])\d[\d,]*\.\d+(?![\w-])|\d,\d{3},\d{3}", said)
        strange += [(row[0], figure) for figure in figures if figure not in text]
        seen += len(figures)
    assert seen
    assert strange == []
