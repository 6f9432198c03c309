"""The Python API: all that the commands do, lazily loaded, with frozen results."""

import subprocess
import sys

import pytest

import wherefrom
from wherefrom import api
from wherefrom.cli.main import app
from wherefrom.runs.folder import RunFolder

PACKAGES = {"data", "doctor"}


def test_the_package_offers_what_the_api_has():
    assert set(wherefrom.__all__) == set(api.__all__) | PACKAGES
    for name in api.__all__:
        assert getattr(wherefrom, name) is getattr(api, name)
        assert name in dir(wherefrom)
        assert getattr(api, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wherefrom.nothing  # pyright: ignore


def test_every_command_has_its_function():
    """`list` has two, `report` another name, since a room has that one; `doctor`, and the commands
    of `data`, are in packages of functions."""
    commands = {command.name for command in app.registered_commands}
    for name in commands - {"list", "report", "doctor"}:
        assert callable(getattr(wherefrom, str(name)))
    assert callable(wherefrom.list_recipes)
    assert callable(wherefrom.list_runs)
    assert callable(wherefrom.write_report)
    for name in ("list_datasets", "check", "add", "fetch", "remove"):
        assert callable(getattr(wherefrom.data, name))
    assert callable(wherefrom.doctor.examine_submission)


def test_the_packages_are_found_without_being_imported_first(python_anew):
    program = "import wherefrom; wherefrom.data.list_datasets; wherefrom.doctor.examine_submission"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_run_open_and_ask(tmp_path, tiny_settings, capfd):
    outcome = wherefrom.run("people", out=tmp_path / "r", seed=1, settings=tiny_settings)
    assert capfd.readouterr() == ("", "")
    assert outcome.results["with_pretraining"]["n"] == 8
    settings = [*tiny_settings, "seed=1"]
    again = wherefrom.run("people", out=tmp_path / "r", settings=settings, progress=True)
    assert (again.reused, again.results) == (True, outcome.results)
    run = wherefrom.open_run(outcome.run)
    assert run.recipe.seed == 1
    assert run.finished
    question = run.dataset.select("held-out")[0].text
    (reply,) = wherefrom.ask(outcome.run, [question])
    assert reply.question == question
    assert reply.evidence is not None
    assert reply.source is None, "no model was retrained"
    assert list(wherefrom.ask(run, question)) == [reply]
    assert len(wherefrom.ask(run, [question, question])) == 2
    assert len(wherefrom.ask(run, [])) == 0


def test_a_whole_recipe_can_be_run_and_takes_only_a_seed(tmp_path):
    small = ["data.sentences=200", "stages.train.steps=20"]
    recipe = wherefrom.build_recipe("bigram-tiny", settings=small)
    assert wherefrom.run(recipe, out=tmp_path / "b", seed=3).recipe == "bigram-tiny"
    assert wherefrom.open_run(tmp_path / "b").recipe.seed == 3
    with pytest.raises(wherefrom.WherefromError, match=r"settings: .* found a recipe object"):
        wherefrom.run(recipe, settings=small)


def test_a_misspelt_option_is_refused(tmp_path):
    with pytest.raises(wherefrom.WherefromError, match=r"sede: no such option.*mean 'seed'"):
        wherefrom.run("bigram-tiny", out=tmp_path / "b", sede=3)  # pyright: ignore
    with pytest.raises(wherefrom.WherefromError, match="at least one, found none"):
        wherefrom.run_seeds("bigram-tiny", [], out=tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_the_commands_refuse_python_refuses_too(tiny_run):
    with pytest.raises(wherefrom.WherefromError, match="budget: expected minutes from 0"):
        wherefrom.audit(tiny_run, budget=-1.0)
    with pytest.raises(wherefrom.WherefromError, match="delta: expected a risk beside it"):
        wherefrom.ask(tiny_run, "Where was Ada Lund born?", delta=0.2)


def test_a_run_that_is_not_finished_is_refused(own_run):
    RunFolder(own_run).write_status({"state": "unfinished", "seconds": 1.0})
    before = sorted(own_run.rglob("*"))
    further = {"ask": ["Where was Ada Lund born?"], "export": [own_run / "out"]}
    for name in ("ask", "audit", "write_report", "export", "examples", "evaluate"):
        with pytest.raises(wherefrom.WherefromError, match="this run is not finished"):
            getattr(wherefrom, name)(own_run, *further.get(name, ()))
    assert sorted(own_run.rglob("*")) == before


def test_own_files_are_options_in_python_too(facts_folder):
    recipe = wherefrom.build_recipe(
        "facts", corpus=facts_folder / "corpus.txt", questions="questions.tsv", variant="rope"
    )
    assert recipe.data.corpus == str(facts_folder / "corpus.txt")
    assert recipe.data.questions.endswith("/questions.tsv")  # absolute
    with pytest.raises(wherefrom.WherefromError, match="--corpus: expected a recipe that has"):
        wherefrom.build_recipe("people", corpus="corpus.txt")


def test_an_outcome_stands_for_its_run(tiny_run, tiny_settings):
    outcome = api.run("people", out=tiny_run, settings=tiny_settings)
    assert api.open_run(outcome).path == tiny_run
    question = api.open_run(outcome).dataset.select("held-out")[0].text
    assert api.to_json(api.ask(outcome, question)) == api.to_json(api.ask(tiny_run, question))
    assert api.compare([outcome, tiny_run]).runs[0].run == str(tiny_run)
