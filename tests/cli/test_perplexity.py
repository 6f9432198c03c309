"""`wherefrom perplexity`: what it prints, and how it fails."""

from pathlib import Path

import pytest


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("The cat sat in 1999. The dog ran.\n\nThe dog sat.")
    return path


def test_a_table_and_one_json_object(cli, word_run, text):
    found = cli("perplexity", word_run, "--text", text)
    assert found.code == 0
    assert f"{word_run} (better): per word" in found.out
    assert "unknowns spelt by bytes" in found.out
    report = cli("perplexity", word_run, "--text", text, "--json").json
    assert list(report) == ["tokens", "unknown", "runs", "failed", "notes"]
    (run,) = report["runs"]
    assert (run["model"], run["unit"], run["gaps"]) == ("better", "word", {})
    assert run["texts"]["text.txt"]["characters"] == len(text.read_text())


def test_what_was_measured_is_printed_before_the_command_fails(cli, word_run, text, tmp_path):
    (tmp_path / "empty.txt").write_text("")
    arguments = [tmp_path / "none", word_run, tmp_path / "empty.txt", text]
    found = cli("perplexity", *arguments)
    assert found.code == 65
    assert "empty.txt: expected a text" in found.complaint  # the first error is the command's
    assert f"{tmp_path / 'none'}: expected a run folder" in found.err
    assert f"{word_run} (better): per word" in found.out
    assert len(cli("perplexity", *arguments, "--json").json["failed"]) == 2
