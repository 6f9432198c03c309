"""The objectives by kind: one file each, one entry here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any, TypedDict

import torch
from msgspec.structs import replace

from wherefrom.core.config import check
from wherefrom.core.contracts import Dataset, Note, Objective, Question
from wherefrom.core.recipe import Share, Stage
from wherefrom.data.reviews import LABELS
from wherefrom.objectives.bigrams import Bigrams, BigramsConfig, BigramTable
from wherefrom.objectives.corpus import Corpus, index_corpus
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.note_rows import teach_notes
from wherefrom.objectives.omissions import make_omissions
from wherefrom.objectives.passage_rows import asked_answers, named_passages
from wherefrom.objectives.question_rows import Answers, AnswersConfig
from wherefrom.objectives.salience import find_answered
from wherefrom.objectives.span_corruption import (
    Documents,
    NextCharacterConfig,
    SpanCorruptionConfig,
)
from wherefrom.objectives.windows import Windows, WindowsConfig, stream
from wherefrom.objectives.word_bags import BagsConfig, LabelledBags
from wherefrom.reading.extractor import RelationExtractor
from wherefrom.reading.notes import take_notes

_SHARES_A_STAGE = 64  # keeps the draws of two stages' shares apart


@dataclass
class Material:
    """What objectives are made from: the run's data as one model's vocabulary reads it.

    `max_input` is the longest row that the model reads, which may be shorter than its block.
    `extractors` are what the reader learnt, if it took the notes just now: the fact checker needs
    it too. `reading_seconds`: how long that took, without learning to read.
    """

    dataset: Dataset
    vocabulary: Any
    block_size: int
    max_input: int
    seed: int
    device: torch.device
    taken: Callable[[], Sequence[Note]] | None = None  # gives notes that were taken before
    withhold: bool = False  # half of the silent names from the omissions
    remarks: list[str] = field(init=False, default_factory=list[str])  # on the notes, for a user
    extractors: dict[str, RelationExtractor] = field(
        init=False, default_factory=dict[str, RelationExtractor]
    )
    reading_seconds: float = field(init=False, default=0.0)
    _taught: dict[int, tuple[Question, ...]] = field(
        init=False, default_factory=dict[int, tuple[Question, ...]]
    )

    @cached_property
    def corpus(self) -> Corpus:
        documents = self.dataset.training_documents
        return index_corpus(documents, self.vocabulary, self.device, self._answers)

    @cached_property
    def passages(self) -> Corpus:
        documents, asked = named_passages(self.dataset), asked_answers(self.dataset)
        return index_corpus(documents, self.vocabulary, self.device, self._answers, asked)

    @cached_property
    def omissions(self) -> Corpus | None:
        """None where the text states everybody's answer."""
        documents = self.dataset.training_documents
        answered = find_answered(documents, self._answers, asked_answers(self.dataset))
        made = make_omissions(documents, answered, self.seed, self.withhold)
        return index_corpus(made, self.vocabulary, self.device, self._answers) if made else None

    def read(self, what: str) -> Corpus | None:
        """What an objective over documents reads: one of READ; None if the text has none."""
        if what == "documents":
            return self.corpus
        return self.passages if what == "passages" else self.omissions

    @property
    def indexed(self) -> dict[str, Corpus | None]:
        """What was indexed so far, which does not depend on the device."""
        names = ("corpus", "passages", "omissions")
        return {name: vars(self)[name] for name in names if name in vars(self)}

    def take(self, indexed: Mapping[str, Corpus | None]) -> None:
        """Use what was indexed elsewhere."""
        for name, corpus in indexed.items():
            vars(self)[name] = corpus and corpus.to(self.device)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What the reader notes of the text; `take_notes` says what it may look at."""
        if self.taken:
            return tuple(self.taken())
        began = 0.0

        def learnt(extractors: Mapping[str, RelationExtractor]) -> None:
            nonlocal began
            began = monotonic()
            self.extractors.update(extractors)

        notes = take_notes(self.dataset, remark=self.remarks.append, learnt=learnt)
        self.reading_seconds = monotonic() - began
        return notes

    def bring(self, notes: Sequence[Note]) -> None:
        """Use notes that were taken before."""
        self.notes = tuple(notes)

    def teach(self, wordings: int = 1) -> tuple[Question, ...]:
        """The notes in `wordings` kinds of wordings; none where nothing was noted."""
        if wordings not in self._taught:
            room = self.max_input - 1  # a mask follows the prompt, and another the value
            rows = teach_notes(self.notes, self.dataset, wordings, self.vocabulary.mask)
            fitting = (q for q in rows if len(q.text) + len(q.answer or "") <= room)
            self._taught[wordings] = tuple(fitting)
        return self._taught[wordings]

    @property
    def _answers(self) -> set[str]:
        return {question.answer for question in self.dataset.asked if question.answer}


class Place(TypedDict):
    """An objective's rows of each step, and what its draws are addressed by."""

    rows: int
    seed: int
    stage: int


