"""Fitting `facts` to a text, a machine and minutes: a row of a table, and one timed chunk.

How many steps there will be nobody needs to know: the rate follows the clock (clock.py).
"""

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from msgspec import structs

from wherefrom.core.contracts import NOT_TRAINED_ON, Dataset, Note
from wherefrom.core.errors import Damaged, MissingInput, UsageError
from wherefrom.core.identity import differences, require_same
from wherefrom.core.plurals import counted
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.experiments.clock import CONTROL, LEAST, SPARE, Clock, replay
from wherefrom.experiments.recipes.facts_recipe import facts, large, share_out, small, without_notes
from wherefrom.experiments.resources import use_threads
from wherefrom.generation.answerer import ModelAnswerer, answer_probabilities
from wherefrom.runs.families import recipe_identity
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import STATUS
from wherefrom.runs.workshop import Workshop, choose_device
from wherefrom.training.rank_group import agree

# The table. A GPU has a wider model for more statements, or where the reader took no notes.
_WIDTHS = {12_000: 256, 60_000: 384, math.inf: 512}
_FEW = 12_000  # statements up to which a GPU, too, teaches notes to the CPU's model
# Kinds of wordings that notes are taught in, and the share of the rows that teach them.
_TAUGHT = ((3, 0.5), (2, 0.6), (1, 0.75))
_SHOWN = 15  # times that a note is shown at least, in each of its wordings; else the next of these
# Without --minutes: as often as gains something, and so many minutes at most.
_ENOUGH = {"notes": 25, "cpu": 100, "cuda": 300}
_USUAL_MINUTES = {"cpu": 10.0, "cuda": 3.0}
# Exposures after which weight decay has taken most of what one step learnt of a statement: with
# fewer, a large text is forgotten while the rest of it is read.
_REMEMBERED = 20
_FASTER = {"cpu": 2, "cuda": 4}  # times as many steps as the timed chunk promises, at most
_TIMED = {"cpu": 20, "cuda": 80}  # steps that are timed, after as many that are not
_ASKED = {"cpu": 32, "cuda": 256}  # questions that are answered together, to time it
_FIXED, _REPORT = 5.0, 2.0  # seconds behind the answers; and for each second of reading the text


