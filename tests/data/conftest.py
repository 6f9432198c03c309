"""A small folder of birthplaces whose truths are known by hand, and the real one if it is there."""

from pathlib import Path

import pytest

from tests.support import real_data

WIKI = """\
Ada P. Lund. Ada P Lund was born in Oslo .
Bo Falk. Falk (born in Parisville) moved to Paris, then London .
Zo%C3%AB Roth. Zoë Roth is a baker .
Cy Holm. Born in Rome, Holm left .
Cy Holm. Holm, a poet, died in Rome .
Di Ek. Ek was born in Lima, Peru .
"""
TRAIN = """\
Where was Ada P. Lund born?\tOslo
Where was Bo Falk born?\tParis
Where was Zo%C3%AB Roth born?\tMalmö
Where was Cy Holm born?\tRome
Where was Cy Holm born?\tItaly
"""
DEV = "Where was Di Ek born?\tLima\nWhere was Em Ny born?\tOslo\n"
TEST = "Where was Bo Falk born?\nWhere was Ada P. Lund born?\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "birthplaces"
    made.mkdir()
    for file, text in (
        ("wiki.txt", WIKI),
        ("birth_places_train.tsv", TRAIN),
        ("birth_dev.tsv", DEV),
        ("birth_test_inputs.tsv", TEST),
    ):
        (made / file).write_text(text, encoding="utf-8", newline="")
    return made


@pytest.fixture(scope="session")
def real() -> Path:
    return real_data.find("birthplaces")
