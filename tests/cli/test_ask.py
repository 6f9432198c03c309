import json

import numpy as np
import pytest

from wherefrom.runs.folder import RunFolder


@pytest.fixture
def questions(tiny_run):
    splits = json.loads((tiny_run / "splits.json").read_text())
    return [f"Where was {name} born?" for name in splits["held-out"]["stated"]]


@pytest.fixture
def open_run(own_run):
    """A run whose threshold lets every answer through, about whatever name."""
    file = own_run / "audit" / "confidence.json"
    policy = json.loads(file.read_text())
    policy["threshold"]["value"], policy["names"] = 0.0, None
    RunFolder(file.parents[1]).write_json("audit/confidence.json", policy)
    return own_run


def test_an_answer_has_a_confidence_evidence_and_a_source(cli, open_run, questions):
    result = cli("ask", open_run, *questions[:2])
    assert (result.code, result.err) == (0, "")
    first, second = result.out.split("\n\n")
    question, answer, others, evidence, source = first.splitlines()
    assert question == questions[0]
    assert answer.endswith(" % sure)")
    assert "I don't know" not in answer
    assert others.startswith("  the model's own ranking: ")
    assert evidence.startswith(('  evidence: supported by "', '  evidence: contradicted by "'))
    assert source.startswith(("  source: recalled (", "  source: guessed ("))
    assert "(probability of recall " in source
    assert second.splitlines()[0] == questions[1]


@pytest.fixture
def silent_run(open_run):
    """A run that knows every name and trusts no answer."""
    file = open_run / "audit" / "confidence.json"
    policy = json.loads(file.read_text())
    policy["threshold"]["value"] = 2.0
    RunFolder(file.parents[1]).write_json("audit/confidence.json", policy)
    return open_run


def test_an_answer_of_low_confidence_is_withheld_and_shown_as_withheld(cli, silent_run, questions):
    result = cli("ask", silent_run, questions[0])
    assert result.code == 0
    assert result.out.splitlines()[1].startswith("  I don't know (the model's best guess is ")
    assert result.out.splitlines()[1].endswith(" % sure)")


def test_a_name_that_the_model_does_not_know_is_said_to_be_unknown(cli, own_run, questions):
    """Whatever the threshold: the least that a name must be known is set out of reach."""
    file = own_run / "audit" / "confidence.json"
    policy = json.loads(file.read_text())
    policy["threshold"]["value"], policy["names"]["least"] = 0.0, 2.0
    RunFolder(file.parents[1]).write_json("audit/confidence.json", policy)
    (line,) = [x for x in cli("ask", own_run, questions[0]).out.splitlines() if "I don't" in x]
    assert line.startswith("  I don't know: the model does not know the name (its best guess is ")
    (found,) = cli("ask", own_run, questions[0], "--json").json["replies"]
    assert (found["answered"], found["name_known"]) == (False, False)
    assert (found["reason"], found["confidence"]) == ("unknown name", None)
    policy["names"]["least"] = 0.0
    RunFolder(file.parents[1]).write_json("audit/confidence.json", policy)
    (found,) = cli("ask", own_run, questions[0], "--json").json["replies"]
    assert (found["answered"], found["name_known"]) == (True, True)


def test_spaces_and_capitals_do_not_matter_and_close_names_are_offered(cli, tiny_run, questions):
    expected = cli("ask", tiny_run, questions[0]).out
    loose = f" {questions[0].lower().rstrip('?').replace(' ', '  ')} "
    assert cli("ask", tiny_run, loose).out == expected
    name = questions[0].removeprefix("Where was ").removesuffix(" born?")
    typed = f"{name[:-2]}{name[-1]}"
    result = cli("ask", tiny_run, f"Where was {typed} born?")
    assert result.code == 0
    (line,) = [line for line in result.out.splitlines() if "did you mean" in line]
    assert name in line
    assert "did you mean" not in expected


def test_json_says_what_is_known(cli, tiny_run, open_run, questions):
    refused = cli("ask", tiny_run, questions[0], "--json").json
    given = cli("ask", open_run, questions[0], "--json").json
    assert list(refused) == ["run", "replies", "problems", "certificate", "notes", "population"]
    assert (refused["run"], refused["problems"]) == (str(tiny_run), [])
    assert (refused["certificate"], refused["notes"]) == (None, [])
    (no,), (yes,) = refused["replies"], given["replies"]
    assert list(no) == [
        "format_version", "question", "subject", "relation", "answered", "answer", "confidence",
        "reason", "name_known", "candidates", "evidence", "source", "trained_on", "did_you_mean",
        "why_not",
    ]  # fmt: skip
    assert no["answered"] is False
    assert no["reason"] in ("unknown name", "low confidence")
    assert (yes["answered"], yes["reason"]) == (True, None)
    assert no["answer"] == yes["answer"] == yes["candidates"][0]["text"]
    assert 0 <= yes["confidence"] <= 1
    assert len(yes["candidates"]) > 1
    assert list(yes["candidates"][0]) == ["text", "model_probability"]


def test_where_no_bound_can_be_certified_nothing_is_answered(cli, tiny_run, questions):
    from wherefrom.answering.risk_bound import least_answers

    result = cli("ask", tiny_run, questions[0], "--risk", "0.1")
    assert result.code == 0
    assert result.out.splitlines()[1].startswith("  I don't know")
    assert f"expected at least {least_answers(0.1, 0.1)} answers" in result.err


