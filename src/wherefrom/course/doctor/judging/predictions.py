"""Files of predictions, judged: their form, the submitted parameters' own answers, the score.

A score on 500 questions is uncertain by some points, so it is never held against a bare bar: it
gets the points if its 95 % Wilson interval reaches the bar. A model whose true rate is just the
bar fails in at most 2.2 % of all cases. One as good as the median of the public runs fails with
3e-21 (vanilla), 1e-8 (synthesizer), less (rope) and 3e-4 (without pretraining: only none right at
all fails).

Some questions are answered again. Reading a question with its submitted answer behind it shows in
one pass what the model would have chosen at each character, so nothing needs to be generated. An
answer agrees if every character of it, and the mask that ends it, is the model's first choice, or
ties with it: a model evaluated on a GPU, or in half precision, breaks ties otherwise.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import torch
from torch import Tensor

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.findings import Finding, NoTelling, attempt, expect
from wherefrom.course.doctor.judging import computation, models, spans
from wherefrom.course.doctor.judging.claims import LARGEST, Claims, Files, Table, bounded
from wherefrom.course.doctor.judging.spans import MASK
from wherefrom.course.doctor.years import Year, variant_of
from wherefrom.evaluation.intervals import wilson
from wherefrom.models.params import read_params

QUESTIONS = {"dev": "birth_dev.tsv", "test": "birth_test_inputs.tsv"}
# If it made no difference whether a file is read with a shift, each right line would belong to
# either reading with the same chance: so many deviations have a chance of 5e-7.
SIGMAS = 4.5
_LONGEST_FILE = 1 << 20
# What a file should reach. The course asks for 10 % after pretraining; the synthesizer's public
# runs have a median of 9.5 %, and those without pretraining lie between 1 and 3 %.
LEAST = {
    "vanilla.nopretrain": 0.01,
    "vanilla.pretrain": 0.10,
    "synthesizer.pretrain": 0.05,
    "perceiver.pretrain": 0.02,  # the course's own bar: at 32 latents the text is cut at 32
    "rope.pretrain": 0.10,
}
# Without pretraining there is no way to know more than this: twice the score of "London".
MOST = {"vanilla.nopretrain": 0.10}
HEADS = 8
BUFFERS = ("mask", "rope_cache")  # not parameters
UNNAMED = {"formula", "attention", "model", "dropout"}  # mistakes that are not computed here
ALONE, AFTER, OWN = "vanilla.nopretrain", "vanilla.pretrain", ""  # "": that of part g
_FEW = 6  # lines that show whether it is worth while to compare all of them
STEPS = 32  # characters that the course generates
# Measured with random models, whose close calls are many: of 600 lines that they answered with
# weights rounded to 11 bits (half precision, TF32) all agree, with 8 bits (bfloat16) all but 4.
# Without room for ties, 5 and 70 of them would not.
TIE = 0.02  # of the distance from the mean logit to the largest
TIED = 3  # characters that may be so near: a model with more of them has no opinion
# Of an honest file's lines less than 1 % differ, so more than three of 40 with a chance of 7e-4. A
# copied column of answers agrees only where the model is right: at 40 % right answers, which is
# more than any public run has, it passes with 4e-12. A file in which a fifth of the lines is forged
# passes with 3 %, a third with 1e-4.
AGAIN, ALLOWED = 40, 3
# The course's program reads a test question with the end of its line; ours does not.
ENDINGS = ("", "\n")

Logits = Callable[[Tensor], Tensor]  # (B, T) characters to (B, T, vocabulary)


# -- files -----------------------------------------------------------------------------------------


def model_of(year: Year, model: str) -> str:
    """The start of a file's name."""
    return model or f"{year.variant}.pretrain"


def is_written(files: Files, year: Year, model: str, split: str) -> bool:
    """Whether there are such predictions."""
    return files.find(f"{model_of(year, model)}.{split}.predictions").is_file()


def parameters_of(model: str) -> str:
    """The file of parameters that gave a file of predictions."""
    return f"{model.split('.')[0]}.{'model' if model == ALONE else 'finetune'}.params"


def read_predictions(path: Path) -> list[str]:
    expect(path.is_file(), "missing file", f"{path.name} is not there")
    large = f"{path.name} is larger than {_LONGEST_FILE} bytes"
    expect(path.stat().st_size <= _LONGEST_FILE, "form", large)
    try:
        return _lines(path)
    except WherefromError as error:
        said = str(error).replace(str(path), path.name)
        raise Finding("form", f"{path.name} is no text: {said}") from error


