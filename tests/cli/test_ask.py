import os
import shutil
from pathlib import Path

import pytest

import wherefrom
from tests.support.policies import let_all_pass
from wherefrom.runs.folder import RunFolder


@pytest.fixture
def questions(tiny_run):
    return [q.text for q in wherefrom.open_run(tiny_run).dataset.select("held-out")]


def test_an_answer_has_a_confidence_and_evidence(cli, own_run, questions):
    result = cli("ask", let_all_pass(own_run), *questions[:2])
    assert (result.code, result.err) == (0, "")
    first, second = result.out.split("\n\n")
    question, answer, others, evidence = first.splitlines()  # the source was not measured
    assert question == questions[0]
    assert answer.endswith(" % sure)")
    assert "I don't know" not in answer
    assert others.startswith("  the model's own ranking: ")
    assert evidence.startswith(('  evidence: supported by "', '  evidence: contradicted by "'))
    assert second.splitlines()[0] == questions[1]


def test_several_risks_at_once_are_refused(cli, tiny_run, questions):
    """To choose the best of two bounds, each must hold with half of delta."""
    result = cli("ask", tiny_run, questions[0], "--risk", "0.05", "--risk", "0.1")
    assert (result.code, result.out) == (2, "")
    assert "expected one value, found 2 (0.05, 0.1)" in result.complaint
    assert result.complaint.endswith("with --delta 0.05")
    given = ("--risk", "0.1", "--risk", "0.2", "--risk", "0.3", "--delta", "0.3")
    assert cli("audit", tiny_run, *given).complaint.endswith("with --delta 0.1")
    assert cli("ask", tiny_run, questions[0], "--risk", "0.1", "--risk", "0.1").code == 0


def test_questions_come_from_standard_input_in_any_line_endings(cli, tiny_run, questions):
    a, b = questions[:2]
    expected = cli("ask", tiny_run, a, b, "--json").json
    for text in (f"{a}\n{b}\n", f"{a}\r\n\r\n{b}", f"\ufeff{a}\n\n  \n{b}\r\n"):
        assert cli("ask", tiny_run, "--json", stdin=text.encode()).json == expected


def test_lines_end_at_a_newline_alone(cli, tiny_run):
    """Other separators are spaces, and spaces do not matter."""
    result = cli("ask", tiny_run, "--json", stdin="Where was A\u2028B\x0b\x85\x1c born?".encode())
    assert result.code == 0
    assert [reply["question"] for reply in result.json["replies"]] == ["Where was A B born?"]
    result = cli("ask", tiny_run, stdin="Where was A\u2028\u2603 born?".encode())
    assert result.code == 0
    assert result.out.startswith("Where was A ☃ born?\n  I don't know: ")


def test_bad_questions_do_not_keep_good_ones_from_being_answered(cli, tiny_run, questions):
    bad = [f"What is {i}?" for i in range(7)]
    result = cli("ask", tiny_run, questions[0], *bad, questions[1], "--json")
    assert result.code == 65
    assert [reply["question"] for reply in result.json["replies"]] == questions[:2]
    assert [problem["index"] for problem in result.json["problems"]] == list(range(1, 8))
    lines = result.err.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("wherefrom: question 2: 'What is 0?'")
    failed = "7 of 9 questions could not be asked; the lines above say why of the first 5"
    assert lines[-1] == f"wherefrom: {failed}"


def test_terminal_escapes_are_never_sent_on(cli, tiny_run):
    result = cli("ask", tiny_run, "Where was \x1b]0;x\x07\x9b31m\u202eEve born?", "\x1b[2J?")
    assert result.code == 65
    assert "\\x1b]0;x\\x07\\x9b31m\\u202eEve" in result.out
    assert "\\x1b[2J?" in result.err
    assert not any(c in result.out + result.err for c in "\x1b\x07\x9b\u202e")


@pytest.fixture
def two_runs(own_run, monkeypatch):
    """runs/first and runs/second, which was begun later."""
    monkeypatch.chdir(own_run.parent)
    for seconds, name in enumerate(("first", "second")):
        path = Path(shutil.copytree(own_run, Path("runs", name)))
        os.utime(path / "run.json", (seconds, seconds))


def test_a_run_has_a_name_and_without_one_the_newest_is_asked(cli, two_runs, questions):
    named = cli("ask", "first", questions[0], "--json")
    assert (named.err, named.json["run"]) == ("", "runs/first")
    for result in (
        cli("ask", questions[0], "--json"),
        cli("ask", "--json", stdin=questions[0].encode()),
    ):
        assert result.err.startswith("runs/second: the newest run is asked; to ask another, name ")
        assert result.json["run"] == "runs/second"
        assert [reply["question"] for reply in result.json["replies"]] == [questions[0]]
    RunFolder(Path("runs/second")).write_status({"state": "unfinished", "seconds": 1.0})
    assert cli("ask", questions[0], "--json").json["run"] == "runs/first"


def test_a_run_that_is_not_there_is_told(cli, two_runs, questions):
    for run in ("third", "runs/third"):
        result = cli("ask", run, questions[0])
        assert (result.code, result.out) == (66, "")
        assert f"{run}: expected a run folder, found no such folder" in result.complaint
    assert "third.html: expected a file, found" in cli("ask", "third.html", questions[0]).complaint
    assert "expected a question like" in cli("ask", "third").complaint


def test_without_a_run_the_example_is_asked_and_a_report_by_its_file(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ("Where was Amos Karlsson born?", "--json")
    found = cli("ask", *asked)
    assert found.err.startswith("no run here: the example that comes with wherefrom is asked, ")
    file = wherefrom.example_report()
    named = cli("ask", file, *asked)
    assert (named.err, named.json) == ("", found.json)
    assert named.json["run"] == str(file)


def test_a_name_that_begins_with_a_dash(cli, tiny_run):
    for name in ("-Amos Karlsson", "--amos"):
        result = cli("ask", tiny_run, name)
        assert (result.code, result.out) == (2, "")
        assert "write -- before a question that begins with a dash" in result.complaint
        assert "expected a question like" in cli("ask", tiny_run, "--", name).complaint


def test_what_is_no_question_or_not_text_is_an_error(cli, tiny_run):
    result = cli("ask", tiny_run, stdin=b"\n\n")
    assert (result.code, "expected a question" in result.complaint) == (2, True)
    result = cli("ask", tiny_run, stdin=b"Where was A born?\nWhere was \xff born?\n")
    assert (result.code, "stdin:2: expected UTF-8" in result.complaint) == (65, True)


# --- a claim -----------------------------------------------------------------------------------


def test_a_claim_is_weighed_against_the_answer(cli, tiny_run, questions):
    result = cli("ask", tiny_run, questions[0], "--claim", "Oslo")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == questions[0]
    assert lines[1].startswith("  the model says: ")
    assert lines[2].startswith("  you say: Oslo (the model's own probability of it is ")
    assert lines[-1].startswith("  the corpus says ")
    found = cli("ask", tiny_run, questions[0], "--claim", "Oslo", "--json").json
    (reply,), (claim,) = found["replies"], found["claims"]
    assert (reply["question"], claim["text"]) == (questions[0], "Oslo")
