"""`wherefrom examples`: right answers beside wrong ones, on the screen and as JSON."""

from pathlib import Path

ROWS = [("Ada Lund", "Oslo", "Oslo"), ("Bo Falk", "Rome", "Lima"), ("Cy Roth", "Bonn", "Bonn")]


def write(folder: Path) -> tuple[Path, Path]:
    questions, said = folder / "questions.tsv", folder / "vanilla.dev.predictions"
    questions.write_text("".join(f"Where was {n} born?\t{gold}\n" for n, gold, _ in ROWS))
    said.write_text("".join(f"{place}\n" for _, _, place in ROWS))
    return questions, said


def test_a_file_on_the_screen_and_as_json(cli, tmp_path):
    questions, said = write(tmp_path)
    result = cli("examples", said, "--questions", questions)
    assert result.code == 0
    assert result.out.startswith(f"{said}: 2 of 3 right (66.7 %)\n\nright, 2 drawn by seed 0\n")
    assert result.out.endswith("  Where was Bo Falk born?\n    Lima; it is Rome\n")
    assert "has no wiki.txt" in result.err
    assert cli("examples", said, "--questions", questions, "--json").json["right_questions"] == 2
