"""The name at the head of a line, by hand and on the course's lines."""

import pytest

from wherefrom.data.birthplaces import read_files
from wherefrom.data.names import name_span, person


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


def test_every_name_of_the_course_is_found(real):
    """The questions stand in the order of the lines: train, dev, test. No line is mistaken."""
    files = read_files(real)
    asked = [files.subject(row.cells[0]) for rows in files.tables.values() for row in rows]
    found = [d.subject.of(d.text) if d.subject else None for d in files.documents]
    assert len(found) == len(asked) == 2937
    assert sum(a != b for a, b in zip(found, asked, strict=True)) == 0
    assert sum(". " in name for name in asked[2000:2500]) == 26
