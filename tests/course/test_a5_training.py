"""The assignment's trainer: its numbers are the hand-out's, its steps the library's."""

import copy
import math
import random
import signal

import pytest
import torch
from torch import nn

from tests.course.files import A5, NAMES, WIKI, load
from wherefrom.core.errors import Interrupted, Mismatch
from wherefrom.experiments.recipes.birthplaces_recipe import course
from wherefrom.training.optimisers import factor

submission, helper, trainer, utils = load(
    A5, "submission", "submission.helper", "submission.trainer", "submission.utils"
)
CharCorruptionDataset, GPTConfig = submission.CharCorruptionDataset, submission.GPTConfig
TINY = {"n_layer": 2, "n_head": 2, "n_embd": 8}


def tiny(corpus):
    utils.set_seed(3)
    return helper.initialize_vanilla_model(GPTConfig(corpus.vocab_size, 64, **TINY))


def test_the_configs_have_the_hand_outs_numbers(corpus, tmp_path):
    (tmp_path / "names.tsv").write_text(NAMES)
    model = tiny(corpus)
    before = copy.deepcopy(model.state_dict())
    params = tmp_path / "p.params"
    utils.save_params(model, params)
    common = {
        "betas": (0.9, 0.95), "grad_norm_clip": 1.0, "weight_decay": 0.1, "lr_decay": True,
        "warmup_tokens": 10_240, "final_tokens": 200 * 3 * 64, "ckpt_path": None, "num_workers": 4,
    }  # fmt: skip
    for (config, made), stage in (
        (helper.pretrain(corpus, 64, model), (650, 128, 6e-3)),
        (helper.finetune(None, tmp_path / "names.tsv", corpus, 64, model), (75, 256, 6e-4)),
        (helper.finetune(params, tmp_path / "names.tsv", corpus, 64, model), (10, 256, 6e-4)),
    ):
        assert (config.max_epochs, config.batch_size, config.learning_rate) == stage
        assert {name: getattr(config, name) for name in common} == common
        assert made.config is config
        assert made.model is model
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())


def test_the_rate_is_the_courses(corpus):
    """Warm up by tokens, then a cosine that comes back; each rate is for the step after."""
    _, made = helper.pretrain(corpus, 64, tiny(corpus))
    config = made.config
    config.batch_size, config.warmup_tokens, config.final_tokens = 2, 400, 4000
    stage, tokens = made._stage(), made._tokens()
    seen, expected = 0, [1.0]
    for step in range(60):
        seen += 63 * (2, 1)[step % 2]  # three documents, two a step
        if seen < 400:
            rate = seen / 400
        else:
            rate = max(0.1, 0.5 * (1 + math.cos(math.pi * (seen - 400) / (4000 - 400))))
        expected.append(rate)
    found = [factor(stage.schedule, step, stage.steps, tokens) for step in range(61)]
    assert found == pytest.approx(expected)
    assert expected[-1] > 0.3  # it came back
    config.lr_decay = False
    assert factor(made._stage().schedule, 30, 60, tokens) == 1.0


def test_an_empty_line_is_no_example(capsys):
    """A file that ends in a newline has one; the objective, the steps and the rate leave it out."""
    corpus = CharCorruptionDataset("one line\ntwo lines\n", 32)
    _, made = helper.pretrain(corpus, 32, tiny(corpus))
    made.config.batch_size, made.config.max_epochs = 2, 5
    objective = corpus.objective(rows=2, seed=0, stage=0, device="cpu")
    assert (len(corpus), corpus.items, objective.items) == (3, 2, 2)
    assert made.steps == 5
    assert made._tokens().before(5) == 5 * 2 * 31
    assert made.config.final_tokens == 200 * 3 * 32  # as the hand-out counts


