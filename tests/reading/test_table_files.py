"""Lines and tables as a user may write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK, PAD
from wherefrom.reading.table_files import Row, read_lines, read_table

LINE = st.text(st.characters(exclude_characters=f"\n\r\0\t{MASK}{PAD}", exclude_categories=["Cs"]),
               min_size=1).filter(str.strip)  # fmt: skip


@given(lines=st.lists(LINE, min_size=1), end=st.sampled_from(["\n", "\r\n"]), last=st.booleans())
def test_lines_come_back_as_they_were_written(tmp_path_factory, lines, end, last):
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + (end.join(lines) + end * last).encode())
    assert read_lines(path) == lines


def test_rows_know_their_line(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("one\ttwo\nthree\tfour\n")
    assert read_table(path, 2) == [Row(1, ("one", "two")), Row(2, ("three", "four"))]
    with pytest.raises(BadData, match=r"a\.tsv:1: expected a question, found 2 columns; leave out"):
        read_table(path, 1)


def test_gaps_are_given_where_they_are_allowed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\n\n two\n \n")
    assert read_lines(path, gaps=True) == ["one", "", " two", " "]
    with pytest.raises(BadData, match=r"a\.txt:2: .* an empty line; remove it \(line 4: .*2 bad"):
        read_lines(path)


def test_the_first_five_bad_lines_and_a_count_are_one_message(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("question\tanswer\n" * 10 + "question\n" * 8)
    with pytest.raises(BadData) as error:
        read_table(path, 2)
    assert str(error.value) == (
        f"{path}:11: expected 'question<TAB>answer', found 1 column; put one tab "
        "between question and answer, and none elsewhere (line 12: 1 column, line 13: 1 column, "
        "line 14: 1 column, line 15: 1 column; 8 bad lines in all)"
    )
