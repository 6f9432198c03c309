"""`wherefrom audit` from end to end, and every way in which it is refused."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("small_audits")


# --- what it finds ---------------------------------------------------------------------------


def test_an_audit_is_one_screen_and_files(cli, own_run):
    """A question is answered by the bound that it reports."""
    run, risk = own_run, ("--risk", "0.3", "--delta", "0.2")
    result = cli("audit", run, *risk)
    assert result.code == 0
    assert "confidence: the calibrated probability, on held-out people" in result.out
    assert result.out.endswith(f"\n{run / 'audit'}: audit.json, answers.jsonl and pictures\n")
    assert max(map(len, result.out.splitlines()[:-1])) <= 120  # the last has the folder
    found = json.loads((run / "audit" / "audit.json").read_text())
    assert found["source"] is None
    bound = found["abstention"]["certificate"]
    assert (bound["alpha"], bound["delta"]) == (0.3, 0.2)
    answered = cli("ask", run, "Where was Ada Lund born?", *risk, "--json").json["certificate"]
    assert answered["threshold"] == pytest.approx(bound["threshold"], abs=1e-6)
    same = ("alpha", "delta", "certified", "n", "n_answered", "wrong", "more_people")
    assert {k: answered[k] for k in same} == {k: bound[k] for k in same}
    assert not (run / "audit" / "retrained").exists()


def test_no_budget_trains_one_pair_once(cli, own_facts):
    run = own_facts / "run"
    result = cli("audit", run, "--budget", "0", "--json")
    assert result.code == 0
    names = [p.name for p in sorted((run / "audit" / "retrained").iterdir())]
    assert names == ["without-0-first", "without-0-second"]
    again = cli("audit", run, "--json")
    assert "pretrain" not in again.err
    assert again.json == json.loads((run / "audit" / "audit.json").read_text())
    assert again.json["source"] == result.json["source"]


# --- what is refused: one line, its code, and nothing half-done -------------------------------


def change_text(folder: Path) -> None:
    corpus = folder / "corpus.txt"
    corpus.write_text(corpus.read_text().replace("Oslo", "Bergen"))


def remove_text(folder: Path) -> None:
    (folder / "corpus.txt").unlink()


def test_a_text_that_changed_since_training(cli, own_facts):
    """One line says so, and all is said as before of the text that was trained on."""
    run = own_facts / "run"
    commands = (["audit", run], ["ask", run, "Where was Ada Lund born?", "--claim", "Oslo"],
                ["ask", run, "Where was Ada Lund born?"])  # fmt: skip
    before = [cli(*command) for command in commands]
    assert 'as read in "Ada Lund was born in Oslo."' in before[1].out
    for spoil, still in ((change_text, commands), (remove_text, commands[1:])):
        spoil(own_facts)
        for command, earlier in zip(still, before[-len(still) :], strict=True):
            result = cli(*command)
            assert (result.code, result.out) == (0, earlier.out)
            (line,) = set(result.err.splitlines()) - set(earlier.err.splitlines())
            assert "corpus" in line
            assert line.endswith("what follows is about the text that the model was trained on")


@pytest.mark.parametrize(
    ("spoil", "code", "option"),
    [(change_text, 78, ["--budget", "0"]), (remove_text, 66, ["--pairs", "1"])],
)
def test_nothing_is_trained_on_a_text_that_changed(cli, own_facts, spoil, code, option):
    run = own_facts / "run"
    spoil(own_facts)
    result = cli("audit", run, *option)
    assert result.code == code
    assert "audit.json" in result.out, "the rest is done"
    assert "no model was retrained" in result.complaint.splitlines()[-1]
    assert not list((run / "audit").glob("retrained/*"))
