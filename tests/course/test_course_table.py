"""docs/COURSE.md's tables of every part of five solutions: nothing in them may be gone.

Each command is taken apart and looked up: commands and options of `wherefrom`, names of run.sh,
programs and their options, targets of make, demonstrations. Figures must stand on the page that
they are from.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import typer

from tests.course.files import A5
from wherefrom.cli.main import app
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


@cache
def help_of(program: Path) -> str:
    """What a program says of its options."""
    done = subprocess.run(
        [sys.executable, program, "--help"], cwd=program.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def parts_of(grader: Path, part: str) -> bool:
    """Whether a grader has tests of that part."""
    done = subprocess.run(
        [sys.executable, grader, part, "--list"], capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and done.stdout.startswith(part)


def look_up_wherefrom(words: list[str]) -> None:
    command = typer.main.get_command(app)
    while getattr(command, "commands", None):
        assert words[0] in command.commands, f"wherefrom {words[0]} is gone"  # pyright: ignore
        command = command.commands[words.pop(0)]  # pyright: ignore
    known = {option for parameter in command.params for option in parameter.opts}
    for option in (word for word in words if word.startswith("-")):
        assert option in known, f"wherefrom {command.name} {option} is gone"
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    assert arguments or not words or words[0].startswith("-")
    if command.name == "run":
        assert words[0] in RECIPES, f"the recipe {words[0]} is gone"


def look_up_a5(words: list[str]) -> None:
    name, *options = words
    if name == "hand_in":
        program = A5 / "hand_in.py"
    else:
        assert commands.find(name) is not None, f"run.sh {name} is gone"
        program = A5 / "run.py"
    check_options(program, options)


def look_up_program(words: list[str]) -> None:
    path, *others = words
    program = ROOT / path
    assert program.is_file(), f"{path} is gone"
    check_options(program, others)
    if program.name == "grader.py":
        assert parts_of(program, others[0]), f"grader.py has no part {others[0]}"
    elif others and not others[0].startswith("-") and not others[0].isupper():
        assert others[0] in help_of(program), f"{path} {others[0]} is gone"


def check_options(program: Path, words: list[str]) -> None:
    for option in (word for word in words if word.startswith("--")):
        assert option in help_of(program), f"{program.name} {option} is gone"


def look_up_make(words: list[str]) -> None:
    targets = re.findall(r"^([\w ]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    script = (ROOT / "scripts" / "setup.sh").read_text("utf-8")
    for target in words:
        assert target in " ".join(targets).split(), f"make {target} is gone"
        assert re.search(rf"^    {target}\) ", script, re.MULTILINE), f"setup.sh {target} is gone"


def look_up(command: str) -> None:
    first, *words = shlex.split(command)
    if first == "wherefrom":
        look_up_wherefrom(words)
    elif first == "course/a5/run.sh":
        look_up_a5(words)
    elif first == "python":
        look_up_program(words)
    elif first == "make":
        look_up_make(words)
    else:
        assert not words, f"'{command}' is no command that this test knows"
        assert (ROOT / first).is_file(), f"{first} is gone"


GONE = (
    "wherefrom nothing", "wherefrom run nothing", "wherefrom ask RUN --nothing",
    "course/a5/run.sh vanilla_nothing", "course/a5/run.sh vanilla_pretrain --nothing 1",
    "python course/a5/nothing.py", "python course/a5/grader.py 9z", "make nothing",
    "python course/a5/submission/dataset.py nothing", "docs/nothing.md",
)  # fmt: skip


def missing(commands: Iterable[str]) -> dict[str, str]:
    """The commands that are gone, each with the reason."""
    found = {}
    for command in commands:
        try:
            look_up(command)
        except AssertionError as error:
            found[command] = str(error)
    return found


def test_every_command_is_there_and_one_that_is_gone_is_noticed():
    assert missing(COMMANDS) == {}
    assert tuple(missing(GONE)) == GONE


def test_files_that_commands_name_are_there():
    for command in COMMANDS:
        for word in shlex.split(command):
            if word.startswith(("docs/", "course/")):
                assert (ROOT / word).exists(), f"{word} is gone"


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
