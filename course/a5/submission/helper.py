"""Models, pretraining and finetuning, as the assignment asks for them."""

from pathlib import Path
from typing import Any

from torch import nn

from .dataset import NameDataset
from .model import GPT
from .trainer import Trainer, TrainerConfig
from .utils import current_year, load_params, save_params


def initialize_vanilla_model(mconf: Any) -> Any:
    ### [part c]: a GPT of this config
    ### START_CODE_HERE ###
    return GPT(mconf)
    ### END_CODE_HERE ###


def initialize_synthesizer_model(mconf: Any) -> Any:
    ### [part g: synthesizer]: the same with synthesizer attention; the config has a flag for it
    ### START_CODE_HERE ###
    mconf.synthesizer = True
    return GPT(mconf)
    ### END_CODE_HERE ###


def initialize_perceiver_model(mconf: Any, bottleneck_dim: int = 32) -> Any:
    ### [part g: perceiver]: the same as a perceiver with bottleneck_dim latents
    ### START_CODE_HERE ###
    mconf.perceiver = True
    mconf.bottleneck_dim = bottleneck_dim
    return GPT(mconf)
    ### END_CODE_HERE ###


def initialize_rope_model(mconf: Any) -> Any:
    ### [part g: rope]: the same with rotary positions
    ### START_CODE_HERE ###
    mconf.rope = True
    return GPT(mconf)
    ### END_CODE_HERE ###


def finetune(
    reading_params_path: str | Path | None,
    finetune_corpus_path: str | Path,
    pretrain_dataset: Any,
    block_size: int,
    model: nn.Module,
    finetune_lr: float = 6e-4,
    writer: Any = None,
) -> tuple[TrainerConfig, Trainer]:
    """The config and the trainer of finetuning on the names; `train` trains.

    Without pretraining (reading_params_path is None): max_epochs=75. With: load the parameters
    into the model first, and max_epochs=10. Both: batch_size=256, learning_rate=finetune_lr,
    lr_decay=True, warmup_tokens=512*20, final_tokens=200*len(pretrain_dataset)*block_size,
    num_workers=workers, writer=writer, stage="finetune_only" or "finetune".
    """
    workers = current_year().num_workers
    ### [part c] [part f]
    ### START_CODE_HERE ###
    pretrained = reading_params_path is not None
    if pretrained:
        load_params(model, reading_params_path)
    text = Path(finetune_corpus_path).read_text(encoding="utf-8")
    tconf = TrainerConfig(
        max_epochs=10 if pretrained else 75,
        batch_size=256,
        learning_rate=finetune_lr,
        lr_decay=True,
        warmup_tokens=512 * 20,
        final_tokens=200 * len(pretrain_dataset) * block_size,
        num_workers=workers,
        writer=writer,
        stage="finetune" if pretrained else "finetune_only",
    )
    return tconf, Trainer(model, NameDataset(text, pretrain_dataset), None, tconf)
    ### END_CODE_HERE ###


def pretrain(
    pretrain_dataset: Any,
    block_size: int,
    model: nn.Module,
    pretrain_lr: float = 6e-3,
    writer: Any = None,
) -> tuple[TrainerConfig, Trainer]:
    """The config and the trainer of pretraining on corrupted spans; `train` trains.

    max_epochs=650, batch_size=128, learning_rate=pretrain_lr, lr_decay=True,
    warmup_tokens=512*20, final_tokens=passes*len(pretrain_dataset)*block_size,
    num_workers=workers, writer=writer, stage="pretrain".
    """
    workers, passes = current_year().num_workers, current_year().passes
    ### [part f]
    ### START_CODE_HERE ###
    tconf = TrainerConfig(
        max_epochs=650,
        batch_size=128,
        learning_rate=pretrain_lr,
        lr_decay=True,
        warmup_tokens=512 * 20,
        final_tokens=passes * len(pretrain_dataset) * block_size,
        num_workers=workers,
        writer=writer,
        stage="pretrain",
    )
    return tconf, Trainer(model, pretrain_dataset, None, tconf)
    ### END_CODE_HERE ###


def train(model: nn.Module, writing_params_path: str | Path, trainer_obj: Any) -> None:
    """Train, and write the model's parameters to that path (utils.save_params)."""
    ### [part c]
    ### START_CODE_HERE ###
    trainer_obj.train()
    save_params(model, writing_params_path)
    ### END_CODE_HERE ###
