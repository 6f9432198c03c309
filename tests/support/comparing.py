"""JSON to compare with: what is no number must be equal."""

from typing import Any

import pytest


def nearly(value: Any, **tolerance: float) -> Any:
    """The same JSON, with numbers that equal those close to them."""
    if isinstance(value, dict):
        return {name: nearly(inner, **tolerance) for name, inner in value.items()}
    if isinstance(value, list):
        return [nearly(inner, **tolerance) for inner in value]
    return pytest.approx(value, **tolerance) if isinstance(value, float) else value