def test_training_is_the_librarys(corpus, tmp_path):
    """The same batches, rates and weights as the recipe 'birthplaces-course' over these files."""
    from dataclasses import replace

    from wherefrom.data.birthplaces import BirthplacesConfig
    from wherefrom.experiments.one_run.stage_training import train_stage
    from wherefrom.runs.workshop import Workshop

    (tmp_path / "wiki.txt").write_text(WIKI)
    for name in ("birth_places_train.tsv", "birth_dev.tsv"):
        (tmp_path / name).write_text(NAMES)
    recipe = course()
    stages = tuple(replace(stage, steps=4) for stage in recipe.stages)
    model = replace(recipe.model, block_size=64, **TINY)
    data = BirthplacesConfig(str(tmp_path), letters="ascii")
    recipe = replace(recipe, stages=stages, model=model, data=data, seed=7, device="cpu")
    workshop = Workshop(recipe)
    names = tmp_path / "birth_places_train.tsv"
    for stage, make in (
        ("pretrain", lambda m: helper.pretrain(corpus, 64, m)),
        ("finetune_only", lambda m: helper.finetune(None, names, corpus, 64, m)),
    ):
        start = tiny(corpus)
        arrays = {k: v.numpy().copy() for k, v in start.state_dict().items()}
        theirs = train_stage(workshop, recipe.stage(stage), arrays).model
        config, ours = make(start)
        config.max_epochs, config.seed, config.device = 4, 7, "cpu"
        ours.train()
        for name, tensor in theirs.state_dict().items():
            assert torch.equal(tensor, start.state_dict()[name]), name


class Stubborn:
    """A tensorboard writer that presses Ctrl-C at a step."""

    def __init__(self, step=None):
        self.step, self.seen = step, []

    def add_scalar(self, name, value, step):
        self.seen.append(step)
        if step == self.step:
            signal.raise_signal(signal.SIGINT)


class Own(torch.utils.data.Dataset):
    """A student's data set: random by itself, and without anything of the library."""

    data = ("own",)

    def __len__(self):
        return 5

    def __getitem__(self, index):
        if not 0 <= index < 5:
            raise IndexError(index)
        s = torch.tensor([random.randint(2, 9) for _ in range(6)] + [0] * 4)
        return s[:-1], s[1:]


def own_trainer(corpus, folder, writer):
    model = tiny(corpus)
    config = trainer.TrainerConfig(
        max_epochs=25,
        batch_size=4,
        learning_rate=1e-2,
        device="cpu",
        seed=1,
        writer=writer,
        working_folder=folder,
    )
    return trainer.Trainer(model, Own(), Own(), config)


def test_a_data_set_of_ones_own_is_trained_on_stopped_and_gone_on_with(corpus, tmp_path, capsys):
    whole = own_trainer(corpus, tmp_path / "whole", Stubborn())
    whole.train()
    assert whole.config.writer.seen == list(range(50))
    assert "test loss" in capsys.readouterr().err
    stopped = own_trainer(corpus, tmp_path / "stopped", Stubborn(3))
    with pytest.raises(Interrupted, match="step 20 of 50, which is saved"):
        stopped.train()
    again = own_trainer(corpus, tmp_path / "stopped", Stubborn())
    again.train()
    assert again.config.writer.seen == list(range(20, 50))
    for name, tensor in whole.model.state_dict().items():
        assert torch.equal(tensor, again.model.state_dict()[name]), name


def test_a_model_of_ones_own_is_trained_too(corpus):
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(12, 12)

        def forward(self, idx, targets=None):
            logits = self.table(idx)
            return logits, None

    model = Small()
    before = model.table.weight.detach().clone()
    config = trainer.TrainerConfig(max_epochs=1, batch_size=4, device="cpu")
    trainer.Trainer(model, Own(), None, config).train()
    assert not torch.equal(before, model.table.weight)


def test_what_was_saved_for_another_training_is_not_gone_on_with(corpus, tmp_path):
    own_trainer(corpus, tmp_path, None).train()
    other = own_trainer(corpus, tmp_path, None)
    other.config.learning_rate = 2e-2
    with pytest.raises(Mismatch, match=rf"or remove {tmp_path} to start anew"):
        other.train()
