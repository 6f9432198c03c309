"""The index: documents by subject and by words, whatever names are made of."""

import sqlite3
import unicodedata

import pytest

from wherefrom.core.artifact import publish_folder
from wherefrom.core.contracts import Document, Passage, Span
from wherefrom.core.errors import CannotWrite, Damaged, Mismatch, MissingInput
from wherefrom.reading import index as module
from wherefrom.reading.index import Index, fold

DIGEST = "0123456789abcdef" * 4


def about(name: str, rest: str = "was here.") -> Document:
    return Document(f"{name}. {rest}", Span(0, len(name)))


@pytest.fixture
def build(tmp_path):
    opened = []

    def build(*documents: Document, question_subjects=()) -> Index:
        path = tmp_path / "index"
        opened.append(Index.build(path, documents, DIGEST, question_subjects))
        return opened[-1]

    yield build
    for index in opened:
        index.close()


def test_passages_are_parts_of_documents_or_whole_ones(tmp_path):
    text = "Ada ran. Bo sat. Ada won."
    documents = [Document(text, Span(0, 3)), about("Ada Lund"), about("Bo")]
    passages = [Passage(0, "Ada", 0, 9), Passage(0, "Bo", 9, 17), Passage(0, "Ada", 17, 25)]
    index = Index.build(tmp_path / "index", documents, DIGEST, ["Ada", "Bo"], passages)
    assert index.passages("ADA") == (Passage(0, "ADA", 0, 9), Passage(0, "ADA", 17, 25))
    assert (index.about("Ada"), index.about("Bo")) == ((0,), (0,))
    assert index.passages("Ada Lund") == (Passage(1, "Ada Lund", 0, 19),), "nobody divided it"
    assert index.passages("Cy") == index.passages("") == ()
    index.close()


# --- by subject ------------------------------------------------------------------------------


def test_documents_come_back_as_they_were(build):
    documents = [about("Ada Lund"), Document("No one is named."), Document("")]
    index = build(*documents)
    assert [index.document(i) for i in range(len(index))] == documents
    with pytest.raises(IndexError):
        index.document(3)


@pytest.mark.parametrize(
    "asked", ["José Ñandú", "jose\u0301 n\u0303andu\u0301", "JOSÉ  ÑANDÚ", "Jos%C3%A9%20Ñandú"]
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_spellings_of_one_name_are_one(build, asked, form):
    index = build(about(unicodedata.normalize(form, "José Ñandú")), about("Jose Nandu"))
    assert index.about(asked) == (0,)
    assert fold(asked) == fold("José Ñandú")


HOSTILE = [
    '"', "'", "*", '"*"', "a OR b", "NOT x", "Ann NEAR(Lee)", "(", "x) OR (1", "--", "%", "_", "+",
    "'; DROP TABLE document", "subject:x", "^a", "\\", "\x00", "a\x00b", "\ud800",
    "\U0001f600 Jo", "{x y}",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_never_part_of_a_query(build, name):
    index = build(about("Ada Lund"), about("Bo Falk", f"met {fold(name)} there."))
    assert index.about(f"{name} Nobody") == ()
    assert index.about("Ada Lund") == (0,), "the tables are still there"


# --- by words --------------------------------------------------------------------------------


def test_without_a_document_of_its_own_a_name_is_looked_for_in_the_others(build):
    documents = [
        about("Mary Ann Lee", "Mary Ann Lee was born in Oslo."),
        about("Bo Falk", "He met Ann Lee."),
        about("Cy Roth", "Joann Lee, Ann Leeds and Ann-Lee are others."),
        Document("ANN LEE, at last"),
    ]
    index = build(*documents)
    assert index.about("Ann Lee") == index.about("Ann") == (3,), "the others are about others"
    index = build(*documents, question_subjects=("Ann  Lee", "ANN"))
    assert index.about("Ann Lee") == (1, 3)
    assert index.about("Ann") == (1, 2, 3)
    assert index.about("Dan Lee") == ()
    assert index.about("") == index.about("  ") == ()


@pytest.mark.parametrize("name", ["Jo", "X", "Bo", "Eve", "王五"])
def test_short_names_are_found_as_words(build, name):
    index = build(
        Document(f"{name} came"),
        Document(f"with ({name}), who"),
        Document(f"and {name}"),
        Document("Joseph Boxer was never Evelyn"),
    )
    wanted = (0, 2) if len(name) == 1 else (0, 1, 2)  # one letter: behind a space
    assert index.about(name) == wanted


def test_trigrams_alone_do_not_make_a_name(build):
    """'abcdef' needs 'abc' and 'def', which both stand here, but apart."""
    index = build(Document("Di: abc def"), Document("Di: abcdef"))
    assert index.about("abcdef") == (1,)


def test_what_everyone_says_is_hardly_a_name(build, monkeypatch):
    monkeypatch.setattr(module, "MAX_FOUND", 4)
    lines = [about("Di Holm", "the end of Al")] * 9
    index = build(*lines, question_subjects=["Al"])
    assert index.about("Al") == (0, 1, 2, 3)
    assert len(index.about("Di Holm")) == 9


# --- the file --------------------------------------------------------------------------------


def test_another_corpus_is_refused(build, tmp_path):
    build(about("Ada Lund"))
    Index.open(tmp_path / "index", DIGEST).close()
    with pytest.raises(Mismatch, match=r"index: expected .* fedc, found 0123456789ab; del"):
        Index.open(tmp_path / "index", "fedc")


def test_what_is_no_index_is_refused(build, tmp_path):
    path = tmp_path / "index"
    with pytest.raises(MissingInput, match="expected a folder, found none"):
        Index.open(path, DIGEST)
    for contents in (b"", b"not a database, but long enough to be read as one" * 20):
        with publish_folder(path, {"text": DIGEST, "format": module.FORMAT}) as folder:
            (folder / module.FILE).write_bytes(contents)
        with pytest.raises(Damaged, match="delete it, and it is built again"):
            Index.open(path, DIGEST)
    build(about("Ada Lund")).close()
    (path / module.FILE).write_bytes((path / module.FILE).read_bytes()[:-1] + b"x")
    with pytest.raises(Damaged, match=r"text\.sqlite: expected SHA-256"):
        Index.open(path, DIGEST)


def test_a_build_that_fails_leaves_the_old_index_and_nothing_else(build, tmp_path, monkeypatch):
    build(about("Ada Lund"))

    def full(*_) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(module, "_fill", full)
    with pytest.raises(CannotWrite, match="database or disk is full"):
        build(about("Bo Falk"))
    assert [p.name for p in tmp_path.iterdir()] == ["index"]
    assert Index.open(tmp_path / "index", DIGEST).about("Ada Lund") == (0,)


def test_a_folder_may_have_any_name(tmp_path):
    path = tmp_path / "a?b#c %20" / "index"
    assert Index.build(path, [about("Ada Lund")], DIGEST).about("Ada Lund") == (0,)