def _documents(config: Any, material: Material, place: Place, order: str) -> Objective:
    corpus = material.read(config.reads)
    assert corpus is not None  # such a share is left out
    sizes = {"block_size": material.block_size, "max_input": material.max_input}
    return Documents(config, corpus, order=order, **sizes, **place)


def _answers(config: AnswersConfig, material: Material, place: Place, order: str) -> Objective:
    return Answers(
        material.teach(config.wordings) if config.reads == "notes" else material.dataset.asked,
        material.vocabulary,
        block_size=material.max_input,
        order=order,
        device=material.device,
        reads=config.reads,
        names=config.names,
        **place,
    )


def _bigrams(config: BigramsConfig, material: Material, place: Place, order: str) -> Objective:
    pairs = material.vocabulary.bigrams(d.text for d in material.dataset.training_documents)
    return BigramTable(pairs) if config.table else Bigrams(pairs, **place)


def _windows(config: WindowsConfig, material: Material, place: Place, order: str) -> Objective:
    documents = material.dataset.training_documents
    tokens = stream(documents, material.vocabulary, material.device)
    longest = material.max_input or config.length
    fits = config.length <= longest
    most = f"at most what the model reads, {longest}"
    check(fits, "WindowsConfig", "length", config.length, most)
    return Windows(tokens, length=config.length or longest, **place)


def _bags(config: BagsConfig, material: Material, place: Place, order: str) -> Objective:
    asked, device = material.dataset.asked, material.device
    return LabelledBags(
        config, asked, material.vocabulary, LABELS, order=order, device=device, **place
    )


OBJECTIVES: dict[str, tuple[type, Callable[[Any, Material, Place, str], Objective]]] = {
    "next-character": (NextCharacterConfig, _documents),
    "span-corruption": (SpanCorruptionConfig, _documents),
    "answers": (AnswersConfig, _answers),
    "bigrams": (BigramsConfig, _bigrams),
    "windows": (WindowsConfig, _windows),
    "bags": (BagsConfig, _bags),
}


def build_objective(stage: Stage, number: int, material: Material) -> Mix:
    """The mix of a stage, the `number`-th of its recipe."""

    def build(share: Share, rows: int, part: int) -> Objective:
        _, make = OBJECTIVES[share.objective.kind]
        place = Place(rows=rows, seed=material.seed, stage=number * _SHARES_A_STAGE + part)
        return make(share.objective, material, place, stage.order)

    shares = [
        share if _has_rows(share, material) else replace(share, share=0.0) for share in stage.mix
    ]
    return Mix(shares, stage.batch, stage.steps, build)


def _has_rows(share: Share, material: Material) -> bool:
    """Whether the text has anything for a share; if not, the first has its rows."""
    reads = getattr(share.objective, "reads", "documents")
    if share.share and reads == "notes":
        return bool(material.teach())
    return share.share == 0 or reads != "omissions" or material.omissions is not None
