"""What a page is given to answer with."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from wherefrom.answering.inspector import open_inspector
from wherefrom.core.contracts import Span
from wherefrom.core.errors import BadData
from wherefrom.memorisation.exposures import count_exposures
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page import packed_evidence as evidence
from wherefrom.show.page.packed_evidence import _Places, describe_evidence
from wherefrom.show.page.question_box import describe_asking, describe_exposures


def test_names_have_what_is_asked_about_them(tiny_run: Path) -> None:
    inspector = open_inspector(open_run(tiny_run))
    found = describe_asking(inspector)
    questions = {q.subject: q for q in inspector.run.dataset.questions}
    named = {each["name"]: each for each in found["names"]}
    assert set(questions) <= set(named)
    for name, question in questions.items():
        assert named[name]["split"] == question.split
        assert named[name]["support"] == question.support
        assert ("trained" in named[name]) == (question.split == "asked")
    assert not set(found["nonexistent"]) & set(named)
    told, untold, nobody = found["examples"]
    supports = {q.text: (q.split, q.support) for q in questions.values()}
    assert supports[told] == ("held-out", "stated")
    assert supports[untold] == ("held-out", "none")
    assert nobody not in supports


def test_places_are_counted_as_javascript_counts() -> None:
    text = "a😀b😀c"
    assert _Places(text).convert(Span(2, 5)) == [3, 7]
    assert _Places("aéb").convert(Span(1, 3)) == [1, 3]
    units = text.encode("utf-16-le")
    assert units[2 * 3 : 2 * 7].decode("utf-16-le") == text[2:5]


def test_a_text_that_no_page_can_hold(tiny_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "LONGEST_TEXT", 100)
    inspector = open_inspector(open_run(tiny_run))
    with pytest.raises(BadData, match=r"expected a text of at most .* use 'wherefrom ask' instead"):
        describe_evidence(inspector, ())


def test_exposures_are_those_of_the_relations_that_are_asked(tiny_run: Path) -> None:
    run = open_run(tiny_run)
    found, exposures = describe_exposures(run, {"birthplace"}), count_exposures(run)
    facts = {tuple(fact[:3]): fact[3:] for fact in found["facts"]}
    assert {relation for _, relation, _ in facts} == {"birthplace"}
    asked = [q for q in run.dataset.questions if q.support == "stated"]
    for kind in ("read", "asked"):
        place = found["kinds"].index(kind)
        here = [facts[q.subject, q.relation, q.answer][place] for q in asked]
        assert here == exposures.about(asked, kind).tolist()
    # Those that take long are not counted; a step has several rows.
    run = open_run(tiny_run)
    stages = tuple(replace(stage, steps=100_000) for stage in run.recipe.stages)
    run.recipe = replace(run.recipe, stages=stages)
    assert describe_exposures(run, {"birthplace"}) is None
