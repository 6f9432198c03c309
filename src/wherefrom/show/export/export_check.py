"""An exported folder, loaded back: its logits and its answers must be those of the run's model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from wherefrom.core.contracts import Answer
from wherefrom.core.errors import Mismatch, MissingInput
from wherefrom.generation.answerer import ModelAnswerer, answer_probabilities
from wherefrom.show.export.example import generate

CLOSE = 1e-4  # of logits in float32, and of the probabilities of two answers that are a tie
_ROWS = 64  # that are computed at once
_PATTERNS = 8  # rows of all characters at all positions


@dataclass(frozen=True)
class ExportCheck:
    """`logits` is the largest difference among those of `characters` characters.

    Of the answers to `questions` held-out questions, `equal` are the same, `ties` are others of the
    same probability, and `missed` are less probable ones: an answer that ends is only kept there if
    it is among the likeliest `num_beams` continuations, and here always. That happens to models
    that know little. A more probable answer raises Mismatch.
    """

    logits: float
    characters: int
    questions: int
    equal: int
    ties: int
    missed: int

    def __str__(self) -> str:
        text = f"loaded back, logits differ by at most {self.logits:.1e}"
        if not self.questions:
            return text
        others = {"ties": self.ties, "less probable": self.missed}
        rest = "".join(f", {count} {name}" for name, count in others.items() if count)
        return f"{text}; {self.equal} of {self.questions} answers are equal{rest}"


def require_transformers() -> None:
    """Refuse before anything is written."""
    if find_spec("transformers") is None:
        raise MissingInput(
            "--check: expected the package transformers, found none; install it with "
            "\"pip install 'wherefrom[export]'\", or export without --check"
        )


def check_export(answerer: ModelAnswerer, path: Path, asked: Mapping[str, Answer]) -> ExportCheck:
    """Compare what transformers loads from a folder with the run's own model, on the CPU."""
    loaded, tokenizer = _load(path)
    _check_characters(path, tokenizer, answerer.vocabulary.characters)
    rows = [*_patterns(answerer), *_answered(answerer, asked)]
    found = max(_compare(answerer.model, loaded, rows))
    if not found <= CLOSE:
        raise Mismatch(
            f"{path}: expected logits within {CLOSE:g} of the run's, found a difference of "
            f"{found:.3g}; this version of transformers computes another model: use 5.3 or newer, "
            "and report it if that does not help"
        )
    answers = _answer(answerer, loaded, tokenizer, list(asked))
    others = {text: said for text, said in answers.items() if said != asked[text].text}
    ratios = [_ratio(answerer, text, said, asked[text].text) for text, said in others.items()]
    if better := [text for text, r in zip(others, ratios, strict=True) if r > 1 + CLOSE]:
        text = better[0]
        raise Mismatch(
            f"{path}: expected the run's answer '{asked[text].text}' to '{text}', found "
            f"'{others[text]}', which is more probable; please report it"
        )
    ties = sum(ratio >= 1 - CLOSE for ratio in ratios)
    equal, missed = len(asked) - len(others), len(others) - ties
    return ExportCheck(found, sum(map(len, rows)), len(asked), equal, ties, missed)


def _load(path: Path) -> tuple[Any, Any]:
    import transformers  # pyright: ignore

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model = transformers.AutoModelForCausalLM.from_pretrained(path, local_files_only=True)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)


def _check_characters(path: Path, tokenizer: Any, characters: Sequence[str]) -> None:
    """Every character has its own number, in both directions."""
    text, numbers = "".join(characters), list(range(len(characters)))
    encoded = tokenizer(text)["input_ids"]
    if encoded != numbers or tokenizer.decode(numbers) != text:
        raise Mismatch(
            f"{path}: expected the {len(characters)} characters of the run as tokens in its order, "
            "found others; use transformers 5.3 or newer"
        )


def _patterns(answerer: ModelAnswerer) -> Iterator[list[int]]:
    """Rows of the longest input: every character, and every position."""
    count = len(answerer.vocabulary)
    for step in range(1, _PATTERNS + 1):
        yield [step * place % count for place in range(answerer.model.max_input)]


def _answered(answerer: ModelAnswerer, asked: Mapping[str, Answer]) -> Iterator[list[int]]:
    for text, answer in asked.items():
        (prompt,) = answerer.prompts(text)
        said = answerer.vocabulary.encode(answer.text)
        yield [*prompt, *said][: answerer.model.max_input]


@torch.no_grad()
def _compare(ours: Any, theirs: Any, rows: Sequence[list[int]]) -> Iterator[float]:
    """The largest difference of logits in each batch; behind a row's end nothing is compared."""
    ours = ours.to("cpu")
    for start in range(0, len(rows), _ROWS):
        some = [torch.tensor(row) for row in rows[start : start + _ROWS]]
        tokens_BT = torch.nn.utils.rnn.pad_sequence(some, batch_first=True)
        lengths_B1 = torch.tensor([[len(row)] for row in some])
        read_BT = torch.arange(tokens_BT.shape[1]) < lengths_B1
        whole_BT = torch.ones_like(tokens_BT)
        found: Tensor = theirs(input_ids=tokens_BT, attention_mask=whole_BT).logits
        yield float((ours(tokens_BT) - found)[read_BT].abs().max())


def _answer(
    answerer: ModelAnswerer, model: Any, tokenizer: Any, questions: Sequence[str]
) -> dict[str, str]:
    """Answers as example.py finds them; questions of a batch have the same room for theirs."""
    longest, most = answerer.model.max_input, model.generation_config.max_new_tokens

    def room(text: str) -> int:
        return min(most, longest - len(text))

    found: dict[str, str] = {}
    for _, group in groupby(sorted(questions, key=room), room):
        same = list(group)
        for start in range(0, len(same), _ROWS):
            some = same[start : start + _ROWS]
            found |= zip(some, generate(model, tokenizer, some), strict=True)
    return found


def _ratio(answerer: ModelAnswerer, question: str, theirs: str, ours: str) -> float:
    """How much more probable their answer is than ours."""
    first, second = answer_probabilities(answerer, [question] * 2, [theirs, ours])
    return float(first / second)
