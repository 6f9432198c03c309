"""Lines on standard error: one each, whatever is in them."""

import pytest

from wherefrom.show.terminal.messages import complain, note, printable


def test_a_note_is_one_line(capsys):
    note("a\nb \x1b[31m é")
    assert capsys.readouterr() == ("", "a\\nb \\x1b[31m é\n")


def test_a_complaint_says_who_complains_and_is_cut_in_its_middle(capsys):
    complain("x.txt:3: expected text")
    assert capsys.readouterr().err == "wherefrom: x.txt:3: expected text\n"
    complain(f"begin{'-' * 10_000}end")
    said = capsys.readouterr().err
    assert said.startswith("wherefrom: begin---")
    assert said.endswith("---end\n")
    assert " ... " in said
    assert len(said) < 700


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zoë 北京 ☃ 'x'", "Zoë 北京 ☃ 'x'"),
        ("a\tb\r\n\x00\x7f", "a\\tb\\r\\n\\x00\\x7f"),
        ("\x1b[2J\x9b31m", "\\x1b[2J\\x9b31m"),
        ("\u202eabc\u2066\u200b", "\\u202eabc\\u2066\\u200b"),
        ("\ud800", "\\ud800"),
    ],
)
def test_only_what_a_terminal_just_shows_is_printed(text, shown):
    assert printable(text) == shown
    assert shown.isprintable()
