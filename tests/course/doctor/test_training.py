"""What the stages of a plain solution set up, and rates worked out by hand."""

import math
from types import SimpleNamespace

import pytest

from wherefrom.course.doctor import given_trainer, programs, training
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.years import YEARS

YEAR = YEARS["xcs2021"]
LOAD = "model.load_state_dict(torch.load(reading_params_path))"


PRETRAIN = "    return config, Trainer(model, pretrain_dataset, None, config)"
FINETUNE = "    return config, Trainer(model, names, None, config)"
SAVE = "torch.save(model.state_dict(), writing_params_path)"


def config(submission):
    training.check_config(submission, "pretrain")


def untrained(submission):
    for stage in ("pretrain", "finetune from scratch"):
        training.check_untrained(submission, stage)


@pytest.mark.parametrize(
    ("file", "old", "new", "check", "mistake", "message"),
    [
        ("helper.py", "_settings(650,", "_settings(65,", config, "config",
         "max_epochs is 65, expected 650"),
        ("trainer.py", "betas, grad_norm_clip, weight_decay = (0.9, 0.95), 1.0, 0.1",
         "betas, grad_norm_clip = (0.9, 0.95), 1.0", config, "config",
         "the config has no weight_decay"),
        ("helper.py", PRETRAIN, "    return config", config, "form",
         r"pretrain\(\) should return a config and a trainer, not TrainerConfig"),
        ("helper.py", FINETUNE,
         "    t = Trainer(model, names, None, config)\n    t.train()\n    return config, t",
         untrained, "trained twice", r"finetune\(\) trains by itself"),
        ("helper.py", PRETRAIN, f"    model.head.weight.data.add_(1)\n{PRETRAIN}", untrained,
         "trained twice", r"pretrain\(\) changes the model's weights"),
        ("helper.py", "    trainer_obj.train()\n", "", training.check_trains_once, "never trained",
         "never, expected once"),
        ("helper.py", SAVE, "pass", training.check_trains_once, "not written",
         "writes no parameters"),
        ("helper.py", SAVE, "torch.save(model, writing_params_path)", training.check_trains_once,
         "not written", "cannot be loaded with weights_only=True"),
        ("helper.py", LOAD, "pass", training.check_loaded, "not loaded", "as it was"),
        ("helper.py", LOAD, f"{LOAD}; model.head.weight.data.zero_()", training.check_loaded,
         "not loaded", "does not hold the file's parameters"),
        ("trainer.py", "shuffle=False", "shuffle=True", given_trainer.check_order, "shuffled",
         "in a random order"),
    ],
)  # fmt: skip
def test_a_changed_solution_is_found_out(plain, file, old, new, check, mistake, message):
    with pytest.raises(Finding, match=message) as caught:
        check(plain(file, old, new))
    assert caught.value.mistake == mistake


def test_counting_trainers_train_again_afterwards(plain):
    submission = plain()
    before = submission.Trainer.train
    with programs.counted(submission) as calls:
        submission.Trainer(None, None, None, None).train()
    assert len(calls) == 1
    assert submission.Trainer.train is before


def rate(**changed: object) -> float:
    config = training.expected_config("pretrain", YEAR) | changed
    return training.rate_at_end(SimpleNamespace(**config), "pretrain", YEAR)


def test_the_rate_after_the_last_step():
    """650 epochs of 2937 lines of 127 characters pass the end of the cosine, which rises again."""
    done = (650 * 2937 * 127 - 10240) / (200 * 2937 * 128 - 10240)
    assert rate() == pytest.approx(0.5 * (1 + math.cos(math.pi * done)))
    assert rate() == pytest.approx(0.12, abs=0.005)
    assert rate(lr_decay=False) == 1.0
    tokens = 10 * 2937 * 127
    assert rate(max_epochs=10, warmup_tokens=2 * tokens) == 0.5  # half warm
    assert rate(final_tokens=650 * 2937 * 127) == 0.1  # the floor
