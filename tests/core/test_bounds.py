"""Names and numbers with bounds; tests/contracts/test_configs.py sweeps every config with them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from wherefrom.core.bounds import (
    check_number,
    check_positive,
    check_share,
    check_whole,
)
from wherefrom.core.errors import UsageError


@dataclass(frozen=True)
class Box:
    held: Any


def accepts(check: Any, value: Any, *bounds: Any) -> bool:
    try:
        check(Box(value), "held", *bounds)
    except UsageError:
        return False
    return True


@pytest.mark.parametrize(
    ("check", "bounds", "fits", "others"),
    [
        (check_whole, (1, 3), [1, 3, np.int64(2)], [0, 4, 2.0, True, "2", None, 10**5000]),
        (check_number, (0, 1), [0, 1, 0.5, np.float32(0.5)], [-1e-9, 1.1, np.nan, np.inf, True]),
        (check_positive, (2,), [1e-300, 2], [0, -1, 2.1, np.nan, np.inf, "1"]),
        (check_share, (), [0, 0.999], [1, -0.1, np.nan, "0"]),
    ],
)
def test_bounds_are_part_of_what_fits_and_nan_is_not(check, bounds, fits, others):
    assert all(accepts(check, value, *bounds) for value in fits)
    assert not any(accepts(check, value, *bounds) for value in others)
