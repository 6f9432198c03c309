"""Encodings that are not UTF-8, guessed from texts whose encoding is known."""

import pytest

from wherefrom.core.encodings import explain_bytes, guess_encoding
from wherefrom.core.errors import BadData
from wherefrom.core.files import read_text

TEXT = "Zoë was born in Málaga. Åse came from Ålesund.\n" * 5


@pytest.mark.parametrize(
    ("encoding", "name", "converts"),
    [
        ("latin-1", "Latin-1", "ISO-8859-1"),
        ("cp1252", "Latin-1", "ISO-8859-1"),  # the same bytes
        ("utf-16", "UTF-16", "UTF-16"),
        ("utf-16-le", "UTF-16", "UTF-16LE"),
        ("utf-32", "UTF-32", "UTF-32"),
    ],
)
def test_the_encoding_of_a_text_is_found(encoding, name, converts):
    data = TEXT.encode(encoding)
    assert guess_encoding(data) == (name, converts)
    assert data.decode(converts) == TEXT


def test_the_marks_of_a_word_processor_are_windows():
    data = "“Zoë was born” – at last…".encode("cp1252")
    assert guess_encoding(data) == ("Windows-1252", "WINDOWS-1252")


@pytest.mark.parametrize("data", [b"", "王小明出生于北京".encode("gb18030"), bytes(range(256))])
def test_nothing_is_guessed_of_other_bytes(data):
    assert guess_encoding(data) is None


def test_an_error_names_the_line_the_encoding_and_the_command(tmp_path):
    path = tmp_path / "my text.txt"
    path.write_bytes("plain\nMálaga\n".encode("latin-1"))
    with pytest.raises(BadData) as caught:
        read_text(path)
    assert str(caught.value) == (
        f"{path}:2: expected UTF-8 text, found bytes that seem to be Latin-1; convert it: "
        f"iconv -f ISO-8859-1 -t UTF-8 '{path}' > new-file"
    )
    assert explain_bytes("x", bytes(range(128, 256)), 0).startswith(
        "other bytes; convert it: iconv"
    )
