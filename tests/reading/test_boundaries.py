"""Where phrases begin and end, learnt from a few texts by hand."""

import json

import pytest

from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData
from wherefrom.reading.boundaries import Boundaries, learn_crosswise


def place(text: str, phrase: str) -> tuple[list[str], list[tuple[int, int]]]:
    tokens, wanted = text.split(), phrase.split()
    n = len(wanted)
    return tokens, [(i, i + n) for i in range(len(tokens)) if tokens[i : i + n] == wanted]


def learn(*pairs: tuple[str, str]) -> Boundaries:
    texts, found = zip(*[place(text, phrase) for text, phrase in pairs], strict=True)
    return Boundaries.learn(texts, found)


def best(boundaries: Boundaries, text: str) -> str:
    tokens = text.split()
    found = dict(boundaries.find(tokens))
    first, last = max(found, key=lambda place: found[place], default=(0, 0))
    return " ".join(tokens[first:last])


OWNERS = ["Ann Lee", "The big Team", "Bo", "Cy Fox", "Friends of Art", "Dee of Rome", "Eve Ek"]
LABELS = ["Size", "Note"]


def test_a_value_stands_behind_its_label_and_ends_before_the_next():
    values = [f"{owner} < mail{i} >" for i, owner in enumerate(OWNERS)]
    pairs = [(f"Name : n{i} Owner : {v} {LABELS[i % 2]} : {i}", v) for i, v in enumerate(values)]
    boundaries = learn(*pairs)
    new = "Name : e Owner : Flo of Bonn < flo > Size : 5"
    assert best(boundaries, new) == "Flo of Bonn < flo >"
    assert best(boundaries, "Name : f Owner : Gus < gus > Kind : x") == "Gus < gus >"
    assert best(boundaries, "Name : g Size : 7") == ""


def test_a_name_opens_its_text_and_a_common_first_word_need_not_be_one():
    titles = ["Red Sun", "Home", "The Long Road", "Blue"]
    texts = [(f"{title} is a film of {i}", title) for i, title in enumerate(titles)]
    others = [(f"In a town {i} people met", "nobody") for i in range(3)]
    boundaries = learn(*texts, *others)
    assert best(boundaries, "Green Field is a film") == "Green Field"
    assert best(boundaries, "In is a word") == "", "three texts begin with it, none as a name"


def test_a_title_ends_where_the_text_begins_with_it_again():
    names = ["Ann Lee", "Bo Ek", "Cy", "Dee Fox", "Flo", "Gus Orr Jr", "Hal Moe", "Ida Kay"]
    texts = [(f"{name} {name} was here", name) for name in names]
    tokens = [place(text, name) for text, name in texts]
    boundaries = Boundaries.learn([t for t, _ in tokens], [p[:1] for _, p in tokens])
    assert best(boundaries, "Eve Gray Hall Eve Gray Hall sang") == "Eve Gray Hall"


def test_coverage_is_measured_on_texts_that_taught_nothing():
    regular = [place(f"the owner is n{i} .", f"n{i}") for i in range(8)]
    assert learn_crosswise(*zip(*regular, strict=True))[1] == 1.0
    each_its_own = [place(f"a{i} b{i} n{i} c{i}", f"n{i}") for i in range(8)]
    assert learn_crosswise(*zip(*each_its_own, strict=True))[1] == 0.0
    assert learn_crosswise([], [])[1] == 0.0


def test_what_one_text_alone_has_is_no_opener():
    assert not learn(("by Ann", "Ann"), ("with Bo", "Bo")).openers
    assert not Boundaries.learn([], []).openers


def test_boundaries_come_back_from_a_file():
    openers, firsts = {("a", "b"): 0.5}, {("a", "The"): 0.25}
    whole = Boundaries(openers, firsts, {(".", "<edge>"): (1, 2)}, frozenset(["word"]), 7)
    assert from_json(Boundaries, json.loads(json.dumps(to_json(whole))), "file") == whole
    with pytest.raises(BadData, match="file: expected the boundaries"):
        from_json(Boundaries, {"openers": [1]}, "file")
