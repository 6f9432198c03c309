"""The page's replies against the inspector's, which `wherefrom ask` shows."""

import re
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from tests.support.engine import embed
from wherefrom.answering.features import StatementForms
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.answering.policy import LogisticCalibration
from wherefrom.answering.source import SOURCE_FEATURES, SourcePredictor
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.reading import quotes
from wherefrom.runs.opened_run import open_run

ASK = """
const engine = new Engine(given.data, given.weights);
return given.questions.map((question) => {
  try {
    return finish(engine.call('ask', { question }, () => {}));
  } catch (error) {
    return { error: error.message };
  }
});
"""
ENGINE = {"engine.js": "Engine, finish"}
HOSTILE = [
    "{}", "", "  ", "Who are you?", "{} ", "<script>alert(1)</script>", "□", "\u2047", "Жора",
    "A" * 300,
]  # fmt: skip


OTHER_WORDS = "outspoken_run in other words"
PREDICTOR = SourcePredictor(
    LogisticCalibration(SOURCE_FEATURES, (-1.0, 0.1, 0.5), (1.0, 0.2, 0.5), (0.3, -0.8, 2.0), 0.1),
    models=2,
)


@pytest.fixture(scope="module", params=["tiny_run", OTHER_WORDS, "relations_run", "facts_folder"])
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[Inspector, dict[str, Any]]]:
    """A run with a policy, one of several relations, and one without calibration people.

    The last has no source predictor either, the others have one that no answer gets evens from.
    Of the one of several relations, the texts are so long that they are shortened in quotes.
    A tiny run has not learnt enough for its answers to be searched for in other words: one does so
    all the same.
    """
    path: Path = request.getfixturevalue(request.param.split()[0])
    run = open_run(path / "run" if request.param == "facts_folder" else path)
    inspector = open_inspector(run)
    if request.param == OTHER_WORDS:
        search_in_other_words(inspector)
    if request.param != "facts_folder":
        inspector = inspector.with_predictor(PREDICTOR)
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "relations_run":
            patch.setattr(quotes, "LONGEST_QUOTE", 20)
        yield inspector, embed(run, inspector)


def search_in_other_words(inspector: Inspector) -> None:
    relations = inspector.model.forms.relations
    how = {"behind": ".", "masked": True, "searched": True}
    searched = {r: tuple(replace(form, **how) for form in relations[r]) for r in relations}
    inspector.model.__dict__["forms"] = StatementForms(searched)  # in place of those it has learnt
    questions = [q.text for q in inspector.run.dataset.select("held-out")]
    answerer = inspector.model.answerer
    others = answerer.asking(inspector.model.word_texts(questions))
    assert others.answer(questions) != answerer.answer(questions)


def find_questions(inspector: Inspector, data: dict[str, Any]) -> list[str]:
    # Thresholds are scores of calibration people, who stand on the edge of them: not asked here.
    people = [q for q in inspector.run.dataset.questions if q.split != "calibration"]
    forms = inspector.model.parser.forms
    typed = [form.fill(text) for form in forms for text in HOSTILE]
    invented = [forms[-1].fill(name) for name in data["nonexistent"][:5]]
    misspelt = [q.text.lower() for q in people[:3]]
    near = [q.text.replace(q.subject, q.subject[:-1]) for q in people[:4]]
    own = [q.text for q in people[::3]]
    return [*own, *invented, *misspelt, *near, *typed, *HOSTILE]


def test_replies_are_asks(run_js, asked: tuple[Inspector, dict[str, Any]]) -> None:
    inspector, given = asked
    questions = find_questions(inspector, given["data"])
    found = run_js(ENGINE, ASK, {**given, "questions": questions})
    parsed, replied = [], []
    for text, here in zip(questions, found, strict=True):
        if "error" in here:
            with pytest.raises(BadData) as refusal:
                inspector.parse(text)
            assert here["error"] == str(refusal.value)
        else:
            parsed.append(inspector.parse(text))
            replied.append(here)
    assert len(replied) < len(questions)
    for there, here in zip(map(to_json, inspector.reply(parsed)), replied, strict=True):
        # Two candidates that are as probable may change places.
        for reply in (there, here):
            reply["candidates"].sort(key=itemgetter("text"))
        compare(there, here)


def compare(there: Any, here: Any, where: str = "reply") -> None:
    """All that Python's reply has, under the page's names for it; numbers are nearly the same."""
    if isinstance(there, dict) and there.keys() == {"start", "end"}:
        assert here == [there["start"], there["end"]], where
    elif isinstance(there, dict):
        for name, value in there.items():
            called = re.sub("_(.)", lambda letter: letter[1].upper(), CALLED.get(name, name))
            if f"{where}.{name}" not in NOT_HERE:
                compare(value, here[called], f"{where}.{name}")
    elif isinstance(there, list):
        assert len(here) == len(there), where
        for i, value in enumerate(there):
            compare(value, here[i], f"{where}[{i}]")
    else:
        assert here == (pytest.approx(there, abs=1e-4) if isinstance(there, float) else there), (
            where
        )


