"""Pretrain, finetune and evaluate: the assignment's program.

    python run.py vanilla_pretrain
    python run.py pretrain vanilla data/wiki.txt --writing_params_path vanilla.pretrain.params
    python run.py --function=pretrain --variant=vanilla --pretrain_corpus_path=data/wiki.txt ...

The same command goes on with a training that was stopped.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from places import SUBMISSION, find_data

from wherefrom.core.errors import Mismatch, MissingInput, UsageError, nearest
from wherefrom.core.files import read_text, write_text
from wherefrom.course.classroom import assignment_commands as commands
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.course.doctor.years import VARIABLE, YEARS, year_name

FUNCTIONS = ("pretrain", "finetune", "evaluate")
SIZES = {"block_size": 128, "n_layer": 4, "n_head": 8, "n_embd": 256}
SETTINGS = {"pretrain_lr": 6e-3, "finetune_lr": 6e-4, "seed": 42, "device": "auto"}


class Parser(argparse.ArgumentParser):
    """What is wrong is said in one line, as everywhere here."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; 'python run.py --help' lists the options")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of every year: a command by its name, or function, variant and paths."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    for name in ("function", "variant", "pretrain_corpus_path"):
        word = "command_or_function" if name == "function" else name
        add(name, nargs="?", default=argparse.SUPPRESS, metavar=word.upper())
        add(f"--{name}")
    for name in ("finetune_corpus", "eval_corpus", "reading_params", "writing_params", "outputs"):
        add(f"--{name}_path", type=Path)
    for name, usual in (SIZES | SETTINGS).items():
        add(f"--{name}", type=type(usual), default=usual, help=f"by default {usual}")
    add("--bottleneck_dim", type=int, help="a perceiver's latents, if not the year's")
    for name in ("--compile", "--no-compile"):  # of some hand-outs: the library does without
        add(name, help=argparse.SUPPRESS, action="store_true")
    for name in ("--backend", "--tb_expt_name"):
        add(name, help=argparse.SUPPRESS)
    add("--data", metavar="FOLDER", help="where the data is, if not in data/ or $A5_DATA")
    add("--out", metavar="FOLDER", type=Path, help="where a command's files go: submission/")
    add("--epochs", type=int, help="epochs to train instead of the assignment's")
    add("--year", help=f"the hand-out, if not $A5_YEAR or the files' own: {', '.join(YEARS)}")
    options = parser.parse_args(arguments)
    command = commands.find(options.function)
    if command is not None:  # its name stands for a line; what is typed behind it goes over that
        rest = list(arguments)
        rest.remove(options.function)
        line = command.line(f"{options.out or SUBMISSION}/")
        options = parser.parse_args([*line[:2], *line[3:], *rest])
    _check(options)
    return options


def _check(options: argparse.Namespace) -> None:
    if options.function not in FUNCTIONS:
        guess = nearest(str(options.function), [*commands.COMMANDS, *FUNCTIONS])
        guess = guess.removesuffix("see the docs")
        raise UsageError(
            f"'{options.function or ''}': no such command; {guess}'./run.sh' lists them"
        )
    if options.variant not in commands.VARIANTS:
        known = ", ".join(commands.VARIANTS)
        raise UsageError(f"variant: expected one of {known}, found {options.variant!r}")
    evaluating = options.function == "evaluate"
    needed = ("reading_params_path", "eval_corpus_path") if evaluating else ("writing_params_path",)
    for name in needed:
        if getattr(options, name) is None:
            raise UsageError(f"{options.function}: expected --{name}, found none")
    if options.epochs is not None and options.epochs < 1:
        raise UsageError(f"--epochs: expected 1 or more, found {options.epochs}")
    reads = options.reading_params_path
    if reads is not None and not reads.is_file():
        writer = commands.who_writes(reads.name)
        advice = f"run './run.sh {writer}' first, it makes it" if writer else "train it first"
        raise MissingInput(f"{reads}: expected a model's parameters, found no such file; {advice}")


def run(options: argparse.Namespace) -> None:
    if options.year:
        os.environ[VARIABLE] = year_name(options.year)
    from submission.dataset import CharCorruptionDataset
    from submission.utils import set_seed

    set_seed(options.seed)
    text = read_text(_data(options.pretrain_corpus_path, "wiki.txt", options))
    dataset = CharCorruptionDataset(text.replace("\r\n", "\n"), options.block_size)
    work = evaluate if options.function == "evaluate" else train
    work(options, build(options, dataset), dataset)


def build(options: argparse.Namespace, dataset: Any) -> Any:
    """The variant's model from helper.py, which must be what it says it is."""
    from submission import helper
    from submission.model import GPTConfig
    from submission.utils import current_year, variant_of

    sizes = {name: getattr(options, name) for name in SIZES}
    latents = options.bottleneck_dim or current_year().bottleneck_dim
    extra = {"bottleneck_dim": latents} if options.variant == "perceiver" else {}
    name = f"initialize_{options.variant}_model"
    model = getattr(helper, name)(GPTConfig(dataset.vocab_size, **sizes), **extra)
    built = variant_of(model.state_dict())
    if built != options.variant:
        raise Mismatch(
            f"helper.{name}: expected a {options.variant} model, found that it builds {built}"
        )
    return model


def train(options: argparse.Namespace, model: Any, dataset: Any) -> None:
    from submission import helper

    writes = options.writing_params_path
    if options.function == "pretrain":
        tconf, trainer = helper.pretrain(dataset, options.block_size, model, options.pretrain_lr)
    else:
        names = _data(options.finetune_corpus_path, commands.TRAIN, options)
        given = options.reading_params_path, names, dataset, options.block_size, model
        tconf, trainer = helper.finetune(*given, options.finetune_lr)
    tconf.max_epochs = options.epochs or tconf.max_epochs
    tconf.device, tconf.seed = options.device, options.seed
    tconf.working_folder = writes.with_name(f".{writes.name}.work")
    helper.train(model, writes, trainer)
    if not writes.is_file():
        raise MissingInput(f"helper.py: train(): expected it to write {writes}, found no file")
    shutil.rmtree(tconf.working_folder, ignore_errors=True)
    print(f"Parameters written to {writes}")


def evaluate(options: argparse.Namespace, model: Any, dataset: Any) -> None:
    """Answer every question of a file, write the answers, and score them if it can be done."""
    from submission.utils import evaluate_places, load_params, predict

    asked = _data(options.eval_corpus_path, commands.DEV, options)
    load_params(model, options.reading_params_path)
    places = predict(model, dataset, asked, options.device)
    if options.outputs_path is not None:
        write_text(options.outputs_path, "".join(f"{place}\n" for place in places))
    total, correct = evaluate_places(asked, places)
    if total > 0:
        print(f"Correct: {correct} out of {total}: {100 * correct / total:.4g}%")
    elif options.outputs_path is not None:
        print(f"Predictions written to {options.outputs_path}; no targets provided")


def _data(path: str | Path | None, usual: str, options: argparse.Namespace) -> Path:
    """A data file that was named, or the usual one, wherever data is."""
    if path is not None and Path(path).is_file():
        return Path(path)
    return find_data(Path(path or usual).name, options.data)


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    return tell(lambda: run(parse(given)))


if __name__ == "__main__":
    sys.exit(main())
