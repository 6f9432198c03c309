"""Questions by relation: what is reported over all questions is also reported for each relation."""

from collections.abc import Sequence

import numpy as np


def group(relations: Sequence[str]) -> dict[str, np.ndarray]:
    """The places of each relation's questions, the relations in alphabetical order."""
    names = np.array(relations, dtype=object)
    return {name: np.flatnonzero(names == name) for name in sorted(set(relations))}


def divide(relations: Sequence[str]) -> dict[str, np.ndarray]:
    """The same, but empty if there is only one relation: then there is nothing to tell apart."""
    found = group(relations)
    return found if len(found) > 1 else {}
