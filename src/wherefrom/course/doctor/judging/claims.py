"""What a submission's process claims, read by the process that judges it.

A claim is one plain file, `NAME.safetensors`: tensors, and in its header what JSON can say. Whoever
wrote it may have been the submission itself, so only regular files are read, links are not
followed, sizes are bounded, nothing is unpickled, and no verdict is ever among them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from wherefrom.core.errors import WherefromError
from wherefrom.core.inside import inside, read_regular
from wherefrom.course.doctor.exercises import weights
from wherefrom.course.doctor.findings import UNJUDGED, Finding, expect
from wherefrom.course.doctor.years import Year

T = TypeVar("T")
LONGEST, LARGEST = 4 << 20, 64 << 20  # bytes of the header, and of all
# Parameters of a model, their names, and the rows of one: the course's has 3.3 million, 88, 1024.
MOST, NAMES, WIDEST = 10_000_000, 400, 2048


@dataclass(frozen=True)
class Claim:
    """What came of one request: values, tensors, what was raised on the way, how the process ended.

    What was claimed before something was raised is there.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, Tensor] = field(default_factory=dict)
    raised: Mapping[str, str] = field(default_factory=dict)
    ended: str = ""

    def value(self, key: str, kind: type[T]) -> T:
        """A value of this type; a finding where there is none."""
        found = self.values.get(key)
        return self._there(key, found if isinstance(found, kind) else None)

    def array(self, key: str) -> Tensor:
        """An array of numbers; a finding where there is none."""
        return self._there(key, self.tensors.get(key))

    def _there(self, key: str, found: T | None) -> T:
        if found is None:
            raise self.complaint() or Finding("form", f"{self.name}: no {key} came back")
        return found

    def check(self) -> "Claim":
        """The claim itself, if nothing was raised."""
        if complaint := self.complaint():
            raise complaint
        return self

    def complaint(self) -> Finding | None:
        """What was raised, or that nothing came, in words."""
        if self.ended:
            return Finding("stopped", self.ended)
        kind, text = self.raised.get("type", ""), self.raised.get("text", "")
        if kind == "NotImplementedError":
            return Finding("unwritten", f"not written yet {text}".strip())
        if kind == "MemoryError":
            return Finding("memory", "it needed too much memory")
        if mistake := self.raised.get("mistake"):
            return Finding(mistake, text)
        said = f"it stopped with {kind}{': ' * bool(text)}{text}"
        return Finding("crash", said) if self.raised else None

    def table(self, key: str) -> "Table":
        """What was claimed by name, in its order."""
        names = self.values.get(key) or ()
        return bounded({str(name): self.array(f"{key}/{name}") for name in names}, self.name)

    def parameters(self) -> "Table":
        """Parameters; a finding where none were claimed."""
        found = self.table("weights")
        if not found:
            raise self.complaint() or Finding("unwritten", f"{self.name} has no parameters yet")
        return found

    def state(self, draw: int, spread: float) -> "Table":
        """The weights of the draw under the claimed names: the claimed shapes, nothing more."""
        claimed = self.parameters().items()
        return Table({name: weights(name, value.shape, draw, spread) for name, value in claimed})


class Table(dict[str, Tensor]):
    """Parameters by name; one that a computation needs and that is not there is a finding."""

    def __missing__(self, name: str) -> Tensor:
        raise Finding("form", f"the model has no parameter '{name}'")


def bounded(state: Mapping[str, Tensor], where: str) -> Table:
    """The table, unless computing with it takes far more than with the course's models."""
    count = sum(value.numel() for value in state.values())
    said = f"{where} has {len(state)} parameters of {count:,} numbers, more than any model here"
    expect(len(state) <= NAMES and count <= MOST, "form", said)
    for name, value in state.items():
        fits = all(0 < size <= WIDEST for size in value.shape)
        expect(fits, "form", f"{where}: {name[:40]} is of a shape {(*value.shape[:8],)}")
    return Table(state)


@dataclass(frozen=True)
class Files:
    """Where the submission's files are, and what its predictions are held against.

    `data` is the folder of the course's data, `answers` a file with those of the test questions.
    """

    folder: Path
    data: Path | None = None
    answers: Path | None = None

    def find(self, name: str) -> Path:
        """A file that the code wrote: beside the code, or else beside `src`."""
        inside, beside = self.folder / name, self.folder.parent / name
        outside = self.folder.name == "src" and beside.is_file() and not inside.is_file()
        return beside if outside else inside


@dataclass(eq=False)
class Claims:
    """The claims of one submission, beside what was asked."""

    year: Year
    draw: int
    package: bool
    found: Mapping[str, Claim]
    files: Files = Files(Path())

    def __getitem__(self, name: str) -> Claim:
        return self.found.get(name, Claim(name, ended="it was not asked"))


def read_claim(folder: Path, name: str, ended: str = "") -> Claim:
    """The claim by its name; `ended` says how its process ended, should there be none.

    The process may have put a link in the place of the file, or of the folder.
    """
    try:
        place = inside(folder.parent, f"{folder.name}/{name}.safetensors")
        data = read_regular(place, LARGEST)
        length = int.from_bytes(data[:8], "little")
        assert length <= LONGEST
        told = json.loads(data[8 : 8 + length])["__metadata__"]
        values, raised = json.loads(told["values"]), json.loads(told["raised"])
        assert isinstance(values, dict)
        short = {str(key): str(value)[:300] for key, value in raised.items()}
        return Claim(name, values, safetensors.torch.load(data), short)
    except (WherefromError, SafetensorError, AssertionError, *UNJUDGED):
        return Claim(name, ended=ended or "it wrote no claim that can be read")
