import pytest

from wherefrom.core.errors import Mismatch
from wherefrom.core.identity import require_same


def compare(found, asked) -> None:
    require_same("runs/a", found, asked, holder="the folder", advice="name another folder")


def message(found, asked) -> str:
    with pytest.raises(Mismatch) as raised:
        compare(found, asked)
    return str(raised.value)


@pytest.mark.parametrize(
    ("found", "asked", "said"),
    [
        ({"s": [{"n": 5}, {"n": 6}]}, {"s": [{"n": 5}, {"n": 9}]}, "s.1.n: * has 6, asked for 9"),
        ({"a": 1}, {"a": 1, "b": 2}, "b: * has no such field, asked for 2"),
        ({"a": None, "b": 1}, {"b": 1}, "a: * has null, asked for no such field"),
    ],
)
def test_a_difference_is_named_by_its_place(found, asked, said):
    assert said.replace("*", "the folder") in message(found, asked)


def test_the_first_of_several_is_told_and_the_others_are_counted_up():
    fields = "abcdefgh"
    found = message(dict.fromkeys(fields, 1), dict.fromkeys(fields, 2))
    assert found.startswith(
        "runs/a: a: the folder has 1, asked for 2 (differing too: b, c, d, e, f)"
    )
    assert "g" not in found.split("differing too")[1].split(")")[0]


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        ({"a": 1}, {"a": "1"}),
        ({"a": [1]}, {"a": [1, 2]}),
        ({"a": None}, {"a": 0}),
        (None, {"a": 1}),
    ],
)
def test_unlike_things_are_refused(found, asked):
    assert message(found, asked)
    assert message(asked, found)


def test_a_long_value_is_cut_and_letters_stay_letters():
    found = message({"text": "é" * 200}, {"text": "e"})
    assert "é" * 70 in found
    assert len(found) < 200
    assert "\n" not in found
