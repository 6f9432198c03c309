import shutil

import pytest

from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.experiments.one_run.samples import sample
from wherefrom.generation.text_scorer import go_on
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run


@pytest.fixture(scope="module")
def characters(character_run) -> Run:
    return open_run(character_run)


def test_pieces_are_the_characters_that_the_decoder_chooses(characters):
    prompt = characters.vocabulary.encode("to b")
    tokens = go_on(characters.model(), prompt, 40, temperature=0.7, top_k=5, seed=3)
    expected = characters.vocabulary.decode(list(tokens))
    pieces = list(sample(characters, "to b", 40, temperature=0.7, top_k=5, seed=3))
    assert "".join(pieces) == expected
    assert len(pieces) == 40


def test_arguments_are_checked_before_a_piece_is_asked_for(characters):
    for options, error, message in (
        ({"prompt": "é"}, BadData, r"U\+00E9"),
        ({"prompt": ""}, BadData, "prompt: expected 1 to"),
        ({"length": 0}, UsageError, "sample.length: expected 1 to 1,000,000 characters"),
        ({"temperature": -1}, UsageError, "temperature: expected a number from 0 to 1000"),
        ({"model": "best"}, UsageError, "no model 'best'"),
    ):
        with pytest.raises(error, match=message):
            sample(characters, **options)


def test_a_run_that_cannot_write_is_refused_before_a_piece_is_asked_for(bigram_run, tmp_path):
    words = shutil.copytree(bigram_run, tmp_path / "b")
    with pytest.raises(UsageError, match="expected a run of a character model, found one of 'big"):
        sample(words)
    RunFolder(words).write_status({"state": "unfinished"})
    with pytest.raises(MissingInput, match="this run is not finished"):
        sample(words)
