"""A request says what is wrong with it before anything is decoded."""

import math

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.generation.requests import Request


@pytest.mark.parametrize(
    "wrong",
    [{"max_new": 0}, {"beams": 0}, {"temperature": -1.0}, {"top_k": -1}, {"seed": -1},
     {"number": 2**32}, {"beams": 2, "temperature": 1.0}, {"temperature": math.nan}],
)  # fmt: skip
def test_a_request_checks_itself(wrong):
    with pytest.raises(UsageError, match=r"Request\."):
        Request((2,), **wrong)
