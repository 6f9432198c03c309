"""The plain solution as CS224N's students hand it in: its files side by side, and this program."""

import argparse
import random

import dataset
import model
import torch
import trainer
from torch.utils.tensorboard import SummaryWriter

random.seed(0)
argp = argparse.ArgumentParser()
argp.add_argument("function")
argp.add_argument("variant")
argp.add_argument("pretrain_corpus_path")
for name in ("reading_params", "writing_params", "finetune_corpus", "eval_corpus", "outputs"):
    argp.add_argument(f"--{name}_path")
args = argp.parse_args()
writer = SummaryWriter(log_dir="expt")

block_size = 128
with open(args.pretrain_corpus_path, encoding="utf-8") as file:
    pretrain_dataset = dataset.CharCorruptionDataset(file.read(), block_size)
mconf = model.GPTConfig(
    pretrain_dataset.vocab_size, pretrain_dataset.block_size, n_layer=4, n_head=8, n_embd=256
)
mconf.synthesizer = args.variant == "synthesizer"
model = model.GPT(mconf)


def settings(epochs, batch, rate):
    return trainer.TrainerConfig(
        max_epochs=epochs, batch_size=batch, learning_rate=rate, lr_decay=True,
        warmup_tokens=512 * 20, final_tokens=200 * len(pretrain_dataset) * block_size,
        num_workers=4, writer=writer,
    )  # fmt: skip


if args.function == "pretrain":
    trainer.Trainer(model, pretrain_dataset, None, settings(650, 128, 6e-3)).train()
    torch.save(model.state_dict(), args.writing_params_path)
elif args.function == "finetune":
    epochs = 75
    if args.reading_params_path is not None:
        model.load_state_dict(torch.load(args.reading_params_path))
        epochs = 10
    with open(args.finetune_corpus_path, encoding="utf-8") as file:
        names = dataset.NameDataset(file.read(), pretrain_dataset)
    trainer.Trainer(model, names, None, settings(epochs, 256, 6e-4)).train()
    torch.save(model.state_dict(), args.writing_params_path)
