"""Make what students are handed: the same files without the solutions.

    python make_starter.py [--out FOLDER] [--year NAME] [--force]

Between `### START_CODE_HERE ###` and `### END_CODE_HERE ###` nothing is left but a placeholder;
what stands between `### SOLUTION_ONLY ###` and its end is left out, marks and all.
"""

import argparse
import shutil
import sys
from pathlib import Path

from places import HERE, SUBMISSION, tell
from yearly import rewrite

from wherefrom.core.errors import CannotWrite, UsageError
from wherefrom.core.files import write_text
from wherefrom.course.doctor.starter import blank
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, year_name

UNCHANGED = (
    "README.md",
    "commands.py",
    "deliverables.py",
    "grader.py",
    "grading/__init__.py",
    "grading/grade.py",
    "grading/points.json",
    "grading/points.py",
    "hand_in.py",
    "london_baseline.py",
    "places.py",
    "play_char.ipynb",
    "run.py",
    "run.sh",
)


def check_free(texts: dict[Path, str]) -> None:
    """Refuse to write over files that say something else: they may be a student's work."""
    for path, text in texts.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != text.encode()):
            raise CannotWrite(
                f"{path}: expected nothing there, found a file that differs from the starter's; "
                "name another folder with --out, or write over it with --force"
            )


def make(out: Path, year: str = DEFAULT_YEAR, force: bool = False) -> list[Path]:
    """Write the year's starter into a folder that is new or was made by this; the files."""
    if out.resolve() == HERE:
        raise UsageError(f"--out: expected another folder than {out}, which has the solutions")
    sources = sorted(SUBMISSION.glob("*.py"))
    blanked = {
        p: rewrite(blank(p.read_text(encoding="utf-8"), p.name), p.name, year) for p in sources
    }
    unchanged = [path for pattern in UNCHANGED for path in sorted(HERE.glob(pattern))]
    texts = {out / "submission" / path.name: text for path, text in blanked.items()}
    texts |= {out / p.relative_to(HERE): p.read_text(encoding="utf-8") for p in unchanged}
    if not force:
        check_free(texts)
    for path, text in blanked.items():
        compile(text, path.name, "exec")
        write_text(out / "submission" / path.name, text)
    for path in unchanged:
        (out / path.relative_to(HERE)).parent.mkdir(exist_ok=True)
        shutil.copy(path, out / path.relative_to(HERE))
    return [out / "submission" / path.name for path in sources]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE / "starter")
    years = f"whose hand-out it is: {', '.join(YEARS)}"
    parser.add_argument("--year", default=DEFAULT_YEAR, metavar="NAME", help=years)
    parser.add_argument("--force", action="store_true", help="write over files that differ")
    given = parser.parse_args()
    out, year = given.out, year_name(given.year)
    files = make(out, year, given.force)
    print(
        f"{len(files)} files of {YEARS[year].title} in {out / 'submission'}; run.sh, grader.py "
        f"and what they need in {out}"
    )


if __name__ == "__main__":
    sys.exit(tell(main))
