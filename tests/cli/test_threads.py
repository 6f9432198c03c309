"""`--threads`: every command that computes takes it."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _as_before():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def commands(own_run, own_facts, tmp_path) -> dict[str, list[object]]:
    (tmp_path / "text.txt").write_text("Where was she born?\n")
    return {
        "ask": [own_run, "Where was Ada Lund born?"],
        "audit": [own_facts / "run"],
        "evaluate": [own_run],
        "sample": [own_run, "--length", "2"],
        "perplexity": [own_run, "--text", tmp_path / "text.txt"],
    }


def test_commands_compute_with_as_many_as_they_are_told(cli, commands, small_audits):
    for name, arguments in commands.items():
        torch.set_num_threads(1)
        assert cli(name, *arguments, "--threads", "2").code == 0
        assert torch.get_num_threads() == 2, name
    for name in ("ask", "evaluate"):
        torch.set_num_threads(2)
        assert cli(name, *commands[name]).code == 0
        assert torch.get_num_threads() == 1, name  # the recipe's
