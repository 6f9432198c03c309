"""Sampling, scoring, seeds, parameter files, and which of the course's years it is."""

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from wherefrom.core.errors import BadData, Mismatch
from wherefrom.course.doctor.years import VARIABLE, Year, find_year, variant_of
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.models.params import read_params, write_params
from wherefrom.reading.table_files import read_lines, read_table
from wherefrom.runs.workshop import choose_device
from wherefrom.training.weights import load_weights

YEAR = "xcs2021"  # the hand-out that these files are; `wherefrom course new` writes another


def current_year() -> Year:
    """The hand-out that the variable A5_YEAR names, or else `YEAR`; `run.py --year` sets it."""
    return find_year(os.environ.get(VARIABLE) or YEAR, VARIABLE)


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Reader(nn.Module):
    """A model of the course, which gives (logits, loss), as the library wants it: logits alone.

    A model that is not built on the library's is read anew for every character.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.head, self.training = model, nn.Identity(), model.training
        self.max_input: int = getattr(model, "max_input", None) or model.get_block_size()
        self.cacheable: bool = getattr(model, "cacheable", False)
        self.new_cache: Any = getattr(model, "new_cache", None)

    def features(self, tokens: Tensor) -> Tensor:
        return self.model(tokens)[0]

    def forward(self, tokens: Tensor, cache: Any = None) -> Tensor:
        if cache is None:
            return self.features(tokens)
        return self.model.head(self.model.features(tokens, cache))


def sample(
    model: nn.Module,
    x: Tensor,
    steps: int,
    temperature: float = 1.0,
    sample: bool = False,
    top_k: int | None = None,
) -> Tensor:
    """x (B, T) with `steps` more characters: (B, T + steps).

    The most probable each time, or drawn at random if `sample`. What no longer fits the model
    is forgotten from the left, a character at a time.
    """
    reader = Reader(model)
    seed = int(torch.randint(2**31, ())) if sample else 0  # so that set_seed decides
    warmth = {"temperature": temperature, "top_k": top_k or 0} if sample else {}
    rows = [tuple(row) for row in x.tolist()]
    while rows and (left := x.shape[1] + steps - len(rows[0])) > 0:
        requests = [
            Request(row[-reader.max_input :], left, stop=None, seed=seed, number=i, **warmth)
            for i, row in enumerate(rows)
        ]
        found = Decoder(reader).generate(requests)
        rows = [row + best[0].tokens for row, best in zip(rows, found, strict=True)]
        seed = (seed + 1) % 2**31  # a window that moves on stays as long: its draws may not
    return torch.tensor(rows, dtype=torch.long, device=x.device).view(x.shape[0], -1)


def predict(model: Any, dataset: Any, filepath: str | Path, device: str = "auto") -> list[str]:
    """The model's answers to the questions of a file, with or without answers in it."""
    path = Path(filepath)
    columns = 2 if any("\t" in line for line in read_lines(path)) else 1
    questions = [row.cells[0] for row in read_table(path, columns)]
    model.to(choose_device(device)).eval()
    answerer = ModelAnswerer(Reader(model), dataset.vocabulary, beams=1)
    return [answer.text.replace("\n", " ") for answer in answerer.answer(questions)]


def evaluate_places(filepath: str | Path, predicted_places: Sequence[str]) -> tuple[float, float]:
    """How many questions there are and how many predictions are right, to the letter.

    (0, 0) for a file without answers.
    """
    path = Path(filepath)
    if all("\t" not in line for line in read_lines(path)):
        print("No gold birth places provided; returning (0,0)")
        return 0.0, 0.0
    rows = read_table(path, 2)
    if len(rows) != len(predicted_places):
        raise BadData(
            f"{path}: expected a prediction for each of its {len(rows)} questions, "
            f"found {len(predicted_places)}"
        )
    pairs = zip(rows, predicted_places, strict=True)
    return float(len(rows)), float(sum(row.cells[1] == place for row, place in pairs))


def save_params(model: nn.Module, path: str | Path) -> None:
    """A file that torch.load(path, weights_only=True) reads on any machine."""
    write_params(Path(path), model.state_dict())


def load_params(model: nn.Module, path: str | Path) -> None:
    """A file's parameters into the model: all of them, or an error that says what differs."""
    found, wanted = read_params(Path(path)), model.state_dict()
    has, builds = variant_of(found) or "different", variant_of(wanted)
    if has != builds:
        raise Mismatch(
            f"{path}: expected the parameters of a {builds} model, found those of a {has} one; "
            f"name the file that '{builds}' wrote"
        )
    try:
        load_weights(wanted, {name: tensor.numpy() for name, tensor in found.items()})
    except Mismatch as error:
        raise Mismatch(f"{path}: {error}; it belongs to a model of another size") from error
