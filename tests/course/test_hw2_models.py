"""The homework's character model and averaging network: what they compute, and their programs."""

import random

import numpy as np
import pytest
import torch

from tests.course.files import HW2, load
from wherefrom.core.errors import MissingInput

q3, q4 = load(HW2, "q3_char_rnn_generation", "q4_DAN")


def test_perplexity_and_samples_are_those_of_the_network(tmp_path):
    """The whole text through torch's own GRU at once, against one character after the other."""
    torch.manual_seed(0)
    model, path = q3.OurModel(100, 12, 100), tmp_path / "passage.txt"
    path.write_text("To be, or not to be: that is the question.\n")
    ids = q3.chars_to_tensor("\n" + path.read_text())
    with torch.no_grad():
        states, _ = model.gru(model.embedding(ids[:-1])[:, None])
        p = model.output_layer(states[:, 0]).log_softmax(-1)
    wanted = np.exp(-np.mean([p[i, following].item() for i, following in enumerate(ids[1:])]))
    assert q3.perplexity(model, path) == pytest.approx(wanted, rel=1e-4)
    written = q3.evaluate(model, "Wh", 20, 0.8, seed=3)
    assert written == q3.evaluate(model, "Wh", 20, 0.8, seed=3)
    assert written != q3.evaluate(model, "Wh", 20, 0.8, seed=4)
    assert (written[:2], len(written)) == ("Wh", 22)
    cold = q3.evaluate(model, "To be", 1, temperature=1e-4)
    assert cold[-1] == q3.all_characters[int(p[5].argmax())]


def test_chunks_are_whole_and_targets_are_one_further():
    random.seed(0)
    text = "abcdefghij"
    for _ in range(50):
        inp, target = q3.random_training_set(text, 8)
        assert len(inp) == len(target) == 8
        assert target[:-1].tolist() == inp[1:].tolist()


def test_the_program_runs(tmp_path, capsys):
    text, passage = tmp_path / "text.txt", tmp_path / "passage.txt"
    text.write_text("to be, or not to be: that is the question.\n" * 20)
    passage.write_text("Anna was born in Paris.\n")
    given = ["--data", str(text), "--steps", "2"]
    assert q3.main([*given, "--out", str(tmp_path / "own"), "--text", str(passage)]) == 0
    said = capsys.readouterr().out
    assert "update 2 of 2: loss " in said
    assert "passage.txt: perplexity " in said
    assert q3.main(["--data", str(tmp_path / "none")]) == 66
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_examples_are_padded_and_masked():
    batch = q4.collate([([4, 2], 1), ([3], 0)])
    assert batch["input_ids"].tolist() == [[4, 2], [3, 0]]
    assert batch["attention_masks"].tolist() == [[1, 1], [1, 0]]
    assert batch["labels"].tolist() == [1, 0]


def test_one_network_is_trained_through_its_forward(capsys, monkeypatch, tmp_path):
    config = q4.ReviewsConfig
    monkeypatch.setattr(q4, "ReviewsConfig", lambda folder: config(folder=folder, made=400))
    assert q4.main(["--epochs", "2", "--hidden_layers", "2"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("epoch 2: ")
    assert last.endswith(" % of the test reviews")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingInput, match=r"glove\.npy"):
        q4.DAN()
