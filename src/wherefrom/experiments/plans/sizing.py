"""How large a text is, and which settings suit it on a CPU or a GPU."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from wherefrom.core.contracts import Dataset
from wherefrom.core.plurals import counted
from wherefrom.core.recipe import Recipe
from wherefrom.experiments.recipes.facts_recipe import (
    NOTES,
    large,
    put_reading,
    small,
    without_notes,
)

# Statements up to which a width of the GPU's model was measured to suffice.
_WIDTHS = {12_000: 256, 60_000: 384}
_WIDEST = 512
_FEW = 12_000  # statements up to which a GPU, too, teaches notes to the CPU's model
_GPU_ROWS = 128  # of a step of that model
_LEAST_ROW = 96  # characters of the longest rows on a CPU, at least
_ROUND = 32  # characters: rows come in multiples of this
_CONTEXT = 40  # characters of a row on a CPU besides the longest names: a phrase and its context
_USUAL = 0.98  # share of the names that must fit a row on a CPU together with a context
# Exposures of a statement after which weight decay has taken most of what one step learnt of it:
# with fewer, a large text is forgotten while the rest of it is read.
_REMEMBERED = 20
# How often each statement is shown: with more, little is gained.
EXPOSURES = {"cpu": 100, "cuda": 300}
NOTE_EXPOSURES = 25  # how often a note is shown in each of its wordings: all are known by then
# Such runs knew 96 to 100 % of the notes, and those with 10 exposures 89 %.
# With fewer exposures of each wording, fewer wordings are taught.
_LEAST_SEEN = 15
_LEAST_NOTED, _MOST_NOTED = 0.3, 0.85  # share of the rows that teach notes


@dataclass(frozen=True)
class TextSize:
    """What the size of a model and the length of its training depend on.

    `statements` estimates how many answers the text states, by what asked questions find in it.
    """

    documents: int
    characters: int
    subjects: int
    relations: int
    statements: int
    longest_name: int  # of nearly all names: a few may be far longer
    longest_question: int  # with its answer and the masks around it

    @classmethod
    def of(cls, dataset: Dataset) -> "TextSize":
        names = {passage.subject for passage in dataset.passages}
        lengths = sorted(map(len, names)) or [0]
        asked = {q.subject for q in dataset.asked} & names
        stated = sum(fact.subject in asked for fact in dataset.facts)
        relations = len({question.relation for question in dataset.questions})
        a_subject = max(1.0, stated / len(asked)) if asked else relations
        room = dataset.answer_room
        return cls(
            documents=len(dataset.documents),
            characters=sum(len(document.text) for document in dataset.documents),
            subjects=len(names),
            relations=relations,
            statements=max(1, round(a_subject * len(names))),
            longest_name=lengths[int(_USUAL * (len(lengths) - 1))],
            longest_question=max((len(q.text) for q in dataset.questions), default=0) + room + 2,
        )

    def describe(self) -> str:
        return (
            f"{counted(self.documents, 'document')} about {counted(self.subjects, 'subject')}, "
            f"{counted(self.relations, 'relation')}, about {counted(self.statements, 'statement')}"
        )


def choose_settings(text: TextSize, device: str, notes: bool = True) -> Recipe:
    """The recipe for a text of this size; its steps are not yet planned."""
    recipe = _fit(text, device, notes)
    return recipe if notes else without_notes(recipe)


def choose_shares(rows: int, batch: int, steps: int) -> float:
    """The share of the rows that teach notes: as many as it takes to learn them, in those steps.

    `rows` are those of all notes in all their wordings. The rest of the text is background.
    """
    needed = NOTE_EXPOSURES * rows / (batch * steps)
    return round(min(max(needed, _LEAST_NOTED), _MOST_NOTED), 2)


def choose_wordings(rows: float, teach: Callable[[int], Sequence[object]]) -> int:
    """In how many kinds of wordings notes are taught: as many as `rows` rows show often enough.

    `teach` gives the rows of all notes in their wordings. The questions themselves come first.
    """
    enough = (n for n in (3, 2) if rows * _MOST_NOTED >= _LEAST_SEEN * len(teach(n)))
    return next(enough, 1)


def _fit(text: TextSize, device: str, notes: bool) -> Recipe:
    if device == "cuda" and not (notes and text.statements <= _FEW):
        widths = (w for most, w in _WIDTHS.items() if text.statements <= most)
        recipe = large(next(widths, _WIDEST))
        recipe = replace(recipe, model=replace(recipe.model, block_size=_block(text, 192)))
        return _with_decay(recipe, text)
    recipe = small(_GPU_ROWS) if device == "cuda" else small()
    block = _block(text, recipe.model.block_size)
    (spans, *others) = recipe.stages[0].mix
    row = max(_LEAST_ROW, min(text.longest_name + _CONTEXT, block - 8))
    objective = replace(spans.objective, longest=row / block)
    read = replace(recipe.stages[0], mix=(replace(spans, objective=objective), *others))
    return put_reading(replace(recipe, model=replace(recipe.model, block_size=block)), read)


def _with_decay(recipe: Recipe, text: TextSize) -> Recipe:
    """The recipe with a weight decay that leaves a statement in the weights until it comes again.

    Decay takes what was learnt within about 1 / (rate * decay) steps, and a statement of a long
    text comes seldom.
    """
    read = recipe.stages[0]
    apart = 1 / count_exposures(recipe, 1, text.statements)  # steps between two exposures
    optimiser = read.optimiser
    decay = min(optimiser.decay, 1 / (_REMEMBERED * apart * optimiser.rate))
    read = replace(read, optimiser=replace(optimiser, decay=round(decay, 4)))
    return put_reading(recipe, read)


def _block(text: TextSize, least: int) -> int:
    """Characters that a row may have: every question must fit with its answer."""
    return max(least, -(-text.longest_question // _ROUND) * _ROUND)


def count_exposures(recipe: Recipe, steps: int, statements: int) -> float:
    """About how often `steps` of reading show each statement, in the text or as a note."""
    read = recipe.stages[0]
    reads = ((share.share, getattr(share.objective, "reads", "")) for share in read.mix)
    share = sum(share for share, what in reads if what in ("passages", "notes"))
    return steps * read.batch * share / statements


def enough_steps(recipe: Recipe, statements: int, device: str) -> int:
    """The steps after which more reading gains little."""
    one = count_exposures(recipe, 1, statements)
    return max(500, round(EXPOSURES[device] / max(one, 1e-9)))


@dataclass(frozen=True)
class Enough:
    """What a text needs whose planned steps are too few to learn all of it.

    They show each of `what` `shown` times, and `needed` times are enough: these take `minutes`.
    """

    what: str
    shown: float
    needed: float
    minutes: float

    def __str__(self) -> str:
        return (
            f"these steps show each {self.what} about {self.shown:.2g} times; {self.needed:.0f} "
            f"times are enough: --minutes {self.minutes:g}"
        )


def find_enough(
    recipe: Recipe, text: TextSize, device: str, notes: int, seconds: tuple[float, float]
) -> Enough | None:
    """What would be enough, if the recipe's steps are not.

    `notes` are those that are taught, 0 if the text alone is; `seconds` are those of a run besides
    its steps, and those of its steps.
    """
    read = recipe.stages[0]
    if recipe.notes:
        taught = sum(share.share for share in read.mix if share.name == NOTES)
        what, needed = "note", float(_LEAST_SEEN)
        shown = read.steps * read.batch * taught / notes
    else:
        enough = enough_steps(recipe, text.statements, device)
        what, needed = "statement", count_exposures(recipe, enough, text.statements)
        shown = count_exposures(recipe, read.steps, text.statements)
    times = needed / shown
    if times <= 1:
        return None
    minutes = math.ceil((seconds[0] + times * seconds[1]) / 30) / 2
    return Enough(what, round(shown, 1), needed, minutes)
