"""The name at the head of a line, by hand and on the course's lines."""

import pytest

from wherefrom.reading.names import name_span, person


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Ada Lund. Lund was born in Oslo .", "Ada Lund"),
        ("Douglas P. Fry. Douglas P Fry (born in Boston) .", "Douglas P. Fry"),
        ("A. G. E. Blake. Anthony Blake was born .", "A. G. E. Blake"),
        ("J.C. Patterson. Born in Armagh .", "J.C. Patterson"),
        ("J.-P. Sartre. Born in Paris .", "J.-P. Sartre"),
        ("Asa G. Yancey, Sr.. Asa G Yancey Sr., M.D., was born .", "Asa G. Yancey, Sr."),
        ("Guy St. Clair. Guy is a librarian .", "Guy St. Clair"),
        ("Malcolm X. Malcolm X was born in Omaha .", "Malcolm X"),
        ("Sammy Davis Jr. Sammy Davis was a singer .", "Sammy Davis Jr"),
        ("K. Bhaskaran. Bhaskaran was born on 30th April .", "K. Bhaskaran"),
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
