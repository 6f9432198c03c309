"""What answering "London" to everybody scores: python london_baseline.py [FILE.tsv]."""

import sys
from pathlib import Path

from places import find_data, tell


def main() -> None:
    from submission.utils import evaluate_places

    from wherefrom.data.tables import read_table

    path = Path(sys.argv[1]) if len(sys.argv) > 1 else find_data("birth_dev.tsv")
    total, correct = evaluate_places(path, ["London"] * len(read_table(path, 2)))
    print(f"Correct: {correct} out of {total}: {100 * correct / total:.4g}%")


if __name__ == "__main__":
    sys.exit(tell(main))
