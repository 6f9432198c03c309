"""What answering "London" to everybody scores: python london_baseline.py [FILE.tsv]."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from places import find_data

from wherefrom.course.classroom.spoken_errors import tell


def score(path: Path, out: Path | None = None) -> None:
    from wherefrom.core.files import write_text
    from wherefrom.reading.table_files import read_table

    rows = read_table(path, 2)
    total, correct = float(len(rows)), float(sum(row.cells[1] == "London" for row in rows))
    print(f"Correct: {correct} out of {total}: {100 * correct / total:.4g}%")
    if out is not None:
        write_text(out, f"{100 * correct / total:.4g}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="questions and answers; birth_dev.tsv")
    parser.add_argument("--data", metavar="FOLDER", help="where the data is, if not in data/")
    help = "write the percentage there too: CS224N 2023-24 hands it in"
    parser.add_argument("--out", type=Path, metavar="FILE", help=help)
    given = parser.parse_args(arguments)
    return tell(lambda: score(given.file or find_data("birth_dev.tsv", given.data), given.out))


if __name__ == "__main__":
    sys.exit(main())
