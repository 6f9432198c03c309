from pathlib import Path

import torch


@torch.no_grad()
def sample(model, x, steps, temperature=1.0, sample=False, top_k=None):
    model.eval()
    for _ in range(steps):
        logits = model(x[:, -model.get_block_size() :])[0][:, -1] / temperature
        if top_k is not None:
            least = logits.topk(top_k).values[:, -1:]
            logits = logits.masked_fill(logits < least, -float("inf"))
        chosen = logits.argmax(-1, keepdim=True)
        if sample:
            chosen = torch.multinomial(logits.softmax(-1), 1)
        x = torch.cat((x, chosen), dim=1)
    return x


def evaluate_places(filepath, predicted_places):
    rows = [line.split("\t") for line in Path(filepath).read_text(encoding="utf-8").splitlines()]
    if len(rows[0]) == 1:
        return 0, 0
    right = sum(row[1] == place for row, place in zip(rows, predicted_places, strict=True))
    return float(len(rows)), float(right)
