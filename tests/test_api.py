import subprocess
import sys

import pytest

import wherefrom
from wherefrom import api


def test_the_package_offers_what_the_api_has():
    assert set(wherefrom.__all__) == set(api.__all__)
    for name in wherefrom.__all__:
        assert getattr(wherefrom, name) is getattr(api, name)
        assert name in dir(wherefrom)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wherefrom.nothing  # pyright: ignore


def test_importing_the_package_loads_no_torch():
    program = "import sys, wherefrom; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_run_open_and_ask(tmp_path, tiny_settings, capfd):
    outcome = wherefrom.run("people", out=tmp_path / "r", seed=1, settings=tiny_settings)
    assert capfd.readouterr() == ("", "")
    assert outcome.results["with_pretraining"]["n"] == 8
    again = wherefrom.run(
        "people", out=tmp_path / "r", settings=[*tiny_settings, "seed=1"], progress=True
    )
    assert again.reused
    assert again.results == outcome.results
    run = wherefrom.open_run(outcome.run)
    assert run.recipe.seed == 1
    assert run.finished
    question = run.dataset.select("held-out")[0].text
    (reply,) = wherefrom.ask(outcome.run, [question])
    assert reply.question == question
    assert not reply.known
    assert wherefrom.ask(run, [question]) == [reply]
    assert wherefrom.ask(run, []) == []


def test_a_whole_recipe_can_be_run_and_takes_no_settings(tmp_path):
    small = ["data.sentences=200", "stages.train.steps=20"]
    recipe = wherefrom.build_recipe("bigram-tiny", settings=small)
    assert wherefrom.run(recipe, out=tmp_path / "b").recipe == "bigram-tiny"
    with pytest.raises(wherefrom.WherefromError, match="settings"):
        wherefrom.run(recipe, settings=small)
