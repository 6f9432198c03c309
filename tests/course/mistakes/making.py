"""Submissions to be graded: copies of the reference solution, with predictions, with mistakes.

Tests of the grader and of the doctor share these: the fixture `making` loads this file.
"""

import random
import shutil
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
A5 = HERE.parents[2] / "course" / "a5"
MISTAKES = tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))

# A share of right answers for each model, plausible for it.
RIGHT = {
    "vanilla.nopretrain": 0.02,
    "vanilla.pretrain": 0.3,
    "synthesizer.pretrain": 0.12,
    "perceiver.pretrain": 0.07,
    "rope.pretrain": 0.33,
}
PEOPLE = {"dev": 200, "test": 120}
PLACES = [f"{a}{b}" for a in ("Ost", "Lim", "Kar", "Vel", "Nor") for b in "au heim by stad".split()]
PLACES += [f"{place} Bay" for place in PLACES]


def copy(folder: Path) -> Path:
    """The reference solution's code, in a folder of another name."""
    folder.mkdir(parents=True)
    for path in (A5 / "submission").glob("*.py"):
        shutil.copy(path, folder)
    return folder


def side_by_side(folder: Path) -> Path:
    """The plain solution in CS224N's layout: no package, run.py in place of helper.py."""
    folder.mkdir(parents=True)
    for name in ("attention", "dataset", "model", "trainer", "utils"):
        text = (HERE / "plain" / f"{name}.py").read_text(encoding="utf-8")
        (folder / f"{name}.py").write_text(text.replace("from .", "from "), encoding="utf-8")
    shutil.copy(HERE / "run.py", folder)
    return folder


def make_data(folder: Path) -> Path:
    """A small world: a line of text for everybody, dev with answers and test without."""
    folder.mkdir(parents=True, exist_ok=True)
    dice, lines = random.Random(0), []
    for split, count in PEOPLE.items():
        names = [f"Ada {split.title()}-{i} Lund" for i in range(count)]
        places = [dice.choice(PLACES) for _ in names]
        asked = [f"Where was {name} born?" for name in names]
        lines += [f"{n}. Lund, born in {p}, sang." for n, p in zip(names, places, strict=True)]
        rows = [f"{q}\t{p}" for q, p in zip(asked, places, strict=True)]
        _write(folder / "answers.tsv", places)
        file = "birth_dev.tsv" if split == "dev" else "birth_test_inputs.tsv"
        _write(folder / file, rows if split == "dev" else asked)
    dice.shuffle(lines)
    (folder / "wiki.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def predict(folder: Path, dev: list[str], test: list[str], places: list[str]) -> None:
    """Every file of predictions, each right as often as is plausible for its model."""
    for model, share in RIGHT.items():
        for split, answers in (("dev", dev), ("test", test)):
            dice = random.Random(f"{model} {split}")
            right = set(dice.sample(range(len(answers)), round(share * len(answers))))
            wrong = [dice.choice([p for p in places if p != a]) for a in answers]
            lines = [a if i in right else wrong[i] for i, a in enumerate(answers)]
            _write(folder / f"{model}.{split}.predictions", lines)


def predict_all(folder: Path, data: Path) -> Path:
    rows = (data / "birth_dev.tsv").read_text(encoding="utf-8").splitlines()
    test = (data / "answers.tsv").read_text(encoding="utf-8").splitlines()
    predict(folder, [row.split("\t")[1] for row in rows], test, PLACES)
    return folder


def spoil(folder: Path, mistake: str) -> Path:
    """Make one of the mistakes in a copy of the reference solution."""
    change = MISTAKES[mistake]
    path = folder / change["file"]
    text = path.read_text(encoding="utf-8")
    if by := change.get("moved"):
        lines = text.split("\n")[:-1]
        _write(path, lines[-by:] + lines[:-by])
        return folder
    assert text.count(change["old"]) == 1, f"{change['file']} no longer has {change['old']!r}"
    path.write_text(text.replace(change["old"], change["new"]), encoding="utf-8")
    return folder


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
