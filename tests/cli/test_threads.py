"""`--threads`: every command that computes takes it."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _as_before():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def question(tiny_run) -> str:
    from wherefrom import open_run

    return open_run(tiny_run).dataset.select("held-out")[0].text


@pytest.fixture
def commands(own_run, sentiment_run, question, tmp_path) -> dict[str, list[object]]:
    (tmp_path / "text.txt").write_text("Where was she born?\n")
    return {
        "ask": [own_run, question],
        "dispute": [own_run, question, "Oslo"],
        "audit": [own_run],
        "evaluate": [own_run],
        "sample": [own_run, "--length", "2"],
        "perplexity": [own_run, "--text", tmp_path / "text.txt"],
        "explain": [sentiment_run, "a fine film"],
    }


@pytest.mark.parametrize(
    "name", ["ask", "dispute", "audit", "evaluate", "sample", "perplexity", "explain"]
)
def test_a_command_computes_with_as_many_as_it_is_told(cli, commands, name):
    assert cli(name, *commands[name], "--threads", "2").code == 0
    assert torch.get_num_threads() == 2
    assert cli(name, *commands[name]).code == 0
    assert torch.get_num_threads() == 1  # the recipe's


def test_so_does_training(cli, tiny, tmp_path):
    assert cli("run", *tiny, "--threads", "2", "--out", tmp_path / "run").code == 0
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("number", [10_000, 10**30])
def test_more_than_a_machine_has_any_use_for_are_refused(cli, own_run, tiny, tmp_path, number):
    result = cli("ask", own_run, "Where?", "--threads", number)
    assert result.code == 2
    assert "threads: expected a whole number from 0 to" in result.complaint
    result = cli("run", *tiny, "--threads", number, "--out", tmp_path / "new")
    assert result.code == 2
    assert not (tmp_path / "new").exists()


def test_a_number_below_nothing_is_refused(cli, own_run, question):
    result = cli("ask", own_run, question, "--threads", "-1")
    assert result.code == 2
    assert "--threads" in result.complaint