NOT_HERE = ("reply.format_version", "reply.note.document_id")
CALLED = {"model_probability": "probability", "probability_recalled": "probability"}


def test_looking_in(run_js, asked: tuple[Inspector, dict[str, Any]]) -> None:
    """The last layer says what the model says, and the answer depends on the question."""
    inspector, given = asked
    code = """
    const engine = new Engine(given.data, given.weights);
    const found = finish(engine.call('look', { question: given.question }, () => {}));
    const asked = finish(engine.call('ask', { question: given.question }, () => {}));
    const attention = found.attention.map((heads) => heads.map((head) => head.length));
    return { ...found, attention, asked };
    """
    question = inspector.run.dataset.questions[1].text
    found = run_js(ENGINE, code, {**given, "question": question})
    assert found["answered"] == found["asked"]["answer"]
    probability = 1.0
    for cell in found["lens"][-1]:
        probability *= cell["own"]
    length = len(found["characters"])
    alone = inspector.model.answerer  # what is looked into is the question
    (expected,) = answer_probabilities(alone, [question], [found["answered"]])
    if len(found["answered"]) + 1 == len(found["lens"][-1]) and length > found["answer"][1]:
        assert probability == pytest.approx(expected, rel=1e-3)
    assert [each["character"] for each in found["dependence"]] == list(question)
    assert max(abs(each["effect"]) for each in found["dependence"]) > 0
    config = inspector.model.answerer.model.config
    assert found["attention"] == [[length**2] * config.n_head] * config.n_layer


def test_the_answer_depends_on_a_letter_whose_change_makes_it_less_likely(run_js) -> None:
    """By hand: -1 with the letter that stands there, -3 with any other."""
    code = """
    const characters = ['', '', 'a', 'b', 'c'];
    const index = new Map(characters.map((character, id) => [character, id]));
    const looking = new Looking({ vocabulary: { characters, index } });
    const tree = { score: (texts) => texts.map(([first]) => [first === 2 ? -1 : -3]) };
    const question = { text: 'a', form: { prefix: '' }, subject: 'a' };
    const model = { maxInput: 9, parameters: 1 };
    return finish(looking.dependence(tree, question, [2], [1], model, () => {}));
    """
    found = run_js({"looking.js": "Looking", "engine.js": "finish"}, code, None)
    assert found == [{"character": "a", "effect": 2}]


EVIDENCE = {
    "texts": ["Gus Reed was born in Rome.", "A --> b.", "Pip Moor saw gus reed."],
    "ids": {},
    "about": ["Ann Ek"],
    "statement": ["text", "value", "document", "span", "chain", "position", "score"],
    "unowned": [0, 1, 2],
    "relations": {
        "place": {"known": [], "linking_words": [], "innermost": [], "stated": {}, "unsure": {}}
    },
}


def test_a_name_that_was_not_looked_up_is_not_called_unknown(run_js) -> None:
    """The page cannot read the text of others itself: it says nothing where they are named."""
    script = """
    const evidence = new Evidence(given.evidence);
    return given.names.map((name) => evidence.judge(name, 'Rome', 'place')?.label ?? null);
    """
    names = ["Ann Ek", "Gus Reed", "GUS  REED", "Gus", "Nobody", "-->", "Pip Moo", "us Reed"]
    found = run_js({"evidence.js": "Evidence"}, script, {"evidence": EVIDENCE, "names": names})
    assert found == ["silent", None, None, None, *["no text"] * 4]


def test_support_by_the_words_of_the_note_is_as_read(run_js) -> None:
    """Ann's note is the sentence that supports Rome; only another document makes it more."""
    texts = ["Hm. Ann Ek was born in Rome. So it is.", "Ann Ek, of Rome."]
    stated = [["Rome", "rome", i, [s, s + 4], ["rome"], 0, 0.9] for i, s in ((0, 23), (1, 11))]
    script = """
    return given.map((data) => {
      const evidence = new Evidence(data);
      const note = evidence.note('Ann Ek', 'rome', 'place');
      return [note, evidence.judge('Ann Ek', 'Rome', 'place').asRead];
    });
    """

    def world(statements: list[Any], **noted: Any) -> dict[str, Any]:
        own = {**EVIDENCE["relations"]["place"], "stated": {"Ann Ek": statements}}
        return {**EVIDENCE, "texts": texts, "relations": {"place": own}, "unowned": [], **noted}

    noted = {"place": {"Ann Ek": [0, 0.8, 23, 27, 4, 28]}}
    worlds = [world(stated[:1]), world(stated, noted=noted), world(stated[:1], noted=noted)]
    without, both, only = run_js({"evidence.js": "Evidence"}, script, worlds)
    assert without == [None, False]
    assert (both[1], only[1]) == (False, True), "the other document says it, too"
    assert only[0] == {
        "value": "Rome", "score": 0.8, "document": 0, "span": [23, 27], "agrees": True,
        "sentence": "Ann Ek was born in Rome.", "place": [19, 23],
    }  # fmt: skip
