import json

import numpy as np
import pytest


@pytest.fixture
def questions(tiny_run):
    splits = json.loads((tiny_run / "splits.json").read_text())
    return [f"Where was {name} born?" for name in splits["held-out"]["stated"]]


@pytest.fixture
def open_run(own_run):
    """A run whose threshold lets every answer through, about whatever name."""
    file = own_run / "audit" / "confidence.json"
    doubt = json.loads(file.read_text())
    doubt["threshold"]["value"], doubt["names"] = 0.0, None
    file.write_text(json.dumps(doubt))
    return own_run


def test_an_answer_has_a_probability_and_the_next_best(cli, open_run, questions):
    result = cli("ask", open_run, *questions[:2])
    assert (result.code, result.err) == (0, "")
    first, second = result.out.split("\n\n")
    question, answer, others, evidence, source = first.splitlines()
    assert question == questions[0]
    assert answer.endswith(" % sure)")
    assert "I don't know" not in answer
    assert others.startswith("  next best: ")
    assert evidence.startswith(
        ("  evidence: supported: the text has '", "  evidence: contradicted: ")
    )
    assert source.endswith(" % that it was recalled)")
    assert second.splitlines()[0] == questions[1]


@pytest.fixture
def doubting_run(open_run):
    """A run that knows every name and trusts no answer."""
    file = open_run / "audit" / "confidence.json"
    doubt = json.loads(file.read_text())
    doubt["threshold"]["value"] = 2.0
    file.write_text(json.dumps(doubt))
    return open_run


def test_a_doubtful_answer_is_refused_and_shown_as_refused(cli, doubting_run, questions):
    result = cli("ask", doubting_run, questions[0])
    assert result.code == 0
    assert result.out.splitlines()[1].startswith("  I don't know (would have said ")
    assert result.out.splitlines()[1].endswith(" % sure)")


def test_a_name_that_the_model_does_not_know_is_said_to_be_unknown(cli, own_run, questions):
    """Whatever the threshold: the least that a name must be known is set out of reach."""
    file = own_run / "audit" / "confidence.json"
    doubt = json.loads(file.read_text())
    doubt["threshold"]["value"], doubt["names"]["least"] = 0.0, 2.0
    file.write_text(json.dumps(doubt))
    (line,) = [x for x in cli("ask", own_run, questions[0]).out.splitlines() if "I don't" in x]
    assert line.startswith("  I don't know: the name is not known to the model (would have said ")
    (found,) = cli("ask", own_run, questions[0], "--json").json["answers"]
    assert (found["known"], found["name_known"]) == (False, False)
    doubt["names"]["least"] = 0.0
    file.write_text(json.dumps(doubt))
    (found,) = cli("ask", own_run, questions[0], "--json").json["answers"]
    assert (found["known"], found["name_known"]) == (True, True)


def test_json_says_what_is_known(cli, tiny_run, open_run, questions):
    refused = cli("ask", tiny_run, questions[0], "--json").json
    given = cli("ask", open_run, questions[0], "--json").json
    assert list(refused) == ["run", "answers"]
    (no,), (yes,) = refused["answers"], given["answers"]
    assert list(no) == [
        "question", "known", "answer", "would_have_said", "probability", "name_known", "candidates",
        "evidence", "source", "taught",
    ]  # fmt: skip
    assert (no["known"], no["answer"]) == (False, None)
    assert (yes["known"], yes["would_have_said"]) == (True, None)
    assert no["would_have_said"] == yes["answer"] == yes["candidates"][0]["text"]
    assert yes["probability"] is None or 0 <= yes["probability"] <= 1
    assert len(yes["candidates"]) > 1


def test_only_answers_with_a_promise(cli, tiny_run, questions):
    """Where none can be made, nothing is answered."""
    from wherefrom.answering.risk_bound import least_answers

    result = cli("ask", tiny_run, questions[0], "--risk", "0.1")
    assert result.code == 0
    assert result.out.splitlines()[1].startswith("  I don't know")
    assert f"expected at least {least_answers(0.1, 0.1)} answers" in result.err


def test_answers_with_a_promise_are_given(cli, tiny_run, questions, monkeypatch):
    """As if all calibration people had been answered rightly, and half of them likelier."""
    from wherefrom.answering import policy as doubting

    def certify(features, right, *rest):
        sure, rest = np.arange(len(right)) % 2 * 9.0, rest[:-1]  # any name will do
        return learn_bound(np.column_stack((sure,) * features.shape[1]), sure > 0, *rest)

    learn_bound = doubting.learn_bound
    monkeypatch.setattr(doubting, "learn_bound", certify)
    result = cli("ask", tiny_run, *questions, "--risk", "0.6", "--delta", "0.5", "--json")
    certificate = result.json["certificate"]
    assert certificate["certified"]
    assert result.err.startswith("certified: risk at most 0.6 with probability 0.5")
    for answer in result.json["answers"]:
        assert answer["known"] == (answer["probability"] >= certificate["threshold"])


def test_a_chance_without_a_risk(cli, tiny_run, questions):
    result = cli("ask", tiny_run, questions[0], "--delta", "0.2")
    assert result.code == 2
    assert "expected --risk beside it" in result.complaint


def test_a_promise_needs_calibration_people(cli, facts_folder):
    result = cli("ask", facts_folder / "run", "Where was Ada Lund born?", "--risk", "0.1")
    assert (result.code, result.out) == (65, "")
    assert "expected calibration people" in result.complaint


