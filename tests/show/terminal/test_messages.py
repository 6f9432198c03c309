"""Lines on standard error: one each, whatever is in them."""

from wherefrom.show.terminal.messages import complain, note


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
