"""Subjects that no question names, found by how asked ones stand, by hand."""

import pytest

from wherefrom.reading.mentions import Mentions
from wherefrom.reading.subjects import find_subjects, score_subjects

NAMES = ["Ann Lee", "Bo Ek", "Cy of Rome", "Dee Fox", "Eve Hall", "Flo Ray", "Gus Orr"]


def found(texts: list[str], asked: list[str], known: list[str] | None = None) -> dict[int, str]:
    mentions = Mentions(texts, known or asked)
    return {n: span.of(texts[n]) for n, span in find_subjects(texts, mentions, asked)}


@pytest.mark.parametrize(
    "form",
    [
        "{} is a baker of {}.",
        "{} (born {}) is a baker.",
        "Package: {} Version: {} Section: libs",
        "### {} - Default: {}",
        '"{}" is the song number {}.',
        "Born in {1}, {0} is a baker.",
    ],
)
def test_a_document_gets_its_subject_as_asked_ones_stand(form):
    years = range(1900, 1900 + len(NAMES))
    texts = [form.format(name, year) for name, year in zip(NAMES, years, strict=True)]
    new = form.format("Hal Stone Jr", 1950)
    assert found([*texts, new], NAMES) == {len(texts): "Hal Stone Jr"}


def test_only_asked_subjects_teach_and_few_teach_nothing():
    texts = [f"{name} is a baker." for name in NAMES]
    assert found([*texts, "Ida Moe is a poet."], NAMES[:4]) == {}
    other = ["Its owner: Hal Stone. It is new.", "Its owner: Ida Moe. It is new."]
    assert found([*texts, *other], NAMES, [*NAMES, "Hal Stone"]) == {}


def test_a_name_in_passing_is_not_the_subject_and_another_name_of_it_is():
    texts = [f"{name} is a baker." for name in NAMES]
    passing = "Ida Moe is a friend of Ann Lee."
    assert found([*texts, passing], NAMES)[len(texts)] == "Ida Moe"
    later = ["Ida Moe is a poet. She met Kit.", "Jo Hill is a poet. Later, Kit left."]
    subjects = found([*texts, *later], NAMES, [*NAMES, "Kit"])
    assert subjects == {7: "Ida Moe", 8: "Jo Hill"}, "Kit is somebody else, without a document"
    known_as = "Ida Moe is a singer known as Kit."
    assert found([*texts, known_as], NAMES, [*NAMES, "Kit"]) == {}, "Kit has no other text"


def test_scores_against_the_names_of_a_question_file():
    found = ["Ann Lee", "bo L. ek", "It"]
    assert score_subjects(found, ["Ann Lee", "Bo Ek", "Cy", "Dee"]) == (0.5, 2 / 3)
    assert score_subjects([], []) == (0.0, 0.0)
