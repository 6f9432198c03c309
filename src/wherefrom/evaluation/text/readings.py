"""The loss of a language model on a text, target by target, and what that loss leaves out.

A character model reads characters. A word model reads the Treebank's words, and an end after each
sentence. What a model cannot express is charged in addition to its own loss, so that texts and
models can be compared per character of the original text. A character that the vocabulary lacks is
spelled out, and so is an unknown word, at eight bits a byte unless a character model spells the
word. If the vocabulary keeps only the shape of a number (DGDG), every digit costs log 10. The
capitals and the spacing that a word model loses are not charged: docs/PERPLEXITY.md says how much
they would cost.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor, nn

from wherefrom.core.characters import fold
from wherefrom.core.contracts import Scorer
from wherefrom.core.errors import BadData
from wherefrom.core.words import BEGIN, END, WordVocabulary
from wherefrom.evaluation.text.charges import digits, left_out, spelled
from wherefrom.evaluation.text.treebank_tokens import Sentence, treebank
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.text_scorer import TextScorer


@dataclass(frozen=True)
class Reading:
    """The pieces of a text in the model's units; "" is the end of a sentence.

    `starts` has the place of each piece in the text. `nats` is the model's own loss, and `charge`
    the price of what this loss leaves out. The model did not read a piece that is not `scored`.
    """

    pieces: tuple[str, ...]
    starts: np.ndarray
    nats: np.ndarray
    charge: np.ndarray
    unknown: np.ndarray
    scored: np.ndarray
    form: str  # the text as the model reads it

    def cost_by_character(self, length: int) -> np.ndarray:
        """The loss and the charge of each character of a text of this length."""
        return np.bincount(self.starts, self.nats + self.charge, length)


class CharacterReader:
    """Reads characters; those that the vocabulary lacks are replaced by similar ones or left out.

    Both kinds count as unknown and are charged. Every character is a target. The first is read as
    if it followed a line end, or a space if the model does not know line ends.
    """

    unit = "character"
    unknown_word: str | None = None  # a character model has no unknown word

    def __init__(self, scorer: TextScorer) -> None:
        self.scorer = scorer
        self.known = frozenset(scorer.vocabulary.characters) - {*scorer.vocabulary.marks}

    def at(self, temperature: float) -> "CharacterReader":
        model = _Tempered(self.scorer.model, temperature)
        return CharacterReader(TextScorer(model, self.scorer.vocabulary, self.scorer.overlap))

    def read(self, text: str) -> Reading:
        table = {c: self.write(c) for c in set(text)}
        form = "".join(table[c] for c in text)
        if len(form) < 2:
            raise BadData(
                f"text: expected at least 2 characters that the model knows, found {len(form)} "
                f"among {len(text)}; name another text or run"
            )
        place = [i for i, c in enumerate(text) for _ in table[c]]
        lost = [i for i, c in enumerate(text) if not table[c]]
        odd = [i for i, c in enumerate(text) if table[c] != c]
        price = np.zeros(len(text))
        price[odd] = left_out([text[i] for i in odd], len(text))
        losses = self._losses(form)
        starts = np.array([*place, *lost], dtype=np.int64)
        once = np.diff(starts, prepend=-1) != 0  # one character may be replaced by two
        return Reading(
            pieces=(*form, *(text[i] for i in lost)),
            starts=starts,
            nats=np.concatenate([losses, np.zeros(len(lost))]),
            charge=price[starts] * once,
            unknown=np.isin(starts, odd),
            scored=np.arange(len(starts)) < len(losses),
            form=form,
        )

    def _losses(self, form: str) -> np.ndarray:
        """The loss of every character; if nothing can precede the first, all are equally likely."""
        before = next((c for c in "\n " if c in self.known), "")
        losses = -np.asarray(self.scorer.log_probabilities(before + form), dtype=np.float64)
        return losses if before else np.append(math.log(len(self.known)), losses)

    def write(self, character: str) -> str:
        """What the model reads in place of a character."""
        if character in self.known:
            return character
        return "".join(c for c in fold(character).text if c in self.known)


class WordReader:
    """Reads words, and an end after each sentence; an unknown word takes the vocabulary's form.

    `spell` is the character model that spells unknown words; without one, they cost their bytes.
    """

    unit = "word"

    def __init__(
        self,
        model: Scorer,
        vocabulary: WordVocabulary,
        tokens: Callable[[str], list[Sentence]] = treebank,
        spell: CharacterReader | None = None,
    ) -> None:
        self.model, self.vocabulary, self.tokens, self.spell = model, vocabulary, tokens, spell
        self.known = frozenset(vocabulary.words) - {BEGIN, END}
        if vocabulary.forms is None:
            raise BadData(
                "vocabulary: expected a word that stands for unknown words, found none; such a "
                "model can only read its own text"
            )
        self.forms = vocabulary.forms
        self.unknown_word: str | None = self.forms.unknown

    def at(self, temperature: float) -> "WordReader":
        model = _TemperedWords(self.model, temperature, len(self.vocabulary))
        return WordReader(model, self.vocabulary, self.tokens, self.spell)

    def read(self, text: str) -> Reading:
        sentences = self.tokens(text)
        forms = [[self.forms.canonical(token.text, self.known) for token in s] for s in sentences]
        flat = [form for sentence in forms for form in sentence]
        if not flat or (self.tokens is treebank and set(flat) == {self.forms.unknown}):
            raise BadData(
                f"text: expected words that the model knows, found none among {len(flat)}; name "
                "another text or run"
            )
        lines = [" ".join(form) for form in forms]
        pairs = self.vocabulary.bigrams(lines)
        places = [[token.start for token in s] + [s[-1].end - 1] for s in sentences]
        return Reading(
            pieces=tuple(piece for s in sentences for piece in (*(t.text for t in s), "")),
            starts=np.array([start for s in places for start in s], dtype=np.int64),
            nats=-np.asarray(self.model.log_probabilities(pairs), dtype=np.float64),
            charge=self._charge(text, sentences, forms),
            unknown=pairs[:, 1] == self.vocabulary.unknown,
            scored=np.ones(len(pairs), dtype=bool),
            form=" ".join(lines),
        )

    def _charge(self, text: str, sentences: list[Sentence], forms: list[list[str]]) -> np.ndarray:
        """The price of what the words' forms leave unsaid: letters of unknown words, digits."""
        letters = self._spelling(text)
        found: list[float] = []
        for sentence, words in zip(sentences, forms, strict=True):
            for token, word in zip(sentence, words, strict=True):
                if word == self.forms.unknown:
                    found.append(letters(token.start, token.end))
                else:
                    found.append(digits(token.text, word, self.forms))
            found.append(0.0)
        return np.array(found)

    def _spelling(self, text: str) -> Callable[[int, int], float]:
        """The nats of a word's characters and of the character that ends the word."""
        if self.spell is None:
            return lambda start, end: spelled(text[start:end])
        ended = f"{text}\n"  # so that a character follows the last word, too
        cost = self.spell.read(ended).cost_by_character(len(ended))
        total = np.append(0.0, np.cumsum(cost))
        return lambda start, end: float(total[end + 1] - total[start])


