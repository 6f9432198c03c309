"""`wherefrom examples`: right answers beside wrong ones, on the screen and as JSON."""

from pathlib import Path

ROWS = [("Ada Lund", "Oslo", "Oslo"), ("Bo Falk", "Rome", "Lima"), ("Cy Roth", "Bonn", "Bonn")]


def write(folder: Path) -> tuple[Path, Path]:
    questions, said = folder / "questions.tsv", folder / "vanilla.dev.predictions"
    questions.write_text("".join(f"Where was {n} born?\t{gold}\n" for n, gold, _ in ROWS))
    said.write_text("".join(f"{place}\n" for _, _, place in ROWS))
    return questions, said


def test_a_file_on_the_screen(cli, tmp_path):
    questions, said = write(tmp_path)
    result = cli("examples", said, "--questions", questions)
    assert result.code == 0
    assert result.out.splitlines() == [
        f"{said}: 2 of 3 right (66.7 %)",
        "",
        "right, 2 drawn by seed 0",
        "  Where was Ada Lund born?",
        "    Oslo",
        "  Where was Cy Roth born?",
        "    Bonn",
        "",
        "wrong, 1 drawn by seed 0",
        "  Where was Bo Falk born?",
        "    Lima; it is Rome",
    ]
    assert "has no wiki.txt" in result.err


def test_json(cli, tmp_path):
    questions, said = write(tmp_path)
    found = cli("examples", said, "--questions", questions, "--number", 1, "--json").json
    assert (found["questions"], found["right_questions"]) == (3, 2)
    (wrong,) = found["wrong"]
    assert (wrong["answer"], wrong["prediction"], wrong["right"]) == ("Rome", "Lima", False)


def test_a_run_on_the_screen(cli, tiny_run):
    result = cli("examples", tiny_run, "--number", 2)
    assert (result.code, result.err) == (0, "")
    assert "\nwrong, 2 drawn by seed 0\n" in result.out
    assert result.out.count("    evidence: ") >= 2
    assert "; it is " in result.out


def test_what_cannot_be_is_one_line(cli, tiny_run, tmp_path):
    assert cli("examples", tmp_path / "absent").code == 66
    assert cli("examples", tiny_run, "--number", 0).code == 2
    result = cli("examples", tiny_run, "--task", "nothing")
    assert (result.code, "--task: no task 'nothing'" in result.complaint) == (2, True)
