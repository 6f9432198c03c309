"""Every kind of error has an exit code of its own, and a misspelt name gets a hint."""

from wherefrom.core import errors
from wherefrom.core.errors import Interrupted, WherefromError, nearest


def test_no_two_kinds_of_error_share_an_exit_code():
    kinds = [k for k in vars(errors).values() if isinstance(k, type)]
    kinds = [k for k in kinds if issubclass(k, WherefromError) and k is not Interrupted]
    assert len(kinds) > 5
    assert len({kind.exit_code for kind in kinds}) == len(kinds)


def test_the_hint_names_the_closest_and_all_if_they_are_few():
    assert nearest("poeple", ["people", "facts"]) == "did you mean 'people'? known: facts, people"
    assert nearest("xyzzy", ["people", "facts"]) == "known: facts, people"
    many = [f"recipe-{i:02d}" for i in range(21)]
    assert nearest("recipe-7", many).startswith("did you mean 'recipe-")
    assert "known" not in nearest("recipe-7", many)
    assert nearest("xyzzy", many) == "see the docs"
