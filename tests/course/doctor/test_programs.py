"""CS224N's layout: run.py is run, and what it sets up is what the checks see."""

import sys

import pytest
import torch

from wherefrom.course.doctor import models, programs, training
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

YEAR = "cs224n2021"


@pytest.fixture
def program(making, grounds, monkeypatch):
    """`program(old, new)`: the plain solution side by side, with some text of run.py replaced."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def make(old="", new="", file="run.py"):
        folder = making.side_by_side(grounds / "a5" / f"{len(list(grounds.iterdir()))}" / "src")
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        return Submission(folder, year=YEAR)

    return make


def test_a_run_is_watched_and_nothing_is_trained(program):
    submission = program()
    ran = programs.run(submission, "pretrain", "vanilla", "abc\ndef", training.SMALL)
    assert ran.error is None
    assert (len(ran.models), len(ran.trainers), ran.trained) == (1, 1, 1)
    assert ran.trainer("pretrain").config.max_epochs == 650
    assert ran.model("vanilla").tok_emb.weight.shape == (9, 16), "7 characters, pad and mask"
    state = torch.load(ran.written, weights_only=True)
    assert all(torch.equal(ran.before[name], state[name]) for name in state)
    assert not hasattr(submission.Trainer.train, "__wrapped__")
    assert "argv" not in vars(submission), "the program's own"


def test_the_courses_sizes_are_the_programs_own(program):
    assert models.check_parameters(program(), "vanilla") == "3,323,392 parameters"
    assert models.check_parameters(program(), "synthesizer") == "3,076,988 parameters"


def test_settings_are_those_of_the_trainer_it_made(program):
    submission = program()
    for stage in ("pretrain", "finetune from scratch", "finetune"):
        assert training.check_config(submission, stage) is None
        training.check_untrained(submission, stage)
    with pytest.raises(Finding, match="batch_size is 1,"):
        training.check_config(program("batch_size=batch", "batch_size=1"), "finetune")
    said = training.check_config(program("num_workers=4", "num_workers=0"), "pretrain")
    assert said == "num_workers=0, not 4: no matter"


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("settings(epochs, 256, 6e-4)).train()", "settings(epochs, 256, 6e-4))", "never trained"),
        ("torch.save(model.state_dict(), args.writing_params_path)\n", "pass\n", "not written"),
        ("    trainer.Trainer(model, names", "    trainer.Trainer(model, names, None, "
         "settings(1, 1, 1)).train()\n    trainer.Trainer(model, names", "trained twice"),
    ],
)  # fmt: skip
def test_training_once_and_saving(program, old, new, mistake):
    with pytest.raises(Finding) as caught:
        training.check_trains_once(program(old, new))
    assert caught.value.mistake == mistake


def test_each_run_writes_a_file_of_its_own(program):
    submission = program()
    for stage in ("finetune from scratch", "finetune"):
        training.setup(submission, stage)
    training.check_trains_once(submission)


def test_a_checkpoint_of_the_trainer_counts_as_saving(program):
    submission = program(
        "    torch.save(model.state_dict(), args.writing_params_path)\n", "    pass\n"
    )
    run = submission.folder / "run.py"
    run.write_text(run.read_text().replace("num_workers=4,", "ckpt_path=args.writing_params_path,"))
    trainer = submission.folder / "trainer.py"
    saves = (
        "    def save_checkpoint(self):\n"
        "        torch.save(self.model.state_dict(), self.config.ckpt_path)\n"
    )
    trainer.write_text(trainer.read_text().replace("    def train(", f"{saves}\n    def train("))
    training.check_trains_once(submission)


def test_parameters_that_are_not_loaded_are_found(program):
    training.check_loaded(program())
    with pytest.raises(Finding, match="leaves the model as it was"):
        training.check_loaded(
            program("model.load_state_dict(torch.load(args.reading_params_path))", "pass")
        )


def test_what_is_unwritten_is_said(program):
    submission = program('if args.function == "pretrain":', 'if args.function == "never":')
    with pytest.raises(Finding, match=r"run\.py pretrain makes no Trainer") as caught:
        training.setup(submission, "pretrain")
    assert caught.value.mistake == "unwritten"
    gone = program('elif args.function == "finetune":', 'raise NotImplementedError\nif "":')
    with pytest.raises(NotImplementedError):
        training.setup(gone, "finetune")


def test_a_program_that_takes_other_arguments_is_a_finding(program):
    with pytest.raises(Finding, match=r"run\.py pretrain vanilla gives up with code 2") as caught:
        training.setup(program('"pretrain_corpus_path"', '"--corpus"'), "pretrain")
    assert caught.value.mistake == "program"


def test_files_named_without_their_folder_are_there(program):
    training.check_config(program("open(args.pretrain_corpus_path", 'open("wiki.txt"'), "pretrain")
    training.check_config(
        program("open(args.finetune_corpus_path", 'open("birth_places_train.tsv"'), "finetune"
    )
