"""The homework's deep averaging network under its own names: trains one.

    python q4_DAN.py --data FOLDER [--p 0.3] [--hidden_layers 1] [--epochs 2]

FOLDER has the reviews in sentiment/ and the word vectors in embeddings/; without it the reviews
are generated. The whole study is `wherefrom run sentiment`. The numbers of words begin with 0,
which is a word like any other: what is padding, `attention_masks` say.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from wherefrom.course.classroom.spoken_errors import run_program
from wherefrom.data.embeddings import read_npy
from wherefrom.data.reviews import ReviewsConfig, load, survey

GLOVE = "glove.npy"  # the vectors [words, width] that a network begins with, if none are given


class DAN(nn.Module):
    """The mean of a text's word vectors, hidden layers, two logits.

    p: the share of a text's words that is dropped in training, and never in evaluation. The mean
    is over real words alone: no padding, and no word that was dropped.
    """

    def __init__(
        self, p=0.0, hidden_layers=1, hidden_layer_size=50, activation=None, vectors=None
    ) -> None:
        super().__init__()
        self.num_labels, self.p = 2, p
        vectors = torch.as_tensor(read_npy(Path(GLOVE)) if vectors is None else vectors).float()
        activation = activation or nn.ReLU()
        ### START_CODE_HERE ###
        self.embeddings = nn.Embedding.from_pretrained(vectors, freeze=False)
        sizes = [vectors.shape[1], *[hidden_layer_size] * hidden_layers]
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers += [nn.Linear(before, after), activation]
        self.classifier = nn.Sequential(*layers, nn.Linear(sizes[-1], self.num_labels))
        ### END_CODE_HERE ###
        self.loss = nn.CrossEntropyLoss()

    def forward(self, input_ids, attention_masks, labels=None, **kwargs):
        """{"loss": ..., "logits": (texts, 2)}; without labels there is no loss.

        input_ids: (texts, words), padded; attention_masks: 1 where a word is, 0 where padding is.
        """
        ### START_CODE_HERE ###
        kept = attention_masks.float()
        if self.training:
            kept = kept * (torch.rand(kept.shape) >= self.p)
        summed = (self.embeddings(input_ids) * kept[..., None]).sum(1)
        logits = self.classifier(summed / kept.sum(1, keepdim=True).clamp(min=1))
        ### END_CODE_HERE ###
        return {"loss": None if labels is None else self.loss(logits, labels), "logits": logits}


def collate(examples):
    """Examples, each the numbers of a text's words and its label, as a batch of padded tensors."""
    numbers, labels = zip(*examples, strict=True)
    texts = [torch.tensor(ids, dtype=torch.long) for ids in numbers]
    masks = [torch.ones_like(text) for text in texts]
    return {
        "input_ids": pad_sequence(texts, batch_first=True),
        "attention_masks": pad_sequence(masks, batch_first=True),
        "labels": torch.tensor(labels),
    }


def load_examples(config: ReviewsConfig):
    """Examples to train on, examples of the test reviews, and the words' vectors."""
    reviews = load(config, 0)
    vocabulary, vectors = reviews.vocabulary, reviews.vocabulary.vectors
    if vectors is None:
        vectors = np.random.default_rng(0).normal(size=(len(vocabulary), 50)) / 10
    found = {"asked": [], "held-out": []}
    for question in reviews.questions:
        ids = [int(number) - 1 for number in vocabulary.encode(question.text)]
        if question.split in found:
            found[question.split].append((ids, int(question.answer == "positive")))
    return *found.values(), vectors[1:]


def train(data: str, seed: int, p: float, hidden_layers: int, epochs: int) -> None:
    """One network trained through `DAN.forward`; prints its accuracy on the test reviews."""
    config = ReviewsConfig(folder=str(Path(data).resolve()) if data else "")
    print("\n".join(survey(config)))
    torch.manual_seed(seed)
    examples, test, vectors = load_examples(config)
    model = DAN(p, hidden_layers, vectors=vectors)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        model.train()
        for part in torch.randperm(len(examples)).split(282):
            optimizer.zero_grad()
            model(**collate([examples[i] for i in part]))["loss"].backward()
            optimizer.step()
        print(f"epoch {epoch + 1}: {100 * evaluate(model, test):.1f} % of the test reviews")


@torch.no_grad()
def evaluate(model: DAN, examples) -> float:
    model.eval()
    batches = [collate(examples[i : i + 512]) for i in range(0, len(examples), 512)]
    right = [model(**batch)["logits"].argmax(-1) == batch["labels"] for batch in batches]
    return float(torch.cat(right).float().mean())


def main(arguments: list[str] | None = None) -> int:
    options = {"data": "", "seed": 0, "p": 0.3, "hidden_layers": 1, "epochs": 2}
    return run_program(__doc__ or "", train, arguments, **options)


if __name__ == "__main__":
    sys.exit(main())
