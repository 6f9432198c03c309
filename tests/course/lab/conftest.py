"""Demonstrations, computed once, and the numbers that they find."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.running import DEMONSTRATIONS


@cache
def _shown(name: str, seed: int = 0) -> Demonstration:
    return DEMONSTRATIONS[name](seed)


@pytest.fixture
def shown() -> Callable[..., Demonstration]:
    """A demonstration by its name and seed."""
    return _shown


@pytest.fixture
def found() -> Callable[..., float]:
    """The one number of a demonstration under a label that begins so."""

    def find(name: str, label: str, seed: int = 0) -> float:
        (check,) = [c for c in _shown(name, seed).every_check if c.label.startswith(label)]
        return check.found

    return find


@pytest.fixture
def drawn() -> Callable[[int], np.random.Generator]:
    """What a demonstration of seed 0 draws its numbers from: numpy's own generator."""
    return lambda use: np.random.Generator(np.random.Philox(key=np.array([0, use], np.uint64)))
