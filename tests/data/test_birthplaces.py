"""The course's data: a small folder known by hand, bad files, and the counts of the real one."""

from collections import Counter
from dataclasses import replace

import pytest

from wherefrom.core.contracts import Fact, Question, Span
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.data.birthplaces import BirthplacesConfig, inspect, load, read_files

pytestmark = pytest.mark.usefixtures("home")


def read(folder, **options):
    return load(BirthplacesConfig(str(folder), **options), 0)


def people(questions, split):
    return {q.subject for q in questions if q.split == split}


def rewrite(path, old, new):
    path.write_bytes(path.read_bytes().replace(old, new))


# --- the small folder ------------------------------------------------------------------------


def test_questions_by_hand(folder):
    def asks(name, answer, split, support):
        return Question(f"Where was {name} born?", name, "birthplace", answer, split, support)

    assert read(folder).questions == (
        asks("Ada P. Lund", "Oslo", "asked", "stated"),
        asks("Bo Falk", "Paris", "asked", "stated"),
        asks("Zo%C3%AB Roth", "Malmö", "asked", "omitted"),
        asks("Cy Holm", "Rome", "asked", "stated"),
        asks("Cy Holm", "Italy", "asked", "omitted"),
        asks("Di Ek", "Lima", "held-out", "stated"),
        asks("Em Ny", "Oslo", "held-out", "none"),
        asks("Bo Falk", None, "unanswered", "unknown"),
        asks("Ada P. Lund", None, "unanswered", "unknown"),
    )


def test_documents_and_facts_by_hand(folder):
    data = read(folder)
    assert len(data.documents) == 6
    assert [d.subject.of(d.text) for d in data.documents if d.subject] == [
        "Ada P. Lund", "Bo Falk", "Zo%C3%AB Roth", "Cy Holm", "Cy Holm", "Di Ek",
    ]  # fmt: skip
    assert [(f.subject, f.value, f.document) for f in data.facts] == [
        ("Ada P. Lund", "Oslo", 0),
        ("Bo Falk", "Paris", 1),
        ("Cy Holm", "Rome", 3),
        ("Cy Holm", "Rome", 4),
        ("Di Ek", "Lima", 5),
    ]
    start = data.documents[1].text.index("Paris,")  # a whole word, not the head of Parisville
    assert data.facts[1] == Fact("Bo Falk", "birthplace", "Paris", 1, Span(start, start + 5))


def test_questions_are_matched_in_either_spelling(folder):
    rewrite(folder / "birth_places_train.tsv", b"Zo%C3%AB", "Zoë".encode())
    question = next(q for q in read(folder).questions if q.subject == "Zoë Roth")
    assert question.support == "omitted"


def test_the_alphabet_has_the_newline_and_what_only_questions_have(folder):
    data = read(folder)
    assert data.alphabet == "\n?IMNWö"  # of "born?", "Italy", "Malmö", "Ny" and "Where"
    vocabulary = Vocabulary.from_text([*(d.text for d in data.documents), data.alphabet])
    for question in data.questions:
        vocabulary.encode(question.text + (question.answer or ""))


def test_the_course_loses_letters_where_it_trains_and_nowhere_else(folder):
    rewrite(folder / "birth_places_train.tsv", b"Zo%C3%AB", "Zoë".encode())
    rewrite(folder / "birth_dev.tsv", b"Lima", "Limá".encode())
    whole, lost = read(folder), read(folder, letters="ascii")
    changed = [(a, b) for a, b in zip(whole.questions, lost.questions, strict=True) if a != b]
    ((before, after),) = changed
    assert (before.text, before.answer) == ("Where was Zoë Roth born?", "Malmö")
    assert after == replace(before, text="Where was Zo Roth born?", answer="Malm")
    assert whole.facts == lost.facts


def test_only_test_inputs_may_be_absent(folder):
    (folder / "birth_test_inputs.tsv").unlink()
    assert {q.split for q in read(folder).questions} == {"asked", "held-out"}
    (folder / "birth_dev.tsv").unlink()
    with pytest.raises(MissingInput, match=r"birth_dev\.tsv: expected a file"):
        read(folder)


# --- calibration -----------------------------------------------------------------------------


