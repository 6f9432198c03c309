"""The homework's character model and averaging network: the library's, under other names."""

import random

import numpy as np
import pytest
import torch

from tests.course.files import HW2, load
from wherefrom.models.gru import GRU, GRUConfig

q3, q4 = load(HW2, "q3_char_rnn_generation", "q4_DAN")


@pytest.fixture
def network() -> GRU:
    torch.manual_seed(0)
    return GRU(GRUConfig(vocab_size=100, n_embd=12, n_hidden=12)).eval()


@torch.no_grad()
def test_the_homeworks_model_is_the_librarys_character_by_character(network):
    model, hidden = q3.from_library(network), torch.zeros(1, 1, 12)
    text = q3.chars_to_tensor("What a piece of work")
    wanted = network(text[None])[0]
    for number, character in enumerate(text):
        output, hidden = model(character, hidden)
        torch.testing.assert_close(output[0], wanted[number], atol=1e-5, rtol=1e-4)


def test_its_perplexity_and_its_samples_are_the_librarys(network, tmp_path):
    from wherefrom.core.characters import PRINTABLE
    from wherefrom.generation.texts import go_on

    model = q3.from_library(network)
    path = tmp_path / "passage.txt"
    path.write_text("To be, or not to be: that is the question.\n")
    ids = PRINTABLE.encode("\n" + path.read_text())
    with torch.no_grad():
        p = network(torch.tensor([ids[:-1]]))[0].log_softmax(-1)
    wanted = np.exp(-np.mean([p[i, following].item() for i, following in enumerate(ids[1:])]))
    assert q3.perplexity(model, path) == pytest.approx(wanted, rel=1e-4)
    written = list(go_on(network, PRINTABLE.encode("Wh"), 20, temperature=0.8, seed=3))
    assert q3.evaluate(model, "Wh", 20, 0.8, seed=3) == "Wh" + PRINTABLE.decode(written)


def test_chunks_are_whole_and_targets_are_one_further():
    random.seed(0)
    text = "abcdefghij"
    for _ in range(50):
        assert len(q3.random_chunk(text, 8)) == 9
        inp, target = q3.random_training_set(text, 8)
        assert target[:-1].tolist() == inp[1:].tolist()


def test_an_update_of_its_own_lowers_the_loss():
    torch.manual_seed(0)
    model = q3.OurModel(100, 10, 100)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    inp, target = q3.chars_to_tensor("abababab"), q3.chars_to_tensor("babababa")
    losses = [q3.train(model, optimizer, inp, target) for _ in range(30)]
    assert losses[-1] < 0.5 * losses[0]


def test_both_programs_run(tmp_path, capsys):
    text, passage = tmp_path / "text.txt", tmp_path / "passage.txt"
    text.write_text("to be, or not to be: that is the question.\n" * 20)
    passage.write_text("Anna was born in Paris.\n")
    given = ["--data", str(text), "--steps", "2"]
    assert q3.main([*given, "--out", str(tmp_path / "library")]) == 0
    assert "nats a character" in capsys.readouterr().out
    assert q3.main([*given, "--own", "--out", str(tmp_path / "own"), "--text", str(passage)]) == 0
    said = capsys.readouterr().out
    assert "update 2 of 2: loss " in said
    assert "passage.txt: perplexity " in said
    assert q3.main(["--data", str(tmp_path / "none")]) == 66
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_examples_are_padded_and_masked():
    batch = q4.DataCollatorWithPadding()(
        [{"input_ids": [4, 2], "labels": 1}, {"input_ids": [3], "labels": 0}]
    )
    assert batch["input_ids"].tolist() == [[4, 2], [3, 0]]
    assert batch["attention_masks"].tolist() == [[1, 1], [1, 0]]
    assert batch["labels"].tolist() == [1, 0]
    assert q4.pad_sequence_to_length([1, 2, 3], 2) == [1, 2]
    assert q4.compute_metrics(np.array([[1, 2], [3, 1]]), [1, 1]) == {"accuracy": 0.5}


def test_one_network_is_trained_through_its_forward(capsys, monkeypatch, tmp_path):
    config = q4.ReviewsConfig
    monkeypatch.setattr(q4, "ReviewsConfig", lambda folder: config(folder=folder, made=400))
    assert q4.main(["--own", "--epochs", "2", "--hidden_layers", "2", "--activation", "tanh"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("epoch 2: ")
    assert last.endswith(" % of the test reviews")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(q4.MissingInput, match=r"glove\.npy: expected word vectors, found none"):
        q4.DAN()


def test_the_study_is_the_librarys_recipe(capsys, monkeypatch, tmp_path):
    whole = q4.sentiment()
    stages = tuple(q4.replace(stage, steps=2) for stage in whole.stages)
    small = q4.replace(whole, stages=stages)
    monkeypatch.setattr(q4, "sentiment", lambda: small)
    config = q4.ReviewsConfig
    monkeypatch.setattr(q4, "ReviewsConfig", lambda folder: config(folder=folder, made=400))
    assert q4.main(["--out", str(tmp_path / "dan")]) == 0
    assert "trainable-1: " in capsys.readouterr().out
    assert "drawn at random, by seed 0" in (tmp_path / "dan" / "study.md").read_text()
