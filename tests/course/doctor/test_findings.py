"""The records of an examination."""

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.course.doctor.findings import Result


def test_a_state_is_one_of_three():
    assert [Result(state).state for state in ("ok", "look", "unknown")] == ["ok", "look", "unknown"]
    with pytest.raises(UsageError, match=r"Result\.state: expected one of ok, look, unknown"):
        Result("excellent")
