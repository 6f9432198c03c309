"""The report of language models: bigram, GRU, GPT. Type, and see what each expects next."""

import math
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from wherefrom.core.measures import unit_of
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.engine_data import embed_engine
from wherefrom.show.page.learning import draw_learning
from wherefrom.show.page.page_layout import lay_out
from wherefrom.show.page.summary_sentences import FINE

_OPENINGS = 3  # texts to click, from the held-out text
_LONG = 60  # characters of such a text
_SHORT = 15  # a text with fewer is no beginning, if there are others


def describe_text(run: Run, precision: str) -> dict[str, Any]:
    """The values of the template, for a run of language models."""
    engine = embed_engine(run, precision)
    results = {name: r for name, r in run.results.items() if "perplexity" in r}
    unit = next((unit_of(r) for r in results.values()), None) or "symbol"
    drawn = [draw_learning(run, unit)]
    return lay_out(
        run,
        engine,
        "typing.html",
        title="What comes next?",
        sentences=[_read(run), _scored(run, results, unit), _alone(run, results, unit)],
        pictures=[each for each in drawn if each is not None],
        scores=_scores(results, unit),
        samples=_samples(run),
        data={"kind": "text", "unit": unit, "openings": _openings(run)},
    )


def _read(run: Run) -> Markup:
    """How much it read, and on how much it is scored."""
    own = run.results[run.recipe.primary]
    read = sum(len(document.text) for document in run.dataset.training_documents)
    return Markup(
        "It read <strong>{:,} characters of text</strong> and is scored on {:,} {}s that it never "
        "saw."
    ).format(read, own["n"], unit_of(own) or "symbol")


def _scored(run: Run, results: Mapping[str, Any], unit: str) -> Markup:
    own = results[run.recipe.primary]
    low, high = own["interval"]
    exact = FINE.format(f"perplexity {own['perplexity']:.2f}", f"{low:.2f} to {high:.2f}")
    return Markup("It needs <strong>{:.2f} bits per {}</strong>{}.").format(
        own["bits_per_target"], unit, exact
    )


def _alone(run: Run, results: Mapping[str, Any], unit: str) -> str:
    """What one would need who knew the symbols and nothing else."""
    vocabulary = run.vocabulary
    count = len(getattr(vocabulary, "characters", None) or vocabulary.words)
    saved = 1 - results[run.recipe.primary]["bits_per_target"] / math.log2(count)
    return (
        f"Somebody who knew the {count:,} {unit}s and nothing of how they follow each other would "
        f"need {math.log2(count):.2f}: what it learnt saves {100 * saved:.0f}\u00a0%."
    )


def _label(name: str) -> str:
    """A result's name in words: "blocks.gpt" is the model gpt in the task blocks."""
    task, _, model = name.rpartition(".")
    return f"{model} ({task})".replace("_", " ") if task else name.replace("_", " ")


def _scores(results: Mapping[str, Any], unit: str) -> dict[str, Any]:
    """Every model and baseline, the best first."""
    ranked = sorted(results.items(), key=lambda item: item[1]["perplexity"])
    return {
        "unit": unit,
        "rows": [
            {
                "name": _label(name),
                "bits": f"{r['bits_per_target']:.3f}",
                "perplexity": f"{r['perplexity']:.2f}",
                "interval": f"{r['interval'][0]:.2f} to {r['interval'][1]:.2f}",
            }
            for name, r in ranked
        ],
    }


def _samples(run: Run) -> list[dict[str, str]]:
    """Texts that the models wrote after training, if the run kept them."""
    found: list[dict[str, str]] = []
    for model in run.recipe.models:
        if run.folder.has(name := f"samples/{model.name}.txt"):
            text = run.folder.read_text(name)[:600]
            found.append({"name": model.name.replace("_", " "), "text": text})
    return found


def _openings(run: Run) -> list[str]:
    """Beginnings to click: pieces of the held-out text."""
    documents = run.dataset.held_out_documents or run.dataset.documents
    texts = [" ".join(d.text.split()) for d in documents[: 8 * _OPENINGS]]
    texts = [text for text in texts if len(text) >= _SHORT] or texts
    if len(texts) < _OPENINGS:  # one long text: pieces of it
        text = " ".join(texts)
        step = max(len(text) // _OPENINGS, 1)
        texts = [text[i * step :].partition(" ")[2] for i in range(_OPENINGS)]
    return [text[:_LONG].rpartition(" ")[0] or text[:_LONG] for text in texts if text][:_OPENINGS]
