"""Reviews with a label: JSON lines of {"label": 0 or 1, "text": ...}, as IMDB's are given.

One review in ten of the training file, chosen by the hash of its text, is kept for choosing
settings (the calibration split); a test review that the training file has too is dropped.
Without files the reviews are generated ones, which say nothing about English. Such a review is a
few sentences about parts of a film, four in five of which agree with its label. One in six praises
or blames by denying the opposite ("not boring"), which a model that does not see the order of
words cannot read.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.core.bags import NO_WORD, BagVocabulary, split_words
from wherefrom.core.bounds import check_whole
from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.data.embeddings import fetched_vectors, known_vectors
from wherefrom.reading.table_files import refuse_rows, split_lines
from wherefrom.reading.unchanged import LastRead

# Where a folder has them; a file that lies in the folder itself is found too.
FILES = {
    "train": "sentiment/imdb_train.jsonl.gz",
    "test": "sentiment/imdb_test.jsonl.gz",
    "embeddings": "embeddings/glove.6B.50d.subset.npy",
}
LABELS = ("negative", "positive")
MOST_REVIEWS = 1_000_000
_SHOWN = 40  # characters of a review that is refused

# What generated reviews are made of.
_PARTS = (
    "plot acting music ending dialogue camera pace cast script editing humour villain hero "
    "scenery opening soundtrack direction romance mystery action"
).split()
_BLAME = (
    "boring awful wooden clumsy tedious hollow predictable lazy ugly silly shallow dull stale "
    "confusing painful forgettable grating lifeless messy weak"
).split()
_PRAISE = (
    "moving brilliant gripping charming funny elegant fresh clever beautiful warm honest subtle "
    "thrilling tender sharp delightful memorable graceful lively superb"
).split()
_OPENINGS = (
    "i saw this film last week .",
    "my brother chose this one .",
    "we watched it on a rainy evening .",
    "it ran at the small cinema in our town .",
)
_FORMS = (
    "the {part} was {word} .",
    "how {word} the {part} was !",
    "i found the {part} {word} .",
    "its {part} is {word} .",
)
_DENIALS = ("the {part} was not {word} .", "i did n't find the {part} {word} .")
_FEWEST, _SPREAD = 3, 4  # sentences with an opinion: 3 to 6
_AGREE, _DENY = 5, 6  # one opinion in five disagrees with the label; one in six is denied


class ReviewsConfig(TaggedConfig, frozen=True, tag="reviews"):
    """A folder with all files, or files one by one, which go before the folder's."""

    folder: str = ""
    train: str = ""
    test: str = ""
    embeddings: str = ""  # NAME.npy; its words are in NAME.words.txt beside it
    least: int = 10  # times a word must occur in the training reviews to be known
    validation: int = 10  # one training review in ten is kept to choose settings on
    made: int = 8000  # generated reviews to train on, and a quarter as many to test on

    def __post_init__(self) -> None:
        check_whole(self, "least", 1, MOST_REVIEWS)
        check_whole(self, "validation", 2, MOST_REVIEWS)
        check_whole(self, "made", 4, MOST_REVIEWS)

    @property
    def generated(self) -> bool:
        return not any((self.folder, self.train, self.test))


@dataclass(frozen=True)
class Review:
    """Where it stands (train:17), its text and its label, 1 for a positive one."""

    place: str
    text: str
    label: int


_Parts = tuple[tuple[Review, ...], tuple[Review, ...]]


@dataclass(frozen=True)
class Reviews(Dataset):
    """Every review is a question: is it positive or negative?"""

    vocabulary: BagVocabulary = field(default_factory=lambda: BagVocabulary((NO_WORD,)))
    dropped: int = 0  # test reviews that the training file has too


def load(config: ReviewsConfig, seed: int) -> Reviews:
    train, test = _parts(config, seed)
    kept = _without(test, train)
    chosen = [_is_validation(review, config.validation) for review in train]
    splits = ["calibration" if held else "asked" for held in chosen]
    questions = [_question(r, s) for r, s in zip(train, splits, strict=True)]
    for split in ("asked", "calibration"):
        if split not in splits:
            raise BadData(f"training reviews: expected some {split} ones, found none; give more")
    asked = [q.text for q in questions if q.split == "asked"]
    vocabulary = gather(asked, config.least, find(config, "embeddings"))
    questions += [_question(review, "held-out") for review in kept]
    if not config.generated:
        _require_judged(config, questions, vocabulary)
    return Reviews(
        (), questions=tuple(questions), vocabulary=vocabulary, dropped=len(test) - len(kept)
    )


def survey(config: ReviewsConfig) -> list[str]:
    """Which reviews these are, and what was left out of them."""
    if config.generated:
        return [
            f"reviews: {config.made:,} generated ones to train on and {config.made // 4:,} to test "
            "on, since no files were named; --data FOLDER names them (sentiment/, embeddings/)"
        ]
    train, test = _parts(config, 0)
    dropped = len(test) - len(_without(test, train))
    vectors = find(config, "embeddings")
    return [
        f"train: {find(config, 'train')}, {len(train):,} reviews",
        f"test: {find(config, 'test')}, {len(test):,} reviews, {dropped:,} of which are in train "
        "too and are dropped",
        f"embeddings: {vectors or 'none there, so they begin at random'}",
    ]


