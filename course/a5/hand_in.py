"""Check that everything that the year asks for is there, and pack it into one archive.

    python hand_in.py                    check submission/ and write the archive
    python hand_in.py --check            only check
    python hand_in.py --submission FOLDER     another submission; --data FOLDER, where its data is
    python hand_in.py --year cs224n2023  by that hand-out
    python hand_in.py --out FILE         another archive; --force replaces one that is there
    python hand_in.py --incomplete       pack what is there, whatever is wrong with it

XCS224N wants the files of `submission/` side by side in an archive. CS224N's own script packs the
folder `src/`, and beside it what the code wrote; until 2023 the data too. A file that is missing is
named with the command that makes it. The same files give the same archive, byte for byte.
"""

import os
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from places import SUBMISSION, YEAR, data_folder

from wherefrom.core.errors import BadData, CannotWrite, MissingInput, WherefromError
from wherefrom.core.files import read_text, write_bytes
from wherefrom.course.classroom import assignment_commands as commands
from wherefrom.course.classroom.spoken_errors import run_program
from wherefrom.course.classroom.submission_archives import archive as pack
from wherefrom.course.doctor.layouts import expected_files, is_package, locate, parse
from wherefrom.course.doctor.years import LONDON, VARIABLE, YEARS, describe, year_name

LINES = {"dev": 500, "test": 437}  # questions of birth_dev.tsv and birth_test_inputs.tsv


@dataclass(frozen=True)
class Deliverable:
    """A file's name in the archive, where it is, what is wrong with it, and how it is made."""

    name: str
    path: Path | None
    fault: str
    advice: str

    def __str__(self) -> str:
        if self.fault or self.path is None:
            return f"{self.fault}; {self.advice}"
        return f"{self.path.stat().st_size:,} bytes"


def deliverables(code: Path, year: str, data: str = "") -> list[Deliverable]:
    """Everything that the year asks for, searched beside the code, above `src`, and in the data."""
    rules, beside = YEARS[year], [code.parent] if code.name == "src" else []
    package, found = is_package(code), list[Deliverable]()

    def add(name: str, advice: str, folders: Sequence[Path]) -> None:
        file = name.rpartition("/")[2]
        path = next((place / file for place in folders if (place / file).is_file()), None)
        found.append(Deliverable(name, path, find_fault(path) if path else "missing", advice))

    # Where a whole folder is packed, every other Python file in it comes along.
    others = [] if rules.package else sorted(path.name for path in code.glob("*.py"))
    for name in dict.fromkeys([*expected_files(code), *others]):
        place = "" if rules.package else "src/"
        add(f"{place}{name}", "take it from the hand-out, or mend it", [code])
    own = f" --year {year}" if package and year != YEAR else ""
    for name, does in commands.COMMANDS.items():
        left = does.function == "pretrain" and not rules.package  # CS224N does not collect these
        if does.variant in ("vanilla", rules.variant) and not left:
            made = f"make it with '{commands.typed(name, package)}{own}'"
            add(does.writes or does.predicts, made, [code, *beside])
    for name in rules.packed:
        advice, folders = "name the data's folder with --data", [data_folder(data)]
        if name == LONDON:
            place = os.path.relpath((beside or [code])[0] / name)
            advice, folders = f"make it with 'python london_baseline.py --out {place}'", []
        add(name, advice, [*beside, code, *folders])
    return found


def find_fault(path: Path) -> str:
    """Why this file cannot be handed in as it is; "" if it can."""
    try:
        if path.suffix == ".predictions":
            return _fault_of_predictions(path, LINES[path.name.split(".")[-2]])
        if not path.stat().st_size and path.name != "__init__.py":
            return "expected something in it, found an empty file"
        if path.suffix == ".py":
            parse(path)
        if path.suffix == ".params":
            with path.open("rb") as file:  # torch.save writes a zip, and wrote a pickle once
                known = file.read(2).startswith((b"PK", b"\x80"))
            return "" if known else "expected what torch.save writes, found something else"
    except WherefromError as error:
        return str(error).partition(": ")[2].partition("; ")[0]
    return ""


def _fault_of_predictions(path: Path, wanted: int) -> str:
    lines = read_text(path).removesuffix("\n").split("\n")
    empty = [number for number, line in enumerate(lines, 1) if not line.strip()]
    if len(lines) != wanted:
        return f"expected {wanted} lines, one for each question, found {len(lines)}"
    first = f"{len(empty)} of {wanted} empty, the first of them line {(empty or [0])[0]}"
    return f"expected a place on each line, found {first}" if empty else ""


def hand_in(
    submission: Path, year: str, data: str, out: str, check: bool, incomplete: bool, force: bool
) -> None:
    code = locate(submission)
    year = year_name(year or os.environ.get(VARIABLE) or YEAR)
    archive = Path(out or YEARS[year].archive)
    if archive.exists() and not (force or check):
        raise CannotWrite(f"{archive}: is there already; --force replaces it, --out names another")
    found = deliverables(code, year, data)
    print(f"{describe(year)}\n")
    width = max(len(each.name) for each in found)
    for each in found:
        print(f"{'x ' if each.fault else '  '}{each.name:{width}}  {each}")
    bad = sorted((each for each in found if each.fault), key=lambda each: each.path is not None)
    if bad and (check or not incomplete):
        missing = sum(each.path is None for each in bad)
        left = "" if check else f"; {archive} was not written"
        raise (MissingInput if missing else BadData)(
            f"{bad[0].name}: {bad[0]} ({missing} missing and {len(bad) - missing} wrong of "
            f"{len(found)} files{left})"
        )
    if check:
        print(f"\n{len(found)} files, all there")
        return
    files = {each.name: each.path.read_bytes() for each in found if each.path}
    write_bytes(archive, pack(files, zipfile.ZIP_STORED))
    print(f"\n{len(files)} of {len(found)} files: {archive} ({archive.stat().st_size:,} bytes)")


def main(arguments: Sequence[str] | None = None) -> int:
    options = {"submission": SUBMISSION, "year": "", "data": "", "out": ""}
    flags = dict.fromkeys(("check", "incomplete", "force"), False)
    return run_program(__doc__ or "", hand_in, arguments, **options, **flags)


if __name__ == "__main__":
    sys.exit(main())
