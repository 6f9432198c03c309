"""Forms of questions against forms known by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.forms import Form, find_forms, forms_around, match

BORN = Form("Where was ", " born?")
NAMES = [f"{a} {b}" for a in ("Ada", "Bo", "Cy", "Di", "Eva") for b in ("Lund", "Falk", "Roth")]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Where was Ada Bonn born?", "Where was Anna Mann born?"], BORN),
        (["Where was Ada Bonn born?", "Where was Ada Mann born?", "Where was Ada Ek born?"], BORN),
        (["Who is Ada?", "Where is Ada?"], Form("", " is Ada?")),
        (["no such thing", "as a frame"], Form("", "")),
    ],
)
def test_one_form_is_what_the_questions_share_in_whole_words(texts, expected):
    assert find_forms(texts) == (expected,)


OTHERS = [*NAMES, "Ada of Bonn", "Cy 2"]
TITLES = [*(f"Battle of {b}" for b in ("Bonn", "Jena", "Ulm")), "Siege of Rome", "War of Roses"]
CHINESE = [a + b for a in "王陳林黃" for b in "建民 金鋒 小明 美玲 志偉 淑芬 家豪 怡君".split()]
SMALL = [f"{a}{b}a {b}{a}" for a in ("ka", "lo", "mi") for b in ("re", "su", "ti")]


@pytest.mark.parametrize(
    ("names", "forms"),
    [
        (NAMES, ["Where was {} born?", "Where was {} educated?", "Where was {} buried?"]),
        (NAMES, ["Who is {}?", "Who is the mother of {}?"]),
        (NAMES, ["Quand est né {} ?", "Quel est le métier de {} ?"]),
        # Capitals of the question are not the subject's.
        (OTHERS, ["What is the ISO code of {}?", "What is the capital of {}?"]),
        (OTHERS, ["Which NBA team did {} play for in 1990?"]),
        ([*TITLES, *NAMES], ["When was the {}?"]),  # some names share a title, which is theirs
        (CHINESE, ["{}在哪裡出生？", "{}哪一年出生？", "請問{}是誰？"]),
        # Without capitals, questions are told apart by their first and last words.
        (SMALL, ["where was {} born?", "what did {} do for a living?", "where was {} educated?"]),
        (SMALL, ["who wrote {}?"]),
        (SMALL, ["{} was born where?"]),
    ],
)
def test_mixed_relations_have_a_form_each(names, forms):
    texts = [form.format(name) for form in forms for name in names]
    random.Random(0).shuffle(texts)
    assert set(find_forms(texts)) == {Form(*form.split("{}")) for form in forms}


def test_a_form_needs_several_questions():
    """Two that have a wording of their own fit nothing, and spoil nothing."""
    odd = ["How old did Ada Lund get?", "Is Bo Falk a baker?"]
    forms = find_forms([*(BORN.fill(name) for name in NAMES), *odd])
    assert forms == (BORN,)
    assert [match(forms, text) for text in odd] == [None, None]


def test_particles_and_small_letters_belong_to_the_name():
    names = [*(f"{a} {i}" for a in NAMES for i in range(4)), "van Gogh", "van Eyck", "van Dyck",
             "Leonardo da vinci", "Asa Yancey, Sr."]  # fmt: skip
    forms = find_forms([BORN.fill(name) for name in names])
    assert forms == (BORN,)
    assert [match(forms, BORN.fill(name)) for name in names] == [(BORN, name) for name in names]


def test_the_closest_form_fits():
    mother = Form("Who is the mother of ", "?")
    assert match((Form("Who is ", "?"), mother), "Who is the mother of Ada?") == (mother, "Ada")


@pytest.mark.parametrize("text", ["Where was born?", "Where was  born?", "Where was", "", "Ada"])
def test_a_question_without_its_subject_does_not_fit(text):
    assert BORN.subject(text) is None


@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1), min_size=1))
def test_a_form_gives_back_what_it_was_filled_with(subjects):
    for subject in subjects:
        assert BORN.subject(BORN.fill(subject)) == subject
    texts = [BORN.fill(subject) for subject in subjects]
    for text in texts:
        found = match(find_forms(texts), text)
        assert found is None or found[0].fill(found[1]) == text


def test_forms_around_known_subjects():
    """Small names and forms that begin alike: what stands around them is known all the same."""
    forms = Form("What is the atomic number of ", "?"), Form("What is the atomic Mass of ", "?")
    subjects = ["lead", "iron", "W", "tin"]
    pairs = [(form.fill(subject), subject) for form in forms for subject in subjects]
    assert set(forms_around(pairs)) == {*forms}
    unknown = [(BORN.fill(name), "") for name in NAMES]
    assert forms_around(unknown) == find_forms([text for text, _ in unknown]) == (BORN,)
    assert forms_around([]) == ()
