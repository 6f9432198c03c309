import random

import torch
from torch.utils.data import Dataset


class NameDataset(Dataset):
    def __init__(self, data, pretraining_dataset):
        self.MASK_CHAR, self.PAD_CHAR = "\u2047", "\u25a1"
        self.itos, self.stoi = pretraining_dataset.itos, pretraining_dataset.stoi
        self.block_size = pretraining_dataset.block_size
        self.data = data.strip().split("\n")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        question, place = self.data[idx].split("\t")
        text = (question + self.MASK_CHAR + place + self.MASK_CHAR).ljust(
            self.block_size, self.PAD_CHAR
        )
        learned = self.PAD_CHAR * (len(question) - 1) + text[len(question) :]
        return tuple(
            torch.tensor([self.stoi[c] for c in part], dtype=torch.long)
            for part in (text[:-1], learned)
        )


class CharCorruptionDataset(Dataset):
    def __init__(self, data, block_size):
        self.MASK_CHAR, self.PAD_CHAR = "\u2047", "\u25a1"
        symbols = [self.PAD_CHAR, self.MASK_CHAR, *sorted(set(data))]
        self.itos = dict(enumerate(symbols))
        self.stoi = {c: i for i, c in enumerate(symbols)}
        self.vocab_size, self.block_size = len(symbols), block_size
        self.data = data.split("\n")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        text = self.data[idx][: random.randint(4, int(self.block_size * 7 / 8))]
        size = max(1, int(random.uniform(1 / 8, 3 / 8) * len(text)))
        at = random.randint(0, len(text) - size)
        parts = (text[:at], text[at + size :], text[at : at + size])
        whole = "".join(part + self.MASK_CHAR for part in parts)
        ids = [self.stoi[c] for c in whole.ljust(self.block_size, self.PAD_CHAR)]
        return torch.tensor(ids[:-1]), torch.tensor(ids[1:])
