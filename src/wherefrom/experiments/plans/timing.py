"""What steps and answers cost on this machine."""

from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.core.recipe import Stage
from wherefrom.experiments.recipes.facts_recipe import QUESTIONS_ONLY, WITHOUT_NOTES
from wherefrom.experiments.resources import usual_threads
from wherefrom.generation.answerer import ModelAnswerer, answer_probabilities
from wherefrom.reading.sources import DatasetPassages, passages_of
from wherefrom.reading.verdict import fit_extractors
from wherefrom.runs.workshop import Workshop
from wherefrom.training.captured import least_compiled
from wherefrom.training.rank_group import agree

_TIMED = {"cpu": 16, "cuda": 4}  # chunks of steps that are timed at most, after one that is not
_LEAST_TIMED = 2  # and at least
_CHUNK = {"cpu": 1, "cuda": 80}  # steps of such a chunk
_SECONDS = 2.0  # after which no further chunk of the stage that is planned is timed
_TIMED_QUESTIONS = {"cpu": 32, "cuda": 256}  # answered together, as many as at the end
_FIRST = 4  # answered before, and not timed
_READ = 50  # subjects that are read at most, to time it
_SCORED = 9  # times that a question with an answer is scored for each search, about
_OTHER_WORDS = 2.5  # times as long takes a question that is asked in other words, too
# What compiling leaves of a step's time on a GPU, at best; also with one layer. A stage
# that was planned too long is shortened while it trains, and one that was planned too short is not
# made longer there.
_COMPILED, _COMPILED_LAYER = 0.36, 0.6
PREPARING = {"cpu": 0.0, "cuda": 15.0}  # seconds before the first step, at best: compiling
_CONTROL = 105  # steps of reading that take as long as the model that does not read, if not timed
_HOPED = 2000  # steps that a GPU is given at least, before it turns out how many it can take


@dataclass(frozen=True)
class Pace:
    """What steps and answers cost on this machine, in seconds.

    `control` is all of the training of the model that does not read.
    """

    step: float
    answer: float
    control: float = 0.0
    alone: float | None = None  # a step of the model that is not taught from notes
    reading: float = 0.0  # what the text states about everybody, as the report looks it up


def compiled(config: Any) -> float:
    """The share of a step's time on a GPU that is left if it is compiled."""
    return _COMPILED if config.n_layer > 1 else _COMPILED_LAYER


def spare_compiling(pace: Pace, left: float, config: Any) -> tuple[Pace, float]:
    """Few steps on a GPU are not compiled: what they take, and what is left for them.

    What else takes time there is a guess, so some are planned in any case: they become fewer if
    there is no time for them.
    """
    worth = least_compiled(config)
    if left >= worth * pace.step:
        return pace, left
    step = pace.step / compiled(config)
    left = max(left + PREPARING["cuda"], _HOPED * step)
    return replace(pace, step=step), min(left, (worth - 1) * step)


def time_steps(workshop: Workshop, stage: Stage) -> Pace:
    """Time a few steps of models that are then thrown away, and a few answers."""
    device = workshop.device.type
    chunk, timed = _CHUNK[device], _TIMED[device]
    model, seconds = _time_chunks(workshop, stage, chunk, timed)
    step = seconds * (compiled(workshop.recipe.model) if device == "cuda" else 1.0)
    control, alone = _CONTROL * step, None
    if device == "cpu":
        others = {other.name: other for other in workshop.recipe.stages}
        brief = partial(_time_chunks, workshop, chunk=chunk, timed=timed // 2, most=_SECONDS / 2)
        if without := others.get(QUESTIONS_ONLY):
            control = without.steps * brief(stage=without)[1]
        if without := others.get(WITHOUT_NOTES):
            alone = brief(stage=without)[1]
    return Pace(step, time_answers(workshop, model), control, alone)


def time_reading(workshop: Workshop) -> float:
    """Seconds of looking up what the text states about everybody, as the report does.

    Taking notes has measured this. Without notes, what the report needs is learnt here, and some
    subjects are read; later, several processes share them.
    """
    dataset, material = workshop.dataset, workshop.material
    if workshop.recipe.notes:
        return material.reading_seconds
    source = DatasetPassages(dataset)
    try:
        material.extractors.update(fit_extractors(source, dataset.asked))
    except BadData:  # too few answers: the report says nothing about evidence
        return 0.0
    some = source.subjects[:: -(-len(source.subjects) // _READ)]
    began = monotonic()
    for subject in some:
        for passage, text in passages_of(source, subject):
            for extractor in material.extractors.values():
                extractor.extract(text, subject, passage.document, passage.start)
    share = len(some) / len(source.subjects)
    return (monotonic() - began) / share / usual_threads()


def time_answers(workshop: Workshop, model: Any) -> float:
    """Seconds of an answer by a model, as it is: of the search, or of all that is scored to say
    how sure it is.

    A model that knows nothing yet may end its answers at once, so the search is no measure alone.
    """
    model.eval()
    answerer: ModelAnswerer = workshop.predictor(model)
    questions = workshop.dataset.questions[: _TIMED_QUESTIONS[workshop.device.type]]
    texts = [question.text for question in questions]
    answerer.answer(texts[:_FIRST])  # on a GPU the first ones take seconds, whatever they are
    began = monotonic()
    answerer.answer(texts)
    searched = monotonic()
    answer_probabilities(answerer, texts, [question.answer or "" for question in questions])
    answer = max(searched - began, _SCORED * (monotonic() - searched)) / len(questions)
    return answer * (_OTHER_WORDS if workshop.recipe.wordings else 1.0)


def _time_chunks(
    workshop: Workshop, stage: Stage, chunk: int, timed: int, most: float = _SECONDS
) -> tuple[Any, float]:
    """A model of a stage after a few chunks of steps, and the seconds of one step."""
    model = workshop.new_model(stage)
    learner = workshop.learner(stage, model, steps=chunk * (timed + 1))
    learner.prepare(chunk)
    learner.advance(0, chunk)
    began, seconds, done = monotonic(), 0.0, 0
    while done < timed and (done < _LEAST_TIMED or seconds < most):
        done += 1
        learner.advance(done * chunk, chunk)
        seconds = agree(monotonic() - began)
    return model, seconds / (done * chunk)
