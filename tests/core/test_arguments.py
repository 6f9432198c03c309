"""Arguments that a person passes by mistake are refused in one line."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import pytest

from wherefrom.core.arguments import checked
from wherefrom.core.errors import UsageError


class Named:
    def __fspath__(self) -> str:
        return "x"


class Options(TypedDict, total=False):
    seed: int | None
    folder: str | PathLike[str]


@checked
def put(
    texts: str | Iterable[str] = "",
    *,
    count: int | None = None,
    share: float = 0.0,
    place: str | PathLike[str] = "",
    named: Named | None = None,
    numbers: Sequence[int] = (),
    quiet: bool = False,
    **options: Unpack[Options],
) -> str:
    """What it is for."""
    return "put"


@pytest.mark.parametrize(
    "given",
    [
        {}, {"texts": ["a", "b"]}, {"texts": (c for c in "ab")}, {"texts": {}}, {"count": 3},
        {"count": np.int64(3)}, {"count": True}, {"share": 1}, {"share": np.float32(0.5)},
        {"place": Path("x")}, {"place": Named()}, {"named": Named()}, {"numbers": (1, 2)},
        {"seed": None}, {"folder": Path("x"), "quiet": True}, {"unknown": 3},
    ],
)  # fmt: skip
def test_what_fits_goes_through(given):
    assert put(**given) == "put"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"texts": None}, "put: texts: expected text or a list of texts, found None (NoneType)"),
        ({"texts": b"a"}, "put: texts: expected text or a list of texts, found b'a' (bytes)"),
        (
            {"texts": ["a", 1]},
            "put: texts: expected text or a list of texts, found ['a', 1] (list)",
        ),
        ({"count": "3"}, "put: count: expected a whole number or None, found '3' (str)"),
        ({"count": 1.5}, "put: count: expected a whole number or None, found 1.5 (float)"),
        ({"share": "x"}, "put: share: expected a number, found 'x' (str)"),
        ({"place": 3}, "put: place: expected text or a path, found 3 (int)"),
        ({"named": "x"}, "put: named: expected a Named or None, found 'x' (str)"),
        ({"numbers": "12"}, "put: numbers: expected a list of whole numbers, found '12' (str)"),
        ({"quiet": "yes"}, "put: quiet: expected True or False, found 'yes' (str)"),
        ({"seed": "x"}, "put: seed: expected a whole number or None, found 'x' (str)"),
        ({"folder": 3}, "put: folder: expected text or a path, found 3 (int)"),
        (
            {"count": "x" * 99},
            f"put: count: expected a whole number or None, found '{'x' * 59}... (str)",
        ),
    ],
)
def test_what_does_not_is_named_with_what_would(given, message):
    with pytest.raises(UsageError) as caught:
        put(**given)
    assert str(caught.value) == message