@dataclass(frozen=True)
class TextSize:
    """`statements` estimates how many answers the text states, by what asked questions find."""

    documents: int
    subjects: int
    statements: int
    longest_name: int  # of nearly all names: a few may be far longer
    longest_question: int  # with its answer and the masks around it

    @classmethod
    def of(cls, dataset: Dataset) -> "TextSize":
        names = {passage.subject for passage in dataset.passages}
        lengths = sorted(map(len, names)) or [0]
        asked = {q.subject for q in dataset.asked} & names
        relations = len({question.relation for question in dataset.questions})
        stated = sum(fact.subject in asked for fact in dataset.facts)
        each = max(1.0, stated / len(asked)) if asked else relations
        longest = max((len(q.text) for q in dataset.questions), default=0)
        return cls(
            len(dataset.documents), len(names), max(1, round(each * len(names))),
            lengths[int(0.98 * (len(lengths) - 1))], longest + dataset.answer_room + 2,
        )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What run.json keeps: the fields of the recipe that the user set, the minutes of all parts of
    the run (None if the user set the steps), and those that would be enough, if these are not."""

    changes: dict[str, str]
    minutes: float | None
    enough: float | None = None


@dataclass(frozen=True)
class Planned:
    """A recipe that is ready to run; with a clock if it keeps to minutes."""

    recipe: Recipe
    plan: Plan | None = None
    clock: Clock | None = None
    workshop: Workshop | None = None  # with the data, if they were read for the plan
    notes: tuple[Note, ...] | None = None  # what the reader noted, if it was read for the plan
    lines: tuple[str, ...] = ()  # what to tell a person before the training


def plan_run(
    change: Callable[[Recipe], Recipe],
    folder: RunFolder,
    minutes: float | None = None,
    started: float | None = None,
) -> Planned:
    """The recipe for a folder: the stored one, or a new one with the user's changes over it.

    `started` is when the command began, since reading the text counts.
    """
    if minutes is not None and not 0 < minutes < 1e6:
        raise UsageError(f"--minutes: expected more than 0, below 1,000,000, found {minutes:g}")
    started = monotonic() if started is None else started
    asked = change(facts())
    if folder.exists():
        return _stored(folder, asked, minutes, started)
    dataset, device = load_dataset(asked.data, asked.seed), choose_device(asked.device).type
    text = TextSize.of(dataset)
    recipe = _choose(change, text, device, asked.notes)
    workshop = Workshop(recipe, lambda: dataset)
    if recipe.notes:
        workshop.share_notes()
    taught, notes = recipe.notes and workshop.material.teach(), None
    lines = [*workshop.material.remarks]
    if recipe.notes and not taught:
        recipe = _choose(change, text, device, notes=False)
        workshop = Workshop(recipe, lambda: dataset)
    if recipe.notes:
        notes = workshop.material.notes
        about = counted(len({note.subject for note in notes}), "subject")
        lines.insert(0, f"notes: {len(notes):,} about {about}")
    found, clock = Plan(_changes(asked), minutes), None
    if not _sets_steps(change):
        recipe, found, clock = _fit(change, recipe, workshop, text, found, started)
    elif minutes is not None:
        raise UsageError(
            "--minutes: expected steps that follow from the minutes, found stages.pretrain.steps "
            "set too; leave one of the two out"
        )
    lines += _describe(recipe, text, device, found)
    return Planned(recipe, found, clock, workshop.refit(recipe), notes, tuple(lines))


def _choose(change: Callable[[Recipe], Recipe], text: TextSize, device: str, notes: bool) -> Recipe:
    """The table's model for a text, with blocks that its questions fit, and the user's changes."""
    if device == "cuda" and not (notes and text.statements <= _FEW):
        recipe = large(next(w for most, w in _WIDTHS.items() if text.statements <= most))
    else:
        recipe = small(128) if device == "cuda" else small()
    block = max(recipe.model.block_size, -(-text.longest_question // 32) * 32)
    recipe = structs.replace(recipe, model=structs.replace(recipe.model, block_size=block))
    read = recipe.stages[0]
    if recipe.model.n_layer == 1:  # a name, a phrase and a little context fit a row
        spans, *others = read.mix
        row = max(96, min(text.longest_name + 40, block - 8))
        spans = structs.replace(
            spans, objective=structs.replace(spans.objective, longest=row / block)
        )
        read = structs.replace(read, mix=(spans, *others))
    else:
        rows = read.batch * (1 - read.mix[-1].share)  # of a step, that read the text or teach notes
        apart = text.statements / rows  # steps between two exposures
        decay = min(read.optimiser.decay, 1 / (_REMEMBERED * apart * read.optimiser.rate))
        read = structs.replace(
            read, optimiser=structs.replace(read.optimiser, decay=round(decay, 4))
        )
    recipe = _with_reading(recipe, read)
    try:
        return change(recipe if notes else without_notes(recipe))
    except UsageError as error:
        if notes:
            raise
        raise UsageError(  # the recipe with notes took the same settings
            f"{error}; the reader took no notes of this text, and the setting is for a run that "
            "has some: leave it out"
        ) from None


def _fit(
    change: Callable[[Recipe], Recipe],
    recipe: Recipe,
    workshop: Workshop,
    text: TextSize,
    plan: Plan,
    started: float,
) -> tuple[Recipe, Plan, Clock]:
    """Time a chunk and some answers; take the first row of the table that there is time for."""
    use_threads(recipe.threads)
    device, read = workshop.device.type, recipe.stages[0]
    step, answer = agree(_time(workshop, read))
    minutes = plan.minutes or _USUAL_MINUTES[device]
    clock = Clock(started, 60 * minutes, time_following(workshop, answer))
    used = agree(monotonic()) + CONTROL * clock.seconds
    left = max(clock.ends - used, LEAST * clock.seconds)
    shown, items = 0.0, text.statements
    for wordings, noted in _TAUGHT if recipe.notes else ():
        recipe = change(_with_reading(recipe, share_out(read, noted, wordings)))
        items = len(workshop.material.teach(wordings))
        if (shown := _showings(recipe, left / step, items)) >= _SHOWN:
            break
    shown = max(shown or _showings(recipe, left / step, items), 0.01)
    enough = _ENOUGH["notes" if recipe.notes else device]
    if plan.minutes is None and shown > enough:
        clock = replace(clock, seconds=clock.seconds - left * (1 - enough / shown) / (1 - SPARE))
        left *= enough / shown
    wanted = _SHOWN if recipe.notes else enough
    short = math.ceil((clock.seconds + left * (wanted / shown - 1)) / 30) / 2
    steps = max(40, int(_FASTER[device] * left / step))
    recipe = _with_reading(recipe, structs.replace(recipe.stages[0], steps=steps))
    plan = Plan(plan.changes, clock.seconds / 60, short if shown < wanted else None)
    return recipe, plan, clock


def _showings(recipe: Recipe, steps: float, items: int) -> float:
    """How often the steps show each of what is taught: the notes, or the text's statements."""
    reads = "notes" if recipe.notes else "passages"
    shares = (s.share for s in recipe.stages[0].mix if getattr(s.objective, "reads", "") == reads)
    return steps * recipe.stages[0].batch * sum(shares) / max(items, 1)


