"""The first screen in words: what was taught, what it scored, what it knows and does not know.

A number has its interval beside it, which the page draws small.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from wherefrom.core.contracts import Dataset
from wherefrom.core.measures import BY_RELATION, NOT_SHOWN, UNVERIFIED
from wherefrom.core.plurals import plural
from wherefrom.evaluation.baselines import OPEN_BOOK
from wherefrom.runs.opened_run import Run

PERSON = "person"
_ABOUT_PEOPLE = ("people", "birthplaces")  # data sets
_TEXTS = {"people": "sentence", "facts": "document"}  # what a text of a data set is; else a line
_BASELINES = {
    "majority": "always giving the commonest answer",
    "nearest_name": "giving the answer of the most similar name",
    "london": "always saying London",
}
_OTHERS = {OPEN_BOOK: "the open-book reader"}
DECLINES = Markup("<strong>“I don’t know”</strong>")
FINE = Markup('<span class="fine"> ({}, {})</span>')
_TWIN = "a twin that was taught the same questions and never read the text"


def summarise(run: Run, abstains: bool = True) -> list[Markup]:
    """Three sentences about a run that answers questions, or that `abstains` from some."""
    return [_taught(run), _scored(run), _knows(run, abstains)]


def _taught(run: Run) -> Markup:
    dataset, asked = run.dataset, run.dataset.asked
    told, texts = count_subjects(dataset), len(dataset.training_documents)
    invented = run.recipe.data.kind == "people"
    read = plural(_TEXTS.get(run.recipe.data.kind, "line"), texts)
    others = " and others" if _tells_of_others(dataset) else ""
    size = run.cost()["parameters"]
    return Markup(
        "A <strong>GPT{}</strong> read <strong>{:,} {}</strong> about {:,} {}{} and was taught to "
        "answer with {:,} {}. It is in this page: ask it. It answers from memory, and says "
        "“I don’t know” where it does not know."
    ).format(
        f" of {size:,} parameters" if size else "",
        texts,
        read,
        told,
        f"{'invented ' if invented else ''}{plural(noun_of(run), told)}",
        others,
        len(asked),
        plural("question", len(asked)),
    )


def count_subjects(dataset: Dataset) -> int:
    """How many names the text is about."""
    if dataset.passages:
        return len({passage.subject for passage in dataset.passages})
    documents = dataset.training_documents
    return len({d.name for d in documents if d.subject}) or len(
        {q.subject for q in dataset.questions if q.support in ("stated", "omitted")}
    )


def _tells_of_others(dataset: Dataset) -> bool:
    """Whether some lines are about nobody whom a question asks about."""
    if not dataset.passages:
        return False
    taken = {passage.document for passage in dataset.passages}
    return not all(number in taken for number in range(len(dataset.training_documents)))


def noun_of(run: Run) -> str:
    """What the questions are about: a user's text may be about countries."""
    return PERSON if run.recipe.data.kind in _ABOUT_PEOPLE else "name"


def _asked_about(held: Sequence[Any]) -> str:
    relations = sorted({q.relation for q in held})
    kinds = f" of {len(relations)} kinds" if len(relations) > 1 else ""
    return f"{len(held):,} {plural('question', len(held))}{kinds} that it was not trained on"


def _scored(run: Run) -> Markup:
    own, results = run.results[run.recipe.primary], run.results
    said = Markup("Asked {}, it got <strong>{}</strong> right{}").format(
        _asked_about(run.questions(run.recipe.tasks[0])),
        count(own),
        FINE.format(percent(own["accuracy"]), interval(own["interval"])),
    )
    others = [m.name for m in run.recipe.models if m.name != run.recipe.primary]
    beside = [
        f"{_OTHERS.get(name, _TWIN)}, {results[name]['correct']:,}"
        for name in (OPEN_BOOK, *others)
        if name in results
    ]
    guesses = {name: results[name] for name in _BASELINES if name in results}
    if guesses:
        best = max(guesses, key=lambda name: (guesses[name]["accuracy"], name))
        beside.append(f"{_BASELINES[best]}, {guesses[best]['correct']:,}")
    return said + (f". For comparison: {'; '.join(beside)}." if beside else ".")


def _knows(run: Run, abstains: bool) -> Markup:
    """What it declines, and what it should not have declined."""
    results = run.results
    told = results.get("answered_share")
    if not abstains:
        always = "It always answers: without calibration questions it cannot learn when to say {}."
        return Markup(always).format(DECLINES)
    noun = noun_of(run)
    declined = {
        "refused_without_text": f"{'whom' if noun == PERSON else 'that'} nobody wrote about",
        "refused_omitted": "whose text leaves it out",
        "refused_unanswerable": "without an answer",
    }
    parts = [
        f"{share_of(results[name])} {plural(noun, results[name]['n'])} {words}"
        for name, words in declined.items()
        if name in results
    ]
    if told is None:  # no held-out question has its answer in the text
        declines = f" to {' and to '.join(parts)}" if parts else " where it is not sure enough"
        return Markup("It says {}{}.").format(DECLINES, declines)
    kept = share_of(told)
    if not parts:
        right = _right_among(results)
        answers = Markup("It answers <strong>{} {}</strong>{}{}{}")
        others = _declines(told, bool(right))
        return answers.format(kept, plural("question", told["n"]), right, others, _unverified(told))
    return Markup("It says {} to {}; where the text states it, it answers {}{}.{}").format(
        DECLINES, " and to ".join(parts), kept, _right_among(results), _unverified(told)
    )


def _unverified(told: Mapping[str, Any]) -> str:
    """A sentence about answers for which no threshold was shown to keep the risk."""
    kinds = told.get(BY_RELATION) or {"": told}
    found = sum(UNVERIFIED in part for part in kinds.values())
    if not found:
        return ""
    which = "Its answers" if found == len(kinds) else f"Answers of {found} of {len(kinds)} kinds"
    return f" {which} are unverified: {NOT_SHOWN}."


def _declines(told: Mapping[str, Any], comma: bool) -> str:
    """The end of the sentence about a run that answers some of its questions, all or none."""
    if (answered := _count_of(told)) == told["n"]:
        return "."
    whom = "the others" if answered else "all of them"
    return f"{',' if comma else ''} and says “I don’t know” to {whom}."


def _right_among(results: Mapping[str, Any]) -> Markup:
    found = results.get("precision")
    if found is None:
        return Markup("")
    return Markup(', {} of them right<span class="fine"> ({})</span>').format(
        percent(found["precision"]), interval(found["interval"])
    )


def share_of(result: Mapping[str, Any]) -> str:
    """A share as "60 of 60": its value is the first entry of a result."""
    return f"{_count_of(result):,} of {result['n']:,}"


def _count_of(result: Mapping[str, Any]) -> int:
    """How many a share is of."""
    return round(float(next(iter(result.values()))) * result["n"])


def count(result: Mapping[str, Any]) -> str:
    return f"{result['correct']:,} of {result['n']:,}"


def percent(share: float) -> str:
    """97.5 %, 3 %, 100 %: a decimal only where it says something."""
    value = 100 * share
    text = f"{value:.1f}"
    return f"{text.removesuffix('.0')}\u00a0%"


def confidence(share: float) -> str:
    """As the page's script writes it: nothing but a certainty is 0 or 100 %."""
    value = 100 * share
    if 0 < value < 0.1 or 99.9 < value < 100:
        return f"{'<0.1' if value < 1 else '>99.9'}\u00a0%"
    return f"{value:.{int(value < 1 or 99 < value < 100)}f}\u00a0%"


def interval(ends: Sequence[float]) -> str:
    """91 to 99, in per cent."""
    return f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f}"