def read_asked(
    data: Path | None, split: str, answers: Path | None = None
) -> tuple[list[str], list[str]]:
    """The questions of dev or test; the answers stand beside them, or in a file of their own."""
    rows = [line.split("\t") for line in _lines(_given(data, QUESTIONS[split]))]
    known = [line.split("\t")[-1] for line in _lines(answers)] if answers else []
    known = known or [row[1] for row in rows if len(row) > 1]
    if known and len(known) != len(rows):
        raise NoTelling(f"{answers or QUESTIONS[split]}: {len(known)} of {len(rows)} answers")
    return [row[0] for row in rows], known


def vocabulary(data: Path | None) -> dict[str, int]:
    """The number of each character of wiki.txt, as every year's hand-out counts them."""
    text = read_text(_given(data, "wiki.txt")).replace("\r\n", "\n")
    return {c: i for i, c in enumerate(spans.vocabulary(text))}


def _given(data: Path | None, name: str) -> Path:
    if data is None or not (data / name).is_file():
        where = data / name if data else name
        raise NoTelling(f"{where} is not there; name its folder with --data")
    return data / name


def _lines(path: Path) -> list[str]:
    text = read_text(path)
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


# -- judgements ------------------------------------------------------------------------------------


def judge(claims: Claims, model: str, split: str) -> str:
    """Form, place beside the questions, the parameters' own answers, and if known the score.

    A score counts if its interval reaches the bar. Where the answers are not known, it is that of
    the same parameters on dev, whatever the file of dev says.
    """
    model = model_of(claims.year, model)
    name = f"{model}.{split}.predictions"
    lines = read_predictions(claims.files.find(name))
    known = claims.files.answers if split == "test" else None
    questions, answers = read_asked(claims.files.data, split, known)
    check_form(lines, answers, len(questions), name)
    for other in LEAST:  # two models never write the same file
        path, same = claims.files.find(f"{other}.{split}.predictions"), False
        with suppress(Finding):  # a file that cannot be read costs its own test alone
            same = other != model and read_predictions(path) == lines
        expect(not same, "copy", f"{path.name} says the same on every line: one is a copy")
    numbers = vocabulary(claims.files.data)
    tie, logits = _check_tied(claims, model, numbers, questions, lines)
    if answers:
        said, right, total = "", count_right(lines, answers), len(lines)
    else:  # the same parameters must know those of dev
        asked, known = read_asked(claims.files.data, "dev")
        right, total = sum(map(partial(_is_own, logits, numbers), asked, known)), len(asked)
        said = f"{len(lines)} lines; the answers are not known. By these parameters, of dev's "
    low, high = wilson(right, total)
    said += f"{right} of {total} right ({right / total:.1%}), "
    said += f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"
    expect(high >= LEAST[model], "score", f"{said}: does not reach {LEAST[model]:.0%}")
    more = f"{said}: more than a model without pretraining can know"
    expect(low <= MOST.get(model, 1.0), "mislabelled", more)
    return f"{said}; {tie}"


def count_right(predictions: Sequence[str], answers: Sequence[str], off: int = 0) -> int:
    """Exact matches, of predictions that come `off` lines too late."""
    places = range(max(0, -off), min(len(answers), len(predictions) - off))
    return sum(predictions[i + off].strip() == answers[i] for i in places)


def check_form(predictions: Sequence[str], answers: Sequence[str], asked: int, name: str) -> None:
    """A line for each question, beside its question; few are empty, and not all are equal."""
    lines = f"{name} has {len(predictions)} lines for {asked} questions"
    off = shift(predictions, answers)
    where = f"stands one line too {'late' if off > 0 else 'early'}"
    text = f"{lines} and {where}: read so, far more are right"
    expect(not off, "predictions shifted by a line", text)
    expect(len(predictions) == asked, "lines", lines)
    constant = len(set(predictions)) == 1 and len(predictions) > 1
    expect(not constant, "constant", f"every line of {name} is {predictions[0][:40]!r}")
    empty = sum(not place.strip() for place in predictions)
    text = f"{empty} of {len(predictions)} lines of {name} are empty"
    expect(2 * empty <= len(predictions), "empty", text)


def shift(predictions: Sequence[str], answers: Sequence[str]) -> int:
    """1 if the predictions come a line too late, -1 if too early, 0 if neither is certain."""
    right = {off: count_right(predictions, answers, off) for off in (0, 1, -1)}
    best = max((1, -1), key=lambda off: right[off])
    return best if right[best] - right[0] > SIGMAS * sqrt(right[best] + right[0]) else 0