Reader = CharacterReader | WordReader


class _Tempered:
    """A language model whose logits are divided by a temperature."""

    cacheable = False

    def __init__(self, model: LanguageModel, temperature: float) -> None:
        self.model, self.temperature = model, temperature
        self.max_input, self.training = model.max_input, model.training

    def __call__(self, tokens_RT: Tensor, cache: Any = None, /) -> Tensor:
        return self.model(tokens_RT) / self.temperature

    def parameters(self) -> Iterator[nn.Parameter]:
        return self.model.parameters()

    def train(self, mode: bool = True) -> None:
        self.model.train(mode)

    def new_cache(self, rows: int, positions: int) -> Any:
        raise NotImplementedError


class _TemperedWords:
    """A word model, network or counts, whose log-probabilities are divided by a temperature."""

    def __init__(self, model: Scorer, temperature: float, words: int) -> None:
        self.model, self.temperature, self.words = model, temperature, words

    def log_probabilities(self, text: np.ndarray) -> np.ndarray:
        previous, row = np.unique(text[:, 0], return_inverse=True)
        totals = np.array([self._total(word) for word in previous])
        return self._scores(text) - totals[row]

    def _total(self, previous: int) -> float:
        """The logarithm of the sum over all words that could follow."""
        every = np.stack([np.full(self.words, previous), np.arange(self.words)], 1)
        return float(np.logaddexp.reduce(self._scores(every)))

    def _scores(self, pairs: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):  # a probability may be so small that it is rounded to 0
            return np.asarray(self.model.log_probabilities(pairs)) / self.temperature
