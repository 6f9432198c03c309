"""The commands of run.sh by name: what each does, what it reads and what it writes."""

from dataclasses import dataclass

VARIANTS = ("vanilla", "synthesizer", "perceiver", "rope")
TRAIN, DEV, TEST = "birth_places_train.tsv", "birth_dev.tsv", "birth_test_inputs.tsv"


@dataclass(frozen=True)
class Command:
    """Parameters and predictions are files of the submission, the rest are data."""

    function: str  # pretrain, finetune, evaluate
    variant: str
    reads: str | None = None
    writes: str | None = None
    asks: str | None = None  # questions to answer
    predicts: str | None = None


def _of(variant: str) -> dict[str, Command]:
    pretrained, finetuned = f"{variant}.pretrain.params", f"{variant}.finetune.params"
    dev, test = f"{variant}.pretrain.dev.predictions", f"{variant}.pretrain.test.predictions"
    return {
        f"{variant}_pretrain": Command("pretrain", variant, writes=pretrained),
        f"{variant}_finetune_with_pretrain": Command("finetune", variant, pretrained, finetuned),
        f"{variant}_eval_dev_with_pretrain": Command(
            "evaluate", variant, finetuned, asks=DEV, predicts=dev
        ),
        f"{variant}_eval_test_with_pretrain": Command(
            "evaluate", variant, finetuned, asks=TEST, predicts=test
        ),
    }


_ALONE = "vanilla.model.params"
COMMANDS: dict[str, Command] = {
    "vanilla_finetune_without_pretrain": Command("finetune", "vanilla", writes=_ALONE),
    "vanilla_eval_dev_without_pretrain": Command(
        "evaluate", "vanilla", _ALONE, asks=DEV, predicts="vanilla.nopretrain.dev.predictions"
    ),
    "vanilla_eval_test_without_pretrain": Command(
        "evaluate", "vanilla", _ALONE, asks=TEST, predicts="vanilla.nopretrain.test.predictions"
    ),
    **{name: command for variant in VARIANTS for name, command in _of(variant).items()},
}
# As the hand-out of 2022 spells two of them.
MISSPELT = {
    "vanilla_finetime_without_pretrain": "vanilla_finetune_without_pretrain",
    **{f"{v}_finetrain_with_pretrain": f"{v}_finetune_with_pretrain" for v in VARIANTS},
}


def find(name: str) -> Command | None:
    return COMMANDS.get(MISSPELT.get(name, name))


def who_writes(file: str) -> str | None:
    """The command whose parameters a file of this name are."""
    return next((name for name, command in COMMANDS.items() if command.writes == file), None)


def typed(name: str, package: bool = True) -> str:
    """What a student types: run.sh's name, or, without a package, the whole line of run.py."""
    if package:
        return f"./run.sh {name}"
    command = COMMANDS[name]
    words = ["python src/run.py", command.function, command.variant, "data/wiki.txt"]
    paths = {
        "reading_params_path": command.reads,
        "finetune_corpus_path": f"data/{TRAIN}" if command.function == "finetune" else None,
        "eval_corpus_path": command.asks and f"data/{command.asks}",
        "writing_params_path": command.writes,
        "outputs_path": command.predicts,
    }
    return " ".join([*words, *(f"--{option} {path}" for option, path in paths.items() if path)])
