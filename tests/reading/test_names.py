"""The name at the head of a line, and names that are spelt in two ways, by hand."""

import pytest

from wherefrom.reading.names import match_names, name_span, person


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Ada Lund. Lund was born in Oslo .", "Ada Lund"),
        ("Douglas P. Fry. Douglas P Fry (born in Boston) .", "Douglas P. Fry"),
        ("A. G. E. Blake. Anthony Blake was born .", "A. G. E. Blake"),
        ("J.-P. Sartre. Born in Paris .", "J.-P. Sartre"),
        ("Asa G. Yancey, Sr.. Asa G Yancey Sr., M.D., was born .", "Asa G. Yancey, Sr."),
        ("Guy St. Clair. Guy is a librarian .", "Guy St. Clair"),
        ("Sammy Davis Jr. Sammy Davis was a singer .", "Sammy Davis Jr"),
        ("É. Zola. Zola was born in Paris .", "É. Zola"),
        ("Zo%C3%AB Roth. Zoë Roth is a baker .", "Zo%C3%AB Roth"),
        ("Pope John I. was born in a town of which nothing at all is known to us. So .",
         "Pope John I"),
        ("Ada Lund", None),
        (" . nobody", None),
        ("", None),
        ("one two three four five six seven eight nine words. Then more", None),
    ],
)  # fmt: skip
def test_names_by_hand(line, name):
    span = name_span(line)
    assert (span.of(line) if span else None) == name
    assert span is None or span.start == 0


def test_a_person_is_the_same_in_either_spelling():
    assert person("Zo%C3%AB Roth") == person("Zoë Roth") == "Zoë Roth"


@pytest.mark.parametrize(
    ("wanted", "found", "matched"),
    [
        ("Sidney Shlenker", ["Sidney L. Shlenker", "Ann Lee"], "Sidney L. Shlenker"),
        ("Sidney Shlenker", ["Sidney L. Shlenker", "Sidney B. Shlenker"], None),
        ("J. R. Smith", ["John Robert Smith"], "John Robert Smith"),
        ("Ann Lee", ["Dr Ann Lee", "Ann Leeds"], "Dr Ann Lee"),
        ("Dr Ann Lee Jr.", ["Ann Lee"], "Ann Lee"),
        ("ann lee", ["Ann May LEE"], "Ann May LEE"),
        ("Rudy Render", ["Rudolph Valentino Render"], "Rudolph Valentino Render"),
        ("Rudy Render", ["Rudolph Valentino Render", "Rudy X. Render"], "Rudy X. Render"),
        ("Lee Ann", ["Ann Lee"], None),
        ("Lee", ["Ann Lee"], None),
        ("Ann Lee", [], None),
    ],
)
def test_a_name_stands_for_another_if_one_alone_fits(wanted, found, matched):
    assert match_names([wanted], found) == ({wanted: matched} if matched else {})


def test_two_names_do_not_share_one():
    assert match_names(["Ann Lee", "Ann M. Lee"], ["Ann Mary Lee"]) == {}
