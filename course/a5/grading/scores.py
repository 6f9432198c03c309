"""Files of predictions, judged: do the submitted parameters answer so, and how much is right?

A score on 500 questions is uncertain by some points, so it is never held against a bare bar: it
gets the points if its 95 % Wilson interval reaches the bar. A model whose true rate is just the
bar fails in at most 2.2 % of all cases. One as good as the median of the public runs fails with
3e-21 (vanilla), 1e-8 (synthesizer), less (rope) and 3e-4 (without pretraining: only none right at
all fails).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grading import again, rebuilt
from wherefrom.core.config import to_json
from wherefrom.core.files import read_text
from wherefrom.course.doctor import predictions
from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.models import variant_of
from wherefrom.course.doctor.submission import Submission
from wherefrom.evaluation.intervals import wilson

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


# The file of parameters that gave a file of predictions.
PARAMETERS = {"vanilla.nopretrain": "vanilla.model.params"}
UNFIT, DIFFERENT = "other architecture", "other answers"  # the submission's own model may explain


@dataclass(frozen=True)
class Ties:
    """How predictions are tied to parameters: the lines to draw, and which files are by now.

    `tied` says of a file, by its start and split, who has answered it again.
    """

    questions: int = again.QUESTIONS
    draw: int = field(default_factory=again.new_draw)
    tied: dict[str, str] = field(default_factory=dict)

    def note(self) -> str:
        return json.dumps(to_json(self))


def ties_of(submission: Submission) -> Ties:
    """What the note to the checks says; without one, a draw of its own."""
    return submission.once(
        "ties", lambda: Ties(**json.loads(submission.note)) if submission.note else Ties()
    )


def parameters_of(model: str) -> str:
    return PARAMETERS.get(model, f"{model.split('.')[0]}.finetune.params")


def judge(submission: Submission, model: str, split: str) -> str:
    """Form, place beside the questions, the parameters' own answers, and if known the score."""
    name = f"{model}.{split}.predictions"
    lines = predictions.read_predictions(submission.find(name))
    answers = submission.answers if split == "test" else None
    asked = predictions.read_asked(submission.data, split, answers)
    predictions.check_form(lines, asked, name)
    predictions.check_aligned(lines, asked, name)
    _check_own(submission, model, split, lines)
    tie = ties_of(submission).tied.get(f"{model}.{split}")
    tie = tie or _check_tied(submission, model, asked.questions, lines)
    scored = predictions.score(lines, asked)
    if scored is None:
        return f"{len(lines)} lines, judged by form: the answers are not known; {tie}"
    return f"{_judge_score(model, scored)}; {tie}"


def _check_tied(
    submission: Submission, model: str, questions: Sequence[str], lines: Sequence[str]
) -> str:
    """The grader's own model with the submitted parameters gives the submitted lines."""
    ties, file = ties_of(submission), parameters_of(model)
    state = submission.once(file, lambda: rebuilt.read_state(submission.find(file)))
    held, meant = variant_of(state) or "rope", model.split(".")[0]
    if held != meant:
        raise Finding("flag never set", f"{file} holds a {held} model, not a {meant} model")
    numbers = vocabulary(submission.data)
    if "tok_emb.weight" in state and len(state["tok_emb.weight"]) != len(numbers):
        told = (
            f"{file} is of {len(state['tok_emb.weight'])} characters, wiki.txt has {len(numbers)}"
        )
        raise Finding("vocabulary", told)
    try:
        own = submission.once(("model", file), lambda: rebuilt.rebuild(state))
    except rebuilt.Unfit as reason:
        raise Finding(UNFIT, f"{file}: {reason}: not the course's {meant} model") from None
    chosen = again.choose(len(lines), ties.questions, ties.draw)
    found = again.compare(own, numbers, [questions[i] for i in chosen], [lines[i] for i in chosen])
    return tell(found, f"the parameters in {file}", ties.draw)


def tell(found: again.Agreement, who: str, draw: int) -> str:
    """What came of answering again; a Finding if it is not the same."""
    said = f"answered again by {who}, {found} drawn lines (draw {draw}) are the same"
    if not found.holds:
        such = ", ".join(repr(line[:32]) for line in found.others)
        least = found.asked - again.allowed(found.asked)
        raise Finding(DIFFERENT, f"{said}, expected {least} or more; not {such}")
    return said


def vocabulary(data: Path | None) -> dict[str, int]:
    """The number of each character, as every year's hand-out counts them."""
    path = data and data / predictions.WIKI
    if path is None or not path.is_file():
        raise NoTelling(
            "wiki.txt is not there, which has the vocabulary; name its folder with --data"
        )
    text = read_text(path).replace("\r\n", "\n")
    return {c: i for i, c in enumerate((again.PAD, again.MASK, *sorted(set(text))))}


def _judge_score(model: str, scored: predictions.Score) -> str:
    low, high = wilson(scored.right, scored.total)
    said = f"{scored}, 95 % interval {100 * low:.1f} to {100 * high:.1f} %"
    if high < LEAST[model]:
        raise Finding("score", f"{said}: does not reach {LEAST[model]:.0%}")
    if low > MOST.get(model, 1.0):
        text = f"{said}: more than a model without pretraining can know"
        raise Finding("mislabelled", text)
    return said


def check_there(submission: Submission, *models: str) -> None:
    """The files of the models are there, dev and test."""
    for model in models:
        for split in predictions.QUESTIONS:
            predictions.read_predictions(submission.find(f"{model}.{split}.predictions"))


def _check_own(submission: Submission, model: str, split: str, lines: list[str]) -> None:
    """Two models never write the same file."""
    for other in LEAST:
        path = submission.find(f"{other}.{split}.predictions")
        if other == model or not path.is_file():
            continue
        if predictions.read_predictions(path) == lines:
            raise Finding("copy", f"{path.name} says the same on every line: one is a copy")
