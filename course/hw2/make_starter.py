"""Make what students are handed: the homework's files without the solutions.

    python make_starter.py [--out FOLDER] [--force]

A folder that has files already is left alone, unless `--force` is given.
"""

import argparse
import sys
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.course.doctor.starter import write_starter

HERE = Path(__file__).resolve().parent
SOLVED = (
    "sigmoid.py",
    "softmax.py",
    "gradcheck.py",
    "sgd.py",
    "q1c_neural.py",
    "q1d_neural_lm.py",
    "q3_char_rnn_generation.py",
    "q4_DAN.py",
)
UNCHANGED = ("README.md", "grader.py", "marking/*.py", "probing/*.py")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE / "starter", metavar="FOLDER")
    parser.add_argument("--force", action="store_true", help="overwrite what is in the folder")
    given = parser.parse_args(arguments)
    try:
        files = write_starter(HERE, given.out, SOLVED, UNCHANGED, given.force)
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{len(files)} files to fill in, and grader.py, in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
