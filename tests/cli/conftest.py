"""The command in this process, and in forked ones that signals may hit."""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wherefrom.cli.main import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, all of which must be one JSON object."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def complaint(self) -> str:
        """The error: exactly one line, and no traceback."""
        (line,) = [text for text in self.err.splitlines() if text.startswith("wherefrom: ")]
        assert self.err.endswith(line + "\n")
        assert "Traceback" not in self.err
        return line


Cli = Callable[..., Result]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Call the command in this process."""

    def call(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def tiny(tiny_settings: list[str]) -> list[str]:
    """The tiny recipe as arguments of `run`."""
    return ["people", *(part for setting in tiny_settings for part in ("--set", setting))]


@pytest.fixture
def own_run(tiny_run: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be spoilt."""
    return Path(shutil.copytree(tiny_run, tmp_path / "run"))


class Forks:
    """The command in forked children of one process that has imported torch already."""

    def __init__(self, folder: Path) -> None:
        program = Path(__file__).with_name("forks.py")
        self._server = subprocess.Popen(
            [sys.executable, program, folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __call__(self, *arguments: object, **order: Any) -> Result:
        """`forks.py` says what an order may hold."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        order["arguments"] = [str(argument) for argument in arguments]
        print(json.dumps(order), file=self._server.stdin, flush=True)
        return Result(**json.loads(self._server.stdout.readline()))

    def close(self) -> None:
        self._server.communicate()


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    server = Forks(tmp_path_factory.mktemp("forks"))
    yield server
    server.close()
