"""What answering "London" to everybody scores on the dev questions: python london_baseline.py.

`--out FILE` writes the percentage there too: CS224N 2023-24 hands it in.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from places import find_data

from wherefrom.core.files import write_text
from wherefrom.course.classroom.spoken_errors import run_program
from wherefrom.reading.table_files import read_table


def score(data: str, out: str) -> None:
    rows = read_table(find_data("birth_dev.tsv", data), 2)
    total, correct = float(len(rows)), float(sum(row.cells[1] == "London" for row in rows))
    print(f"Correct: {correct} out of {total}: {100 * correct / total:.4g}%")
    if out:
        write_text(Path(out), f"{100 * correct / total:.4g}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    return run_program(__doc__ or "", score, arguments, **{"data": "", "out": ""})


if __name__ == "__main__":
    sys.exit(main())
