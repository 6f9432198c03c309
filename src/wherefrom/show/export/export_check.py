"""An exported folder, loaded back: its logits and its answers must be those of the run's model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

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
        others = {"ties": self.ties, "less probable": self.missed}
        rest = "".join(f", {count} {name}" for name, count in others.items() if count)
        answers = f"; {self.equal} of {self.questions} answers are equal{rest}"
        text = f"loaded back, logits differ by at most {self.logits:.1e}"
        return text + (answers if self.questions else "")


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
    characters = answerer.vocabulary.characters
    _require(
        tokenizer("".join(characters))["input_ids"] == list(range(len(characters))),
        f"{path}: expected the run's {len(characters)} characters as tokens, found others",
    )
    rows = [*_patterns(answerer), *(_spell(answerer, text, asked[text].text) for text in asked)]
    found = max(_compare(answerer.model, loaded, rows))
    wanted = f"{path}: expected logits within {CLOSE:g} of the run's"
    _require(found <= CLOSE, f"{wanted}, found a difference of {found:.3g}")
    answers = _answer(answerer, loaded, tokenizer, list(asked))
    others = {text: said for text, said in answers.items() if said != asked[text].text}
    ratios = [_ratio(answerer, text, said, asked[text].text) for text, said in others.items()]
    for (text, said), ratio in zip(others.items(), ratios, strict=True):
        wanted = f"{path}: expected the run's answer '{asked[text].text}' to '{text}'"
        _require(ratio <= 1 + CLOSE, f"{wanted}, found '{said}', which is more probable")
    ties = sum(ratio >= 1 - CLOSE for ratio in ratios)
    equal, missed = len(asked) - len(others), len(others) - ties
    return ExportCheck(found, sum(map(len, rows)), len(asked), equal, ties, missed)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Mismatch(f"{otherwise}; use transformers 5.3 or newer, or report it")


def _load(path: Path) -> tuple[Any, Any]:
    import transformers  # pyright: ignore

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model = transformers.AutoModelForCausalLM.from_pretrained(path, local_files_only=True)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)


def _patterns(answerer: ModelAnswerer) -> Iterator[list[int]]:
    """Rows of the longest input: every character, and every position."""
    count = len(answerer.vocabulary)
    for step in range(1, _PATTERNS + 1):
        yield [step * place % count for place in range(answerer.model.max_input)]


def _spell(answerer: ModelAnswerer, question: str, answer: str) -> list[int]:
    (prompt,) = answerer.prompts(question)
    return [*prompt, *answerer.vocabulary.encode(answer)][: answerer.model.max_input]


@torch.no_grad()
def _compare(ours: Any, theirs: Any, rows: Sequence[list[int]]) -> Iterator[float]:
    """The largest difference of logits in each batch; behind a row's end nothing is compared."""
    ours = ours.to("cpu")
    for start in range(0, len(rows), _ROWS):
        some = [torch.tensor(row) for row in rows[start : start + _ROWS]]
        tokens_BT = pad_sequence(some, batch_first=True)
        read_BT = pad_sequence([torch.ones_like(row) for row in some], batch_first=True) > 0
        found = theirs(input_ids=tokens_BT, attention_mask=torch.ones_like(tokens_BT)).logits
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
        for some in (same[start : start + _ROWS] for start in range(0, len(same), _ROWS)):
            found |= zip(some, generate(model, tokenizer, some), strict=True)
    return found


def _ratio(answerer: ModelAnswerer, question: str, theirs: str, ours: str) -> float:
    """How much more probable their answer is than ours."""
    first, second = answer_probabilities(answerer, [question] * 2, [theirs, ours])
    return float(first / second)
