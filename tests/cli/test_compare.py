import json
import shutil

import pytest

from wherefrom.runs.folder import RunFolder


def test_a_table_and_one_json_object(cli, tiny_run, tmp_path):
    """A copy in which three more questions are answered rightly is better by three in eight."""
    better = shutil.copytree(tiny_run, tmp_path / "better")
    file = better / "predictions" / "with_pretraining.birthplace.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in [row for row in rows if not row["correct"]][:3]:
        row |= {"answer": row["gold"], "correct": True}
    RunFolder(better).write_jsonl("predictions/with_pretraining.birthplace.jsonl", rows)
    found = cli("compare", tiny_run, better, "--json").json
    assert list(found) == ["runs", "paired", "notes", "seeds"]
    assert [run["run"] for run in found["runs"]] == [str(tiny_run), str(better)]
    assert found["paired"][0]["n"] == 8
    text = cli("compare", tiny_run, better).out
    assert "+37.5 points" in text
    assert "3 : 0" in text
    assert "parameters trained" in text
    assert "seconds of training" in text


def test_notes_stand_under_the_tables(cli, tiny, tiny_run, tmp_path):
    other = tmp_path / "other"
    cli("run", *tiny, "--seed", 1, "--no-report", "--out", other)
    result = cli("compare", tiny_run, other)
    assert result.code == 0
    assert "with_pretraining" in result.out
    last = result.out.splitlines()[-1]
    assert last.startswith(f"{other}: birthplace not paired with {tiny_run}: ")


@pytest.mark.nightly
def test_perplexities_of_words_and_characters_have_their_own_rows_and_bits_share_theirs(
    cli, tmp_path
):
    (tmp_path / "text.txt").write_text("to be, or not to be: that is the question.\n" * 20)
    few = {
        "bigram": ("stages.homework.steps=20", "stages.better.steps=2"),
        "shakespeare-gru": (
            "model.n_hidden=8",
            "stages.homework.steps=2",
            "stages.better.steps=2",
            f"data.folder={tmp_path / 'text.txt'}",
        ),
    }
    for name, settings in few.items():
        options = [part for setting in settings for part in ("--set", setting)]
        given = ("run", name, *options, "--threads", "1", "--no-report", "--out", tmp_path / name)
        assert cli(*given).code == 0
    words, characters = (tmp_path / name for name in few)
    lines = cli("compare", words, characters).out.splitlines()
    for title, cells in (("per word", [False, True]), ("per character", [True, False])):
        row = lines[lines.index(f"perplexity {title}") + 1 :]
        (better,) = [line for line in row[: row.index("")] if line.startswith("  better ")]
        assert [better.split()[1] == "-", better.endswith(" -")] == cells
    (bits,) = [line for line in lines if line.startswith("  better, bits ")]
    assert " - " not in bits
    assert not bits.endswith("-")


def test_a_run_can_be_compared_with_itself(cli, tiny_run):
    header = cli("compare", tiny_run, tiny_run).out.splitlines()[0]
    assert f"{tiny_run} (1)" in header
    assert f"{tiny_run} (2)" in header


def test_one_run_is_not_enough(cli, tiny_run):
    result = cli("compare", tiny_run)
    assert result.code == 2
    assert "at least two runs" in result.complaint


@pytest.mark.nightly
def test_demonstrations_alone_are_refused(cli, tmp_path):
    lab = tmp_path / "lab"
    assert cli("run", "attention-lab", "--out", lab).code == 0
    assert cli("compare", lab, lab).code == 65