def test_calibration_people_are_chosen_by_hash_and_whole(folder):
    for count in range(4):
        questions = read(folder, calibration=count).questions
        assert not people(questions, "asked") & people(questions, "calibration")
        assert sum(q.split == "calibration" for q in questions) == count
    assert load(BirthplacesConfig(str(folder), 2), 0) == load(BirthplacesConfig(str(folder), 2), 9)
    with pytest.raises(UsageError, match=r"data\.calibration: expected fewer than the 5 questions"):
        read(folder, calibration=5)


def test_calibration_does_not_depend_on_the_order_of_the_lines(folder):
    def chosen():
        return people(read(folder, calibration=2).questions, "calibration")

    before = chosen()
    file = folder / "birth_places_train.tsv"
    file.write_bytes(b"".join(reversed(file.read_bytes().splitlines(keepends=True))))
    assert chosen() == before


# --- what is wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("birth_dev.tsv", b"\tOslo", b"\t ", r"tsv:2: expected .*, found an empty answer"),
        ("birth_test_inputs.tsv", b"?", b"?\tOslo", r":1: expected a question, found 2 columns"),
        ("birth_dev.tsv", b"Em Ny ", b"", r"tsv:2: expected a question about a person, like 'Where "
         r"was \.\.\. born\?', found 'Where was born\?'"),
        ("birth_dev.tsv", b"Where was Em", b"Who is Em", r"tsv:2: .*found 'Who is Em Ny born\?'"),
        ("wiki.txt", b" baker", b"\0baker", r"wiki\.txt:3: expected text, found a NUL byte"),
        ("wiki.txt", b"baker .\n", b"baker .\n\n", r"wiki\.txt:4: .*found an empty line; remove"),
    ],
)  # fmt: skip
def test_bad_files_are_named_by_line(folder, file, old, new, message):
    rewrite(folder / file, old, new)
    with pytest.raises(BadData, match=message) as error:
        read(folder)
    assert "\n" not in str(error.value)


def test_without_a_folder_the_way_to_register_one_is_told(tmp_path):
    with pytest.raises(MissingInput, match=r"wherefrom data add birthplaces FOLDER.*--data"):
        load(BirthplacesConfig(), 0)
    with pytest.raises(MissingInput, match=r"none: expected a folder with wiki\.txt"):
        read(tmp_path / "none")
    with pytest.raises(MissingInput, match=r"wiki\.txt: expected a file"):
        read(tmp_path)


# --- the real files --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(real):
    return load(BirthplacesConfig(str(real), calibration=400), 0)


def test_the_course_has_these_splits(course):
    counts = Counter((q.split, q.support) for q in course.questions)
    assert counts["held-out", "stated"] == 479
    assert counts["held-out", "omitted"] == 21
    assert counts["unanswered", "unknown"] == 437
    assert sum(n for (split, _), n in counts.items() if split == "calibration") == 400
    assert sum(n for (split, _), n in counts.items() if split == "asked") == 1600
    assert not people(course.questions, "asked") & people(course.questions, "calibration")


def test_every_name_of_the_course_is_found(real):
    """The questions stand in the order of the lines: train, dev, test. No line is mistaken."""
    files = read_files(real)
    asked = [files.subject(row.cells[0]) for rows in files.tables.values() for row in rows]
    found = [d.subject.of(d.text) if d.subject else None for d in files.documents]
    assert len(found) == len(asked) == 2937
    assert sum(a != b for a, b in zip(found, asked, strict=True)) == 0
    assert sum(". " in name for name in asked[2000:2500]) == 26


# --- what is in a folder ---------------------------------------------------------------------


def test_the_small_folder_is_counted(folder):
    report = inspect(str(folder))
    assert (report.name, report.state, report.folder) == ("birthplaces", None, str(folder))
    found = report.survey
    assert (found.documents, found.longest) == (6, 64)
    assert found.splits == {"asked": 5, "held-out": 2, "unanswered": 2}
    assert found.remarks["conflicts"] == 1  # Cy Holm: Rome, Italy
    assert found.first["without_line"] == ("Em Ny",)
    assert found.first["answers_not_in_text"] == ("Malmö", "Italy")
    assert not any(line.startswith("calibration") for line in found.lines())
    assert report.known == dict.fromkeys(report.files, "")
