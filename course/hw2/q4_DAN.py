"""The homework's deep averaging network under its own names: trains and studies it.

    python q4_DAN.py --data FOLDER [--out FOLDER]    # the whole study: the recipe `sentiment`
    python q4_DAN.py --data FOLDER --own [--p 0.3] [--hidden_layers 1] [--activation relu]

FOLDER has the reviews in sentiment/ and the word vectors in embeddings/; without it the reviews
are generated. The study is the library's: accuracy by epoch, word dropout, depth, activations, and
five errors explained, each cause tested (`wherefrom explain OUT --errors 5 --sampled`). With
`--own` one network is trained through `DAN.forward`. The numbers of words begin with 0, which is a
word like any other: what is padding, `attention_masks` say.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from wherefrom.core.errors import MissingInput, WherefromError
from wherefrom.data.reviews import ReviewsConfig, load, survey

### SOLUTION_ONLY ###
from wherefrom.experiments.execute import execute
from wherefrom.models import dan
from wherefrom.recipes.sentiment import sentiment
from wherefrom.show.terminal.progress import watch

### END_SOLUTION_ONLY ###

GLOVE = "glove.npy"  # the vectors [words, width] that a network begins with, if none are given
ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "gelu": nn.GELU}


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
        vectors = torch.as_tensor(_read_glove() if vectors is None else vectors).float()
        activation = activation or nn.ReLU()
        ### START_CODE_HERE ###
        # Number 0 is no word for the library: all words move up by one.
        shifted = np.concatenate([np.zeros((1, vectors.shape[1])), vectors.numpy()])
        name = next(n for n, kind in ACTIVATIONS.items() if isinstance(activation, kind))
        config = dan.DANConfig(
            width=vectors.shape[1], depth=hidden_layers, hidden=hidden_layer_size,
            activation=name, classes=self.num_labels, vocab_size=len(shifted),
        )  # fmt: skip
        self.network = dan.DAN(config, shifted)
        ### END_CODE_HERE ###
        self.loss = nn.CrossEntropyLoss()

    def forward(self, input_ids, attention_masks, labels=None, **kwargs):
        """{"loss": ..., "logits": (texts, 2)}; without labels there is no loss.

        input_ids: (texts, words), padded; attention_masks: 1 where a word is, 0 where padding is.
        """
        ### START_CODE_HERE ###
        words = (input_ids + 1) * attention_masks
        if self.training:
            words = words * (torch.rand(words.shape) >= self.p)
        logits = self.network(words)
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


def load_examples(folder: str):
    """Examples to train on, examples of the test reviews, and the words' vectors."""
    reviews = load(ReviewsConfig(folder=folder), 0)
    vocabulary = reviews.vocabulary
    splits: dict[str, list] = {"asked": [], "held-out": []}
    for question in reviews.questions:
        if question.split in splits:
            label = int(question.answer == "positive")
            splits[question.split].append(tokenize_function(vocabulary, question.text, label))
    vectors = vocabulary.vectors
    if vectors is None:
        vectors = np.random.default_rng(0).normal(size=(len(vocabulary), 50)) / 10
    return splits["asked"], splits["held-out"], vectors[1:]


def train_own(folder: str, model_options: dict, epochs: int, seed: int) -> float:
    """One network trained through `DAN.forward`; its accuracy on the test reviews."""
    torch.manual_seed(seed)
    train, test, vectors = load_examples(folder)
    model, collate = DAN(**model_options, vectors=vectors), DataCollatorWithPadding()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        model.train()
        for part in torch.randperm(len(train)).split(282):
            optimizer.zero_grad()
            model(**collate([train[i] for i in part]))["loss"].backward()
            optimizer.step()
        accuracy = evaluate(model, test)
        print(f"epoch {epoch + 1}: {100 * accuracy:.1f} % of the test reviews")
    return accuracy


### SOLUTION_ONLY ###
def study(folder: str, out: Path, seed: int) -> None:
    """The recipe `sentiment`, run into `out`: every setting that the homework asks for."""
    recipe = replace(sentiment(), data=ReviewsConfig(folder=folder), seed=seed)
    with watch([stage.name for stage in recipe.stages], "") as observer:
        outcome = execute(recipe, out, [observer])
    for name, score in outcome.results.items():
        if "." not in name:
            print(f"{name}: {100 * score['accuracy']:.1f} % of the test reviews")
    print(f"{out / 'study.md'} has the study")


### END_SOLUTION_ONLY ###
@torch.no_grad()
def evaluate(model: DAN, examples) -> float:
    model.eval()
    collate = DataCollatorWithPadding()
    pieces = [examples[i : i + 512] for i in range(0, len(examples), 512)]
    logits = torch.cat([model(**collate(piece))["logits"] for piece in pieces])
    return compute_metrics(logits.numpy(), [e["labels"] for e in examples])["accuracy"]


def _read_glove() -> np.ndarray:
    if not Path(GLOVE).is_file():
        raise MissingInput(f"{GLOVE}: expected word vectors, found none; give DAN(vectors=...)")
    return np.load(GLOVE, allow_pickle=False)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default="", metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=Path("dan"), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--own", action="store_true", help="train one network by DAN.forward")
    parser.add_argument("--p", type=float, default=0.3, help="word dropout")
    parser.add_argument("--hidden_layers", type=int, default=1)
    parser.add_argument("--activation", choices=ACTIVATIONS, default="relu")
    parser.add_argument("--epochs", type=int, default=2)
    given = parser.parse_args(arguments)
    folder = str(Path(given.data).resolve()) if given.data else ""
    try:
        ### SOLUTION_ONLY ###
        if not given.own:
            study(folder, given.out, given.seed)
            return 0
        ### END_SOLUTION_ONLY ###
        print("\n".join(survey(ReviewsConfig(folder=folder))))
        options = {"p": given.p, "hidden_layers": given.hidden_layers}
        options["activation"] = ACTIVATIONS[given.activation]()
        train_own(folder, options, given.epochs, given.seed)
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except NotImplementedError:
        said = "a function of this file is not written yet; 'python grader.py' says which"
        print(f"error: {said}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
