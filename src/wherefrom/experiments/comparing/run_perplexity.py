"""Measuring texts by the language models of runs, in units that can be compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from wherefrom.core.errors import (
    BadData,
    Mismatch,
    MissingInput,
    UsageError,
    WherefromError,
    nearest,
)
from wherefrom.core.files import read_text
from wherefrom.core.words import WordVocabulary
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.text.preprocess import DROP_UNSEEN, parse_steps
from wherefrom.evaluation.text.readings import CharacterReader, Reader, WordReader
from wherefrom.evaluation.text.text_perplexity import (
    MeasuredText,
    Training,
    Wanted,
    explain_gaps,
    measure_text,
)
from wherefrom.evaluation.text.treebank_tokens import Sentence, find_tokens, treebank
from wherefrom.evaluation.text.verbatim import Verbatim
from wherefrom.experiments.resources import use_threads
from wherefrom.generation.text_scorer import TextScorer
from wherefrom.runs.opened_run import AnyRun, Run, open_run, run_path

UNIFORM = "uniform"  # unknown words are spelt by bytes, all equally likely
COLDEST, HOTTEST = 0.05, 20.0


@dataclass(frozen=True)
class RunPerplexity:
    """One run's model on all texts that it could read.

    `unit` says what a target is: a character or a word. `gaps` compares each other text with the
    first: how much each class of targets adds to the loss per target, in nats.
    """

    run: str
    model: str
    unit: str
    texts: dict[str, MeasuredText]
    gaps: dict[str, dict[str, float]]


@dataclass(frozen=True)
class PerplexityReport:
    """The measures of all texts by all runs.

    `failed` has an error for every text or run that could not be read; the others are measured all
    the same. `notes` warn of texts that a run was trained on, and say what was left out.
    """

    tokens: str
    unknown: str
    runs: tuple[RunPerplexity, ...]
    failed: tuple[WherefromError, ...]
    notes: tuple[str, ...]


def perplexity(
    runs: AnyRun | Sequence[AnyRun],
    texts: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    model: str = "",
    preprocess: Sequence[str] = (),
    temperatures: Sequence[float] = (),
    tokens: str = "treebank",
    unknown: str | PathLike[str] = UNIFORM,
    threads: int | None = None,
) -> PerplexityReport:
    """Measure text files by runs of language models; `MeasuredText` has what is reported.

    `model` names a model of the runs, or a baseline such as counts (default: a run's primary
    model). `preprocess` has chains such as "lower,wrap40", reported after each step. `tokens` says
    how a text is split into words, and `unknown` how unknown words are charged: by bytes
    ("uniform"), or by the character model of a run. Only the charged bits per character can be
    compared between a word model and a character model.
    """
    runs = [runs] if isinstance(runs, str | PathLike | Run) else runs
    texts = [texts] if isinstance(texts, str | PathLike) else texts
    if not texts or not runs:
        raise UsageError(
            f"perplexity: expected at least one run and one text, found {len(runs)} and "
            f"{len(texts)}; name run folders, and a text with --text FILE"
        )
    wanted, split = _plan(preprocess, temperatures), find_tokens(tokens)
    contents, failed = _read_all(_name(list(map(Path, texts))))
    spell = None if unknown == UNIFORM else open_speller(unknown)
    found: list[RunPerplexity] = []
    notes: list[str] = []
    for each in runs if contents else ():
        path = str(run_path(each))
        try:
            run, reader = open_reader(each, model, split, spell)
            use_threads(threads, run.recipe.threads)
            measured, wrong, said = _measure_run(path, run, reader, contents, wanted)
        except WherefromError as error:
            failed.append(_name_run(path, error))
            continue
        failed += wrong
        notes += said
        if measured:
            name, gaps = model or run.recipe.primary, explain_gaps(measured)
            found.append(RunPerplexity(path, name, reader.unit, measured, gaps))
    return PerplexityReport(tokens, str(unknown), tuple(found), tuple(failed), tuple(notes))


def _measure_run(
    path: str, run: Run, reader: Reader, texts: Mapping[str, str], wanted: Wanted
) -> tuple[dict[str, MeasuredText], list[WherefromError], list[str]]:
    """The texts that one run could read, errors for the others, and notes."""
    training = find_training(run, reader)
    found: dict[str, MeasuredText] = {}
    failed: list[WherefromError] = []
    notes: list[str] = []
    if wanted.fitting(reader) != wanted:
        notes.append(
            f"{path}: chains with {DROP_UNSEEN} are left out, because the model reads words"
        )
    for name, text in texts.items():
        try:
            found[name] = measure_text(reader, text, training, wanted)
        except BadData as error:
            failed.append(_name_run(path, BadData(f"{name}: {error}")))
    return found, failed, notes + _warn(path, found)


def _plan(chains: Sequence[str], temperatures: Sequence[float]) -> Wanted:
    """Every beginning of every chain, so that the effect of each step can be seen."""
    for t in temperatures:
        if not COLDEST <= t <= HOTTEST:  # otherwise losses may be too large for a float
            raise UsageError(
                f"temperature: expected a number from {COLDEST:g} to {HOTTEST:g}, found {t:g}"
            )
    parsed = [parse_steps(chain) for chain in chains]
    begun = [steps[:end] for steps in parsed for end in range(1, len(steps) + 1)]
    return Wanted(tuple(dict.fromkeys(begun)), tuple(temperatures))


def _name(files: Sequence[Path]) -> dict[str, Path]:
    """Texts by the names of their files, or by their paths if two files have the same name."""
    names = [path.name for path in files]
    return {str(p) if names.count(p.name) > 1 else p.name: p for p in files}


def _read_all(files: Mapping[str, Path]) -> tuple[dict[str, str], list[WherefromError]]:
    """The texts that can be read, and why the others cannot."""
    texts: dict[str, str] = {}
    failed: list[WherefromError] = []
    for name, path in files.items():
        try:
            texts[name] = _read(path)
        except WherefromError as error:
            failed.append(error)
    return texts, failed


def _read(path: Path) -> str:
    text = read_text(path).replace("\r\n", "\n")
    if not text.strip():
        raise BadData(f"{path}: expected a text, found only blank space; name another file")
    return text


def _name_run(run: str, error: WherefromError) -> WherefromError:
    """The same error with the run's path in front."""
    return error if str(error).startswith(run) else type(error)(f"{run}: {error}")


def _warn(run: str, texts: Mapping[str, MeasuredText]) -> list[str]:
    """Warnings about texts that the run was trained on, or may have been trained on."""
    said = (_explain_overlap(name, measured.verbatim) for name, measured in texts.items())
    return [f"{run}: {each}" for each in said if each]


def _explain_overlap(name: str, verbatim: Verbatim | None) -> str:
    """What to know about a text and the training text; nothing if they share no window."""
    if verbatim is None:
        return f"its training text is missing, so it is not known whether {name} is part of it"
    if not verbatim.windows:
        return (
            f"the part of {name} that the model can read is too short to tell whether the training "
            "text contains it"
        )
    if not verbatim.found:
        return ""
    mostly = 2 * verbatim.found > verbatim.windows
    return (
        f"{verbatim.found} of {verbatim.windows} windows of {name} are word for word in the "
        f"training text; {'its' if mostly else 'for this part, its'} score measures memory, not "
        "language"
    )


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


def open_speller(path: AnyRun) -> CharacterReader:
    """A run's character model, to spell the words that a word model does not know."""
    run, reader = open_reader(path)
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
