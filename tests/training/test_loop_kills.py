"""The loop in real processes, really killed.

Run as a program, this file is the run that gets killed: FOLDER STEPS, and if it is to kill
itself, at which line.
"""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.tiny import CHUNK, IDENTITY, Recorder, metrics, run, straight
from wherefrom.training import loop
from wherefrom.training.checkpoints import Checkpoints


class Talker(Recorder):
    """Says each step on stdout, so that the parent knows what was saved before it."""

    def started(self, name, first_step, steps, skipped) -> None:
        print("started", first_step, len(skipped), flush=True)

    def advanced(self, name, step, steps, metrics, seconds) -> None:
        print("advanced", step, flush=True)


def main(folder: str, steps: str, line: str = "") -> None:
    if line:
        from tests.support.interruptions import at_line

        at_line(int(line), signal.SIGKILL)
    learner, _ = run(Path(folder), int(steps), observers=[Talker()])
    print("digest", learner.digest())


def call(folder: Path, steps: int, *line: int) -> subprocess.CompletedProcess[str]:
    source, tests = Path(loop.__file__).parents[2], Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, __file__, str(folder), str(steps), *map(str, line)],
        env=os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{tests}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("kills", "lines"), [(4, 1500), pytest.param(20, 6000, marks=pytest.mark.nightly)]
)
def test_kills_lose_nothing_and_end_bitwise_the_same(tmp_path, kills, lines):
    """A chunk takes some 250 lines, so every run dies before its last step."""
    chooser, steps, saved, torn = random.Random(9), kills * lines // 200 * CHUNK, 0, 0
    for _ in range(kills):
        killed = call(tmp_path, steps, chooser.randint(1, lines))
        assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, "")
        said = killed.stdout.splitlines()
        if said:
            word, first, skipped = said[0].split()
            assert (word, skipped) == ("started", "0")
            assert int(first) >= saved
            # A step is said before it is saved, so the last one may be lost.
            saved = int(said[-1].split()[1]) - CHUNK if said[1:] else int(first)
        kept = Checkpoints(tmp_path / "checkpoints", IDENTITY)
        found = kept.latest()
        assert (found.step if found else 0) >= saved
        assert kept.skipped == ()
        torn += any(tmp_path.glob("checkpoints/.tmp-*"))
    assert torn or kills < 20  # some were killed while they wrote a checkpoint
    last = call(tmp_path, steps)
    assert (last.returncode, last.stderr) == (0, "")
    assert 0 < int(last.stdout.split()[1]) < steps
    assert last.stdout.split()[-1] == straight(steps).digest()
    assert [row["step"] for row in metrics(tmp_path)] == list(range(CHUNK, steps + 1, CHUNK))
    assert not list(tmp_path.rglob(".tmp-*"))


if __name__ == "__main__":
    main(*sys.argv[1:])
