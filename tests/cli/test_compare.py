import json
import shutil

import pytest


@pytest.fixture
def better(tiny_run, tmp_path):
    """The same questions, of which three more are answered rightly."""
    path = shutil.copytree(tiny_run, tmp_path / "better")
    file = path / "predictions" / "with_pretraining.birthplace.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    wrong = [row for row in rows if not row["correct"]][:3]
    for row in wrong:
        row |= {"answer": row["gold"], "correct": True}
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_same_questions_are_paired(cli, tiny_run, better):
    found = cli("compare", tiny_run, better, "--json").json
    assert list(found) == ["runs", "paired", "notes"]
    assert [run["run"] for run in found["runs"]] == [str(tiny_run), str(better)]
    (pair,) = found["paired"]
    assert pair["difference"] == pytest.approx(3 / 8)
    assert (pair["run"], pair["with"]) == (str(better), str(tiny_run))
    assert (pair["only_a"], pair["only_b"], pair["n"]) == (3, 0, 8)
    assert pair["interval"][0] < 3 / 8 < pair["interval"][1]
    assert found["notes"] == []
    text = cli("compare", tiny_run, better).out
    assert "+37.5 points" in text
    assert "3 : 0" in text


def test_other_questions_stand_side_by_side_with_the_reason(cli, tiny, tiny_run, tmp_path):
    other = tmp_path / "other"
    cli("run", *tiny, "--seed", 1, "--out", other)
    result = cli("compare", tiny_run, other)
    assert result.code == 0
    assert "with_pretraining" in result.out
    last = result.out.splitlines()[-1]
    assert last.startswith(f"{other}: birthplace not paired with {tiny_run}: ")
    assert "only one of them" in last


def test_runs_without_a_common_task_stand_side_by_side(cli, tiny_run, tmp_path):
    bigram = tmp_path / "bigram"
    small = ("--set", "data.sentences=200", "--set", "stages.train.steps=20")
    cli("run", "bigram-tiny", *small, "--out", bigram)
    result = cli("compare", bigram, tiny_run, "--json")
    assert result.json["paired"] == []
    (note,) = result.json["notes"]
    assert note.endswith("no task with answers in both")


def test_perplexities_of_words_and_characters_have_their_own_rows_and_a_way_to_compare(
    cli, tmp_path
):
    few = {
        "bigram": ("stages.homework.steps=20", "stages.better.steps=2"),
        "shakespeare-gru": ("model.n_hidden=8", "stages.homework.steps=2", "stages.better.steps=2"),
    }
    for name, settings in few.items():
        options = [part for setting in settings for part in ("--set", setting)]
        assert cli("run", name, *options, "--threads", "1", "--out", tmp_path / name).code == 0
    words, characters = (tmp_path / name for name in few)
    lines = cli("compare", words, characters).out.splitlines()
    for title, cells in (("per word", [False, True]), ("per character", [True, False])):
        row = lines[lines.index(f"perplexity {title}") + 1 :]
        (better,) = [line for line in row[: row.index("")] if line.startswith("  better ")]
        assert [better.split()[1] == "-", better.endswith(" -")] == cells
    (bits,) = [line for line in lines if line.startswith("  better, bits ")]
    assert " - " not in bits
    assert not bits.endswith("-")
    assert f"'wherefrom perplexity {words} {characters} --text FILE' reads" in lines[-1]


def test_a_run_can_be_compared_with_itself(cli, tiny_run):
    header = cli("compare", tiny_run, tiny_run).out.splitlines()[0]
    assert f"{tiny_run} (1)" in header
    assert f"{tiny_run} (2)" in header


def test_one_run_is_not_enough(cli, tiny_run):
    result = cli("compare", tiny_run)
    assert result.code == 2
    assert "at least two runs" in result.complaint


def test_demonstrations_are_left_out_and_the_others_compared(cli, tiny_run, tmp_path):
    lab = tmp_path / "lab"
    assert cli("run", "attention-lab", "--out", lab).code == 0
    found = cli("compare", tiny_run, lab, tiny_run)
    assert found.code == 0
    assert f"{lab}: left out: demonstrations have no scores" in found.out
    assert cli("compare", lab, lab).code == 65
