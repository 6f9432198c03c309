"""The report of an averaging network: type a review, and see what each word does."""

from typing import Any

from wherefrom.runs.opened_run import Run
from wherefrom.show.page import pictures
from wherefrom.show.page.learning import draw_learning
from wherefrom.show.page.page_layout import embed_models, lay_out
from wherefrom.show.page.summary_sentences import (
    FINE,
    STRONG,
    Piece,
    Sentence,
    count,
    interval,
    percent,
)

_SHOWN = 3  # reviews to click


def describe_reviews(run: Run, precision: str) -> dict[str, Any]:
    """The values of the template, for a run that judges reviews."""
    engine = embed_models(run, precision)
    drawn = [pictures.draw_accuracy(run), draw_learning(run, "review")]
    return lay_out(
        run,
        engine,
        "reviewing.html",
        title="Did they like it?",
        sentences=[_read(run), _scored(run), _how()],
        pictures=[each for each in drawn if each is not None],
        data={"kind": "reviews", "examples": _examples(run)},
    )


def _read(run: Run) -> Sentence:
    asked = len(run.dataset.asked)
    return (
        Piece("It read "),
        Piece(f"{asked:,} reviews", STRONG),
        Piece(" with the judgement of whoever wrote them, and learnt a vector for every word."),
    )


def _scored(run: Run) -> Sentence:
    own = run.results[run.recipe.primary]
    parts = [
        Piece("It judges "),
        Piece(count(own), STRONG),
        Piece(" other reviews right"),
        Piece(f" ({percent(own['accuracy'])}, {interval(own['interval'])})", FINE),
    ]
    usual = run.results.get("majority")
    if usual:
        parts.append(Piece(f"; always giving the commoner judgement gets {count(usual)} right"))
    return (*parts, Piece("."))


def _how() -> Sentence:
    return (
        Piece("It does not know the order of words: it "),
        Piece("averages their vectors", STRONG),
        Piece(", so each word has an effect that can be shown."),
    )


def _examples(run: Run) -> list[str]:
    """Short reviews that it was not trained on."""
    held = [q.text for q in run.dataset.questions if q.split == "held-out"]
    return sorted(held, key=lambda text: (abs(len(text) - 120), text))[:_SHOWN]
