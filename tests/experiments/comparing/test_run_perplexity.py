"""Texts measured by runs of words and of characters: small ones, and the homework's real ones."""

from pathlib import Path

import numpy as np
import pytest

from tests.support import real_data
from wherefrom import api
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.evaluation.text.verbatim import Verbatim
from wherefrom.experiments.comparing.run_comparison import compare
from wherefrom.experiments.comparing.run_perplexity import open_reader, perplexity
from wherefrom.runs.opened_run import Run, open_run

TEXT = "The cat sat in 1999. The dog ran.\n\nThe dog sat."


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_words_and_ends_are_counted_and_unknown_ones_charged(word_run, text):
    report = perplexity([word_run], [text])
    assert (report.tokens, report.unknown, report.failed) == ("treebank", "uniform", ())
    (run,) = report.runs
    assert (run.run, run.model, run.unit, run.gaps) == (str(word_run), "better", "word", {})
    measured = run.texts["text.txt"]
    assert measured.characters == len(TEXT)
    assert measured.n == 14 + 3  # words and three ends
    assert measured.unknown_share == pytest.approx(4 / 17)  # in, dog, ran, dog
    assert measured.classes["unknown"].targets == 4
    assert measured.verbatim.found == 0
    assert measured.charged.nats_per_character > measured.nats_per_character
    text.write_bytes(TEXT.replace("\n", "\r\n").encode())
    found = perplexity([open_run(word_run)], [str(text)])
    assert found == report, "ends of lines are all the same, and so are an open run and its folder"


def test_a_run_is_compared_by_what_its_held_out_text_costs(word_run, tmp_path):
    (tmp_path / "held-out").write_text("the dog sat\n")  # "dog" is unknown
    (read,) = perplexity([word_run], [tmp_path / "held-out"]).runs
    compared = compare([word_run, word_run]).runs[0].results["better, bits"]
    charged = read.texts["held-out"].charged
    assert compared["bits_per_character"] == pytest.approx(charged.bits_per_character)


def test_characters_beside_words_and_a_gap(word_run, tiny_run, text, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Ada Lund was born in Rome.\nthe cat sat in 1999\n")
    options = {"preprocess": ["lower,wrap10"], "temperatures": [1.5], "unknown": tiny_run}
    report = perplexity([word_run, tiny_run], [text, other], **options)
    assert report.unknown == str(tiny_run)
    words, characters = report.runs
    assert (words.unit, characters.unit) == ("word", "character")
    chains = [chain.steps for chain in words.texts["text.txt"].preprocessed]
    assert chains == [("lower",), ("lower", "wrap10")]
    (warm,) = characters.texts["text.txt"].temperatures
    assert warm.temperature == 1.5
    first, second = (characters.texts[name] for name in ("text.txt", "other.txt"))
    gap = characters.gaps["other.txt"]
    assert sum(gap.values()) == pytest.approx(second.nats_per_target - first.nats_per_target)
    by_bytes = perplexity([word_run], [text]).runs[0].texts["text.txt"]
    spelt = words.texts["text.txt"]
    assert spelt.perplexity == by_bytes.perplexity
    assert spelt.charged != by_bytes.charged


@pytest.mark.parametrize(
    ("size", "said"),
    [(200, "3 of 3 windows"), (30, "1 of 1 windows"), (8, "too short to tell")],
)
def test_a_note_warns_of_text_that_was_trained_on(tiny_run, tmp_path, size, said):
    lines = (tiny_run / "corpus" / "documents.txt").read_text().splitlines()
    (tmp_path / "seen.txt").write_text(" ".join(lines)[:size])
    (note,) = perplexity([tiny_run], [tmp_path / "seen.txt"]).notes
    assert said in note
    assert note.startswith(f"{tiny_run}: ")
    if size > 8:
        assert "its score measures memory, not language" in note


def test_plain_counts_read_too_also_at_a_temperature(word_run, text):
    """One held-out sentence; at a temperature of 1 nothing changes, and all words sum to 1."""
    (run,) = perplexity([word_run], [text], model="counts", temperatures=[1, 20]).runs
    assert (run.model, run.unit) == ("counts", "word")
    measured = run.texts["text.txt"]
    same, hot = (heated.perplexity for heated in measured.temperatures)
    assert same == pytest.approx(measured.perplexity)
    assert hot == pytest.approx(8, rel=0.2)  # nearly an even choice
    assert perplexity([word_run], [text], model="unigram").failed == ()


def test_a_run_whose_words_have_none_for_unknown_ones_reads_no_text(bigram_run, text):
    (error,) = perplexity([bigram_run], [text]).failed
    assert "expected a word that stands for unknown words, found none" in str(error)


def test_what_cannot_be_read_does_not_keep_the_rest_from_being_measured(
    word_run, tiny_run, text, tmp_path
):
    (tmp_path / "bytes.txt").write_bytes(b"a\n\xff\xfe")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "foreign.txt").write_text("xyz qrs")
    texts = [*(tmp_path / f"{name}.txt" for name in ("bytes", "empty", "foreign")), text]
    report = perplexity([tmp_path / "none", word_run, tiny_run], texts)
    assert [list(run.texts) for run in report.runs] == [["text.txt"], ["foreign.txt", "text.txt"]]
    other, empty, none, foreign = report.failed
    assert "bytes.txt:2: expected UTF-8 text" in str(other)
    assert str(empty).startswith(f"{tmp_path / 'empty.txt'}: expected a text")
    assert isinstance(none, MissingInput)
    assert str(none).startswith(f"{tmp_path / 'none'}: expected a run folder")
    assert str(foreign).startswith(f"{word_run}: foreign.txt: text: expected words that the model")


