"""`wherefrom perplexity`: what runs make of texts, in units that can be compared."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import BadData, UsageError

if TYPE_CHECKING:
    from wherefrom.evaluation.perplexity import Wanted

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
        str, typer.Option(metavar="NAME", help="One of the runs' models.", show_default="the best")
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
    is unknown charged. A text that the run was trained on is told.
    """
    from wherefrom.evaluation.perplexity import explain_gap, measure_text
    from wherefrom.evaluation.tokens import find_tokens
    from wherefrom.report.perplexity import perplexity_table
    from wherefrom.report.tables import draw
    from wherefrom.runs.readers import find_training, open_reader, open_speller

    files = [*(text or []), *(path for path in runs if path.is_file())]
    folders = [path for path in runs if not path.is_file()]
    if not files or not folders:
        raise UsageError("perplexity: expected runs and --text FILE, found one without the other")
    wanted, split = _wanted(preprocess or [], temperature or []), find_tokens(tokens)
    texts = {name: _read(path) for name, path in _name(files).items()}
    spell = None if unknown == UNIFORM else open_speller(Path(unknown))
    shown: list[dict[str, Any]] = []
    for number, folder in enumerate(folders):
        run, reader = open_reader(folder, model, split, spell)
        training = find_training(run, reader)
        found = {name: measure_text(reader, t, training, wanted) for name, t in texts.items()}
        _warn(folder, found)
        measured = list(found.values())
        gap = explain_gap(*measured[:2]) if len(measured) > 1 else {}
        used = model or run.recipe.primary
        about = {"run": str(folder), "model": used, "unit": reader.unit}
        shown.append(about | {"texts": found, "gap": gap})
        if not as_json:
            print(end="\n" if number else "")
            by_bytes = spell is None or reader.unit == "character"
            spelt = "spelt by bytes" if by_bytes else f"spelt by {unknown}"
            draw(perplexity_table(f"{folder} ({used})", reader.unit, found, gap, spelt))
    if as_json:
        print_json({"tokens": tokens, "unknown": unknown, "runs": shown})


def _wanted(chains: list[str], temperatures: list[float]) -> "Wanted":
    """Every chain from its first step on, so that each step's own part can be seen."""
    from wherefrom.evaluation.perplexity import Wanted
    from wherefrom.evaluation.preprocess import parse_steps

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
        elif said["found"]:
            share = f"{said['found']} of {said['stretches']} stretches of {name} stand"
            mostly = 2 * said["found"] > said["stretches"]
            note(
                f"{run}: {share} word for word in the training text; "
                f"its score is {'' if mostly else 'to that part '}one of memory, not of language"
            )
