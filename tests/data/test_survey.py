"""What is counted in a user's own files before anything is trained."""

import pytest

from tests.support.own_text import ALL_ASKED, CORPUS, QUESTIONS
from wherefrom.core.bounds import LONGEST_QUESTION
from wherefrom.data.facts import FactsConfig, load, survey
from wherefrom.data.own_files import check_files


def test_the_survey_counts_what_there_is_and_what_could_not_be_matched(files):
    found = survey(FactsConfig(**files, **ALL_ASKED))
    assert (found.documents, found.longest) == (4, 42)
    assert found.characters == sum(len(line) for line in CORPUS.split("\n"))
    assert found.splits == {"asked": 9}
    assert found.forms == {"Where was X born?": 6, "What did X do for a living?": 3}
    few = "for the 10 % bound; too few: answers will be unverified unless such relations, about "
    few += "different subjects, have enough together"
    assert found.lines() == [
        "text: 4 lines, 122 characters, the longest line has 42",
        "questions: 9 asked",
        "form: Where was X born? (6)",
        "form: What did X do for a living? (3)",
        f"calibration: {', '.join(found.forms)}: 0 questions each, at least 22 needed {few}",
        "calibration: it takes at least 22 answers if all are right, 38 with one wrong, 52 with "
        "two; for more questions: --set data.calibration_share=0.4, or --calibration FILE",
        "empty lines of the text left out: 1",
        "questions left out, of a form of their own: 1 (How tall is Ada Lund?)",
        "questions about what no line names: 1 (Di Holm)",
        "answers that are not in their subject's lines: 4 (Paris, Rome, baker, singer)",
        "lines that no question is about: 1",
        "questions that are there twice: 1",
        "questions with several answers: 1",
    ]


def test_answers_that_no_model_will_write_are_counted(files, tmp_path):
    """32 characters with the closing mask, or the longest asked answer; and what the block has."""
    (tmp_path / "h.tsv").write_text(f"Where was Eve Ny born?\t{'a' * 31}\n"
                                    f"Where was Flo Ny born?\t{'a' * 32}\n"
                                    f"Where was Gil Ny born?\t{'a' * 41}\n")  # fmt: skip
    config = FactsConfig(**files, held_out=str(tmp_path / "h.tsv"), calibration_share=0.0)
    assert load(config, 0).answer_room == 32
    assert survey(config).remarks["answers_too_long"] == 2
    assert "answers too long to be given: 2" in survey(config).lines()
    rows = QUESTIONS + f"Where was Hal Ny born?\t{'a' * 40}\n"
    (tmp_path / "q.tsv").write_text(rows)
    assert load(config, 0).answer_room == 41
    assert survey(config).remarks["answers_too_long"] == 1
    # A question of 22 characters and its mask leave 42 of 64 for 40 and a mask, 41 of 63.
    assert survey(config, 63).remarks["answers_too_long"] == 1
    assert survey(config, 62).remarks["answers_too_long"] == 2


def test_the_survey_names_five_and_cuts_what_is_long(files, tmp_path):
    rows = "".join(f"Where was {c}{c * 200} born?\tOslo\n" for c in "ABCDEFG")
    (tmp_path / "q.tsv").write_text(QUESTIONS + rows)
    found = survey(FactsConfig(**files, **ALL_ASKED))
    assert found.remarks["without_line"] == 8
    assert found.first["without_line"] == ("Di Holm", *(c * 80 + "..." for c in "ABCD"))
    assert found.lines()[-5].endswith("DDD..., ...)")


def test_questions_that_no_row_has_room_for_are_left_out_and_named(files, tmp_path):
    question, answer = "Where was Ann Ek born?", "Oslo"
    most = "n" * (LONGEST_QUESTION - len(question) - len(answer))
    rows = [f"Where was Ann{more} Ek born?\t{answer}\n" for more in (most, f"{most}n", "n" * 10**5)]
    (tmp_path / "q.tsv").write_text(QUESTIONS + "".join(rows))
    found = survey(FactsConfig(**files, **ALL_ASKED))
    line = QUESTIONS.count("\n") + 2
    assert found.first["too_long"] == (f"q.tsv:{line}", f"q.tsv:{line + 1}")
    told = f"questions left out, of over 500 characters with their answers: 2 (q.tsv:{line}, "
    assert f"{told}q.tsv:{line + 1})" in found.lines()
    assert found.splits == {"asked": 10}
    counts = check_files(tmp_path / "q.tsv").counts
    assert counts["questions of over 500 characters, which a run leaves out"] == 2
    (tmp_path / "t.csv").write_text(
        "name,town\n" + "".join(f"Person {c}n,Rome\n" for c in "ABCD") + "Ab" * 500 + ",Oslo\n"
    )
    table = survey(FactsConfig(corpus=str(tmp_path / "t.csv"), **ALL_ASKED))
    assert table.first["too_long"] == ("Ab" * 40 + "...",)


# What a document is: each file of a folder has these lines, and this is to be said of them. A
# paragraph has a line with the name, and one with the place.
PEOPLE = [(f"Ann {chr(65 + i // 26)}{chr(97 + i % 26)}lund", f"Town{i}") for i in range(60)]
BROKEN = [f"{name} is a poet.\nHer town of birth is {town}." for name, town in PEOPLE]
WHOLE = [text.replace("\n", " ") for text in BROKEN]
PARAGRAPHS = "in paragraphs: 60; add --documents paragraphs"
LINES = "in lines: 60; leave --documents out"
JOIN = "in lines: 60; make one file of its files, and give that as --corpus"


@pytest.mark.parametrize(("files", "documents", "now", "better"), [
    (["\n\n".join(BROKEN)], "lines", "lines 0", PARAGRAPHS),
    (["\n\n".join(BROKEN)], "paragraphs", "", ""),
    (["\n".join(WHOLE)], "lines", "", ""),
    (["\n".join(WHOLE)], "paragraphs", "paragraphs 0", LINES),
    ([*WHOLE[:20], "\n\n".join(BROKEN[20:])], "lines", "files 20", PARAGRAPHS),
    ([*WHOLE[:20], "\n".join(WHOLE[20:])], "lines", "files 20", JOIN),
    (BROKEN, "lines", "", ""),
    (["\n\n".join(BROKEN[:5]), *BROKEN[5:]], "lines", "", ""),  # few share a document
])  # fmt: skip
def test_another_reading_is_told_where_it_finds_clearly_more(
    tmp_path, files, documents, now, better
):
    (tmp_path / "text").mkdir()
    for number, text in enumerate(files):
        (tmp_path / "text" / f"{number}.txt").write_text(f"{text}\n")
    corpus = tmp_path / "text" if len(files) > 1 else tmp_path / "text" / "0.txt"
    rows = "".join(f"Where was {name} born?\t{town}\n" for name, town in PEOPLE)
    (tmp_path / "q.tsv").write_text(rows)
    found = check_files(corpus, tmp_path / "q.tsv", documents=documents)
    documents, _, count = now.partition(" ")
    told = f"answers in {documents} about their subject and few others: {count} of 60; {better}"
    assert found.advice == (told if better else "")
    assert not better or found.lines()[-1] == told
