"""A run as a reader of texts: its language model, and what it was trained on."""

from collections.abc import Callable
from typing import Any

from wherefrom.core.errors import BadData, Mismatch, MissingInput, UsageError, nearest
from wherefrom.core.words import WordVocabulary
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.text.readings import CharacterReader, Reader, WordReader
from wherefrom.evaluation.text.text_perplexity import Training
from wherefrom.evaluation.text.treebank_tokens import Sentence, treebank
from wherefrom.generation.text_scorer import TextScorer
from wherefrom.runs.opened_run import AnyRun, Run, open_run


def open_reader(
    path: AnyRun,
    model: str = "",
    tokens: Callable[[str], list[Sentence]] = treebank,
    spell: CharacterReader | None = None,
) -> tuple[Run, Reader]:
    """The run, and a model of it (default: the primary one) as one that reads texts.

    Baselines that the run was scored beside, such as plain counts, read too.
    """
    run = open_run(path)
    run.require_finished()
    predictor = _find_predictor(run, model)
    if isinstance(predictor, TextScorer):
        return run, CharacterReader(predictor)
    if isinstance(run.vocabulary, WordVocabulary) and hasattr(predictor, "log_probabilities"):
        return run, WordReader(predictor, run.vocabulary, tokens, spell)
    raise BadData(
        f"{run.path}: expected the run of a language model, found one of '{run.recipe.name}', "
        f"whose model ({run.recipe.model.kind}) gives no text a probability"
    )


def _find_predictor(run: Run, name: str) -> Any:
    """A model of the run, or a baseline of its texts, which counts in what was trained on."""
    models = [m.name for m in run.recipe.models]
    scored = (task.predictors for task in run.recipe.tasks if task.measure == "perplexity")
    beside = {p for predictors in scored for p in predictors if p in BASELINES} - set(models)
    if name in beside:
        return BASELINES[name](run.dataset, run.vocabulary)
    if name and name not in models:
        raise UsageError(f"{run.path}: no model '{name}'; {nearest(name, [*models, *beside])}")
    return run.predictor(name)


def open_speller(path: AnyRun, model: str = "") -> CharacterReader:
    """A run's character model, to spell the words that a word model does not know."""
    run, reader = open_reader(path, model)
    if not isinstance(reader, CharacterReader):
        raise BadData(f"{run.path}: expected the run of a character model, found one of words")
    return reader


def find_training(run: Run, reader: Reader) -> Training | None:
    """What the run was trained on, unless its files are no longer here or no longer the same."""
    try:
        dataset = run.dataset
    except (MissingInput, Mismatch):
        return None
    return Training.of(dataset.training_documents, reader.unit)