def test_two_texts_of_one_name_are_named_by_their_paths(word_run, text, tmp_path):
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "text.txt"
    other.write_text("the cat")
    (run,) = perplexity([word_run], [text, other]).runs
    assert list(run.texts) == [str(text), str(other)]


def test_dropping_unseen_characters_is_left_out_of_word_models(word_run, text):
    """What can be measured is: the text as it is, and the steps before that one."""
    report = perplexity([word_run], [text], preprocess=["lower,wrap40,drop-unseen"])
    why = "chains with drop-unseen are left out, because the model reads words"
    assert f"{word_run}: {why}" in report.notes
    measured = report.runs[0].texts["text.txt"]
    assert [chain.steps for chain in measured.preprocessed] == [("lower",), ("lower", "wrap40")]


def test_bad_arguments_are_errors(word_run, text):
    for runs, texts in (([word_run], []), ([], [text])):
        with pytest.raises(UsageError, match="expected at least one run and one text"):
            perplexity(runs, texts)
    for bad in (0, float("nan")):
        with pytest.raises(UsageError, match=f"expected a number from 0.05 to 20, found {bad}"):
            perplexity([word_run], [text], temperatures=[bad])
    with pytest.raises(BadData, match="run of a character model, found one of words"):
        perplexity([word_run], [text], unknown=word_run)
    with pytest.raises(MissingInput, match="none: expected a run folder"):
        perplexity([word_run], [text], unknown="none")
    (error,) = perplexity([word_run], [text], model="worst").failed
    assert "no model 'worst'; known: better, counts, homework, unigram" in str(error)


def test_a_run_without_its_training_text_is_measured_all_the_same(word_run, text, tmp_path):
    """The vectors are kept with the weights; only what was trained on cannot be said."""
    moved = word_run.parent / "wsj_public_train.tsv"
    moved.rename(tmp_path / "away.tsv")
    try:
        report = perplexity([word_run], [text])
    finally:
        (tmp_path / "away.tsv").rename(moved)
    assert report.runs[0].texts["text.txt"].verbatim is None
    assert "its training text is missing" in report.notes[0]


def test_what_reads_no_text_is_refused(tiny_run, monkeypatch):
    """A baseline that answers questions, a model without probabilities, an unfinished run."""
    with pytest.raises(UsageError, match="no model 'majority'; known: with_pretraining, without"):
        open_reader(tiny_run, "majority")
    monkeypatch.setattr(Run, "predictor", lambda self, name: object())
    with pytest.raises(BadData, match="run of a language model, found one of 'people'"):
        open_reader(tiny_run)
    monkeypatch.setattr(Run, "finished", False)
    with pytest.raises(MissingInput, match="this run is not finished"):
        open_reader(tiny_run)


def passages() -> list[Path]:
    return [
        real_data.find("language", f"{t}_for_perplexity.txt") for t in ("shakespeare", "wikipedia")
    ]


@pytest.mark.nightly
def test_the_passages_of_the_homework(tmp_path):
    """About 124 and 60, with a quarter of the words unknown; as lines they are but 42 and 16."""
    out, texts, data = tmp_path / "bigram", passages(), real_data.FOLDER
    api.run("bigram", out=out, settings=[f"data.folder={data}", "stages.better.steps=1"])
    plays, article = perplexity([out], texts, model="homework").runs[0].texts.values()
    assert 108 < plays.perplexity < 140
    assert 53 < article.perplexity < 68
    assert plays.unknown_share == pytest.approx(0.253, abs=0.002)
    assert article.unknown_share == pytest.approx(0.280, abs=0.002)
    (lines,) = perplexity([out], texts, model="homework", tokens="one-a-line").runs
    assert [measured.n for measured in lines.texts.values()] == [42, 16]


@pytest.mark.nightly
def test_the_character_model_on_the_passages_of_the_homework(tmp_path):
    """What the homework's GRU makes of the article was recomputed independently.

    The mean of three seeds may be a tenth away from it; their own range is about one and a half
    (docs/PERPLEXITY.md).
    """
    short, found = [f"data.folder={real_data.FOLDER}", "stages.better.steps=1"], []
    for seed in range(3):
        out, texts = tmp_path / str(seed), passages()
        api.run("shakespeare-gru", out=out, seed=seed, settings=short)
        chains = ["lower,drop-unseen,wrap40", "spell-numbers"]
        (run,) = perplexity([out], texts, model="homework", preprocess=chains).runs
        plays, article = run.texts.values()
        assert plays.verbatim == Verbatim(29, 29)
        unseen = article.classes["never seen in training"]
        assert (unseen.targets, article.n) == (158, 6615)
        *_, wrapped, spelt = article.preprocessed
        figures = article.perplexity, wrapped.per_character_seen, spelt.per_original_character
        found.append((plays.perplexity, *figures))
    assert np.mean(found, 0) == pytest.approx([6.9, 16.34, 11.13, 17.39], rel=0.1)
