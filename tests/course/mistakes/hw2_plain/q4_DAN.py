import numpy as np
import torch
from torch import nn


class DAN(nn.Module):
    def __init__(self, p=0.3):
        super().__init__()
        self.p = p
        self.embeddings = nn.Embedding.from_pretrained(torch.FloatTensor(np.load("glove.npy")))
        self.classifier = nn.Sequential(
            nn.Linear(self.embeddings.embedding_dim, 16), nn.ReLU(), nn.Linear(16, 2)
        )
        self.loss = nn.CrossEntropyLoss()

    def forward(self, input_ids, attention_masks, labels=None, **kwargs):
        keep = attention_masks.float()
        if self.training:
            keep = keep * torch.bernoulli(torch.full(keep.shape, 1 - self.p))
        found = self.embeddings(input_ids) * keep.unsqueeze(-1)
        avg = found.sum(1) / keep.sum(1, keepdim=True).clamp(min=1)
        res = self.classifier(avg)
        return {"loss": self.loss(res, labels), "logits": res}