def _check_tied(
    claims: Claims, model: str, numbers: Mapping[str, int], questions: Sequence[str],
    lines: Sequence[str],
) -> tuple[str, Logits]:  # fmt: skip
    """The course's model with the submitted parameters gives the submitted lines.

    A mistake in the model costs the test of the model, not those of honest predictions: if one of
    the usual mistakes explains the lines, they are its. The model that does comes with the words.
    """
    state, file, meant = state_of(claims, model), parameters_of(model), model.split(".")[0]
    count = min(AGAIN, len(lines))
    places = sorted(Random(claims.draw).sample(range(len(lines)), count))
    asked, given = ([column[i] for i in places] for column in (questions, lines))
    fewest, said = given, f"answered again by the parameters in {file}"
    drawn = f"of {count} drawn lines (draw {claims.draw}) are the same"
    try:
        for text, changes in _variations(meant):
            compute = computation.computed(state, meant, HEADS, **changes)
            if changes and 2 * len(differing(compute, numbers, asked[:_FEW], given[:_FEW])) >= _FEW:
                continue
            others = differing(compute, numbers, asked, given)
            if len(others) <= ALLOWED:
                return f"{said}{text}, {count - len(others)} {drawn}", compute
            fewest = min(fewest, others, key=len)
    except (Finding, RuntimeError, IndexError) as error:
        text = f"{file}: {error}: not the course's {meant} model"
        _complain(claims, meant, "other architecture", " ".join(text.split())[:300])
    such = ", ".join(repr(line[:32]) for line in fewest[:3])
    least = f"expected {count - ALLOWED} or more; not {such}"
    _complain(claims, meant, "other answers", f"{said}, {count - len(fewest)} {drawn}, {least}")


def differing(
    logits: Logits, numbers: Mapping[str, int], questions: Sequence[str], lines: Sequence[str]
) -> list[str]:
    """The lines that are not the model's own, with or without the end of the line in the prompt."""
    found = ([line for asked, line in zip(questions, lines, strict=True)
              if not _is_own(logits, numbers, asked + end, line)] for end in ENDINGS)  # fmt: skip
    return min(found, key=len)


def _is_own(logits: Logits, numbers: Mapping[str, int], prompt: str, line: str) -> bool:
    """Whether the model reads the prompt, and then chooses every character and a mask."""
    text = f"{prompt}{MASK}{line}{MASK}"
    if not numbers.keys() >= set(text) or MASK in line or len(line) > STEPS:
        return False
    ids = torch.tensor([[numbers[c] for c in text]])
    answer = slice(len(prompt), len(prompt) + min(len(line) + 1, STEPS))
    with torch.no_grad():
        chosen = logits(ids[:, :-1])[0, answer].float()
    top, mean = chosen.max(-1, keepdim=True).values, chosen.mean(-1, keepdim=True)
    near = top - chosen <= TIE * (top - mean)  # (T, V)
    right = near.gather(-1, ids[0, 1:][answer, None])[..., 0]
    return bool((right & (near.sum(-1) <= TIED)).all())


@lru_cache(maxsize=1)
def state_of(claims: Claims, model: str) -> Table:
    """The parameters of a model's file: of the right variant, for the characters of wiki.txt."""
    file, meant = parameters_of(model), model.split(".")[0]
    why = "predictions earn points only together with the parameters that gave them"
    path = claims.files.find(file)
    expect(path.is_file(), "no parameters", f"{file} is not there: {why}")
    expect(path.stat().st_size <= LARGEST, "parameters file", f"{file} is larger than any model's")

    try:
        found = read_params(path)
    except WherefromError as error:
        raise Finding("parameters file", str(error).replace(str(path), file)) from None
    own = {n: v for n, v in found.items() if n.rpartition(".")[2] not in BUFFERS}
    state = bounded(own, file)
    held, numbers = variant_of(state) or "rope", vocabulary(claims.files.data)
    expect(held == meant, "flag never set", f"{file} holds a {held} model, not a {meant} model")
    rows = len(state.get("tok_emb.weight", ()))
    text = f"{file} is of {rows} characters, wiki.txt has {len(numbers)}"
    expect(rows == len(numbers), "vocabulary", text)
    return state


def _variations(variant: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The course's model, other readings of it, and what usual mistakes make of it."""
    yield "", {}
    for reading in computation.READINGS[1:] if variant == "perceiver" else ():
        yield " (in another reading of the hand-out)", reading
    if variant == "rope":
        yield " (with the angles of the hand-out's comment)", {"base": 1 / computation.BASE}
    for changes, mistake, _ in (*computation.mistakes_of(variant), *computation.LEFT_OUT):
        yield f" (with a mistake: {mistake})", changes


def _complain(claims: Claims, variant: str, mistake: str, text: str) -> NoReturn:
    """What nothing explains is forged, unless the attention has a mistake without a name.

    Such an attention could lead to any answer: what it says is for a person to judge.
    """
    checks = [partial(models.check_forward, variant=variant)]
    checks += [models.check_formula] if variant != "vanilla" else []
    if UNNAMED & {attempt(check, claims).mistake for check in checks}:
        said = "its attention is neither the course's nor a usual mistake"
        raise NoTelling(f"{text}; {said}: have its own run.py answer, and compare")
    raise Finding(mistake, text)
