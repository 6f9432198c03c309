"""Holds the budget of lines, the table [tool.wherefrom.lines] of pyproject.toml.

    python scripts/budget.py            # what `make check` calls: names what is over its budget
    python scripts/budget.py --table    # today's figures, as lines of the table

A line is a line of a file, with blank lines and comments. Each room of the package has an entry,
the modules beside the rooms have one together. Python counts everywhere, JavaScript in
show/page/js, and in docs/ words of Markdown, since a line there may be a whole table row.
"""

import sys
import tomllib
from pathlib import Path

PACKAGE = "src/wherefrom"
SCRIPTS = f"{PACKAGE}/show/page/js"
OUTSIDE = ("tests", "benchmarks", "course", "studies", "scripts")
LONGEST = 420  # lines of a Python file: past that, look for the second idea in it
NOT_OURS = {"node_modules", "__pycache__"}


def find(root: Path, place: str, pattern: str) -> list[Path]:
    files = sorted((root / place).glob(pattern))
    return [file for file in files if not NOT_OURS & set(file.relative_to(root).parts)]


def count_lines(files: list[Path]) -> int:
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


def measure(root: Path) -> dict[str, int]:
    """What every entry of the table is compared with."""
    inside = (f.relative_to(root / PACKAGE).parts[0] for f in find(root, PACKAGE, "*/**/*.py"))
    places = [*(f"{PACKAGE}/{room}" for room in sorted(set(inside))), *OUTSIDE]
    found = {PACKAGE: count_lines(find(root, PACKAGE, "*.py"))}
    found |= {place: count_lines(find(root, place, "**/*.py")) for place in places}
    found[SCRIPTS] = count_lines(find(root, SCRIPTS, "**/*.js"))
    found["docs"] = sum(len(p.read_text("utf-8").split()) for p in find(root, "docs", "**/*.md"))
    return found


def find_long(root: Path) -> dict[str, int]:
    """Python files of more than LONGEST lines."""
    files = [f for place in ("src", *OUTSIDE) for f in find(root, place, "**/*.py")]
    lines = {file.relative_to(root).as_posix(): count_lines([file]) for file in files}
    return {name: count for name, count in lines.items() if count > LONGEST}


def find_faults(root: Path) -> list[str]:
    """One line for each thing that the table does not allow, or no longer needs."""
    with (root / "pyproject.toml").open("rb") as file:
        table = tomllib.load(file)["tool"]["wherefrom"]["lines"]
    known = set(table.pop("long_files"))
    found, long = measure(root), find_long(root)
    faults = [f"{name}: {found[name]}, not in the table" for name in found.keys() - table.keys()]
    faults += [f"{name}: in the table, but not there" for name in table.keys() - found.keys()]
    faults += [
        f"{name}: {found[name]}, budget {table[name]}"
        for name in found.keys() & table.keys()
        if found[name] > table[name]
    ]
    faults += [
        f"{name}: {long[name]} lines, at most {LONGEST} for a file" for name in long.keys() - known
    ]
    faults += [f"{name}: in long_files, but not long any more" for name in known - long.keys()]
    return sorted(faults)


def main(arguments: list[str], root: Path = Path(__file__).parents[1]) -> int:
    if arguments == ["--table"]:
        print(*(f'"{name}" = {count}' for name, count in measure(root).items()), sep="\n")
        return 0
    faults = find_faults(root)
    if faults:
        print(
            "the budget of lines ([tool.wherefrom.lines] in pyproject.toml):", *faults, sep="\n  "
        )
        print("take something away, or raise the number in this commit and say why")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
