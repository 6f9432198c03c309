import math

import torch
from torch.utils.data import DataLoader
from tqdm import tqdm


class TrainerConfig:
    max_epochs, batch_size, learning_rate = 10, 64, 3e-4
    betas, grad_norm_clip, weight_decay = (0.9, 0.95), 1.0, 0.1
    lr_decay, warmup_tokens, final_tokens = False, 375e6, 260e9
    ckpt_path, num_workers = None, 0

    def __init__(self, **kwargs):
        vars(self).update(kwargs)


class Trainer:
    def __init__(self, model, train_dataset, test_dataset, config):
        self.model, self.config = model, config
        self.train_dataset, self.test_dataset = train_dataset, test_dataset

    def _rate(self, tokens):
        config = self.config
        if not config.lr_decay:
            return config.learning_rate
        if tokens < config.warmup_tokens:
            return config.learning_rate * tokens / config.warmup_tokens
        done = (tokens - config.warmup_tokens) / (config.final_tokens - config.warmup_tokens)
        return config.learning_rate * max(0.1, 0.5 + 0.5 * math.cos(math.pi * done))

    def train(self):
        config, tokens = self.config, 0
        named = list(self.model.named_parameters())
        decayed = [p for n, p in named if "bias" not in n]
        spared = [p for n, p in named if "bias" in n]
        groups = [
            {"params": decayed, "weight_decay": config.weight_decay},
            {"params": spared, "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=config.learning_rate, betas=config.betas)
        self.model.train()
        for _ in range(config.max_epochs):
            loader = DataLoader(self.train_dataset, batch_size=config.batch_size, shuffle=False)
            for x, y in tqdm(loader):
                loss = self.model(x, y)[1]
                self.model.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.grad_norm_clip)
                optimizer.step()
                tokens += y.numel()
                for group in optimizer.param_groups:
                    group["lr"] = self._rate(tokens)
