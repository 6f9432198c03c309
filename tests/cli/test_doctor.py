"""`wherefrom doctor submission`: mistakes are found, hints are given, nothing crashes."""

import runpy
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from wherefrom.doctor.checks import CHECKS, HINTS
from wherefrom.doctor.child import attempt
from wherefrom.doctor.submission import Submission

COURSE = Path(__file__).resolve().parents[1] / "course"
making = SimpleNamespace(**runpy.run_path(str(COURSE / "mistakes" / "making.py")))


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return making.make_data(tmp_path_factory.mktemp("world"))


@pytest.fixture
def solution(tmp_path, data, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    for name in [n for n in sys.modules if n.split(".")[0] == "submission"]:
        monkeypatch.delitem(sys.modules, name)
    yield making.predict_all(making.copy(tmp_path / "someone"), data)
    for name in [n for n in sys.modules if n.split(".")[0] == "submission"]:
        del sys.modules[name]


def test_a_sound_submission_is_ok(cli, solution, data):
    result = cli("doctor", "submission", solution, "--data", data)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert len(lines) == len(CHECKS)
    assert [line for line in lines if not line.startswith("ok ")] == [
        "could not tell  parameter files           there are no files of parameters yet"
    ]
    rate = next(line for line in lines if "learning rate" in line)
    assert "pretrain 12%, finetune from scratch 8" in rate  # 7.18e-4 of 6e-3
    assert "vanilla.pretrain.dev.predictions 60 of 200 right" in lines[-1]


def test_a_solution_without_the_library(tmp_path, solution):
    plain = shutil.copytree(COURSE / "mistakes" / "plain", tmp_path / "plain")
    submission = Submission(Path(plain))
    results = {name: attempt(check, submission) for name, check in CHECKS.items()}
    assert {n: r["text"] for n, r in results.items() if r["state"] == "look"} == {}
    assert results["shuffling"]["state"] == "ok"
    trainer = tmp_path / "plain" / "trainer.py"
    trainer.write_text(trainer.read_text().replace("shuffle=False", "shuffle=True"))
    assert attempt(CHECKS["shuffling"], Submission(Path(plain)))["mistake"] == "shuffled"


def test_another_years_hand_out(cli, solution, data):
    given = ["doctor", "submission", solution, "--data", data, "--json"]
    found = cli(*given, "--year", "cs224n2024").json["checks"]
    assert [c["check"] for c in found if c["state"] == "look"] == []
    result = cli(*given, "--year", "1999")
    assert result.code == 2
    assert "--year: no year '1999'; known: cs224n2022, cs224n2024, xcs2022" in result.complaint


def test_mistakes_are_reported_with_hints(cli, solution, data):
    for mistake in ("wrong shift", "flag never set", "predictions shifted by a line"):
        making.spoil(solution, mistake)
    found = cli("doctor", "submission", solution, "--data", data, "--json").json
    assert found["folder"] == str(solution)
    looks = {c["check"]: c for c in found["checks"] if c["state"] == "look"}
    assert {name: c["mistake"] for name, c in looks.items()} == {
        "shift": "wrong shift",
        "variant built": "flag never set",
        "predictions aligned": "predictions shifted by a line",
    }
    assert all(c["found"] and c["hint"] for c in looks.values())


@pytest.mark.parametrize("mistake", making.MISTAKES)
def test_every_usual_mistake_is_found(solution, data, mistake):
    check = making.MISTAKES[mistake]["check"]
    assert attempt(CHECKS[check], Submission(solution, data))["state"] == "ok"
    making.spoil(solution, mistake)
    found = attempt(CHECKS[check], Submission(solution, data))
    assert (found["state"], found["mistake"]) == ("look", mistake)
    assert mistake in HINTS


@pytest.mark.parametrize(
    ("file", "old", "new", "check", "mistake"),
    [
        ("helper.py", "final_tokens=200 *", "final_tokens=2 *", "learning rate at the end",
         "rate at the end"),
        ("helper.py", "lr_decay=True", "lr_decay=False", "learning rate at the end",
         "rate at the end"),
        ("helper.py", "load_params(model, reading_params_path)", "pass", "parameters loaded",
         "not loaded"),
        ("trainer.py", "enumerate(rows, first_step))",
         "enumerate([random.sample(r, len(r)) for r in rows], first_step))", "shuffling",
         "shuffled"),
    ],
)  # fmt: skip
def test_settings_and_order(solution, file, old, new, check, mistake):
    text = (solution / file).read_text()
    assert old in text
    (solution / file).write_text(text.replace(old, new))
    assert attempt(CHECKS[check], Submission(solution))["mistake"] == mistake


def test_files_of_parameters_are_held_against_their_names(solution):
    import torch

    path = solution / "synthesizer.pretrain.params"
    for names, mistake in (
        (["blocks.0.attn.key.weight"], "flag never set"),
        (["_orig_mod.pos_emb", "_orig_mod.blocks.0.attn.key.weight"], "flag never set"),
        (["blocks.0.ln1.weight"], "flag never set"),
        (["_orig_mod.blocks.0.attn.w2"], ""),
    ):
        torch.save({name: torch.zeros(1) for name in names}, path)
        assert attempt(CHECKS["parameter files"], Submission(solution))["mistake"] == mistake
    path.write_bytes(b"\x80\x02cos\nsystem\n.")
    found = attempt(CHECKS["parameter files"], Submission(solution))
    assert found["mistake"] == "parameters file"


def test_a_perceiver_that_was_used_is_looked_at(solution):
    import torch

    helper = solution / "helper.py"
    right = helper.read_text()
    helper.write_text(right.replace("mconf.perceiver = True", "pass"))
    variant, files = CHECKS["variant built"], CHECKS["parameter files"]
    assert attempt(variant, Submission(solution))["state"] == "ok", "nobody has used it"
    path = solution / "perceiver.pretrain.params"
    torch.save({"pos_emb": torch.zeros(1), "blocks.0.attn.key.weight": torch.zeros(1)}, path)
    found = attempt(files, Submission(solution))
    assert found["mistake"] == "flag never set"
    assert "perceiver.pretrain.params holds a vanilla model, not a perceiver" in found["text"]
    found = attempt(variant, Submission(solution))
    assert found["mistake"] == "flag never set"
    assert "'perceiver' model has no down_block and no up_block" in found["text"]
    helper.write_text(right)
    torch.save({"_orig_mod.down_block.attn.key.weight": torch.zeros(1)}, path)
    assert attempt(variant, Submission(solution))["state"] == "ok"
    assert attempt(files, Submission(solution))["state"] == "ok"


def test_every_file_of_predictions_is_judged(solution, data):
    """One that is constant hides no other that is shifted."""
    making.spoil(solution, "predictions shifted by a line")
    lines = (solution / "vanilla.pretrain.dev.predictions").read_text().splitlines()
    (solution / "rope.pretrain.dev.predictions").write_text("London\n" * len(lines))
    found = attempt(CHECKS["predictions aligned"], Submission(solution, data))
    assert "rope.pretrain.dev.predictions" in found["text"]
    assert "vanilla.pretrain.dev.predictions" in found["text"]


def test_a_broken_import_is_a_finding(cli, solution, data):
    (solution / "model.py").write_text("import nowhere_to_be_found\n")
    result = cli("doctor", "submission", solution, "--data", data)
    assert (result.code, result.err) == (0, "")
    first, *_, last = result.out.splitlines()
    assert first.startswith("look            import")
    assert "No module named 'nowhere_to_be_found' (model.py:1). Hint:" in first
    assert last.startswith("ok              predictions aligned")  # needs no code


@pytest.mark.parametrize(
    ("spoilt", "code", "message"),
    [
        ("folder", 66, "nobody: expected a folder with a submission, found none"),
        ("files", 66, "found none of them"),
        ("file", 66, "helper.py: expected one of the course's files, found none; add it"),
        ("syntax", 65, "helper.py:2: expected Python, found a syntax error"),
        ("data", 66, "nowhere: expected a folder with the course's data, found none"),
    ],
)
def test_bad_input_is_one_line(cli, tmp_path, solution, spoilt, code, message):
    arguments: list[object] = [solution]
    if spoilt == "folder":
        arguments = [tmp_path / "nobody"]
    elif spoilt == "files":
        arguments = [tmp_path / "empty"]
        (tmp_path / "empty").mkdir()
    elif spoilt == "file":
        (solution / "helper.py").unlink()
    elif spoilt == "syntax":
        (solution / "helper.py").write_text("\ndef f(:\n")
    else:
        arguments += ["--data", tmp_path / "nowhere"]
    result = cli("doctor", "submission", *arguments)
    assert result.code == code
    assert message in result.complaint
    assert result.out == ""
