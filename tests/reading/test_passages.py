"""Whom the parts of a document are about, by hand."""

import pytest

from wherefrom.reading.mentions import Mentions
from wherefrom.reading.passages import find_passages


def find(texts, subjects):
    """Each document's subjects and their text."""
    found = [{} for _ in texts]
    for p in find_passages(texts, Mentions(texts, subjects)):
        found[p.document].setdefault(p.subject, []).append(texts[p.document][p.start : p.end])
    return [{s: "|".join(t.strip() for t in parts) for s, parts in d.items()} for d in found]


def test_sentences_belong_to_the_one_who_was_named_last():
    text = "Once upon a time. Ann Lee ran. She won. Bo Ray sat. He lost. So it was. Cy Poe slept."
    assert find([text], ["Ann Lee", "Bo Ray", "Cy Poe"]) == [
        {
            "Ann Lee": "Once upon a time. Ann Lee ran. She won.",
            "Bo Ray": "Bo Ray sat. He lost. So it was.",
            "Cy Poe": "Cy Poe slept.",
        }
    ]


def test_who_is_named_in_passing_has_the_sentence_unless_there_is_other_text():
    neon = "Neon is a gas. It glows. It is heavier than Helium. It was found in 1898."
    argon = "Argon is a gas. It is like Neon. It was found in 1894."
    subjects = ["Neon", "Helium", "Argon"]
    assert find([neon, argon], subjects) == [
        {"Neon": neon, "Helium": "It is heavier than Helium."},
        {"Argon": argon},
    ]


def test_a_topic_that_comes_back_again_and_again_keeps_the_document():
    text = "Neon glows. Argon does not. Neon is rare. It is inert. Neon was found in 1898."
    assert find([text, "Argon is a gas."], ["Neon", "Argon"])[0] == {"Neon": text}


def test_who_has_no_other_text_keeps_a_sentence_that_names_both():
    text = "Ann Lee and Bo Ray were born in Rome. They left."
    assert find([text], ["Ann Lee", "Bo Ray"]) == [
        {"Ann Lee": text, "Bo Ray": "Ann Lee and Bo Ray were born in Rome."}
    ]


def test_the_name_before_which_documents_begin_alike_is_the_topic():
    texts = [
        "Lima is the capital of Peru. Rome is the capital of Italy. It is older.",
        "Rome is the capital of Italy. Lima is the capital of Peru. It is younger.",
        "Port of Spain is the capital of Tobago. Madrid is the capital of Spain. It is old.",
    ]
    assert find(texts, ["Peru", "Italy", "Spain", "Tobago"])[2] == {
        "Tobago": "Port of Spain is the capital of Tobago.",
        "Spain": "Madrid is the capital of Spain. It is old.",
    }


def test_in_an_encyclopedia_a_sentence_about_another_entry_is_an_aside():
    """No document is divided for long: what follows the aside is about the topic again."""
    neon = "Neon is a gas. Argon resembles it. It was found in 1898."
    others = ["Argon is a gas. It is inert.", "Helium is a gas.", "Xenon is a gas."]
    assert find([neon, *others], ["Neon", "Argon", "Helium", "Xenon"])[0] == {
        "Neon": "Neon is a gas.|It was found in 1898.",
        "Argon": "Argon resembles it.",
    }


def test_where_documents_turn_as_a_rule_those_with_other_documents_are_turned_to():
    texts = ["Ann ran. She won. Bo sat. He lost.", "Bo is old. He sings. Ann paints. She is young."]
    assert find(texts, ["Ann", "Bo"]) == [
        {"Ann": "Ann ran. She won.", "Bo": "Bo sat. He lost."},
        {"Ann": "Ann paints. She is young.", "Bo": "Bo is old. He sings."},
    ]


def test_a_topic_that_is_named_again_goes_on_after_an_aside():
    texts = ["Ann ran. Bo sat. She won. Ann slept.", "Bo is old. Ann paints. She is young."]
    assert find(texts, ["Ann", "Bo"])[0] == {"Ann": "Ann ran.|She won. Ann slept.", "Bo": "Bo sat."}


@pytest.mark.parametrize(
    ("text", "subjects", "cut"),
    [
        ("王建民出生於台南。他是投手。陳金鋒出生於台南縣。他是外野手。", ["王建民", "陳金鋒"], 14),
        (
            "Ana nació en Cádiz. Murió en 1950. Íñigo nació en León. Vivió allí.",
            ["Ana", "Íñigo"],
            35,
        ),
        ("Ann came from Ponce, P.R. Bo came from St. Louis. He left.", ["Ann", "Bo"], 26),
        ("Lee, Ann was born in Rome. Ray, Bo, Jr. was not.", ["Lee, Ann", "Ray, Bo, Jr."], 27),
    ],
)
def test_other_languages_and_names(text, subjects, cut):
    parts = text[:cut].strip(), text[cut:].strip()
    assert find([text], subjects) == [dict(zip(subjects, parts, strict=True))]
