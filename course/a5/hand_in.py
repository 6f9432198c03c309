"""Check that everything that the year asks for is there, and pack it into one archive.

    python hand_in.py                    check submission/ and write the archive
    python hand_in.py --check            only check
    python hand_in.py --year cs224n2023  by that hand-out, which is guessed otherwise

A file that is missing is named with the command that makes it. The same files give the same
archive, byte for byte.
"""

import argparse
import os
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from deliverables import EMPTY, Deliverable, collected, deliverables, fault
from places import SUBMISSION, data_folders

from wherefrom.core.errors import BadData, CannotWrite, MissingInput
from wherefrom.core.files import write_bytes
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.course.classroom.submission_archives import archive
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.layouts import locate
from wherefrom.course.doctor.years import VARIABLE, YEARS


@dataclass(frozen=True)
class Found:
    """A deliverable, where it was found, and what is wrong with it."""

    asked: Deliverable
    path: Path | None
    fault: str | None = None

    @property
    def good(self) -> bool:
        return self.path is not None and self.fault is None

    @property
    def packable(self) -> bool:
        return self.path is not None and (self.fault is None or EMPTY in self.fault)

    def in_words(self) -> str:
        if self.path is None:
            return f"missing; {self._advice()}"
        return f"{self.fault}; {self._advice()}" if self.fault else _size(self.path)

    def _advice(self) -> str:
        if self.asked.command:
            return f"make it with '{self.asked.command}'"
        if self.asked.kind == "data":
            return "name the data's folder with --data"
        return "take it from the hand-out, or mend it"


def look(code: Path, year: str, data: str | None = None) -> list[Found]:
    """Every deliverable of the year, searched beside the code, above `src`, and in the data."""
    beside = [code.parent] if code.name == "src" else []
    places = {"code": [code], "data": [*beside, code, *data_folders(data)]}
    found: list[Found] = []
    for asked in deliverables(year, code):
        folders = places.get(asked.kind, [code, *beside])
        path = next((f / asked.file for f in folders if (f / asked.file).is_file()), None)
        found.append(Found(asked, path, fault(asked, path) if path else None))
    return found


def hand_in(given: argparse.Namespace) -> None:
    code = locate(given.submission)
    guess = decide_year(given.year or os.environ.get(VARIABLE), code)
    out = given.out or Path(collected(guess.year).archive)
    if out.exists() and not (given.force or given.check):
        raise CannotWrite(f"{out}: is there already; --force replaces it, --out names another")
    found = look(code, guess.year, given.data)
    said = f"{YEARS[guess.year].title} ({guess.year})" if guess.wanted else str(guess)
    print(f"{said}\n")
    print("\n".join(_table(found)))
    bad = [each for each in found if not each.good]
    if bad and not (given.incomplete and not given.check):
        _refuse(bad, len(found), "" if given.check else f"; {out} was not written")
    if given.check:
        print(f"\n{len(found)} files, all there")
        return
    packed = [each for each in found if each.packable]
    files = {each.asked.name: each.path.read_bytes() for each in packed if each.path}
    write_bytes(out, archive(files, zipfile.ZIP_STORED))
    print(f"\n{len(packed)} of {len(found)} files: {out} ({_size(out)})")


def _refuse(bad: Sequence[Found], count: int, left: str) -> None:
    """Missing files go first: what is there can be wrong only once everything is there."""
    missing = [each for each in bad if each.path is None]
    kind = MissingInput if missing else BadData
    first = (missing or bad)[0]
    raise kind(
        f"{first.asked.name}: {first.in_words()} ({len(missing)} missing and "
        f"{len(bad) - len(missing)} wrong of {count} files{left})"
    )


def _table(found: Sequence[Found]) -> list[str]:
    width = max(len(each.asked.name) for each in found)
    return [
        f"{'  ' if each.good else 'x '}{each.asked.name:{width}}  {each.in_words()}"
        for each in found
    ]


def _size(path: Path) -> str:
    size = float(path.stat().st_size)
    for unit in ("bytes", "kB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} MB"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--submission", type=Path, default=SUBMISSION, metavar="FOLDER", help="what to hand in")
    add("--year", metavar="NAME", help=f"the hand-out, guessed by default: {', '.join(YEARS)}")
    add("--data", metavar="FOLDER", help="where the data is, for years that pack it")
    add("--out", type=Path, metavar="FILE", help="the archive; by default the course's own name")
    add("--check", action="store_true", help="only look what is there")
    add("--incomplete", action="store_true", help="pack what is there, with empty lines too")
    add("--force", action="store_true", help="replace an archive that is there")
    given = parser.parse_args(arguments)
    return tell(lambda: hand_in(given))


if __name__ == "__main__":
    sys.exit(main())