def _time(workshop: Workshop, stage: Stage) -> tuple[float, float]:
    """Seconds of a step of a model that is then thrown away, and of an answer."""
    chunk, model = _TIMED[workshop.device.type], workshop.new_model(stage)
    learner = workshop.learner(stage, model, steps=2 * chunk)
    learner.prepare(chunk)
    learner.advance(0, chunk // 10)
    began = monotonic()
    learner.advance(chunk, chunk)
    return (monotonic() - began) / chunk, time_answers(workshop, model)


def time_answers(workshop: Workshop, model: Any) -> float:
    """Seconds of an answer: of the search, or of all that is scored to say how sure it is."""
    model.eval()
    answerer: ModelAnswerer = workshop.predictor(model)
    questions = workshop.dataset.questions[: _ASKED[workshop.device.type]]
    texts = [question.text for question in questions]
    answerer.answer(texts[:4])  # on a GPU the first ones take seconds, whatever they are
    began = monotonic()
    answerer.answer(texts)
    searched = monotonic()
    answer_probabilities(answerer, texts, [question.answer or "" for question in questions])
    # A search is scored about nine times; other wordings are asked, too.
    found = max(searched - began, 9 * (monotonic() - searched)) / len(questions)
    return found * (2.5 if workshop.recipe.wordings else 1.0)


def time_following(workshop: Workshop, answer: float) -> float:
    """Seconds of what follows the training, if an answer takes so many: each model is asked every
    question, and the report looks up what the text states about everybody."""
    asked = sum(question.split in NOT_TRAINED_ON for question in workshop.dataset.questions)
    answers = len(workshop.recipe.models) * asked
    return answers * answer + _FIXED + _REPORT * workshop.material.reading_seconds


def _stored(folder: RunFolder, asked: Recipe, minutes: float | None, started: float) -> Planned:
    """The recipe of a folder, with the time that is left of its minutes."""
    contents = folder.read_plan()
    if contents is None:
        return Planned(asked)
    plan, advice = Plan(**contents), "choose another folder with --out"
    holder = "the folder's run"
    require_same(folder.path, plan.changes, _changes(asked), holder=holder, advice=advice)
    recipe, status = folder.read_recipe(), folder.read_status()
    assert isinstance(recipe, Recipe)
    finished = folder.is_sound(STATUS) and status["state"] == "finished"
    if finished and minutes is not None and minutes > (plan.minutes or math.inf):
        raise UsageError(
            f"{folder.path}: this run is finished, after {plan.minutes:.3g} minutes; train anew "
            "with --out FOLDER"
        )
    recipe = structs.replace(
        recipe, device=asked.device, threads=asked.threads, seed=asked.seed, data=asked.data
    )
    if plan.minutes is None:
        return Planned(recipe, plan)
    if finished:
        with suppress(Damaged, MissingInput):  # whatever else is lost is made again to the bit
            return Planned(replay(folder, recipe), plan)
    minutes = minutes or plan.minutes
    spent = 0.0 if finished else status.get("seconds", 0.0)
    clock = Clock(started - spent, 60 * minutes)
    return Planned(recipe, replace(plan, minutes=minutes), clock)


def _changes(asked: Recipe) -> dict[str, str]:
    """The fields that the user set, as JSON; which seed it is does not change the plan."""
    usual = structs.replace(facts(), seed=asked.seed)
    found = differences(recipe_identity(asked), recipe_identity(usual))
    return {name: json.dumps(value, ensure_ascii=False) for name, value in found.items()}


def _sets_steps(change: Callable[[Recipe], Recipe]) -> bool:
    """Whether the user's settings say how many steps are taken, whatever the plan would be."""
    read = facts().stages[0]
    tried = _with_reading(facts(), structs.replace(read, steps=read.steps + 1))
    return change(tried).stages[0].steps == change(facts()).stages[0].steps


def _with_reading(recipe: Recipe, read: Stage) -> Recipe:
    return structs.replace(recipe, stages=(read, *recipe.stages[1:]))


def _describe(recipe: Recipe, text: TextSize, device: str, plan: Plan) -> list[str]:
    model, read = recipe.model, recipe.stages[0]
    time = f"{plan.minutes:.3g} minutes" if plan.minutes else counted(read.steps, "step")
    where = "the GPU" if device == "cuda" else "the CPU"
    lines = [
        f"plan: {counted(text.documents, 'document')} about {counted(text.subjects, 'subject')}, "
        f"about {counted(text.statements, 'statement')}: {counted(model.n_layer, 'layer')} of "
        f"{model.n_embd}, {time} on {where}"
    ]
    if plan.enough:
        lines.append(f"plan: this is short for the text: --minutes {plan.enough:g} is enough")
    return lines
