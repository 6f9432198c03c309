"""Documents from lines, paragraphs, files and JSON lines, known by hand."""

import gzip

import pytest

from wherefrom.core.errors import BadData, MissingInput
from wherefrom.reading.texts import Texts, add_titles, read_texts


def test_lines(write):
    path = write("\ufeffone\r\n\n two \u2028more\n \nthree")
    assert read_texts(path) == Texts(["one", "two more", "three"], [], 2)


def test_an_accent_and_its_letter_are_one_character(write):
    assert read_texts(write("Jose\u0301")) == Texts(["José"], [], 0)


def test_paragraphs_are_parted_by_blank_lines(write):
    path = write("\n\nOne goes\n  on. \r\n \t\nTwo.\n\n\n\nThree\nand\nmore.\n")
    found = read_texts(path, "paragraphs")
    assert found == Texts(["One goes on.", "Two.", "Three and more."], [], 0)


def test_files_are_named_by_their_path(write, tmp_path):
    write("B  has\n\ntwo parts.\n", "texts/b.txt")
    write("A.\n", "texts/a.TXT")
    write("", "texts/empty.txt")
    write("no text", "texts/c.py")
    write("junk", "texts/.hidden.txt")
    (tmp_path / "texts" / "sub").mkdir()
    write(gzip.compress(b"Deep.\n"), "texts/sub/d.txt.gz")
    files = read_texts(tmp_path / "texts", "files")
    assert files == Texts(
        ["A.", "B has two parts.", "Deep."], ["a.TXT", "b.txt", "sub/d.txt.gz"], 1
    )
    parts = read_texts(tmp_path / "texts", "paragraphs")
    assert parts.texts == ["A.", "B has", "two parts.", "Deep."]
    assert parts.ids == ["a.TXT", "b.txt", "b.txt", "sub/d.txt.gz"]


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (
            {"Ada Lund", "Bo Ek"},
            ["Ada Lund. She is from Oslo.", "I met bo ek in Rome.", "o-neill. Ha"],
        ),
        ({"Ada Lund", "Cy", "Di"}, ["She is from Oslo.", "I met bo ek in Rome.", "Ha"]),
    ],
)
def test_a_files_name_is_its_title_where_subjects_are_asked_about_by_it(asked, wanted):
    ids = ["notes/Ada Lund.txt", "bo_ek.md", "o-neill.tar.html"]
    texts = Texts(["She is from Oslo.", "I met bo ek in Rome.", "Ha"], ids, 0)
    assert add_titles(texts, asked).texts == wanted


def test_json_lines_have_ids_or_none(write):
    path = write('{"id": 7, "text": "One\\n goes on", "more": [1]}\n\n{"text": "Two \\u00e9"}\n'
                 '{"id": "c", "text": " "}\n', "a.jsonl")  # fmt: skip
    assert read_texts(path) == Texts(["One goes on", "Two é"], ["7", ""], 1)
    assert read_texts(write('{"text": "a"}', "b.ndjson")).ids == []
    packed = write(gzip.compress(b'{"id": "x", "text": "a"}\n'), "c.jsonl.gz")
    assert read_texts(packed) == Texts(["a"], ["x"], 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"text": "a"}\n{"text": \n{"a"}\n',
            r"a\.jsonl:2: .* found no JSON; .*2 bad lines in all",
        ),
        ('["a"]\n', r"a\.jsonl:1: expected a JSON object such as .* found a list"),
        ('{"text": "a"}\n\n{"txt": "a"}\n', r"a\.jsonl:3: .* found no 'text'"),
        ('{"text": 5.0}\n{"text": ["a"]}', r"a\.jsonl:2: .* found a 'text' that is not text"),
        ('{"text": "a", "id": {}}', r"a\.jsonl:1: .* an 'id' that is neither"),
        ('{"text": "half \\ud800"}', r"a\.jsonl:1: .* found no JSON"),
        ('{"text": ""}', r"a\.jsonl: expected rows with a text"),
    ],
)
def test_bad_rows_are_named_by_line(write, content, message):
    with pytest.raises(BadData, match=message):
        read_texts(write(content, "a.jsonl"))


def test_a_folder_and_a_file_are_told_apart(write, tmp_path):
    path = write("a")
    with pytest.raises(BadData, match=r"expected a folder of text files.* found a file"):
        read_texts(path, "files")
    with pytest.raises(MissingInput):
        read_texts(tmp_path / "none.txt")
    (tmp_path / "bare").mkdir()
    with pytest.raises(BadData, match=r"a folder of \.txt, \.md, .*\.htm files, found none in it"):
        read_texts(tmp_path / "bare")
    write(" \n\n", "bare/a.txt")
    with pytest.raises(BadData, match="found 1 empty files"):
        read_texts(tmp_path / "bare", "files")


def test_a_folder_of_notes_and_pages_needs_no_layout(write, tmp_path):
    write("# Ada Lund\n\nShe was *born* in Oslo.\n", "notes/ada.md")
    write("<h1>Bo Falk</h1><p>He lived in Rome.<p>Twice.", "notes/bo.html")
    write("Cy Roth sang.\n", "notes/cy.txt")
    found = read_texts(tmp_path / "notes")
    assert found.texts == [
        "Ada Lund. She was born in Oslo.",
        "Bo Falk. He lived in Rome. Twice.",
        "Cy Roth sang.",
    ]
    assert found.ids == ["ada.md", "bo.html", "cy.txt"]


@pytest.mark.parametrize(
    ("content", "joined"),
    [
        ("Ada Lund\nA baker who was born in Oslo.", "Ada Lund. A baker who was born in Oslo."),
        ("Born: Oslo\nDied: Rome\nWas once a: baker", "Born: Oslo. Died: Rome. Was once a: baker"),
        # No break was meant where the next word would not have fitted, or goes on.
        ("She was born in old\nOslo, which is far.", "She was born in old Oslo, which is far."),
        ("Ada Lund\nis a baker who was born in Oslo.", "Ada Lund is a baker who was born in Oslo."),
        ("In 1900:\nAda Lund was born in Oslo.", "In 1900: Ada Lund was born in Oslo."),
    ],
)  # fmt: skip
def test_a_break_that_was_meant_ends_a_sentence(write, content, joined):
    assert read_texts(write(content), "paragraphs").texts == [joined]
