"""Fitting `facts` to a text and a machine: which model, how many steps, how long it will take.

The plan is made once, before training, and stands in run.json as a number of steps. Continuing a
run and further seeds use the same plan, so the same plan gives the same bits on any machine.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic

from msgspec import structs

from wherefrom.core.config import encode, from_json
from wherefrom.core.contracts import Note
from wherefrom.core.durations import duration
from wherefrom.core.errors import Damaged, UsageError
from wherefrom.core.identity import differences, require_same
from wherefrom.core.plurals import counted
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.experiments.plans.pacing import SPARE, Deadline, Following
from wherefrom.experiments.plans.sizing import (
    NOTE_EXPOSURES,
    Enough,
    TextSize,
    choose_settings,
    choose_shares,
    choose_wordings,
    enough_steps,
    find_enough,
)
from wherefrom.experiments.plans.timing import (
    PREPARING,
    Pace,
    spare_compiling,
    time_reading,
    time_steps,
)
from wherefrom.experiments.recipes.facts_recipe import (
    NOTED,
    QUESTIONS_ONLY,
    facts,
    put_reading,
    read_again,
    share_out,
)
from wherefrom.experiments.resources import use_threads, usual_threads
from wherefrom.runs.families import decode_recipe, recipe_identity
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import NEXT, RUN, STATUS
from wherefrom.runs.layout import NOTES as NOTES_FILE
from wherefrom.runs.opened_run import count_parameters
from wherefrom.runs.workshop import Workshop, choose_device
from wherefrom.training.rank_group import current_ranks

# Minutes that a run takes at most if nobody says how many it may take.
USUAL_MINUTES = {"cpu": 10.0, "cuda": 3.0}
_FEWEST = 40  # steps: two chunks, so that there may be more after the first
_LOOKED_AT = 250  # answers' worth of the questions that are asked while it trains
_MOST_CONTROL = 0.05  # share of the time that the model that does not read has at most
_ALONE = 0.15  # share of the training time that the model without notes has
_BRIEF_SHARE = 0.5  # of the rows that teach notes, where nobody says how long to train


@dataclass(frozen=True)
class Plan:
    """What was decided before training, and from what.

    `changes` are the fields of the recipe that the user set. `minutes` is the time that all
    parts of the run may take, None if the user set the steps; `seconds` is what they will take,
    and `later` is what follows the training. `enough` says what a text needs that has less.
    """

    changes: dict[str, str]
    text: TextSize
    device: str
    parameters: int
    steps: int  # of reading, in all stages
    minutes: float | None
    seconds: float | None
    pace: Pace | None
    later: Following
    enough: Enough | None = None

    def lines(self, recipe: Recipe) -> list[str]:
        """For a person: what will be trained, how long it takes, and what would be enough."""
        model, read = recipe.model, recipe.stages[0]
        grams = f" with {model.ngrams}-grams" if getattr(model, "ngrams", 0) else ""
        shape = f"{counted(model.n_layer, 'layer')} of {model.n_embd}{grams}"
        size = f"{self.parameters / 1e6:.1f} million parameters"
        where = "the GPU" if self.device == "cuda" else "the CPU"
        return [
            f"plan: {self.text.describe()}: {shape} ({size}), {counted(self.steps, 'step')} of "
            f"{read.batch} rows on {where}",
            *([f"plan: about {duration(self.seconds)} in all"] if self.seconds is not None else []),
            *([f"plan: {self.enough}"] if self.enough else []),
        ]


@dataclass(frozen=True)
class Planned:
    """A recipe that is ready to run; `fresh` if the plan is new or was extended just now.

    `late` if the minutes that the user asked for are too few: the fewest steps take longer.
    `started` is when the time of the run began.
    """

    recipe: Recipe
    plan: Plan | None
    workshop: Workshop | None = None  # with the data, if they were read for the plan
    notes: tuple[Note, ...] | None = None  # what the reader noted, if it was read for the plan
    remarks: tuple[str, ...] = ()  # what the reader said of its notes
    fresh: bool = False
    late: bool = False
    deadline: Deadline | None = None  # what the training keeps to
    started: float | None = None

    def lines(self) -> list[str]:
        """What to tell a person before the training; nothing if nothing was planned now."""
        if self.plan is None or not self.fresh:
            return []
        few = (
            "plan: this is longer than the minutes asked for, which reading the text and asking "
            "the questions take up"
        )
        noted = list(self.remarks)
        if self.notes:
            subjects = len({note.subject for note in self.notes})
            noted.insert(0, f"notes: {len(self.notes):,} about {counted(subjects, 'subject')}")
        return [*noted, *self.plan.lines(self.recipe), *([few] if self.late else [])]


def plan_run(
    change: Callable[[Recipe], Recipe],
    folder: RunFolder,
    minutes: float | None = None,
    *,
    started: float | None = None,
    timer: Callable[[Workshop, Stage], Pace] | None = None,
) -> Planned:
    """The recipe for a folder: the stored one, one that reads more, or a new one.

    `change` puts the user's settings over a recipe. `started` is when the command began, since
    reading the text counts. `timer` measures the machine.
    """
    if minutes is not None and not 0 < minutes < 1e6:
        raise UsageError(f"--minutes: expected more than 0, below 1,000,000, found {minutes:g}")
    timer, started = timer or time_steps, monotonic() if started is None else started
    asked = change(facts())
    changes = _changes(asked)
    if folder.exists():
        return _stored(folder, asked, changes, minutes, started, timer)
    dataset = load_dataset(asked.data, asked.seed)
    device = choose_device(asked.device).type
    text = TextSize.of(dataset)
    recipe = _choose(change, text, device, asked.notes)
    workshop = Workshop(recipe, lambda: dataset)
    remarks = workshop.material.remarks
    if recipe.notes:
        workshop.share_notes()
    if recipe.notes and not workshop.material.teach():
        recipe = _choose(change, text, device, notes=False)
        workshop = Workshop(recipe, lambda: dataset)
    parameters = count_parameters(workshop.new_model(recipe.stages[0]))
    pace: Pace | None = None
    seconds: float | None = None
    late, deadline, enough, later = False, None, None, Following()
    if not _sets_steps(change):
        use_threads(recipe.threads)
        pace = replace(timer(workshop, recipe.stages[0]), reading=time_reading(workshop))
        most = (minutes or USUAL_MINUTES[device]) * 60
        recipe, pace = _shorten_control(recipe, pace, most)
        later = Following.of(recipe, dataset, pace)
        overhead = monotonic() - started + _overhead(later, pace, device)
        left = most * (1 - SPARE) - overhead
        if device == "cuda":
            pace, left = spare_compiling(pace, left, recipe.model)
            overhead = min(overhead, most * (1 - SPARE) - left)  # less, if nothing is compiled
        fit = _fit_notes if recipe.notes else _fit_text
        recipe, taken = fit(recipe, workshop, pace, left, text, minutes is None)
        recipe = change(recipe)
        deadline = Deadline.of(recipe, (started, most), later, pace, device, minutes is not None)
        seconds = taken + overhead
        fewest = recipe.stages[0].steps <= _FEWEST
        late = minutes is not None and seconds > most and fewest
        notes = len(workshop.material.teach(1)) if recipe.notes else 0
        time = (overhead / (1 - SPARE), taken / (1 - SPARE))
        enough = find_enough(recipe, text, device, notes, time)
        minutes = minutes or seconds / 60
    elif minutes is not None:
        raise UsageError(
            "--minutes: expected steps that follow from the minutes, found stages.pretrain.steps "
            "set too; leave one of the two out"
        )
    steps = recipe.stages[0].steps
    plan = Plan(changes, text, device, parameters, steps, minutes, seconds, pace, later, enough)
    notes = workshop.material.notes if recipe.notes else None
    workshop = workshop.refit(recipe)
    return Planned(recipe, plan, workshop, notes, tuple(remarks), True, late, deadline, started)


def _choose(change: Callable[[Recipe], Recipe], text: TextSize, device: str, notes: bool) -> Recipe:
    """The settings for a text, and the user's over them.

    What the user sets of the model with notes holds for the one without them, unless that one's
    own setting says otherwise.
    """
    try:
        recipe = change(choose_settings(text, device, notes))
    except UsageError as error:  # the recipe with notes took the same settings
        raise UsageError(
            f"{error}; the reader took no notes of this text, and the setting is for a run that "
            "has some: leave it out"
        ) from None
    read = recipe.stages[0]
    return change(put_reading(recipe, read, -(-read.steps // 3)))


def _fit_text(
    recipe: Recipe, workshop: Workshop, pace: Pace, left: float, text: TextSize, brief: bool
) -> tuple[Recipe, float]:
    """The recipe with the steps that fit into the seconds that are left, and what they take.

    `brief`: no more steps than gain something.
    """
    steps = _whole_steps(left / pace.step)
    if brief:
        steps = min(steps, enough_steps(recipe, text.statements, workshop.device.type))
    return _with_steps(recipe, steps), steps * pace.step


def _fit_notes(
    recipe: Recipe, workshop: Workshop, pace: Pace, left: float, _: TextSize, brief: bool
) -> tuple[Recipe, float]:
    """The same where notes are taught: a share of the time is for the model without them.

    The more steps there are, the more wordings can be taught, and the fewer rows of each step need
    teach notes: the others are background.
    """
    read, teach = recipe.stages[0], workshop.material.teach
    wordings = choose_wordings(read.batch * (1 - _ALONE) * left / pace.step, teach)
    rows = len(teach(wordings))
    alone = pace.step if pace.alone is None else pace.alone
    most = NOTE_EXPOSURES * rows / (read.batch * _BRIEF_SHARE) if brief else float("inf")
    step, noted = pace.step, NOTED
    steps = _whole_steps(min((1 - _ALONE) * left / step, most))
    for _again in range(2):  # rows of the text are longer, so the share changes the steps
        noted = choose_shares(rows, read.batch, steps)
        step = alone + (pace.step - alone) * noted / NOTED
        steps = _whole_steps(min((1 - _ALONE) * left / step, most))
    others = max(_FEWEST // 5, int(steps * step / alone * _ALONE / (1 - _ALONE)))
    read = structs.replace(share_out(read, noted, wordings), steps=steps)
    recipe = put_reading(recipe, read, others)
    return recipe, steps * step + others * alone


def _shorten_control(recipe: Recipe, pace: Pace, most: float) -> tuple[Recipe, Pace]:
    """On a slow machine the model that does not read has fewer steps."""
    share = min(1.0, _MOST_CONTROL * most / max(pace.control, 1e-9))
    stages = tuple(
        structs.replace(s, steps=max(1, int(share * s.steps))) if s.name == QUESTIONS_ONLY else s
        for s in recipe.stages
    )
    return structs.replace(recipe, stages=stages), replace(pace, control=share * pace.control)


def _stored(
    folder: RunFolder,
    asked: Recipe,
    changes: Mapping[str, str],
    minutes: float | None,
    started: float,
    timer: Callable[[Workshop, Stage], Pace],
) -> Planned:
    """The recipe of a folder, with a further stage if there are more minutes now."""
    contents = folder.read_plan()
    if contents is None:
        return Planned(asked, None)
    plan = from_json(Plan, contents, str(folder.path / RUN))
    advice = "choose another folder with --out"
    require_same(folder.path, plan.changes, dict(changes), holder="the folder's run", advice=advice)
    made = folder.read_recipe(folder.latest)
    if not isinstance(made, Recipe):
        raise Damaged(f"{folder.path / RUN}: expected a recipe that trains beside its plan")
    recipe = structs.replace(made, device=asked.device, threads=asked.threads, seed=asked.seed)
    recipe = structs.replace(recipe, data=asked.data)
    if minutes is None or plan.minutes is None or minutes <= plan.minutes:
        deadline = _keep_deadline(folder, recipe, plan, started, minutes is not None)
        return Planned(recipe, plan, deadline=deadline, started=started)
    dataset = load_dataset(recipe.data, recipe.seed)
    workshop = Workshop(recipe, lambda: dataset)
    if recipe.notes and folder.is_sound(NOTES_FILE):
        workshop.material.bring(folder.read_notes())
    use_threads(recipe.threads or min(folder.read_threads(), usual_threads()))
    reading = plan.pace.reading if plan.pace else 0.0
    pace = replace(timer(workshop, recipe.stages[0]), control=0.0, reading=reading)
    later = Following.of(recipe, dataset, pace)
    most = (minutes - plan.minutes) * 60
    deadline = Deadline.of(recipe, (started, most), later, pace, plan.device, longer=True)
    overhead = monotonic() - started + _overhead(later, pace, plan.device)
    steps = _whole_steps((most * (1 - SPARE) - overhead) / pace.step)
    seconds = steps * pace.step + overhead
    recipe = read_again(recipe, steps)
    plan = replace(
        plan,
        steps=plan.steps + steps,
        minutes=minutes,
        seconds=seconds,
        pace=pace,
        later=later,
        enough=None,
    )
    refitted = workshop.refit(recipe)
    late = seconds > most
    return Planned(
        recipe, plan, refitted, fresh=True, late=late, deadline=deadline, started=started
    )


def agree_on_plan(planned: Planned) -> Planned:
    """The plan of the first rank: each has timed the machine by its own clock."""
    if (ranks := current_ranks()) is None:
        return planned
    spelt = ranks.first(encode(planned.recipe))
    if ranks.rank == 0:
        return planned
    recipe = decode_recipe(spelt)
    assert isinstance(recipe, Recipe)
    recipe = structs.replace(recipe, data=planned.recipe.data)  # its files may lie elsewhere
    workshop = planned.workshop and planned.workshop.refit(recipe)
    return replace(planned, recipe=recipe, workshop=workshop)


def reuse(planned: Planned, seed: int) -> Planned:
    """The same plan for another seed: only what is drawn differs."""
    recipe = structs.replace(planned.recipe, seed=seed)
    return Planned(recipe, planned.plan, notes=planned.notes, fresh=planned.fresh)


def _changes(asked: Recipe) -> dict[str, str]:
    """The fields that the user set, as JSON; which seed it is does not change the plan."""
    usual = structs.replace(facts(), seed=asked.seed)
    found = differences(recipe_identity(asked), recipe_identity(usual))
    return {name: json.dumps(value, ensure_ascii=False) for name, value in found.items()}


def _sets_steps(change: Callable[[Recipe], Recipe]) -> bool:
    """Whether the user's settings say how many steps are taken, whatever the plan would be."""
    usual = facts()
    tried = _with_steps(usual, usual.stages[0].steps + 1)
    return change(tried).stages[0].steps != tried.stages[0].steps


def _with_steps(recipe: Recipe, steps: int) -> Recipe:
    return put_reading(recipe, structs.replace(recipe.stages[0], steps=steps))


def _whole_steps(steps: float) -> int:
    """Steps in round numbers, a few at least."""
    return max(_FEWEST, int(steps) // 20 * 20)


def _overhead(later: Following, pace: Pace, device: str) -> float:
    """Seconds for preparing, for the model without reading, and for all that follows."""
    return PREPARING[device] + pace.control + _LOOKED_AT * pace.answer + later.time(pace.answer)


def _keep_deadline(
    folder: RunFolder, recipe: Recipe, plan: Plan, started: float, longer: bool
) -> Deadline | None:
    """The deadline of a run that was stopped: it has what is left of its minutes.

    None for a run whose steps the user set, and for one that is finished.
    """
    if plan.minutes is None or plan.pace is None or not folder.is_sound(STATUS):
        return None
    status = folder.read_status()
    if status["state"] == "finished" and not folder.has(NEXT):
        return None
    lasting = started - folder.read_seconds(status), plan.minutes * 60
    return Deadline.of(recipe, lasting, plan.later, plan.pace, plan.device, longer)
