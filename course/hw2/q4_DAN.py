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

from wherefrom.core.npy import read_npy
from wherefrom.course.classroom.spoken_errors import run_program
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


def pad_sequence_to_length(sequence, desired_length, default_value=lambda: 0):
    """The sequence cut or filled up to a length."""
    return list(sequence[:desired_length]) + [default_value()] * (desired_length - len(sequence))


class DataCollatorWithPadding:
    """Examples {"input_ids": ..., "labels": ...} as one batch of tensors."""

    def __call__(self, features):
        texts = [feature["input_ids"] for feature in features]
        longest = max(map(len, texts))
        masks = [[1] * len(text) for text in texts]
        batch = {
            "input_ids": torch.tensor([pad_sequence_to_length(t, longest) for t in texts]),
            "attention_masks": torch.tensor([pad_sequence_to_length(m, longest) for m in masks]),
        }
        if "labels" in features[0]:
            batch["labels"] = torch.tensor([feature["labels"] for feature in features])
        return batch


def tokenize_function(vocabulary, text, label):
    """A review as an example: the numbers of the words that the vocabulary has."""
    ids = [int(number) - 1 for number in vocabulary.encode(text)]
    return {"input_ids": ids, "labels": label}


def compute_metrics(logits, labels) -> dict[str, float]:
    return {"accuracy": float((np.argmax(logits, -1) == np.asarray(labels)).mean())}


def load_examples(config: ReviewsConfig):
    """Examples to train on, examples of the test reviews, and the words' vectors."""
    reviews = load(config, 0)
    vocabulary, vectors = reviews.vocabulary, reviews.vocabulary.vectors
    if vectors is None:
        vectors = np.random.default_rng(0).normal(size=(len(vocabulary), 50)) / 10

    def examples(split):
        asked = (question for question in reviews.questions if question.split == split)
        return [tokenize_function(vocabulary, q.text, int(q.answer == "positive")) for q in asked]

    return examples("asked"), examples("held-out"), vectors[1:]


def train(data: str, seed: int, p: float, hidden_layers: int, epochs: int) -> None:
    """One network trained through `DAN.forward`; prints its accuracy on the test reviews."""
    config = ReviewsConfig(folder=str(Path(data).resolve()) if data else "")
    print("\n".join(survey(config)))
    torch.manual_seed(seed)
    examples, test, vectors = load_examples(config)
    model, collate = DAN(p, hidden_layers, vectors=vectors), DataCollatorWithPadding()
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
    collate = DataCollatorWithPadding()
    pieces = [examples[i : i + 512] for i in range(0, len(examples), 512)]
    logits = torch.cat([model(**collate(piece))["logits"] for piece in pieces])
    return compute_metrics(logits.numpy(), [e["labels"] for e in examples])["accuracy"]


def main(arguments: list[str] | None = None) -> int:
    options = {"data": "", "seed": 0, "p": 0.3, "hidden_layers": 1, "epochs": 2}
    return run_program(__doc__ or "", train, arguments, **options)


if __name__ == "__main__":
    sys.exit(main())
