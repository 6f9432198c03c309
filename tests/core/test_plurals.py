import pytest

from wherefrom.core.plurals import plural


@pytest.mark.parametrize(
    ("word", "number", "found"),
    [("person", 1, "person"), ("person", 2, "people"), ("line", 0, "lines"), ("line", 1, "line")],
)
def test_one_is_the_only_singular(word, number, found):
    assert plural(word, number) == found
