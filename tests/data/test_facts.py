"""A user's own files: what is found in them by hand, how they are split, what is reported."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.own_text import ALL_ASKED
from wherefrom.answering.question_parser import QuestionParser
from wherefrom.core.contracts import Passage, Span
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.data.facts import FactsConfig, choose_split, load, survey
from wherefrom.data.own_files import check_files


def name_people(tmp_path, count):
    """People with a line each."""
    names = [f"Person {chr(65 + i % 26)}{i}" for i in range(count)]
    (tmp_path / "c.txt").write_text("".join(f"{n} was born in Rome.\n" for n in names))
    return names


def many(tmp_path, count=400):
    """People with two questions each."""
    names = name_people(tmp_path, count)
    rows = [f"Where was {n} born?\tRome\nWho is {n}?\tnobody\n" for n in names]
    (tmp_path / "q.tsv").write_text("".join(rows))
    return {"corpus": str(tmp_path / "c.txt"), "questions": str(tmp_path / "q.tsv")}


def test_questions_documents_and_facts_by_hand(files):
    data = load(FactsConfig(**files, **ALL_ASKED), 0)
    born, trade = "Where was X born?", "What did X do for a living?"
    assert [(q.subject, q.relation, q.answer, q.support) for q in data.questions] == [
        ("Ada Lund", born, "Oslo", "stated"),
        ("Bo Falk", born, "Paris", "omitted"),
        ("Cy Roth", born, "Rome", "omitted"),
        ("Di Holm", born, "Lima", "none"),
        ("Ada Lund", trade, "baker", "omitted"),
        ("Bo Falk", trade, "poet", "stated"),
        ("Cy Roth", trade, "singer", "omitted"),
        ("Ada Lund", born, "Oslo", "stated"),
        ("Bo Falk", born, "Rome", "stated"),
    ]
    assert {q.split for q in data.questions} == {"asked"}
    assert [d.subject for d in data.documents] == [Span(0, 8), Span(14, 21), Span(0, 7), None]
    assert [(f.subject, f.relation, f.value, f.document, f.value_span) for f in data.facts] == [
        ("Ada Lund", born, "Oslo", 0, Span(21, 25)),
        ("Bo Falk", trade, "poet", 1, Span(25, 29)),
        ("Bo Falk", born, "Rome", 1, Span(3, 7)),
    ]
    assert set("?W") <= set(data.alphabet)
    assert data.passages == (
        Passage(0, "Ada Lund", 0, 42),
        Passage(1, "Bo Falk", 0, 30),
        Passage(2, "Cy Roth", 0, 27),
    )


def test_a_subject_is_in_one_split_whatever_is_asked(tmp_path):
    config = FactsConfig(**many(tmp_path), calibration_share=0.25, held_out_share=0.25)
    data = load(config, 0)
    assert data == load(config, 7)
    splits: dict[str, set[str]] = {}
    for question in data.questions:
        splits.setdefault(question.subject, set()).add(question.split)
    assert all(len(found) == 1 for found in splits.values())
    counts = Counter(q.split for q in data.questions)
    assert counts.total() == 800
    assert all(abs(counts[s] - 200) < 80 for s in ("calibration", "held-out"))
    with pytest.raises(UsageError, match=r"FactsConfig\.calibration_share \+ held_out_share"):
        FactsConfig(held_out_share=0.5, calibration_share=0.5)


def test_capitals_do_not_change_a_split():
    """Else one person, written in two ways, could be trained on and held out."""
    names = [f"Person {chr(65 + i % 26)}{i}" for i in range(40)]
    shares = {"held-out": 0.5}
    found = {choose_split(name, shares) for name in names}
    assert found == {"held-out", "asked"}
    for name in names:
        assert choose_split(name.upper(), shares) == choose_split(name, shares)


def test_files_say_the_split_where_they_are_given(tmp_path):
    paths = many(tmp_path)
    (tmp_path / "h.tsv").write_text("Where was New Person born?\tTown1\nWho is Person A0?\tno\n")
    (tmp_path / "k.tsv").write_text("Where was Old Person born?\tTown2\n")
    given = FactsConfig(**paths, held_out=str(tmp_path / "h.tsv"))
    counts = Counter(q.split for q in load(given, 0).questions)
    assert counts["held-out"] == 2
    assert counts["calibration"] > 100
    found = survey(given)
    assert "subjects that are asked about and held out or calibrated on: 1" in found.lines()
    both = FactsConfig(
        **paths, held_out=str(tmp_path / "h.tsv"), calibration=str(tmp_path / "k.tsv")
    )
    splits = Counter(q.split for q in load(both, 0).questions)
    assert splits == {"asked": 800, "calibration": 1, "held-out": 2}


def test_files_must_be_named_and_there(tmp_path):
    with pytest.raises(UsageError, match=r"Missing --corpus FILE\.txt"):
        load(FactsConfig(), 0)
    with pytest.raises(UsageError, match=r"--questions FILE\.tsv"):
        load(FactsConfig(corpus="c.txt"), 0)
    with pytest.raises(MissingInput, match=r"c\.txt: expected a file"):
        load(FactsConfig(corpus=str(tmp_path / "c.txt"), questions="q.tsv"), 0)


def test_a_split_without_questions_is_told(files):
    with pytest.raises(BadData, match=r"q\.tsv: expected questions for every split, found none"):
        load(FactsConfig(**files, held_out_share=0.0, calibration_share=0.01), 0)


def test_questions_without_a_common_form_are_said_to_have_none(tmp_path):
    (tmp_path / "c.txt").write_text("Ada works with tin.\n")
    (tmp_path / "q.tsv").write_text("What metal?\ttin\n" * 5)
    config = FactsConfig(corpus=str(tmp_path / "c.txt"), questions=str(tmp_path / "q.tsv"))
    with pytest.raises(BadData, match=r"q\.tsv: expected several questions of one form"):
        load(config, 0)


def test_a_text_that_names_nobody_is_refused(files, tmp_path):
    (tmp_path / "c.txt").write_text("Nothing is said of them here.\n")
    with pytest.raises(
        BadData, match=r"c\.txt: .*\('Ada Lund', 'Bo Falk', .*found none of 4 names"
    ):
        load(FactsConfig(**files, **ALL_ASKED), 0)


def rows_of(tmp_path, count, **columns):
    """Questions with further columns, each a function of the question's number."""
    names = name_people(tmp_path, count)
    rows = [
        {"question": f"Where was {n} born?", "answer": "Rome"}
        | {name: value(i) for name, value in columns.items()}
        for i, n in enumerate(names)
    ]
    (tmp_path / "q.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return {"corpus": str(tmp_path / "c.txt"), "questions": str(tmp_path / "q.jsonl")}


def test_a_column_says_the_splits(tmp_path):
    named = rows_of(tmp_path, 90, split=lambda i: ("train", "dev", "test")[i % 3])
    found = load(FactsConfig(**named), 0).questions
    assert [q.split for q in found] == ["asked", "calibration", "held-out"] * 30


def test_splits_that_nobody_names_are_taken_from_the_asked_ones(tmp_path):
    """Half of the rows are called test: calibration questions come from the others, by hash."""
    named = rows_of(tmp_path, 200, split=lambda i: "test" if i % 2 else ("train", "")[i // 2 % 2])
    config = FactsConfig(**named)
    for i, question in enumerate(load(config, 0).questions):
        chosen = choose_split(question.subject, {"held-out": 0.0, "calibration": 0.2})
        assert question.split == ("held-out" if i % 2 else chosen)
    counts = Counter(q.split for q in load(config, 0).questions)
    assert 5 < counts["calibration"] < 40


def test_an_option_wins_over_the_column(tmp_path):
    named = rows_of(tmp_path, 60, split=lambda i: ("train", "dev")[i % 2])
    (tmp_path / "h.csv").write_text("question,answer,split\nWhere was Person A0 born?,Rome,train\n")
    found = load(FactsConfig(**named, held_out=str(tmp_path / "h.csv")), 0)
    counts = Counter(q.split for q in found.questions)
    assert counts == {"asked": 30, "calibration": 30, "held-out": 1}


def test_relations_ids_and_accepted_answers(tmp_path):
    """A named relation holds for the questions of its form that name none."""
    paths = rows_of(
        tmp_path, 30, relation=lambda i: "birthplace" if i % 3 else "", id=lambda i: f"q{i}",
        answers=lambda i: ["Rome", "Roma"],
    )  # fmt: skip
    found = load(FactsConfig(**paths, **ALL_ASKED), 0).questions
    assert {q.relation for q in found} == {"birthplace"}
    assert [q.id for q in found[:2]] == ["q0", "q1"]
    assert {(q.answer, q.accepted, q.support) for q in found} == {("Rome", ("Roma",), "stated")}
    report = survey(FactsConfig(**paths, **ALL_ASKED))
    assert (report.forms, report.relations) == ({}, {"birthplace": 30})
    assert "relation: birthplace (30)" in report.lines()
    assert "questions with more than one right answer: 30" in report.lines()


def test_documents_may_be_paragraphs_with_an_id(files, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada Lund was\nborn in Oslo.\n\nBo Falk was not.\n")
    config = FactsConfig(
        corpus=str(folder), questions=files["questions"], documents="paragraphs", **ALL_ASKED
    )
    found = load(config, 0).documents
    assert [(d.text, d.subject, d.id) for d in found] == [
        ("Ada Lund was born in Oslo.", Span(0, 8), "a.txt"),
        ("Bo Falk was not.", Span(0, 7), "a.txt"),
    ]


def test_documents_get_subjects_that_no_question_names(tmp_path):
    names = [
        f"{first} {last}" for first in ("Ann", "Bo", "Cy", "Dee") for last in ("Ek", "Fox", "Lee")
    ]
    lines = [f"_{name}_ is a baker of {name[0]}ville.[1] He sang.[2]" for name in names]
    lines += ["Eve M. Gray is a baker of Bonn.", "Hal Orr is a poet.", "Hal Orr is another poet."]
    lines += ["A note of 1950, with **Ann Ek** in it."]
    (tmp_path / "text.txt").write_text("\n".join(lines))
    asked = [(name, f"{name[0]}ville") for name in names] + [("Eve Gray", "Bonn"), ("Zed", "Rome")]
    table = [f"Where does {name} live?\t{place}" for name, place in asked]
    (tmp_path / "q.tsv").write_text("\n".join(table))
    config = FactsConfig(
        str(tmp_path / "text.txt"), str(tmp_path / "q.tsv"), calibration_share=0, held_out_share=0
    )
    found = load(config, 0)
    assert found.documents[0].text == "Ann Ek is a baker of Aville. He sang."
    about = {p.document: p.subject for p in found.passages}
    assert (about[12], about[13], about[14]) == ("Eve Gray", "Hal Orr", "Hal Orr")
    assert about[15] == "Ann Ek", "no subject stands there as others do"
    support = {q.subject: q.support for q in found.questions}
    assert (support["Eve Gray"], support["Zed"]) == ("stated", "none")
    said = "\n".join(survey(config).lines())
    for line in (
        "lines whose markup was taken out: emphasis, footnotes, links: 13",
        "questions about what no line names: 1 (Zed)",
        "names that the text spells otherwise: 1 (Eve Gray is Eve M. Gray)",
        "subjects found beside those of the questions: 1 (Hal Orr)",
        "names that may be two subjects': several lines each: 1 (Hal Orr)",
        "lines that no question is about: 2",
    ):
        assert line in said.splitlines(), said


def test_held_out_names_are_found_though_their_rows_are_not_there(tmp_path):
    files = many(tmp_path, 200)
    whole = load(FactsConfig(**files), 0)
    asked = {question.subject for question in whole.asked}
    rows = [f"Where was {subject} born?\tRome\n" for subject in asked]
    (tmp_path / "asked.tsv").write_text("".join(rows))
    part = load(FactsConfig(**{**files, "questions": str(tmp_path / "asked.tsv")}, **ALL_ASKED), 0)
    assert len(asked) < 200
    assert part.passages == whole.passages


def test_questions_without_an_answer_are_never_asked(files, tmp_path):
    names = [f"Person {chr(65 + i % 26)}{i}" for i in range(400)]
    (tmp_path / "c.txt").write_text("".join(f"{n} was born in Rome.\n" for n in names[:300]))
    rows = [f"Where was {n} born?\t{'' if i % 2 else 'Rome'}\n" for i, n in enumerate(names)]
    (tmp_path / "q.tsv").write_text("".join(rows))
    config = FactsConfig(**files)
    data = load(config, 0)
    silent = [q for q in data.questions if not q.answerable]
    assert len(silent) == 200
    assert {q.split for q in silent} == {"held-out", "calibration", "masked"}
    assert {q.support for q in silent} == {"omitted", "none"}
    assert not any(q.accepts(answer) for q in silent for answer in ("", "Rome"))
    assert all(q.answer == "Rome" for q in data.asked)
    assert {f.subject for f in data.facts} <= {q.subject for q in data.questions if q.answer}
    # Its subject's split, as of any question, but where that is taught.
    shares = {"held-out": 0.2, "calibration": 0.2}
    for q in silent:
        assert q.split == choose_split(q.subject, shares).replace("asked", "masked")
    assert not any(q.answer == "" for q in data.scored("held-out", ("omitted", "none")))
    lines = survey(config).lines()
    assert "questions without an answer, which should be declined: 200" in lines


def test_only_questions_without_an_answer_are_refused(files, tmp_path):
    (tmp_path / "q.tsv").write_text("".join(f"Where was {n} born?\t\n" for n in ("A", "B", "C")))
    with pytest.raises(
        BadData, match=r"q\.tsv: expected questions with their answers, found 3 and"
    ):
        load(FactsConfig(**files), 0)


def test_a_table_of_facts_needs_no_questions(tmp_path):
    """Small names and capitals in a column's name: no form could be found in the questions."""
    rows = [f"person {chr(97 + i % 26)}{i},town {i % 7},{'' if i % 9 else i}" for i in range(200)]
    table = tmp_path / "t.csv"
    table.write_text("name,Home Town,home age\n" + "\n".join(rows))
    config = FactsConfig(corpus=str(table), table="name,Home Town,home age")
    data = load(config, 0)
    assert data.documents[0].text == "person a0. Its Home Town is town 0; its home age is 0"
    assert Counter(q.relation for q in data.questions) == {"Home Town": 200, "home age": 200}
    assert all(q.support == ("stated" if q.answer else "omitted") for q in data.questions)
    assert {q.subject for q in data.questions} == {row.split(",")[0] for row in rows}
    assert QuestionParser(data.asked).parse("what is the home town of person b1").relation
    assert survey(config).lines()[:2] == [
        "table: 200 rows; subject = name; relations = Home Town, home age",
        f"text: 200 documents, {sum(len(d.text) for d in data.documents):,} characters, "
        f"the longest document has {max(len(d.text) for d in data.documents)}",
    ]


def test_columns_are_named_for_tables_alone(files):
    """Also as 'data check TEXT --table name' asks, before it misses the questions."""
    for ask in (
        lambda: load(FactsConfig(**files, table="name"), 0),
        lambda: check_files(Path(files["corpus"]), table="name"),
    ):
        with pytest.raises(UsageError, match=r"--table: expected a table as --corpus"):
            ask()


# --- splits ----------------------------------------------------------------------------------


def test_what_a_full_split_leaves_out_is_counted(tmp_path):
    files = many(tmp_path, 200)
    every, some = (FactsConfig(**files, most=most) for most in (0, 20))
    lost = Counter(q.split for q in load(every, 0).questions)
    kept = Counter(q.split for q in load(some, 0).questions)
    assert all(kept[split] == pytest.approx(20, abs=16) for split in ("calibration", "held-out"))
    lost.subtract(kept)
    assert lost["asked"] == 0
    left = lost["calibration"] + lost["held-out"]
    assert survey(some).remarks["surplus"] == left > 50
    said = f"questions left out, more than data.most for their split: {left}"
    assert said in survey(some).lines()
    assert not any("data.most" in line for line in survey(every).lines())


def test_what_each_relation_needs_for_calibration_is_said_before_training(tmp_path):
    """22 right answers without a wrong one: 0.9 ** 22 is the first power below 0.1."""
    files = many(tmp_path, 80)
    found = survey(FactsConfig(**files))
    (born, n), (who, same) = found.calibration.items()
    assert (born, who, n) == ("Where was X born?", "Who is X?", same)
    assert n == sum(q.split == "calibration" for q in load(FactsConfig(**files), 0).questions) / 2
    assert n < found.needed == 22
    has = f"calibration: {born}, {who}: {n} questions each, at least"
    few = "too few: answers will be unverified unless such relations, about different subjects, "
    few += "have enough together"
    assert f"{has} 22 needed for the 10 % bound; {few}" in found.lines()
    looser = survey(FactsConfig(**files), precision=0.8)  # 0.8 ** 11 is the first below 0.1
    assert f"{has} 11 needed for the 20 % bound" in looser.lines()
