"""How often labels are right: counts by hand, and the accuracy on `people` and on the course."""

import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.support import real_data
from tests.support.made_up import ask
from wherefrom.auditing import verdict_accuracy as module
from wherefrom.auditing.verdict_accuracy import (
    GOLD,
    OMITTED,
    OTHER,
    OTHER_IN_TEXT,
    WITHOUT_TEXT,
    VerdictAccuracy,
    measure_verdicts,
)
from wherefrom.core.contracts import Dataset
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED, VERDICTS, Verdict
from wherefrom.data import birthplaces, facts, people
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker

ask = partial(ask, split="calibration")


def test_every_probe_is_counted_under_its_name(checker, world):
    stated = [ask(name, city) for name, (city, _) in world.others.items() if city]
    omitted = [ask(name, support="omitted") for name, (c, _) in world.others.items() if not c]
    absent = [ask(f"Nobody {i}", support="none") for i in range(3)]
    found = measure_verdicts(
        checker, [*stated, *omitted, *absent, ask("Zoë Ray", None, support="unknown")]
    )
    told, left = len(stated), len(omitted)
    probed = dict.fromkeys((GOLD, OTHER_IN_TEXT, OTHER), told) | {OMITTED: left, WITHOUT_TEXT: 3}
    assert {name: score.n for name, score in found.probes.items()} == probed
    assert {score.value for score in found.probes.values()} == {1.0}
    assert found.overall.n == 3 * told + left + 3
    labels = {SUPPORTED: told, CONTRADICTED: 2 * told, SILENT: left, NO_TEXT: 3}
    assert found.overall.details["labels"] == labels
    assert (found.extraction.value, found.extraction.n) == (1.0, told)
    assert measure_verdicts(checker, []) == VerdictAccuracy({}, None, None)


def test_wrong_labels_and_extractions_count_as_wrong(checker, monkeypatch):
    """Zoë Ray is said to come from Bath: gold is contradicted, and Oslo is not what is stated."""
    gold = ask("Zoë Ray", "Bath")
    found = measure_verdicts(checker, [gold])
    assert found.probes[GOLD].value == found.extraction.value == 0
    assert found.probes[GOLD].details["labels"][CONTRADICTED] == 1
    always = Verdict(SUPPORTED, None, None, None, 1.0)
    monkeypatch.setattr(FactChecker, "judge", lambda *_: always)
    found = measure_verdicts(checker, [ask("Zoë Ray", "Oslo")])
    assert (found.overall.value, found.overall.n) == (pytest.approx(1 / 3), 3)


def test_other_answers_are_in_the_text_or_not_and_never_of_the_gold_chain(checker):
    extractor = checker.extractors["birthplace"]
    known = {**extractor.profile.known, "norway": 1}
    profile = replace(extractor.profile, known=known)
    knows = FactChecker(checker.index, {"birthplace": replace(extractor, profile=profile)})
    inside, outside = module._other_answers(knows, ask("Zoë Ray", "Oslo"))
    assert inside == ["rome"]
    assert "lima" in outside
    assert not {"oslo", "norway", "rome"} & set(outside)


def measure(dataset: Dataset, path: Path) -> VerdictAccuracy:
    index = Index.build(path, dataset.documents, "0" * 64, passages=dataset.passages)
    checker = FactChecker.fit(index, dataset.asked)
    return measure_verdicts(checker, [q for q in dataset.questions if q.split == "calibration"])


def test_on_people_all_four_labels_are_right(tmp_path):
    found = measure(people.load(people.PeopleConfig(), seed=1), tmp_path / "index")
    probed = {GOLD: 80, OTHER: 80, OMITTED: 12, WITHOUT_TEXT: 60}
    assert {name: score.n for name, score in found.probes.items()} == probed
    assert found.overall.n == 232
    assert found.overall.value >= 0.98
    assert found.extraction.value >= 0.98
    assert found.overall.details["labels"].keys() == set(VERDICTS)
    assert found.probes[GOLD].interval[0] < found.probes[GOLD].value


@pytest.mark.nightly
def test_on_the_course_labels_are_right(tmp_path):
    config = birthplaces.BirthplacesConfig(str(real_data.find("birthplaces")), calibration=400)
    found = measure(birthplaces.load(config, 0), tmp_path / "index")
    assert found.extraction.value >= 0.93
    for name, bar in {GOLD: 0.95, OTHER_IN_TEXT: 0.95, OTHER: 0.97}.items():
        assert found.probes[name].value >= bar, name


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "joined", "bar"),
    [("ballplayers", 1, 0.99), ("countries", 1, 0.99), ("players1000", 1, 0.99),
     ("ballplayers", 3, 0.98), ("countries", 3, 0.98)],
)  # fmt: skip
def test_on_own_texts_labels_of_every_relation_are_right(tmp_path, name, joined, bar):
    """Also in paragraphs that join the lines of three subjects."""
    folder = real_data.find("own-text")
    lines = (folder / f"{name}.txt").read_text("utf-8").splitlines()
    random.Random(0).shuffle(lines)
    parts = [" ".join(lines[i : i + joined]) for i in range(0, len(lines), joined)]
    (tmp_path / "c.txt").write_text("".join(f"{part}\n" for part in parts), "utf-8")
    dataset = facts.load(facts.FactsConfig(str(tmp_path / "c.txt"), str(folder / f"{name}.tsv")), 0)
    subjects = [q.subject for q in dataset.questions]
    index = Index.build(
        tmp_path / "i.sqlite", dataset.documents, "0" * 64, subjects, dataset.passages
    )
    checker = FactChecker.fit(index, dataset.asked)
    judged = [q for q in dataset.questions if q.split != "asked"]
    for relation in {q.relation for q in judged}:
        found = measure_verdicts(checker, [q for q in judged if q.relation == relation])
        assert found.overall.value >= bar, relation
        assert found.extraction.value >= bar, relation
