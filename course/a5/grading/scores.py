"""Files of predictions, judged.

A score on 500 questions is uncertain by some points, so it is never held against a bare bar: it
gets the points if its 95 % Wilson interval reaches the bar. A model whose true rate is just the
bar fails in at most 2.2 % of all cases. One as good as the median of the public runs fails with
3e-21 (vanilla), 1e-8 (synthesizer), less (rope) and 3e-4 (without pretraining: only none right at
all fails).
"""

from wherefrom.doctor import predictions
from wherefrom.doctor.findings import Finding
from wherefrom.doctor.submission import Submission
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


def judge(submission: Submission, model: str, split: str) -> str:
    """Form, place beside the questions, and where answers are known the score."""
    name = f"{model}.{split}.predictions"
    lines = predictions.read_predictions(submission.find(name))
    answers = submission.answers if split == "test" else None
    asked = predictions.read_asked(submission.data, split, answers)
    predictions.check_form(lines, asked, name)
    predictions.check_aligned(lines, asked, name)
    _check_own(submission, model, split, lines)
    scored = predictions.score(lines, asked)
    if scored is None:
        return f"{len(lines)} lines, judged by form: the answers are not known"
    return _judge_score(model, scored)


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
