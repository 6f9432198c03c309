"""Submissions to be graded: copies of the reference solution, with predictions, with mistakes.

Tests of the grader and of the doctor share these.
"""

import random
import shutil
import string
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import DEFAULT_YEAR

_TESTS = Path(__file__).resolve().parents[1]
HERE = _TESTS / "course" / "mistakes"
A5 = _TESTS.parent / "course" / "a5"

# A share of right answers for each model, plausible for it.
RIGHT = {
    "vanilla.nopretrain": 0.02,
    "vanilla.pretrain": 0.3,
    "synthesizer.pretrain": 0.12,
    "perceiver.pretrain": 0.1,
    "rope.pretrain": 0.33,
}
PARAMETERS = {model: f"{model.split('.')[0]}.finetune.params" for model in RIGHT}
PARAMETERS["vanilla.nopretrain"] = "vanilla.model.params"
PEOPLE = {"dev": 200, "test": 100}
QUESTIONS = {"dev": "birth_dev.tsv", "test": "birth_test_inputs.tsv"}
LETTERS = string.ascii_letters + " "
PLACES = [f"{a}{b}" for a in ("Ost", "Lim", "Kar", "Vel", "Nor") for b in "au heim by stad".split()]
PLACES += [f"{place} Bay" for place in PLACES]
LONGEST_PROMPT = len("Where was Abcdefg Lund born?") + 1
SIZES = {"n_head": 8, "n_embd": 16}
YEAR = ""  # what a submission takes its own year for, if not for that of the grader


def copy(folder: Path) -> Path:
    """The reference solution's code, in a folder of another name."""
    folder.mkdir(parents=True)
    for path in (A5 / "submission").glob("*.py"):
        shutil.copy(path, folder)
    return folder


