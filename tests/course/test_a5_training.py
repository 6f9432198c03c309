"""The assignment's trainer: its numbers are the hand-out's, its steps the library's."""

import random
import signal

import pytest
import torch

from tests.course.files import A5, NAMES, WIKI, load
from wherefrom.core.errors import Interrupted, Mismatch
from wherefrom.experiments.recipes.birthplaces_recipe import course

submission, helper, trainer, utils = load(
    A5, "submission", "submission.helper", "submission.trainer", "submission.utils"
)
CharCorruptionDataset, GPTConfig = submission.CharCorruptionDataset, submission.GPTConfig
TINY = {"n_layer": 2, "n_head": 2, "n_embd": 8}


def tiny(corpus):
    utils.set_seed(3)
    return helper.initialize_vanilla_model(GPTConfig(corpus.vocab_size, 64, **TINY))


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
    from msgspec.structs import replace

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
        max_epochs=25, batch_size=4, learning_rate=1e-2, device="cpu", seed=1, writer=writer,
        working_folder=folder,
    )  # fmt: skip
    return trainer.Trainer(model, Own(), Own(), config)


def test_a_data_set_of_ones_own_is_trained_on_stopped_and_gone_on_with(corpus, tmp_path):
    whole = own_trainer(corpus, tmp_path / "whole", Stubborn())
    whole.train()
    assert whole.config.writer.seen == list(range(50))
    stopped = own_trainer(corpus, tmp_path / "stopped", Stubborn(3))
    with pytest.raises(Interrupted, match="step 20 of 50, which is saved"):
        stopped.train()
    again = own_trainer(corpus, tmp_path / "stopped", Stubborn())
    again.train()
    assert again.config.writer.seen == list(range(20, 50))
    for name, tensor in whole.model.state_dict().items():
        assert torch.equal(tensor, again.model.state_dict()[name]), name


def test_what_was_saved_for_another_training_is_not_gone_on_with(corpus, tmp_path):
    own_trainer(corpus, tmp_path, None).train()
    other = own_trainer(corpus, tmp_path, None)
    other.config.learning_rate = 2e-2
    with pytest.raises(Mismatch, match=rf"or remove {tmp_path} to start anew"):
        other.train()
