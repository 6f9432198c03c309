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

import commands
from places import HERE, SUBMISSION, find_data

from wherefrom.core.errors import Mismatch, MissingInput, UsageError, nearest
from wherefrom.core.files import read_text, write_text
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.course.doctor.years import VARIABLE, YEARS, year_name

FUNCTIONS = ("pretrain", "finetune", "evaluate")
SIZES = {"block_size": 128, "n_layer": 4, "n_head": 8, "n_embd": 256}


class Parser(argparse.ArgumentParser):
    """What is wrong is said in one line, as everywhere here."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; 'python run.py --help' lists the options")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of every year: a command by its name, or function, variant and paths."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("words", nargs="*", metavar="COMMAND | FUNCTION VARIANT PRETRAIN_CORPUS_PATH")
    add("--function", choices=FUNCTIONS)
    add("--variant", choices=commands.VARIANTS)
    for name in ("pretrain_corpus", "finetune_corpus", "eval_corpus"):
        add(f"--{name}_path")
    for name in ("reading_params", "writing_params", "outputs"):
        add(f"--{name}_path", type=Path)
    add("--pretrain_lr", type=float, default=6e-3)
    add("--finetune_lr", type=float, default=6e-4)
    add("--bottleneck_dim", type=int, help="a perceiver's latents, if not the year's")
    add("--tb_expt_name", help="write losses for tensorboard to expt/NAME")
    for name in ("--compile", "--no-compile", "--backend"):  # the library decides by itself
        extra = {} if name == "--backend" else {"action": "store_true"}
        add(name, help=argparse.SUPPRESS, **extra)
    add("--data", metavar="FOLDER", help="where the data is, if not in data/ or $A5_DATA")
    add("--out", metavar="FOLDER", type=Path, help="where a command's files go: submission/")
    add("--epochs", type=int, help="epochs to train instead of the assignment's")
    add("--device", default="auto", help="auto, cpu or cuda")
    add("--seed", type=int, default=42)
    add("--year", help=f"the hand-out, if not $A5_YEAR or the files' own: {', '.join(YEARS)}")
    for name, size in SIZES.items():
        add(f"--{name}", type=int, default=size, help=f"{size} in the assignment")
    return settle(parser, arguments)


def settle(parser: Parser, arguments: Sequence[str]) -> argparse.Namespace:
    """Whatever way it was said: function, variant and paths."""
    options = parser.parse_args(arguments)
    first = next(iter(options.words), "")
    command = commands.find(first)
    if command is not None:  # its name stands for a line; what is typed behind it goes over that
        rest = list(arguments)
        rest.remove(first)
        line = command.line(f"{options.out or SUBMISSION}/")
        options = parser.parse_args([*line[3:], *line[:2], *rest])
    elif len(options.words) == 1 and first not in FUNCTIONS and options.function is None:
        guess = nearest(first, [*commands.COMMANDS, *FUNCTIONS]).removesuffix("see the docs")
        raise UsageError(f"'{first}': no such command; {guess}'./run.sh' alone lists them")
    names = ("function", "variant", "pretrain_corpus_path")
    if len(options.words) > len(names):
        said = " ".join(options.words[: len(names)])
        found = options.words[len(names)]
        raise UsageError(f"{said}: expected nothing but options after it, found '{found}'")
    for name, word in zip(names, options.words, strict=False):
        if getattr(options, name) not in (None, word):
            raise UsageError(f"--{name}: expected {word}, found {getattr(options, name)}")
        setattr(options, name, word)
    _check(options)
    return options


def _check(options: argparse.Namespace) -> None:
    known = {"function": FUNCTIONS, "variant": commands.VARIANTS}
    for name, choices in known.items():
        value = getattr(options, name)
        if value not in choices:
            raise UsageError(f"{name}: expected one of {', '.join(choices)}, found {value!r}")
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

    from wherefrom.reading.table_files import read_lines

    wiki = _data(options.pretrain_corpus_path, "wiki.txt", options)
    read_lines(wiki, gaps=True)  # complains of what a model cannot read, by line
    set_seed(options.seed)
    dataset = CharCorruptionDataset(_text(wiki), options.block_size)
    model = build(options, dataset)
    if options.function == "evaluate":
        evaluate(options, model, dataset)
    else:
        train(options, model, dataset)


def build(options: argparse.Namespace, dataset: Any) -> Any:
    """The variant's model from helper.py, which must be what it says it is."""
    from submission import helper
    from submission.model import GPTConfig
    from submission.utils import current_year, variant_of

    sizes = {name: getattr(options, name) for name in SIZES if name != "block_size"}
    mconf = GPTConfig(dataset.vocab_size, options.block_size, **sizes)
    extra = {}
    if options.variant == "perceiver":
        given = options.bottleneck_dim
        extra["bottleneck_dim"] = current_year().bottleneck_dim if given is None else given
    name = f"initialize_{options.variant}_model"
    model = getattr(helper, name)(mconf, **extra)
    if model is None:
        raise _unwritten(name, f"a {options.variant} model")
    built = variant_of(model.state_dict())
    if built != options.variant:
        raise Mismatch(
            f"helper.{name}: expected a {options.variant} model, found that it builds {built}"
        )
    return model


def train(options: argparse.Namespace, model: Any, dataset: Any) -> None:
    from submission import helper

    from wherefrom.core.files import cannot_write
    from wherefrom.reading.table_files import read_table

    writes, writer = options.writing_params_path, _writer(options)
    if options.function == "pretrain":
        tconf, trainer = helper.pretrain(
            dataset, options.block_size, model, options.pretrain_lr, writer
        )
    else:
        names = _data(options.finetune_corpus_path, commands.TRAIN, options)
        read_table(names, 2)  # complains of a bad line by its number
        tconf, trainer = helper.finetune(
            options.reading_params_path,
            names,
            dataset,
            options.block_size,
            model,
            options.finetune_lr,
            writer,
        )
    if tconf is None or trainer is None:
        raise _unwritten(options.function, "a config and a trainer")
    tconf.max_epochs = options.epochs or tconf.max_epochs
    tconf.device, tconf.seed = options.device, options.seed
    tconf.working_folder = working_folder = writes.with_name(f".{writes.name}.work")
    before = _written(writes)
    helper.train(model, writes, trainer)
    if _written(writes) == before:
        raise _unwritten("train", f"a model that is trained and saved in {writes.name}")
    with cannot_write(working_folder):
        shutil.rmtree(working_folder, ignore_errors=True)
    print(f"Parameters written to {writes}")


def _unwritten(function: str, expected: str) -> MissingInput:
    return MissingInput(
        f"helper.py: {function}(): expected {expected}, found that nothing was done; write it, "
        "between START_CODE_HERE and END_CODE_HERE"
    )


def _written(path: Path) -> tuple[int, int] | None:
    """What changes whenever a file is written anew."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.is_file() else None


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


def _data(path: str | None, usual: str, options: argparse.Namespace) -> Path:
    """A data file that was named, or the usual one, wherever data is."""
    if path is not None and Path(path).is_file():
        return Path(path)
    return find_data(Path(path or usual).name, options.data)


def _text(path: Path) -> str:
    return read_text(path).replace("\r\n", "\n")


def _writer(options: argparse.Namespace) -> Any:
    if options.tb_expt_name is None:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise UsageError(
            "--tb_expt_name: expected tensorboard, found none; pip install tensorboard"
        ) from None
    return SummaryWriter(log_dir=str(HERE / "expt" / options.tb_expt_name))


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    return tell(lambda: run(parse(given)))


if __name__ == "__main__":
    sys.exit(main())
