import torch
from torch.utils.data import DataLoader


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

    def train(self):
        config = self.config
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.learning_rate)
        for _ in range(config.max_epochs):
            loader = DataLoader(self.train_dataset, batch_size=config.batch_size, shuffle=False)
            for x, y in loader:
                loss = self.model(x, y)[1]
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
