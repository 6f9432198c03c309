"""What is found in a text: words, names, and spans that look like facts."""

import errno
from dataclasses import fields

import pytest
import torch

from wherefrom.core.contracts import Document, Span
from wherefrom.core.errors import BadData, CacheWarning
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives import corpus as corpus_module
from wherefrom.objectives.columns import FileColumns
from wherefrom.objectives.corpus import Corpus, index_corpus
from wherefrom.objectives.salience import Size, salient_spans


def index(*documents: Document) -> Corpus:
    return index_corpus(documents, Vocabulary.from_text(d.text for d in documents))


def about(name: str, text: str) -> Document:
    start = text.index(name)
    return Document(text, Span(start, start + len(name)))


def found(document: Document, *named: str) -> tuple[list[str], list[str]]:
    beside, within = salient_spans(document, set(named))
    return [s.of(document.text) for s in beside], [s.of(document.text) for s in within]


# --- the tensors -----------------------------------------------------------------------------


def test_two_documents_by_hand():
    clara = about("Clara Ito", "Clara Ito left New York in 1950.")
    other = about("Clara Ito", "by Clara Ito")
    corpus = index(clara, other)
    vocabulary = Vocabulary.from_text([clara.text, other.text])
    assert len(corpus) == 2
    assert corpus.tokens.tolist() == vocabulary.encode(clara.text + other.text)
    assert corpus.first.tolist() == [0, 32]
    assert corpus.length.tolist() == [32, 12]
    # "Clara Ito " is kept; the rest goes on from left, New, York, in or 1950.
    assert corpus.anchor.tolist() == [10, 0]
    assert corpus.word_first.tolist() == [0, 5]
    assert corpus.word_count.tolist() == [5, 0]
    assert corpus.words.tolist() == [10, 15, 19, 24, 27]
    # Beside the subject: New York, 1950; then the subject itself.
    assert corpus.span_first.tolist() == [0, 3]
    assert corpus.span_count.tolist() == [3, 1]
    assert corpus.span_beside.tolist() == [2, 0]
    assert corpus.span_start.tolist() == [15, 27, 0, 3]
    assert corpus.span_end.tolist() == [23, 31, 9, 12]
    assert corpus.span_words.tolist() == [2, 5, 0, 0]  # New York is in view from left and New
    facts = [i for i, fact in enumerate(corpus.fact.tolist()) if fact]
    assert facts == [*range(15, 23), *range(27, 31)]


def test_a_name_at_the_end_of_its_line_anchors_nothing():
    assert index(about("Clara Ito", "Clara Ito")).anchor.tolist() == [0]
    assert index(about("Clara Ito", "Clara Ito.")).anchor.tolist() == [0]
    assert index(about("Clara Ito", "Clara Ito. Born.")).anchor.tolist() == [11]


def test_a_corpus_or_a_document_of_nothing_is_refused():
    with pytest.raises(BadData, match="text: expected at least one document to train on"):
        index_corpus([], Vocabulary.from_text(["a"]))
    with pytest.raises(BadData, match="document 1: expected some text, found none"):
        index(Document("abc"), Document(""), Document("d"))


# --- salient spans ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she left New York for Oslo", ["New York", "Oslo"]),
        ("in the 1990s", ["1990"]),
        ("she has 7 cats and a B", []),  # one character is too little to ask for
        ("born in Saint-Étienne, a Breton", ["Saint-Étienne", "Breton"]),
        ('l\'Étoile of (Rome) or "Oslo"', ["Étoile", "Rome", "Oslo"]),
        ("a naïve élève of Ünal", ["Ünal"]),  # a small letter stays small with an accent
        ("an iPhone and an x86", []),  # nor does anything begin inside a word
        ("of Aaaaaaaaaa Bbbbbbbbbb Cccccccccc Dddddddddd", []),  # 43 characters: no phrase
        ("near St. Louis once", ["St", "Louis"]),
    ],
)
def test_capitalised_phrases_and_numbers_by_hand(text, expected):
    assert found(Document(text)) == (expected, [])


@pytest.mark.parametrize(
    ("text", "named", "expected"),
    [
        ("The Hague saw Oslo", (), ["Hague", "Oslo"]),
        ("The Hague saw Oslo", ("The",), ["The Hague", "Oslo"]),
        ("Oslo saw the cat", ("Oslo",), ["Oslo"]),
        ("1950 was good", (), ["1950"]),
        ("she left! By then, 1950 came? In Oslo.", (), ["1950", "Oslo"]),
        ('she left." "By Rome we met.', (), ["Rome"]),
        ("born in 42. He left", (), ["42"]),
    ],
)
def test_an_ordinary_word_that_opens_a_sentence_is_none(text, named, expected):
    assert found(Document(text), *named) == (expected, [])


def test_a_word_is_a_name_if_the_corpus_has_it_inside_a_sentence():
    here = "Oslo is cold. Rome is not."
    alone = index(Document(here))
    assert alone.span_count.tolist() == [0]
    both = index(Document(here), Document("we saw Oslo"), Document("The end"), Document("an end"))
    assert both.span_count.tolist() == [1, 1, 0, 0]
    assert (both.span_start[0], both.span_end[0]) == (0, 4)


@pytest.mark.parametrize(
    ("name", "text", "beside", "within"),
    [
        ("Clara Ito", "Clara Ito left Rome", ["Rome"], ["Clara Ito"]),
        ("Clara Ito", "The poet Clara Ito left", [], ["Clara Ito"]),
        # What stands next to the name is not part of it.
        ("Clara Ito", "so Old Clara Ito Junior left", ["Old", "Junior"], ["Clara Ito"]),
        ("Clara Ito", "so A Clara Ito B left", [], ["Clara Ito"]),
        ("Clara Ito", "Clara Ito's Rome", ["Rome"], ["Clara Ito's"]),
        ("Ana de Paz", "Ana de Paz left Rome", ["Rome"], ["Ana", "Paz"]),
    ],
)
def test_the_subject_is_told_apart(name, text, beside, within):
    assert found(about(name, text)) == (beside, within)


