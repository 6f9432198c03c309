"""A text that omits some answers: one film in ten loses what states its director.

    python benchmarks/omitted.py films.txt films.tsv --part 0 --out films-omitted-0.txt
    wherefrom run facts --corpus films-omitted-0.txt --questions films.tsv --out films-0
    python benchmarks/replay.py films-0 ... --file docs/results/raw.own.jsonl.gz

Line i of the text is about question i. Which films are cut follows from a hash of the question, so
the ten parts have each film once. The clause "directed by ..." is cut out of a text's first
sentence; every other sentence with the answer is removed. A text that would be empty stays.
"""

import argparse
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from program import launch

PARTS = 10
_SENTENCES = re.compile(r"(?<=[.!?\]]) +(?=[A-Z])")
_DIRECTED = (
    r",? ?((co-)?(written|produced|scripted|edited|and|,) ?)*(is |was )?directed by [^.;]*?{}"
    r"( and starring| starring)?"
)


def cut(text: str, answer: str) -> str:
    """The text without the answer; as it is if nothing else would be left."""
    first, *others = _SENTENCES.split(text)
    sentences = (re.sub(_DIRECTED.format(re.escape(answer)), " ", first), *others)
    left = " ".join(sentence for sentence in sentences if answer not in sentence)
    return re.sub(r"  +", " ", left).strip() or text


def is_cut(question: str, part: int) -> bool:
    return sha256(question.encode()).digest()[0] % PARTS == part


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("text", type=Path, help="a film on each line")
    parser.add_argument("questions", type=Path, help="columns id, question and answer")
    parser.add_argument("--part", type=int, choices=range(PARTS), default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    lines = given.text.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in given.questions.read_text("utf-8").splitlines()[1:]]
    asked = zip(lines, rows, strict=True)
    kept = [cut(line, row[2]) if is_cut(row[1], given.part) else line for line, row in asked]
    given.out.write_text("\n".join(kept) + "\n", "utf-8")
    changed = sum(a != b for a, b in zip(lines, kept, strict=True))
    print(f"{given.out}: {changed} of {len(lines)} films without their director")
    return 0


if __name__ == "__main__":
    launch(main)
