from pathlib import Path

import torch

from .dataset import NameDataset
from .model import GPT
from .trainer import Trainer, TrainerConfig


def initialize_vanilla_model(mconf):
    return GPT(mconf)


def initialize_synthesizer_model(mconf):
    mconf.synthesizer = True
    return GPT(mconf)


def _settings(epochs, batch, rate, pretrain_dataset, block_size):
    return TrainerConfig(
        max_epochs=epochs, batch_size=batch, learning_rate=rate, lr_decay=True,
        warmup_tokens=512 * 20, final_tokens=200 * len(pretrain_dataset) * block_size,
        num_workers=4,
    )  # fmt: skip


def finetune(
    reading_params_path, finetune_corpus_path, pretrain_dataset, block_size, model,
    finetune_lr=6e-4, writer=None,
):  # fmt: skip
    epochs = 75
    if reading_params_path is not None:
        model.load_state_dict(torch.load(reading_params_path))
        epochs = 10
    config = _settings(epochs, 256, finetune_lr, pretrain_dataset, block_size)
    names = NameDataset(Path(finetune_corpus_path).read_text(encoding="utf-8"), pretrain_dataset)
    return config, Trainer(model, names, None, config)


def pretrain(pretrain_dataset, block_size, model, pretrain_lr=6e-3, writer=None):
    config = _settings(650, 128, pretrain_lr, pretrain_dataset, block_size)
    return config, Trainer(model, pretrain_dataset, None, config)


def train(model, writing_params_path, trainer_obj):
    trainer_obj.train()
    torch.save(model.state_dict(), writing_params_path)
