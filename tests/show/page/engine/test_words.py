"""Word models in the page: the Treebank's words, and the bigram network's probabilities."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.engine import embed, pack
from wherefrom.core.words import WordForms, WordVocabulary
from wherefrom.evaluation.text.treebank_tokens import treebank
from wherefrom.models.bigram import BigramConfig, build
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page.engine_data import describe_words

TEXTS = [
    "Mr. Smith didn't go. He can't; he won't! \"Why?\" she said... It's 1,250.50 at 9:30 -- so.",
    "the U.S. is large. no capitals here. or there",
    "I cannot gimme the dogs' food (he's out).",
    "",
    "  \n ",
    "One paragraph\nof two lines.\n\nAnother: 'tis “quoted” ``so'' [sic], A.B. Jones Jr. left.",
    'Ends with a quote." Next sentence starts. "Then" it ends.)',
    "He left at 5 p.m. She stayed 100%",
]
WORDS = {"words.js": "splitSentences, WordReading, Bigram"}


def test_sentences_and_words_are_the_treebanks(run_js) -> None:
    found = run_js(WORDS, "return given.map(splitSentences);", TEXTS)
    for text, here in zip(TEXTS, found, strict=True):
        expected = [[(t.text, t.start, t.end) for t in s] for s in treebank(text)]
        assert [[(t["text"], t["start"], t["end"]) for t in s] for s in here] == expected


def test_forms_of_words(run_js) -> None:
    listed = ["<s>", "</s>", "UNK", "the", "DGDG", "DGDGDGDG.DG", "u.s."]
    vocabulary = WordVocabulary(tuple(listed), forms=WordForms("UNK", "DG"))
    words = ["The", "U.S.", "12", "1,234.5", "Zebra", "99x", "</s>", "123"]
    code = "return given.words.map((word) => new WordReading(given.data, {}).write(word));"
    data = {**describe_words(vocabulary), "models": [{"name": "m"}]}
    known = frozenset(listed) - {"<s>", "</s>"}
    expected = [vocabulary.forms.canonical(word, known) for word in words]
    assert run_js(WORDS, code, {"data": data, "words": words}) == expected


@pytest.mark.parametrize("width", [0, 6])
def test_probabilities_are_the_networks(run_js, width: int) -> None:
    config = BigramConfig(hidden=5, width=width, initial=("normal",))
    model = build(config, 17, seed=1)
    code = """
    const model = openModel(given.manifest, given.weights);
    return given.words.map((word) => [...model.following(word)]);
    """
    given = {**pack(model, config=config), "words": [0, 3, 16]}
    found = np.array(run_js({"engine.js": "openModel"}, code, given))
    expected = np.log(model.probabilities(np.array([0, 3, 16])))
    assert np.abs(found - expected).max() < 1e-5


def test_a_runs_words_cost_what_the_model_says(run_js, bigram_run: Path) -> None:
    run = open_run(bigram_run)
    line = run.dataset.documents[0].text
    code = """
    const engine = new Engine(given.data, given.weights);
    return engine.call('next', { text: given.text });
    """
    found = run_js({"engine.js": "Engine"}, code, {**embed(run), "text": line})
    model, vocabulary = run.model(), run.vocabulary
    forms = [piece["form"] for piece in found["pieces"]]
    numbers = [vocabulary.begin, *vocabulary.encode(" ".join(forms))]
    pairs = np.stack([numbers[:-1], numbers[1:]], 1)
    assert np.allclose(found["bits"], -model.log_probabilities(pairs) / np.log(2), atol=1e-4)
    best = found["words"][0]
    after = model.probabilities(np.array(numbers[-1:]))[0]
    assert best["word"] == vocabulary.words[int(after.argmax())]
    assert best["probability"] == pytest.approx(after.max(), abs=1e-5)