def plain(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """A solution in plain torch, as a student writes it, with some text of its files replaced."""
    shutil.copytree(HERE / "plain", folder)
    for each in changes:
        change(folder, *each)
    return folder


def side_by_side(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """The plain solution in CS224N's layout: no package, run.py in place of helper.py."""
    folder.mkdir(parents=True)
    for name in ("attention", "dataset", "model", "trainer", "utils"):
        text = (HERE / "plain" / f"{name}.py").read_text(encoding="utf-8")
        (folder / f"{name}.py").write_text(text.replace("from .", "from "), encoding="utf-8")
    shutil.copy(HERE / "run.py", folder)
    for each in changes:
        change(folder, *each)
    return folder


def make_data(folder: Path) -> Path:
    """A small world: a line of text for everybody, dev with answers and test without.

    Its models, in the folder `models`, have random weights and answer letters at random, always
    the same for a question. Which answers are right is decided afterwards: some of each model's.
    """
    (folder / "models").mkdir(parents=True, exist_ok=True)
    dice = random.Random(0)
    names = {split: [_name(dice) for _ in range(count)] for split, count in PEOPLE.items()}
    asked = {split: [f"Where was {name} born?" for name in names[split]] for split in names}
    told = [f"{name}. Lund, born in {LETTERS}, sang. {asked['dev'][0]}" for name in names["dev"]]
    predicted = _answer_all(folder / "models", asked, "\n".join([*told, *names["test"]]))
    lines = []
    for split in PEOPLE:
        places = [dice.choice(PLACES) for _ in names[split]]
        order = list(range(len(places)))
        dice.shuffle(order)
        for model, share in RIGHT.items():
            for i in [order.pop() for _ in range(round(share * len(places)))]:
                places[i] = predicted[model, split][i]
        told = zip(names[split], places, strict=True)
        lines += [f"{name}. Lund, born in {place}, sang." for name, place in told]
        rows = [f"{q}\t{p}" for q, p in zip(asked[split], places, strict=True)]
        _write(folder / "answers.tsv", places)
        _write(folder / QUESTIONS[split], rows if split == "dev" else asked[split])
    dice.shuffle(lines)
    alphabet = f"Alphabet. {LETTERS} {asked['dev'][0]}"
    (folder / "wiki.txt").write_text("\n".join([alphabet, *lines]), encoding="utf-8")
    return folder


def _name(dice: random.Random) -> str:
    return "".join(dice.choice(string.ascii_lowercase) for _ in range(7)).title() + " Lund"


def _answer_all(
    folder: Path, asked: dict[str, list[str]], text: str
) -> dict[tuple[str, str], list[str]]:
    """The files of every model: its parameters, and its predictions."""
    import torch

    reference = Submission(A5 / "submission")
    data = reference.CharCorruptionDataset(text, 128)
    predicted = {}
    for model, file in PARAMETERS.items():
        layers = 3 if "perceiver" in model else 1
        config = reference.GPTConfig(data.vocab_size, 128, n_layer=layers, **SIZES)
        built = getattr(reference, f"initialize_{model.split('.')[0]}_model")(config).eval()
        randomise(built, [data.stoi[c] for c in (*LETTERS, data.MASK_CHAR)], model)
        torch.save(built.state_dict(), folder / file)
        for split, questions in asked.items():
            lines = answers(built, data, questions)
            predicted[model, split] = lines
            _write(folder / f"{model}.{split}.predictions", lines)
    return predicted


def randomise(model: Any, spoken: list[int], seed: str) -> None:
    """Weights so large that every letter of the question matters; only some are ever spoken."""
    import torch

    torch.manual_seed(sum(seed.encode()))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            spread = 0.0 if name.endswith("bias") else 3.0 / parameter.shape[-1] ** 0.5
            parameter.normal_(0.0, 1.0 if name.endswith("_emb.weight") else spread)
            if name.endswith("w2"):  # else all look at one place, whoever the question is about
                parameter.mul_(0.1)
            if "ln" in name and name.endswith("weight"):
                parameter.fill_(1.0)
        silent = torch.ones(len(model.head.weight), dtype=torch.bool)
        silent[spoken] = False
        model.head.weight[silent] = 0.0
        # The mask is likely, or said at a certain position, so that answers end.
        if hasattr(model, "pos_emb") and not hasattr(model, "down_block"):
            model.pos_emb[0, LONGEST_PROMPT + 6 :] += 99 * model.head.weight[1]
        else:
            model.head.weight[1] *= 4


def answers(model: Any, data: Any, questions: list[str]) -> list[str]:
    """What the course's program writes: the likeliest of 32 characters, up to the mask."""
    import torch

    ids = torch.tensor([[data.stoi[c] for c in q + data.MASK_CHAR] for q in questions])
    left, said = torch.arange(len(questions)), [""] * len(questions)
    for _ in range(32):
        with torch.no_grad():
            ids = torch.cat((ids, model(ids)[0][:, -1].argmax(-1, keepdim=True)), 1)
        going = ids[:, -1] != data.stoi[data.MASK_CHAR]
        ids, left = ids[going], left[going]
        for row, character in zip(left.tolist(), ids[:, -1].tolist(), strict=True):
            said[row] += data.itos[character]
        if not len(left):
            break
    return said


def predict_all(folder: Path, data: Path) -> Path:
    """Files of parameters, and what they answer."""
    for path in (data / "models").iterdir():
        shutil.copy(path, folder)
    return folder


def change(folder: Path, file: str, old: str, new: str) -> Path:
    """Replace a text of one of the files."""
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text, f"{file} no longer has {old!r}"
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    return folder


def shift_lines(folder: Path) -> None:
    """Predictions that come a line too late."""
    path = folder / "vanilla.pretrain.dev.predictions"
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    _write(path, [last, *lines])


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def claims_of(folder: Path, requests: Any, year: str = DEFAULT_YEAR, draw: int = 7) -> Any:
    """What a submission claims, asked in this process: it saves importing torch anew."""
    from wherefrom.course.doctor.child import answer
    from wherefrom.course.doctor.judging.claims import Claims, read_claim
    from wherefrom.course.doctor.layouts import is_package
    from wherefrom.course.doctor.years import find_year

    place = Path(tempfile.mkdtemp(prefix="claims-", dir=folder.parent)).resolve()
    for name in ("given", "out", "work"):
        (place / name).mkdir()
    asked = [vars(request) for request in requests]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))
        patch.setenv("A5_YEAR", YEAR or year)
        patch.chdir(place / "work")
        answer(Submission(folder.resolve()), asked, place)
    found = {request.name: read_claim(place / "out", request.name) for request in requests}
    return Claims(find_year(year), draw, is_package(folder), found)


def judge(folder: Path, *names: str, year: str = DEFAULT_YEAR) -> dict[str, Any]:
    """What is found of its code in this process, by the names of the kinds."""
    from wherefrom.course.doctor import checks
    from wherefrom.course.doctor.findings import attempt
    from wherefrom.course.doctor.years import find_year

    kinds = {name: checks.KINDS[name] for name in names}
    claims = claims_of(folder, checks.requests(kinds.values(), find_year(year), 7), year)
    return {name: attempt(kind.look, claims) for name, kind in kinds.items()}


def judge_files(
    folder: Path, data: Path, *reads: tuple[str, str], answers: Path | None = None,
    year: str = DEFAULT_YEAR,
) -> dict[str, Any]:  # fmt: skip
    """What is found in files of predictions, by "MODEL SPLIT"; none of its code is asked."""
    from wherefrom.course.doctor.findings import attempt
    from wherefrom.course.doctor.judging import predictions
    from wherefrom.course.doctor.judging.claims import Files
    from wherefrom.models import params

    claims = claims_of(folder, [], year, draw=3)
    claims.files = Files(folder, data, answers)
    with pytest.MonkeyPatch.context() as patch:  # our own files need no process apart
        patch.setattr(params, "_limit_memory", id)
        patch.setattr(params, "_convert_apart", params._convert)
        return {
            f"{model} {split}": attempt(
                partial(predictions.judge, model=model, split=split), claims
            )
            for model, split in reads
        }


def lost(results: dict[str, Any]) -> dict[str, str]:
    """What earns nothing, and the mistakes that are named."""
    return {name: result.mistake for name, result in results.items() if result.state != "ok"}