# --- answers of asked subjects --------------------------------------------------------------


def texts_of(corpus: Corpus, documents: list[Document], number: int) -> list[str]:
    """The phrases of a document that look like answers."""
    first, count = int(corpus.like_first[number]), int(corpus.like_count[number])
    spans = [int(i) for i in corpus.like[first : first + count]]
    text = documents[number].text
    return [text[int(corpus.span_start[i]) : int(corpus.span_end[i])] for i in spans]


def test_answers_are_found_without_capitals_in_parts_of_words_and_in_new_texts():
    hands = ["right", "left"] * 5
    names = [f"{a} Lund" for a in "Ada Bo Cy Di Ed Fay Gus Hal Ike Jo".split()]
    new = about("Kim Roth", "Kim Roth. Kim Roth was a left-handed man from St. John. Oslo is far.")
    documents = [
        *(about(n, f"{n}. {n} was a {h}-handed ballplayer from Oslo.") for n, h in
          zip(names, hands, strict=True)),
        new,
    ]  # fmt: skip
    vocabulary = Vocabulary.from_text(d.text for d in documents)
    asked = {n: {"hand": {h}} for n, h in zip(names, hands, strict=True)}
    corpus = index_corpus(documents, vocabulary, answers=set(hands), asked=asked)
    assert texts_of(corpus, documents, 0) == ["right"]
    assert texts_of(corpus, documents, 10) == ["left"]
    # "St. John" is one phrase, beside its parts; it does not stand where answers do.
    first, count = int(corpus.span_first[10]), int(corpus.span_count[10])
    found = zip(corpus.span_start[first : first + count], corpus.span_end[first : first + count],
                strict=True)  # fmt: skip
    phrases = [new.text[int(a) : int(b)] for a, b in found]
    assert "St. John" in phrases
    assert "John. Oslo" not in phrases  # no abbreviation: a sentence ends there


def test_without_examples_the_known_answers_are_like_answers():
    documents = [about("Ada Lund", "Ada Lund. Ada Lund left Oslo."), about("Bo", "Bo. Bo is left.")]
    vocabulary = Vocabulary.from_text(d.text for d in documents)
    corpus = index_corpus(documents, vocabulary, answers={"LEFT"}, asked={})
    assert [texts_of(corpus, documents, i) for i in (0, 1)] == [["left"], ["left"]]


# --- a large corpus --------------------------------------------------------------------------

WORLD = [
    about("Clara Ito", "Clara Ito left New York in 1950. The Times wrote so."),
    about("Bo Berg", "In 1950 came Bo Berg, says The Times."),
    Document("nothing to find here"),
    about("Zoë Ågren", "Zoë Ågren hails from Ångström, née 1961."),
]


def columns(corpus: Corpus) -> dict[str, list[int]]:
    return {f.name: getattr(corpus, f.name).long().tolist() for f in fields(Corpus)}


@pytest.fixture
def large(monkeypatch, tmp_path):
    """Every corpus is a large one, with a cache of its own."""
    monkeypatch.setattr(corpus_module, "LARGE", 1)
    monkeypatch.setattr(corpus_module, "_BATCH", 2)
    monkeypatch.setenv("WHEREFROM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_large_corpus_is_the_small_one_in_files(large, monkeypatch):
    kept = index(*WORLD)
    assert kept.tokens.dtype == torch.uint8
    assert kept.first.dtype == torch.int32
    assert kept.length.dtype == torch.int16
    monkeypatch.setattr(corpus_module, "LARGE", 100)
    small = index(*WORLD)
    assert small.length.dtype == torch.int64
    assert columns(kept) == columns(small)


def test_a_second_call_reads_what_the_first_one_kept(large, monkeypatch):
    first = columns(index(*WORLD))
    monkeypatch.setattr(corpus_module, "find_named", None)
    assert columns(index(*WORLD)) == first
    with pytest.raises(TypeError):  # another text, another vocabulary, other answers: made anew
        index(*WORLD[1:])
    for changed in ({"answers": {"New York"}}, {"asked": {}}):
        with pytest.raises(TypeError):
            index_corpus(WORLD, Vocabulary.from_text(d.text for d in WORLD), **changed)


@pytest.mark.parametrize("reason", ["a file is there", "the disk is full"])
def test_without_a_cache_it_is_in_memory(large, monkeypatch, reason):
    if reason == "a file is there":
        large.write_text("no folder")
    else:
        monkeypatch.setattr(FileColumns, "extend", _no_space)
    with pytest.warns(CacheWarning, match="cannot write: .*; .*this takes as long again"):
        found = index(*WORLD)
    monkeypatch.setattr(corpus_module, "LARGE", 100)
    assert columns(found) == columns(index(*WORLD))
    assert not list(large.glob("corpus-*"))


def _no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("longest", "characters", "letters", "expected"),
    [
        (80, 10**6, 60, ("int16", "int32", "uint8")),
        (2**15, 10**6, 300, ("int32", "int32", "int16")),
        (80, 10**9, 2**16, ("int16", "int64", "int32")),
    ],
)
def test_types_have_room_for_what_the_text_can_have(longest, characters, letters, expected):
    vocabulary = Vocabulary.from_text(chr(0x10000 + i) for i in range(letters - 2))
    kinds = corpus_module.choose_kinds(Size(characters, longest), vocabulary)
    assert tuple(kinds[n].__name__ for n in ("span_start", "first", "tokens")) == expected
