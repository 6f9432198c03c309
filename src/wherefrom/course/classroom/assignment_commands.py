"""The commands of run.sh by name: what each does, what it reads and what it writes."""

from dataclasses import dataclass

VARIANTS = ("vanilla", "synthesizer", "perceiver", "rope")
TRAIN, DEV, TEST = "birth_places_train.tsv", "birth_dev.tsv", "birth_test_inputs.tsv"


@dataclass(frozen=True)
class Command:
    """Parameters and predictions are files of the submission, the rest are data."""

    function: str  # pretrain, finetune, evaluate
    variant: str
    reads: str = ""
    writes: str = ""
    asks: str = ""  # questions to answer
    predicts: str = ""

    def line(self, out: str = "", data: str = "") -> list[str]:
        """The hand-out's own command line; `out` and `data` stand before the names of files."""
        paths = {
            "reading_params_path": self.reads and f"{out}{self.reads}",
            "finetune_corpus_path": f"{data}{TRAIN}" if self.function == "finetune" else "",
            "eval_corpus_path": self.asks and f"{data}{self.asks}",
            "writing_params_path": self.writes and f"{out}{self.writes}",
            "outputs_path": self.predicts and f"{out}{self.predicts}",
        }
        options = [word for name, path in paths.items() if path for word in (f"--{name}", path)]
        return [self.function, self.variant, f"{data}wiki.txt", *options]


def _of(variant: str, kind: str, trained: str) -> dict[str, Command]:
    """Finetune, and answer dev and test with what that gives."""
    name = "with_pretrain" if kind == "pretrain" else "without_pretrain"
    reads = f"{variant}.pretrain.params" if kind == "pretrain" else ""
    return {
        f"{variant}_finetune_{name}": Command("finetune", variant, reads, trained),
        **{f"{variant}_eval_{split}_{name}": Command(
               "evaluate", variant, trained, asks=asked,
               predicts=f"{variant}.{kind}.{split}.predictions")
           for split, asked in (("dev", DEV), ("test", TEST))},
    }  # fmt: skip


COMMANDS: dict[str, Command] = _of("vanilla", "nopretrain", "vanilla.model.params")
for _variant in VARIANTS:
    _pretrained = Command("pretrain", _variant, writes=f"{_variant}.pretrain.params")
    COMMANDS |= {f"{_variant}_pretrain": _pretrained}
    COMMANDS |= _of(_variant, "pretrain", f"{_variant}.finetune.params")
# As the hand-out of 2022 spells two of them.
MISSPELT = {
    "vanilla_finetime_without_pretrain": "vanilla_finetune_without_pretrain",
    **{f"{v}_finetrain_with_pretrain": f"{v}_finetune_with_pretrain" for v in VARIANTS},
}


def find(name: str) -> Command | None:
    return COMMANDS.get(MISSPELT.get(name, name))


def who_writes(file: str) -> str:
    """The command that writes a file of this name; "" if none does."""
    return next((name for name, c in COMMANDS.items() if file in (c.writes, c.predicts)), "")


def typed(name: str, package: bool = True) -> str:
    """What a student types: run.sh's name, or, without a package, the whole line of run.py."""
    line = " ".join(COMMANDS[name].line(data="data/"))
    return f"./run.sh {name}" if package else f"python src/run.py {line}"


def of_variant(variant: str, package: bool) -> dict[str, str]:
    """What is typed for each command of a year with that variant in part g, by its name."""
    chosen = (name for name, c in COMMANDS.items() if c.variant in ("vanilla", variant))
    return {name: typed(name, package) for name in chosen}
