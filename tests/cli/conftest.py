"""The command in this process, and in others that signals may hit."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support import interruptions
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
def small_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits with few decoys, resamples and simulations, and without pictures."""
    from tests.support import audited
    from wherefrom.auditing import auditor as audit

    audited.make_light(monkeypatch)
    monkeypatch.setattr(audit, "draw_audit", lambda *_: None)


@pytest.fixture(scope="session")
def interrupted() -> Cli:
    """Call the command in another process, where something happens at a place in its work."""

    def call(*arguments: object, **order: Any) -> Result:
        """`tests/support/interruptions.py` says what an order may hold."""
        words = [json.dumps(order), *map(str, arguments)]
        ended = subprocess.run(
            [sys.executable, interruptions.__file__, *words],
            capture_output=True,
            text=True,
            check=False,
        )
        return Result(ended.returncode, ended.stdout, ended.stderr)

    return call