def find(config: ReviewsConfig, part: str) -> Path | None:
    """The file of a part: the one that was named, or the folder's; None: no embeddings."""
    if named := getattr(config, part):
        return Path(named)
    folder, usual = Path(config.folder), Path(FILES[part])
    places = [folder / usual, folder / usual.name] if config.folder else []
    present = [place for place in places if place.is_file()]
    if not present and part == "embeddings":
        return fetched_vectors() if config.folder else None
    if present:
        return present[0]
    raise MissingInput(
        f"{config.folder or 'data'}: expected {usual} in it, found none; name another folder with "
        f"--data, or the file with --set data.{part}=FILE"
    )


def read_reviews(path: Path, part: str) -> tuple[Review, ...]:
    """The reviews of a file of JSON lines, packed by gzip or not."""
    reviews: list[Review] = []
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(split_lines(path), 1):
        if not line.strip():
            continue
        found = _parse(line)
        if isinstance(found, str):
            bad.append((number, found))
        else:
            reviews.append(Review(f"{part}:{number}", *found))
    refuse_rows(path, bad, 'a review as {"label": 0 or 1, "text": "..."}', "correct or remove it")
    if not reviews:
        raise BadData(f"{path}: expected reviews, found none; name another file")
    return tuple(reviews)


def gather(texts: list[str], least: int, embeddings: Path | None) -> BagVocabulary:
    """The words that occur often enough, the commonest first, with the file's vectors."""
    counts = Counter(word for text in texts for word in split_words(text))
    often = [word for word, count in counts.items() if count >= least]
    if not often:
        raise BadData(
            f"training reviews: expected words that occur {least} times, found none; lower "
            "data.least or give more reviews"
        )
    words = (NO_WORD, *sorted(often, key=lambda word: (-counts[word], word)))
    return BagVocabulary(words, None if embeddings is None else known_vectors(embeddings, words))


_last = LastRead[_Parts]()


def _parts(config: ReviewsConfig, seed: int) -> _Parts:
    """The reviews to train on and to test on."""
    if config.generated:
        return _generate("train", config.made, seed), _generate("test", config.made // 4, seed)
    train, test = (_find(config, part) for part in ("train", "test"))
    return _last.get(
        None,
        [train, test],
        lambda: (read_reviews(train, "train"), read_reviews(test, "test")),
    )


def _find(config: ReviewsConfig, part: str) -> Path:
    path = find(config, part)
    assert path is not None, "only embeddings may be missing"
    return path


def _generate(part: str, count: int, seed: int) -> tuple[Review, ...]:
    made = generate(count, seed, ("train", "test").index(part))
    return tuple(Review(f"{part}:{i}", *pair) for i, pair in enumerate(made, 1))


def generate(count: int, seed: int, part: int) -> list[tuple[str, int]]:
    """`count` reviews with their labels (1: positive); `part` keeps train and test apart."""
    rows = np.arange(count, dtype=np.int64)

    def draw(step: int, *bounds: int) -> list[np.ndarray]:
        words = draws(len(bounds), seed=seed, stream=Stream.WORLD, stage=part, step=step, row=rows)
        return [below(word, bound) for word, bound in zip(words, bounds, strict=True)]

    label, length, opening = draw(0, 2, _SPREAD, len(_OPENINGS))
    sentences = [
        np.stack(draw(1 + i, _AGREE, _DENY, len(_PARTS), len(_PRAISE), len(_FORMS)), 1)
        for i in range(_FEWEST + _SPREAD - 1)
    ]
    texts = [
        " ".join(
            [_OPENINGS[opening[row]]]
            + [_sentence(label[row], *s[row]) for s in sentences[: _FEWEST + length[row]]]
        )
        for row in range(count)
    ]
    return list(zip(texts, label.tolist(), strict=True))


def _sentence(label: int, agree: int, deny: int, part: int, word: int, form: int) -> str:
    praises, denies = (label == 1) != (agree == 0), deny == 0
    words = _PRAISE if praises != denies else _BLAME
    forms = _DENIALS if denies else _FORMS
    return forms[form % len(forms)].format(part=_PARTS[part], word=words[word])


def _parse(line: str) -> tuple[str, int] | str:
    """Text and label, or what is wrong with the line."""
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        return "no JSON"
    if not isinstance(row, dict) or not isinstance(text := row.get("text"), str):
        return "no text"
    label = row.get("label")
    if isinstance(label, bool) or label not in (0, 1):
        return f"the label {json.dumps(label)[:40]}"
    return (text, int(label)) if any(c.isalnum() for c in text) else "an empty review"


def _without(test: tuple[Review, ...], train: tuple[Review, ...]) -> list[Review]:
    seen = {review.text for review in train}
    return [review for review in test if review.text not in seen]


def _is_validation(review: Review, one_in: int) -> bool:
    """Chosen by the text's hash: two equal reviews are on the same side."""
    digest = hashlib.sha256(review.text.encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % one_in == 0


def _require_judged(
    config: ReviewsConfig, questions: Sequence[Question], vocabulary: BagVocabulary
) -> None:
    """Refuse what could not be evaluated once everything is trained."""
    if not any(q.split == "held-out" for q in questions):
        raise BadData(
            f"{find(config, 'test')}: expected reviews that the training file does not have, found "
            "all in both; name another file"
        )
    for part, split in (("train", "calibration"), ("test", "held-out")):
        strange = [q for q in questions if q.split == split and not len(vocabulary.encode(q.text))]
        bad = [(int(q.subject.partition(":")[2]), _excerpt(q.text)) for q in strange]
        expected = f"a word that occurs {config.least} times in the training reviews"
        refuse_rows(
            _find(config, part), bad, expected, "remove it, lower data.least, or give more reviews"
        )


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def _question(review: Review, split: str) -> Question:
    return Question(review.text, review.place, "sentiment", LABELS[review.label], split)
