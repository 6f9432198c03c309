"""Characters against words: stems and words by hand, and the whole program on generated runs."""

import json

import pytest
import units

from wherefrom.api import run

KNOWN = frozenset("walk love stop glass the spoke".split())


def test_stems_are_those_of_the_training_text():
    stems = {word: units.stem_of(word, KNOWN) for word in ("walking", "loving", "stopped")}
    assert stems == {"walking": "walk", "loving": "lov", "stopped": "stopp"}
    assert units.stem_of("glasses", KNOWN) == "glass"
    assert units.stem_of("table", KNOWN) == ""
    assert units.stem_of("thes", KNOWN) == "the"


def test_words_are_seen_inflected_or_neither_and_unseen_ones_count_once():
    found = units.find_words("glass walking Tables walking zebra xx spoke spoke", KNOWN)
    assert [(w.text, w.kind, w.start) for w in found] == [
        ("glass", "seen", 0), ("walking", "inflected", 6), ("zebra", "other", 29),
        ("spoke", "seen", 38), ("spoke", "seen", 44),
    ]  # fmt: skip


def test_a_blank_line_ends_a_sentence():
    first, second = units._spaces("one two\n\nthree\n")
    assert [(t.text, t.start, t.end) for t in first] == [("one", 0, 3), ("two", 4, 7)]
    assert [t.start for t in second] == [9]


@pytest.mark.nightly
def test_it_measures_two_runs(tmp_path, capsys):
    words = ["stages.homework.steps=20", "stages.better.steps=2"]
    run("bigram", out=tmp_path / "words", settings=words)
    characters = ["stages.homework.steps=2", "stages.better.steps=2", "data.held_out=0.3"]
    run("shakespeare-gru", out=tmp_path / "characters", settings=characters)
    text = tmp_path / "text.txt"
    text.write_text("the cat zzzzing runs .\n\na living person listed here .\n")
    figures = tmp_path / "figures.json"
    units.main(
        [str(tmp_path / "words"), str(tmp_path / "characters"), "--text", str(text), "--tiny",
         "--turns", "1", "--json", str(figures)]
    )  # fmt: skip
    found = json.loads(figures.read_text())
    assert [row["units"].split()[-1] for row in found["memory"]] == ["words", "text", "characters"]
    assert found["memory"][2]["table"] == 100 * 100
    assert [row["kind"] for row in found["costs"]] == ["seen", "inflected", "other"]
    assert [r["name"] for r in found["speed"]["ratios"]] == ["train, words", "write, words"]
    assert "right ending of " in capsys.readouterr().out
