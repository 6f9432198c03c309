"""What a run came to."""

from dataclasses import dataclass
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.core.notebook import list_results, make_frame, table


@dataclass(frozen=True)
class Outcome:
    """The results of a run, by name. `reused`: the run was already finished and only read.

    `changed` names the results that differ from the stored ones after a new evaluation. `advice`
    says what a run that was planned lacks, if anything, and what would help.
    """

    recipe: str
    run: str
    seconds: float
    results: dict[str, Any]
    reused: bool = False
    changed: tuple[str, ...] = ()
    advice: str = ""

    def __fspath__(self) -> str:
        """The run folder: an outcome can stand wherever a run's path is expected."""
        return self.run

    def __repr__(self) -> str:
        rows = list_results(self.results)
        values = ", ".join(f"{row['name']} {row['value']:.3f}" for row in rows)
        return f"<Outcome of {self.run}: {values}>"

    def _repr_html_(self) -> str:
        return table(f"{self.recipe} in {self.run}", list_results(self.results))

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each result."""
        return make_frame(list_results(self.results))

    def require_checks(self) -> None:
        """Raise BadData, which names the first failure, if a demonstration's check did not hold."""
        rows = self.results.items()
        failed = [f"{name}: {text}" for name, row in rows for text in row.get("failed", [])]
        if failed:
            count = sum(row["n"] for row in self.results.values())
            raise BadData(
                f"{self.run}: expected all {count} checks to hold, found {len(failed)} that "
                f"{'does' if len(failed) == 1 else 'do'} not: {failed[0]}; "
                "demonstrations.json has every number"
            )
