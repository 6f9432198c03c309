"""What steps and answers cost on this machine, and with how many threads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, quantiles
from time import monotonic
from typing import Any

from wherefrom.core.contracts import Question
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.generation.answers import ModelAnswerer, answer_probabilities
from wherefrom.recipes.facts import QUESTIONS_ONLY, WITHOUT_NOTES
from wherefrom.runs.crew import current_crew
from wherefrom.runs.threads import use_threads
from wherefrom.runs.workshop import Workshop

_TIMED = {"cpu": 8, "cuda": 4}  # chunks of steps that are timed at most, after one that is not
_LEAST_TIMED = 2  # and at least
_CHUNK = {"cpu": 2, "cuda": 80}  # steps of such a chunk
_SECONDS = 0.25  # for each of these chunks: when all of them are spent, no further one is timed
_TIMED_QUESTIONS = {"cpu": 32, "cuda": 256}  # answered together, as many as at the end
_SCORED = 9  # times that a question with an answer is scored for each search, about
_OTHER_WORDS = 2.5  # times as long takes a question that is asked in other words, too
_UNEVEN = 1.5  # from here on, one thread may be faster than several
_CLEARLY = 1.25  # times: on an idle machine one thread is slower, and it may be idle again soon
# What compiling leaves of a step's time on a GPU, at best: a stage that was planned too long is
# shortened while it trains, and one that was planned too short is not made longer there.
COMPILED = 0.36


@dataclass(frozen=True)
class Pace:
    """What steps and answers cost on this machine, in seconds.

    `control` is all of the training of the model that does not read; None: it was not timed.
    `uneven` is how many times as long as the fastest steps the slower ones took.
    """

    step: float
    answer: float
    control: float | None = None
    uneven: float = 1.0
    alone: float | None = None  # a step of the model that is not taught from notes


def time_threads(
    workshop: Workshop, recipe: Recipe, device: str, timer: Callable[[Workshop, Stage], Pace]
) -> tuple[Pace, int]:
    """What steps cost, and with how many threads (0: as usual, or as the user has said).

    Threads wait for each other in every step. Where others have a core half of the time, two are
    several times slower than one, so if some steps take far longer than others, one is timed too.
    """
    usual, read = use_threads(recipe.threads), recipe.stages[0]
    pace = timer(workshop, read)
    busy = device == "cpu" and pace.uneven > _UNEVEN
    if not busy or recipe.threads or usual == 1 or current_crew() is not None:
        return pace, recipe.threads
    use_threads(1)
    alone = timer(workshop, read)
    if alone.step * _CLEARLY < pace.step:
        return alone, 1
    use_threads(0)
    return pace, 0


def time_steps(workshop: Workshop, stage: Stage) -> Pace:
    """Time a few steps of models that are then thrown away, and a few answers."""
    device = "cuda" if workshop.device.type == "cuda" else "cpu"
    chunk, timed = _CHUNK[device], _TIMED[device]
    model, seconds, uneven = _time_chunks(workshop, stage, chunk, timed)
    step = seconds * (COMPILED if device == "cuda" else 1.0)
    control, alone = None, None
    if device == "cpu":
        others = {other.name: other for other in workshop.recipe.stages}
        if without := others.get(QUESTIONS_ONLY):
            control = without.steps * _time_chunks(workshop, without, chunk, timed // 2)[1]
        if without := others.get(WITHOUT_NOTES):
            alone = _time_chunks(workshop, without, chunk, timed // 2)[1]
    model.eval()
    questions = workshop.dataset.questions[: _TIMED_QUESTIONS[device]]
    answer = _time_answers(workshop.predictor(model), questions)
    answer *= _OTHER_WORDS if workshop.recipe.wordings else 1.0
    return Pace(step, answer, control, round(uneven, 2), alone)


def _time_answers(answerer: ModelAnswerer, questions: Sequence[Question]) -> float:
    """Seconds of an answer: of the search, or of all that is scored to say how sure it is.

    A model that knows nothing yet may end its answers at once, so the search is no measure alone.
    """
    texts = [question.text for question in questions]
    began = monotonic()
    answerer.answer(texts)
    searched = monotonic()
    answer_probabilities(answerer, texts, [question.answer or "" for question in questions])
    return max(searched - began, _SCORED * (monotonic() - searched)) / len(questions)


def _time_chunks(
    workshop: Workshop, stage: Stage, chunk: int, timed: int
) -> tuple[Any, float, float]:
    """A model of a stage after a few chunks of steps, the mean seconds of one step, and how many
    times as long as the fastest chunk a slower one took (the third quartile)."""
    model = workshop.new_model(stage)
    learner = workshop.learner(stage, model, steps=chunk * (timed + 1))
    if prepare := getattr(learner, "prepare", None):
        prepare(chunk)
    learner.advance(0, chunk)
    ends = [monotonic()]
    most = timed * _SECONDS
    while len(ends) <= timed and (len(ends) <= _LEAST_TIMED or ends[-1] - ends[0] < most):
        learner.advance(len(ends) * chunk, chunk)
        ends.append(monotonic())
    counted = [(end - began) / chunk for began, end in pairwise(ends)]
    return model, fmean(counted), quantiles(counted, n=4)[-1] / max(min(counted), 1e-9)
