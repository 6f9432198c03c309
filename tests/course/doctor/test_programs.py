"""CS224N's layout: run.py is run, and what it sets up is what is claimed."""

from types import SimpleNamespace

import pytest
import torch

from wherefrom.course.doctor import programs
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import training
from wherefrom.course.doctor.years import find_year

YEAR = "cs224n2021"
SAVED = "torch.save(model.state_dict(), args.writing_params_path)\n"


@pytest.fixture
def ran(making, grounds):
    """What run.py claims about a stage, with some of its text replaced."""

    def claim(stage, *changes):
        folder = making.side_by_side(grounds / "a5" / "src", *changes)
        wanted = [r for r in training.requests(find_year(YEAR), 7) if r.name == stage]
        return making.claims_of(folder, wanted, YEAR)

    return claim


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("settings(epochs, 256, 6e-4)).train()", "settings(epochs, 256, 6e-4))", "never trained"),
        (SAVED, "pass\n", "not written"),
        ("    trainer.Trainer(model, names", "    trainer.Trainer(model, names, None, "
         "settings(1, 1, 1)).train()\n    trainer.Trainer(model, names", "trained twice"),
    ],
)  # fmt: skip
def test_training_once_and_saving(ran, old, new, mistake):
    with pytest.raises(Finding) as caught:
        training.check_trains_once(ran(training.SCRATCH, ("run.py", old, new)))
    assert caught.value.mistake == mistake


def test_a_checkpoint_of_the_trainer_counts_as_saving(ran):
    saves = (
        "    def save_checkpoint(self):\n"
        "        torch.save(self.model.state_dict(), self.config.ckpt_path)\n\n    def train("
    )
    after = '                    group["lr"] = self._rate(tokens)\n'
    changes = [
        ("run.py", f"    {SAVED}", "    pass\n"),
        ("run.py", "num_workers=4,", "ckpt_path=args.writing_params_path,"),
        ("trainer.py", "    def train(", saves),
        ("trainer.py", after, f"{after}            self.save_checkpoint()\n"),
    ]
    training.check_trains_once(ran(training.SCRATCH, *changes))


def test_what_is_unwritten_is_said(ran):
    gone = ("run.py", 'if args.function == "pretrain":', 'if args.function == "never":')
    with pytest.raises(Finding, match="pretrain makes no Trainer") as caught:
        training.check_config(ran("pretrain", gone), "pretrain")
    assert caught.value.mistake == "unwritten"


def test_a_program_that_takes_other_arguments_is_a_finding(ran):
    other = ("run.py", '"pretrain_corpus_path"', '"--corpus"')
    with pytest.raises(Finding, match=r"run\.py pretrain vanilla gives up with code 2") as caught:
        training.check_config(ran("pretrain", other), "pretrain")
    assert caught.value.mistake == "program"


def test_a_file_that_is_named_otherwise_is_there(ran):
    claims = ran("pretrain", ("run.py", "open(args.pretrain_corpus_path", 'open("wiki.txt"'))
    assert training.check_config(claims, "pretrain") is None


def test_a_file_may_be_loaded_after_the_trainer_was_made(tmp_path):
    """What counts is what the model holds when it begins to train."""
    model, ran = torch.nn.Linear(1, 1), programs.Ran(tmp_path / "saved.params")
    ran.trainers.append(SimpleNamespace(model=model))
    ran.hold()
    for value, trained in ((2.0, 0), (3.0, 1)):
        torch.nn.init.constant_(model.bias, value)
        ran.trained = trained
        ran.hold()
    assert ran.loaded["bias"].item() == 2.0