def test_answers_above_a_certified_threshold_are_given(cli, tiny_run, questions, monkeypatch):
    """As if half of the calibration people had been sure and right, and the other half neither."""
    from wherefrom.answering import policy
    from wherefrom.answering.feature_table import FeatureTable

    def certify(features, right, *rest):
        sure, rest = np.arange(len(right)) % 2 * 9.0, rest[:-1]  # any name will do
        return fit_bound(FeatureTable(dict.fromkeys(features.columns, sure)), sure > 0, *rest)

    fit_bound = policy.fit_bound
    monkeypatch.setattr(policy, "fit_bound", certify)
    result = cli("ask", tiny_run, *questions, "--risk", "0.6", "--delta", "0.5", "--json")
    certificate = result.json["certificate"]
    assert certificate["certified"]
    assert result.err.startswith("certified: risk at most 0.6 with probability 0.5")
    assert result.json["notes"] == [result.err.rstrip("\n")]
    for reply in result.json["replies"]:
        assert reply["answered"] == (reply["confidence"] >= certificate["threshold"])


def test_several_risks_at_once_are_refused(cli, tiny_run, questions):
    """To choose the best of two bounds, each must hold with half of delta."""
    result = cli("ask", tiny_run, questions[0], "--risk", "0.05", "--risk", "0.1")
    assert (result.code, result.out) == (2, "")
    assert "expected one value, found 2 (0.05, 0.1)" in result.complaint
    assert result.complaint.endswith("with --delta 0.05")
    given = ("--risk", "0.1", "--risk", "0.2", "--risk", "0.3", "--delta", "0.3")
    assert cli("audit", tiny_run, *given).complaint.endswith("with --delta 0.1")
    assert cli("ask", tiny_run, questions[0], "--risk", "0.1", "--risk", "0.1").code == 0


def test_a_delta_without_a_risk(cli, tiny_run, questions):
    result = cli("ask", tiny_run, questions[0], "--delta", "0.2")
    assert result.code == 2
    assert "expected a risk beside it" in result.complaint


def test_a_bound_needs_calibration_people(cli, facts_folder):
    result = cli("ask", facts_folder / "run", "Where was Ada Lund born?", "--risk", "0.1")
    assert (result.code, result.out) == (65, "")
    assert "expected calibration people" in result.complaint


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


def test_a_name_with_a_letter_that_the_model_never_saw_is_unknown(cli, tiny_run):
    result = cli("ask", tiny_run, "Where was Zoë ☃ born?")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[1] == (
        "  I don't know: the model does not know the name: it has never seen "
        "'ë' (U+00EB), '☃' (U+2603)"
    )


@pytest.mark.parametrize("character", ["\u25a1", "\u2047"])
def test_the_models_own_marks_are_not_part_of_a_question(cli, tiny_run, character):
    result = cli("ask", tiny_run, f"Where was {character} born?")
    assert result.code == 65
    assert f"(U+{ord(character):04X})" in result.complaint


def test_a_question_of_another_form_is_refused_with_the_right_one(cli, tiny_run):
    for question in ("Who are you?", "Where was  born?", "Where was", "Where is Clara born?"):
        result = cli("ask", tiny_run, question)
        assert result.code == 65
        assert "expected a question like 'Where was ... born?'" in result.complaint


def test_a_name_too_long_for_the_model_is_refused(cli, tiny_run):
    for length in (120, 1_000_000):
        result = cli("ask", tiny_run, f"Where was {'a' * length} born?")
        assert result.code == 65
        assert "the model cannot read more at once" in result.complaint
        assert len(result.complaint) < 700


def test_bad_questions_do_not_keep_good_ones_from_being_answered(cli, tiny_run, questions):
    bad = [f"What is {i}?" for i in range(7)]
    result = cli("ask", tiny_run, questions[0], *bad, questions[1], "--json")
    assert result.code == 65
    assert [reply["question"] for reply in result.json["replies"]] == questions[:2]
    assert [problem["index"] for problem in result.json["problems"]] == list(range(1, 8))
    lines = result.err.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("wherefrom: question 2: 'What is 0?'")
    assert lines[-1] == "wherefrom: 7 of 9 questions could not be asked; the lines above say why"


def test_terminal_escapes_are_never_sent_on(cli, tiny_run):
    result = cli("ask", tiny_run, "Where was \x1b]0;x\x07\x9b31m\u202eEve born?", "\x1b[2J?")
    assert result.code == 65
    assert "\\x1b]0;x\\x07\\x9b31m\\u202eEve" in result.out
    assert "\\x1b[2J?" in result.err
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


def test_without_calibration_people_it_answers_and_says_that_there_is_no_confidence(
    cli, facts_folder
):
    result = cli("ask", facts_folder / "run", "Where was Ada Lund born?")
    assert result.code == 0
    note = "the run has no calibration people, so its answers come without a confidence"
    assert result.err == f"{note}\n"
    assert " sure" not in result.out
    assert "  evidence: " in result.out
    found = cli("ask", facts_folder / "run", "Where was Ada Lund born?", "--json").json
    assert (found["replies"][0]["confidence"], found["replies"][0]["answered"]) == (None, True)
    assert found["notes"] == [note]


def test_a_predictor_that_was_fitted_on_another_run_is_called_borrowed(cli, tiny_run, questions):
    out = cli("ask", tiny_run, questions[0]).out
    assert "; the predictor is borrowed from another run)" in out
    found = cli("ask", tiny_run, questions[0], "--json").json
    assert found["replies"][0]["source"]["borrowed"] is True
