"""Checkpoints: a learner's state as verified folders, and what they must belong to."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import publish_folder, remove_folder, sweep, verify_folder
from wherefrom.core.contracts import State
from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.core.files import format_arrays, read_arrays, read_json, write_bytes, write_json
from wherefrom.core.identity import require_same

_KEPT = 2  # checkpoints: one may turn out damaged
_NAME = re.compile(r"step-(\d{8,})")


@dataclass(frozen=True)
class Checkpoint:
    """A state that was read back whole, after `step` steps and `seconds` of training.

    `logs` has the rows that had been added to files, by the files' names.
    """

    step: int
    state: State
    path: Path
    seconds: float
    logs: Mapping[str, list[Any]] = field(default_factory=dict[str, list[Any]])


class Checkpoints:
    """The checkpoints of one stage, newest last, each bound to the same identity.

    `identity` is every value that changes what the state means: anything JSON can hold. To save,
    hold the run folder's lock; reading needs none.
    """

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self.folder = folder
        self.identity = json.loads(json.dumps(identity, allow_nan=False))
        self.skipped: tuple[str, ...] = ()  # why `latest()` passed newer ones over
        self._damaged: list[Path] = []

    def save(
        self, step: int, state: State, seconds: float, logs: Mapping[str, list[Any]] | None = None
    ) -> Path:
        """Publish the state, and only then prune older ones and those found damaged."""
        sweep(self.folder)
        path = self.folder / f"step-{step:08d}"
        with publish_folder(path, {"step": step, "identity": self.identity}) as folder:
            write_bytes(folder / "state.safetensors", format_arrays(state.arrays))
            rest = {"seconds": seconds, "values": state.values, "logs": dict(logs or {})}
            write_json(folder / "state.json", rest)
        self._prune(path)
        return path

    def latest(self) -> Checkpoint | None:
        """The newest checkpoint that is whole; why newer ones are not is in `skipped`."""
        reasons: list[str] = []
        self._damaged = []
        found = None
        for path in reversed(self._paths()):
            try:
                found = self.load(path)
                break
            except (Damaged, MissingInput) as error:
                reasons.append(str(error))
                self._damaged.append(path)
        self.skipped = tuple(reasons)
        return found

    def load(self, path: Path) -> Checkpoint:
        """This very checkpoint or an error: one that was named is never replaced by another."""
        manifest = verify_folder(path)
        require_same(
            path,
            manifest.get("identity"),
            self.identity,
            holder="the checkpoint",
            advice="ask for the checkpoint's value or name another folder",
        )
        step, rest = manifest.get("step"), read_json(path / "state.json")
        name = _NAME.fullmatch(path.name)
        if not isinstance(step, int) or (name and int(name[1]) != step):
            raise Damaged(f"{path}: expected the step of its name, found {step!r}")
        try:
            state = State(read_arrays(path / "state.safetensors"), dict(rest["values"]))
            logs = {str(name): list(rows) for name, rows in rest["logs"].items()}
            return Checkpoint(step, state, path, float(rest["seconds"]), logs=logs)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise Damaged(f"{path / 'state.json'}: expected values, seconds and rows") from error

    def last_step(self) -> int:
        """The step of the newest checkpoint by its name, whole or not; 0 without any."""
        paths = self._paths()
        return int(paths[-1].name.removeprefix("step-")) if paths else 0

    def remove_all(self) -> None:
        for path in self._paths():
            remove_folder(path)

    def _paths(self) -> list[Path]:
        """Every published checkpoint, oldest first."""
        steps = ((_NAME.fullmatch(p.name), p) for p in self.folder.glob("step-*"))
        return [p for _, p in sorted((int(name[1]), p) for name, p in steps if name)]

    def _prune(self, saved: Path) -> None:
        """Damaged ones go first, so that they do not count among those kept; newer ones stay."""
        paths = self._paths()
        damaged = [p for p in paths if p in self._damaged and p != saved]
        good = [p for p in paths if p not in damaged]
        for path in [*damaged, *good[: good.index(saved) + 1][:-_KEPT]]:
            remove_folder(path)
        self._damaged = []
