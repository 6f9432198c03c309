"""Which data submissions are graded with: never their own."""

from pathlib import Path

import pytest

from tests.course.files import A5, load
from tests.support import real_data
from wherefrom.data.fetching import registry

(places,) = load(A5, "places")


@pytest.fixture
def nowhere(grounds, monkeypatch) -> Path:
    """A folder with data of its own, from which the grader is started."""
    monkeypatch.delenv("A5_DATA", raising=False)
    monkeypatch.setattr(places, "HERE", grounds / "here")
    for folder in (grounds / "data", grounds / "here" / "data"):
        folder.mkdir(parents=True)
        (folder / "birth_dev.tsv").write_text("Where was Ann born?\tOslo\n")
    return grounds


def test_data_are_named_or_registered(nowhere, monkeypatch):
    assert places.data_to_grade_with(None) is None, "that beside the program is not the course's"
    registry.add("birthplaces", nowhere, [])
    assert places.data_to_grade_with(None) == nowhere
    monkeypatch.setenv("A5_DATA", "elsewhere")
    assert places.data_to_grade_with(None) == Path("elsewhere")
    assert places.data_to_grade_with(nowhere / "data") == nowhere / "data"


def test_other_data_are_named(nowhere):
    assert places.other_data(nowhere / "data") == (
        "not the course's own data: there is no wiki.txt; birth_dev.tsv has 1 instead of 500 lines"
        "; there is no birth_test_inputs.tsv"
    )
    real = real_data.find("birthplaces")
    assert places.other_data(real) == ""
    (nowhere / "here" / "data").joinpath("birth_dev.tsv").unlink()
    for name in places.KNOWN:
        (nowhere / "here" / "data" / name).write_bytes((real / name).read_bytes())
    assert places.data_to_grade_with(None) == nowhere / "here" / "data"