def test_questions_come_from_standard_input_in_any_line_endings(cli, tiny_run, questions):
    a, b = questions[:2]
    expected = cli("ask", tiny_run, a, b, "--json").json
    for text in (f"{a}\n{b}\n", f"{a}\r\n\r\n{b}", f"\ufeff{a}\n\n  \n{b}\r\n"):
        assert cli("ask", tiny_run, "--json", stdin=text.encode()).json == expected


def test_lines_end_at_a_newline_alone(cli, tiny_run):
    result = cli("ask", tiny_run, stdin="Where was A\u2028B\x0b\x85\x1c born?".encode())
    assert result.code == 65
    assert "stdin:1: " in result.complaint
    assert "(U+2028)" in result.complaint


def test_a_character_that_the_vocabulary_lacks_is_named(cli, tiny_run):
    result = cli("ask", tiny_run, "Where was Zoë ☃ born?")
    assert result.code == 65
    assert "'ë' (U+00EB), '☃' (U+2603)" in result.complaint
    assert result.out == ""


@pytest.mark.parametrize("character", ["\u25a1", "\u2047"])
def test_the_models_own_marks_are_not_part_of_a_question(cli, tiny_run, character):
    result = cli("ask", tiny_run, f"Where was {character} born?")
    assert result.code == 65
    assert f"(U+{ord(character):04X})" in result.complaint


def test_a_question_of_another_form_is_refused_with_the_right_one(cli, tiny_run):
    for question in ("Who are you?", "Where was  born?", "Where was", "Where was Clara born"):
        result = cli("ask", tiny_run, question)
        assert result.code == 65
        assert "expected a question like 'Where was ... born?'" in result.complaint


def test_a_name_too_long_for_the_model_is_refused(cli, tiny_run):
    for length in (120, 1_000_000):
        result = cli("ask", tiny_run, f"Where was {'a' * length} born?")
        assert result.code == 65
        assert "the model reads no more at once" in result.complaint
        assert len(result.complaint) < 700


def test_bad_questions_do_not_keep_good_ones_from_being_answered(cli, tiny_run, questions):
    bad = [f"What is {i}?" for i in range(7)]
    result = cli("ask", tiny_run, questions[0], *bad, questions[1], "--json")
    assert result.code == 65
    assert [a["question"] for a in result.json["answers"]] == questions[:2]
    lines = result.err.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("wherefrom: question 2: 'What is 0?'")
    assert lines[-1] == "wherefrom: 7 of 9 questions could not be asked; see above"


def test_terminal_escapes_are_never_sent_on(cli, tiny_run):
    result = cli("ask", tiny_run, "Where was \x1b]0;x\x07\x9b31m\u202eEve born?", "\x1b[2J?")
    assert result.code == 65
    assert "\\x1b]0;x\\x07\\x9b31m\\u202eEve" in result.err
    assert not any(c in result.out + result.err for c in "\x1b\x07\x9b\u202e")


def test_what_is_not_text_is_refused(cli, tiny_run):
    result = cli("ask", tiny_run, stdin=b"Where was A born?\nWhere was \xff born?\n")
    assert result.code == 65
    assert "stdin:2: expected UTF-8" in result.complaint


def test_no_question_at_all_is_an_error(cli, tiny_run):
    result = cli("ask", tiny_run, stdin=b"\n\n")
    assert result.code == 2
    assert "expected a question" in result.complaint


def test_a_run_that_answers_no_questions_says_so(cli, tmp_path):
    small = ("--set", "data.sentences=200", "--set", "stages.train.steps=20")
    cli("run", "bigram-tiny", *small, "--out", tmp_path / "b")
    result = cli("ask", tmp_path / "b", "Where was A born?")
    assert result.code == 65
    assert "expected a run that answers questions" in result.complaint


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"calibration": 3, "threshold": {}}'])
def test_a_damaged_calibration_is_named(cli, own_run, text):
    (own_run / "audit" / "confidence.json").write_text(text)
    result = cli("ask", own_run, "Where was A born?")
    assert result.code == 76
    assert "confidence.json" in result.complaint


def test_a_folder_that_cannot_be_written_still_answers(cli, own_run, questions, read_only):
    for name in ("index.sqlite", "audit/evidence.json"):
        (own_run / name).unlink(missing_ok=True)
    before = sorted(own_run.rglob("*"))
    result = cli("ask", own_run, questions[0])
    assert (result.code, result.err) == (0, "")
    assert "  evidence: " in result.out
    assert sorted(own_run.rglob("*")) == before


def test_without_calibration_people_it_answers_and_says_that_it_cannot_be_sure(cli, facts_folder):
    result = cli("ask", facts_folder / "run", "Where was Ada Lund born?")
    assert result.code == 0
    assert result.err == "the run has no calibration people: how sure to be is not known\n"
    assert " sure" not in result.out
    assert "  evidence: " in result.out
    found = cli("ask", facts_folder / "run", "Where was Ada Lund born?", "--json").json
    assert (found["answers"][0]["probability"], found["answers"][0]["known"]) == (None, True)


def test_a_source_that_another_run_taught_is_called_borrowed(cli, tiny_run, questions):
    assert ", by a borrowed predictor (" in cli("ask", tiny_run, questions[0]).out
    found = cli("ask", tiny_run, questions[0], "--json").json
    assert found["answers"][0]["source"]["borrowed"] is True
