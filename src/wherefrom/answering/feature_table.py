"""Features of answers as named columns, so that nothing depends on their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FeatureTable:
    """One column for each feature, with one value for each answer."""

    columns: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        sizes = {name: np.shape(column) for name, column in self.columns.items()}
        if len(set(sizes.values())) > 1 or any(len(size) != 1 for size in sizes.values()):
            raise ValueError(f"expected columns of one length, found {sizes}")

    @classmethod
    def from_matrix(cls, values_NK: np.ndarray, names: Sequence[str]) -> "FeatureTable":
        """A table of a matrix's columns, named in this order."""
        return cls(dict(zip(names, values_NK.T, strict=True)))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"feature '{name}': expected one of {tuple(self.columns)}")
        return self.columns[name]

    def matrix(self, names: Sequence[str]) -> np.ndarray:
        """(N, K): these columns in this order."""
        return np.column_stack([self[name] for name in names])

    def rows(self, which: np.ndarray) -> "FeatureTable":
        """The rows that a mask or a list of row numbers selects."""
        return FeatureTable({name: column[which] for name, column in self.columns.items()})

    def join(self, other: "FeatureTable") -> "FeatureTable":
        """A table with the columns of both."""
        return FeatureTable({**self.columns, **other.columns})

    def append(self, other: "FeatureTable") -> "FeatureTable":
        """A table with the rows of both, and the columns of this one."""
        return FeatureTable(
            {name: np.append(column, other[name]) for name, column in self.columns.items()}
        )

    def row(self, number: int) -> dict[str, float]:
        return {name: float(column[number]) for name, column in self.columns.items()}
