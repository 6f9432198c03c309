"""Context features, by hand."""

import pytest

from wherefrom.reading.candidates import AnswerProfile, Line
from wherefrom.reading.context_features import Context

TEXT = "Jo Ray was born 1950 in Oslo, Norway (near Rome) then. He died in Lima."


def features(
    text: str = TEXT,
    known: dict[str, int] | None = None,
    distractors: frozenset[str] = frozenset(),
    subject: str = "Jo Ray",
) -> dict[str, set[str]]:
    """The features of each candidate, under its text."""
    line = Line.of(text, subject, AnswerProfile.of(["Bonn"]))
    context = Context(line, known or {}, distractors)
    return {line.span(c).of(text): set(context.features(c)) for c in line.candidates}


def starting(found: set[str], name: str) -> set[str]:
    return {feature for feature in found if feature.startswith(f"{name}: ")}


@pytest.mark.parametrize(
    ("candidate", "wanted"),
    [
        ("Oslo", {"before: in", "before: 0000 in", "before: born 0000 in", "2 before: 0000",
                  "3 before: born", "around: in ,", "after: ,", "after: , norway"}),
        ("Oslo", {"chain: 0 of 2", "chain: 0 of 2 after in", "later sentence: False"}),
        ("Norway", {"chain: 1 of 2", "chain: 1 of 2 after in", "chain: 1 after 0000 in"}),
        # Both stand after "born": one directly, the other with Oslo in between.
        ("Oslo", {"anchor: born", "anchor: born, 0", "anchor: born in"}),
        ("Norway", {"anchor: born", "anchor: born, 1"}),
        ("Rome", {"chain: 0 of 1", "anchor: near", "parentheses: 1 after near"}),
        ("Lima", {"anchor: died", "parentheses: 0 after in", "later sentence: True"}),
        ("He", {"before: <edge>", "opens sentence: True", "anchor: <edge>"}),
    ],
)  # fmt: skip
def test_what_stands_around_a_candidate(candidate, wanted):
    assert wanted <= features()[candidate]


def test_numbers_show_their_length_alone_and_the_subject_no_name():
    """Else a line would teach something about 1950 or Jo, and not about years and people."""
    first = features("Jo Ray (1950) saw Oslo")["Oslo"]
    assert first == features("Al Fox (1825) saw Oslo", subject="Al Fox")["Oslo"]
    assert "left: <name>" in first
    assert first != features("Jo Ray (950) saw Oslo")["Oslo"]


def test_context_ends_with_the_sentence():
    lima = features()["Lima"]
    with_distance = {"left: in, 1", "left: died, 1", "left: he, 3"}
    assert starting(lima, "left") == with_distance | {"left: in", "left: died", "left: he"}
    assert "after: <edge>" in features("He saw Oslo")["Oslo"]


def test_parentheses_need_not_be_in_pairs():
    assert "parentheses: 0 after saw" in features("a ) b ( c ) saw Oslo")["Oslo"]


@pytest.mark.parametrize("marks", ["()", "（）"])
def test_a_sentence_goes_on_behind_parentheses(marks: str):
    """What a year is may stand behind a second form of it: "the third year (1170) graduate"."""
    text = "He saw Oslo {} a port then".format("now gone as 1170 comes".join(marks))
    assert {"after: a", "after: a port"} <= features(text)["Oslo"]
    assert "after: a" not in features("He saw Oslo (now gone a port")["Oslo"]


@pytest.mark.parametrize(
    ("count", "wanted"), [(0, "0"), (1, "1"), (2, "2+"), (3, "2+"), (4, "4+"), (90, "4+")]
)
def test_how_many_people_have_a_value_is_binned(count, wanted):
    oslo = features(known={"oslo": count})["Oslo"]
    assert starting(oslo, "value") == {f"value: known {wanted}"}
    assert f"before: in, known {wanted}" in oslo


def test_distractors_are_named_as_such():
    he = features(distractors=frozenset(["he"]))["He"]
    assert starting(he, "value") == {"value: distractor"}


def test_known_answers_before_a_candidate_are_counted():
    found = features(known={"oslo": 1, "rome": 1, "lima": 2})
    assert starting(found["Oslo"], "known before") == {"known before: 0, known 1"}
    assert starting(found["Norway"], "known before") == {"known before: 1, known 0"}
    assert starting(found["Lima"], "known before") == {"known before: 2, known 2+"}


def test_a_score_is_the_sum_of_the_weights_of_a_candidate_s_features():
    line = Line.of(TEXT, "Jo Ray", AnswerProfile.of(["Bonn", "3 May 1950", "a field"]))
    context = Context(line, {"oslo": 2, "rome": 1}, frozenset({"he"}))
    found = [context.features(c) for c in line.candidates]
    names = sorted({name for each in found for name in each})
    weights = {name: 2.0**-i for i, name in enumerate(names)}  # no two sums are the same
    scores = context.scores(weights)
    assert len(scores) > 10
    assert scores == pytest.approx([sum(weights[n] for n in each) for each in found], rel=1e-12)
