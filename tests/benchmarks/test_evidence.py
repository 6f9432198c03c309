"""How often labels are right: counts by hand, and the accuracy on `people` and on the course."""

import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import evidence
import pytest
from evidence import GOLD, OMITTED, OTHER, OTHER_IN_TEXT, WITHOUT_TEXT

from tests.support import real_data
from tests.support.made_up import ask
from wherefrom.core.contracts import Dataset
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED, Verdict
from wherefrom.data import birthplaces, facts, people
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker

ask = partial(ask, split="calibration")


def test_every_probe_is_counted_under_its_name(checker, world):
    stated = [ask(name, city) for name, (city, _) in world.others.items() if city]
    omitted = [ask(name, support="omitted") for name, (c, _) in world.others.items() if not c]
    absent = [ask(f"Nobody {i}", support="none") for i in range(3)]
    unknown = [ask("Zoë Ray", None, support="unknown"), ask("Zoë Ray", "Oslo", relation="other")]
    rows = list(evidence.judge(checker, [*stated, *omitted, *absent, *unknown]))
    told, left = len(stated), len(omitted)
    probed = {GOLD: told, OTHER_IN_TEXT: told, OTHER: told, OMITTED: left, WITHOUT_TEXT: 3}
    found = evidence.count(rows)
    assert {name: score["n"] for name, score in found.items()} == probed | {"all": len(rows)}
    assert {score["share"] for score in found.values()} == {1.0}
    labels = [row["label"] for row in rows]
    counts = {SUPPORTED: told, CONTRADICTED: 2 * told, SILENT: left, NO_TEXT: 3}
    assert {label: labels.count(label) for label in counts} == counts
    assert evidence.extract(checker, stated)["share"] == 1
    assert (evidence.count([]), evidence.extract(checker, [])) == ({}, None)


def test_wrong_labels_and_extractions_count_as_wrong(checker, monkeypatch):
    """Zoë Ray is said to come from Bath: gold is contradicted, and Oslo is not what is stated."""
    gold = ask("Zoë Ray", "Bath")
    row = next(evidence.judge(checker, [gold]))
    assert (row["probe"], row["expected"], row["label"]) == (GOLD, SUPPORTED, CONTRADICTED)
    assert evidence.extract(checker, [gold])["share"] == 0
    always = Verdict(SUPPORTED, None, None, None, 1.0)
    monkeypatch.setattr(FactChecker, "judge", lambda *_: always)
    found = evidence.count(list(evidence.judge(checker, [ask("Zoë Ray", "Oslo")])))["all"]
    assert (found["share"], found["n"]) == (pytest.approx(1 / 3), 3)


def test_other_answers_are_in_the_text_or_not_and_never_of_the_gold_chain(checker):
    extractor = checker.extractors["birthplace"]
    known = {**extractor.profile.known, "norway": 1}
    profile = replace(extractor.profile, known=known)
    knows = FactChecker(checker.index, {"birthplace": replace(extractor, profile=profile)})
    inside, outside = evidence.other_answers(knows, ask("Zoë Ray", "Oslo"))
    assert inside == ["rome"]
    assert "lima" in outside
    assert not {"oslo", "norway", "rome"} & set(outside)


def measure(dataset: Dataset, path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The accuracy of the labels, and that of what is extracted."""
    index = Index.build(path, dataset.documents, "0" * 64, passages=dataset.passages)
    checker = FactChecker.fit(index, dataset.asked)
    judged = [q for q in dataset.questions if q.split == "calibration"]
    return evidence.count(list(evidence.judge(checker, judged))), evidence.extract(checker, judged)


def test_on_people_all_four_labels_are_right(tmp_path):
    found, extracted = measure(people.load(people.PeopleConfig(), seed=1), tmp_path / "index")
    probed = {GOLD: 80, OTHER: 80, OMITTED: 12, WITHOUT_TEXT: 60, "all": 232}
    assert {name: score["n"] for name, score in found.items()} == probed
    assert found["all"]["share"] >= 0.98
    assert extracted["share"] >= 0.98


@pytest.mark.nightly
def test_on_the_course_labels_are_right(tmp_path):
    config = birthplaces.BirthplacesConfig(str(real_data.find("birthplaces")), calibration=400)
    found, extracted = measure(birthplaces.load(config, 0), tmp_path / "index")
    assert extracted["share"] >= 0.93
    for name, bar in {GOLD: 0.95, OTHER_IN_TEXT: 0.95, OTHER: 0.97}.items():
        assert found[name]["share"] >= bar, name


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
        own = [q for q in judged if q.relation == relation]
        assert evidence.count(list(evidence.judge(checker, own)))["all"]["share"] >= bar, relation
        assert evidence.extract(checker, own)["share"] >= bar, relation
