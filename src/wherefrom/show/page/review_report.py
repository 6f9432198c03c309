"""The report of an averaging network: type a review, and see what each word does."""

from typing import Any

from markupsafe import Markup

from wherefrom.runs.opened_run import Run
from wherefrom.show.page import pictures
from wherefrom.show.page.engine_data import embed_engine
from wherefrom.show.page.learning import draw_learning
from wherefrom.show.page.page_layout import lay_out
from wherefrom.show.page.summary_sentences import FINE, count, interval, percent

_SHOWN = 3  # reviews to click
_HOW = Markup(
    "It does not know the order of words: it <strong>averages their vectors</strong>, so each word "
    "has an effect that can be shown."
)


def describe_reviews(run: Run, precision: str) -> dict[str, Any]:
    """The values of the template, for a run that judges reviews."""
    engine = embed_engine(run, precision)
    drawn = [pictures.draw_accuracy(run), draw_learning(run, "review")]
    return lay_out(
        run,
        engine,
        "reviewing.html",
        title="Did they like it?",
        sentences=[_read(run), _scored(run), _HOW],
        pictures=[each for each in drawn if each is not None],
        data={"kind": "reviews", "examples": _examples(run)},
    )


def _read(run: Run) -> Markup:
    return Markup(
        "It read <strong>{:,} reviews</strong> with the judgement of whoever wrote them, and "
        "learnt a vector for every word."
    ).format(len(run.dataset.asked))


def _scored(run: Run) -> Markup:
    own, usual = run.results[run.recipe.primary], run.results.get("majority")
    beside = f"; always giving the commoner judgement gets {count(usual)} right" if usual else ""
    return Markup("It judges <strong>{}</strong> other reviews right{}{}.").format(
        count(own), FINE.format(percent(own["accuracy"]), interval(own["interval"])), beside
    )


def _examples(run: Run) -> list[str]:
    """Short reviews that it was not trained on."""
    held = [q.text for q in run.dataset.questions if q.split == "held-out"]
    return sorted(held, key=lambda text: (abs(len(text) - 120), text))[:_SHOWN]
