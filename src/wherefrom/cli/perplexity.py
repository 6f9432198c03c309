"""`wherefrom perplexity`: what runs make of texts, in units that can be compared."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import BadData, UsageError, WherefromError

if TYPE_CHECKING:
    from wherefrom.evaluation.text.perplexity import Training, Wanted
    from wherefrom.evaluation.text.readings import Reader

UNIFORM = "uniform"

COLDEST, HOTTEST = 0.05, 20.0


def perplexity(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Finished runs of language models.")
    ],
    text: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A text; may be repeated, or given beside the runs."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A model of the runs, or counts.", show_default="a run's main one"
        ),
    ] = "",
    preprocess: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STEPS",
            help="lower,wrap40,drop-unseen,spell-numbers,ascii: reported after each; repeatable.",
        ),
    ] = None,
    temperature: Annotated[
        list[float] | None,
        typer.Option(metavar="T", help="As a diagnosis of confidence, never a score; repeatable."),
    ] = None,
    tokens: Annotated[
        str, typer.Option(metavar="treebank|one-a-line", help="How a word model finds words.")
    ] = "treebank",
    unknown: Annotated[
        str, typer.Option(metavar="uniform|RUN", help="Who spells what a word model knows not.")
    ] = UNIFORM,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:  # fmt: skip
    """Measure texts: nats and bits per token and per original character, and where they come from.

    Only the last can be compared between a word model and a character model, and only with what
    is unknown charged. A text that the run was trained on is told. What cannot be read does not
    keep the rest from being measured.
    """
    from wherefrom.evaluation.text.perplexity import explain_gaps
    from wherefrom.evaluation.text.tokens import find_tokens
    from wherefrom.runs.readers import find_training, open_reader, open_speller

    files = [*(text or []), *(path for path in runs if path.is_file())]
    folders = [path for path in runs if not path.is_file()]
    if not files or not folders:
        raise UsageError("perplexity: expected runs and --text FILE, found one without the other")
    wanted, split = _wanted(preprocess or [], temperature or []), find_tokens(tokens)
    texts, failed = _read_all(_name(files))
    spell = None if unknown == UNIFORM else open_speller(Path(unknown))
    shown: list[dict[str, Any]] = []
    for folder in folders if texts else []:
        try:
            run, reader = open_reader(folder, model, split, spell)
            if wanted.fitting(reader) != wanted:
                note(f"{folder}: chains with drop-unseen are left out: it is a model of words")
            found, unread = _measure(reader, texts, find_training(run, reader), wanted)
        except WherefromError as error:
            failed.append(_named(folder, error))
            continue
        failed += [_named(folder, error) for error in unread]
        if not found:
            continue
        _warn(folder, found)
        about = {"run": str(folder), "model": model or run.recipe.primary, "unit": reader.unit}
        shown.append(about | {"texts": found, "gaps": explain_gaps(found)})
        if not as_json:
            print(end="\n" if len(shown) > 1 else "")
            _draw(shown[-1], unknown)
    if as_json and shown:
        missed = [str(error) for error in failed]
        print_json({"tokens": tokens, "unknown": unknown, "runs": shown, "failed": missed})
    _complain(failed)


def _measure(
    reader: "Reader", texts: dict[str, str], training: "Training | None", wanted: "Wanted"
) -> tuple[dict[str, dict[str, Any]], list[BadData]]:
    """What there is to say of each text, by name, and why there is nothing to say of others."""
    from wherefrom.evaluation.text.perplexity import measure_text

    found, unread = {}, []
    for name, text in texts.items():
        try:
            found[name] = measure_text(reader, text, training, wanted)
        except BadData as error:
            unread.append(BadData(f"{name}: {error}"))
    return found, unread


def _draw(shown: dict[str, Any], unknown: str) -> None:
    from wherefrom.report.perplexity import perplexity_table
    from wherefrom.report.tables import draw

    by_bytes = unknown == UNIFORM or shown["unit"] == "character"
    spelt = f"spelt by {'bytes' if by_bytes else unknown}"
    title = f"{shown['run']} ({shown['model']})"
    draw(perplexity_table(title, shown["unit"], shown["texts"], shown["gaps"], spelt))


def _named(run: Path, error: WherefromError) -> WherefromError:
    """The same error, which says whose it is."""
    return error if str(error).startswith(str(run)) else type(error)(f"{run}: {error}")


def _complain(failed: list[WherefromError]) -> None:
    """The first error is the command's; the others are told before it."""
    for error in failed[1:]:
        note(str(error))
    if failed:
        raise failed[0]


def _wanted(chains: list[str], temperatures: list[float]) -> "Wanted":
    """Every chain from its first step on, so that each step's own part can be seen."""
    from wherefrom.evaluation.text.perplexity import Wanted
    from wherefrom.evaluation.text.preprocess import parse_steps

    for t in temperatures:
        if not COLDEST <= t <= HOTTEST:  # beyond, losses leave what a float can hold
            raise UsageError(f"--temperature {t:g}: expected {COLDEST:g} to {HOTTEST:g}")
    parsed = [parse_steps(chain) for chain in chains]
    begun = [steps[:end] for steps in parsed for end in range(1, len(steps) + 1)]
    return Wanted(tuple(dict.fromkeys(begun)), tuple(temperatures))


def _name(files: list[Path]) -> dict[str, Path]:
    """Texts by the names of their files, or by their paths where two have one name."""
    names = [path.name for path in files]
    return {str(p) if names.count(p.name) > 1 else p.name: p for p in files}


def _read_all(files: dict[str, Path]) -> tuple[dict[str, str], list[WherefromError]]:
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
    from wherefrom.core.files import read_text

    text = read_text(path).replace("\r\n", "\n")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BadData(f"{path}:{line}: expected text, found a NUL byte; it is a binary file")
    if not text.strip():
        raise BadData(f"{path}: expected a text, found nothing in it; name another file")
    return text


def _warn(run: Path, texts: dict[str, dict[str, Any]]) -> None:
    for name, measured in texts.items():
        said = measured.get("verbatim")
        if said is None:
            note(f"{run}: its training text is not here, so nobody knows whether it has {name}")
        elif not said["stretches"]:
            note(f"{run}: what it can read of {name} is too short to tell whether it is known text")
        elif said["found"]:
            share = f"{said['found']} of {said['stretches']} stretches of {name} stand"
            mostly = 2 * said["found"] > said["stretches"]
            note(
                f"{run}: {share} word for word in the training text; "
                f"its score is {'' if mostly else 'to that part '}one of memory, not of language"
            )
