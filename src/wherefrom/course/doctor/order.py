"""What is asked of a submission: `asking` writes it down, `child` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Request:
    """One thing to ask: the name of the claim, the probe that asks, and what it is given."""

    name: str
    kind: str
    given: Mapping[str, Any]
