"""Checks in child processes, with a submission that dies, lies and leaves things behind."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from wherefrom.course.doctor import sandbox
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.order import Limits, Order
from wherefrom.course.doctor.sandbox import examine
from wherefrom.course.doctor.years import DEFAULT_YEAR

CHECKS = """
import contextlib, json, os, sys
from wherefrom.course.doctor.findings import Finding

def find(submission):
    raise Finding("size", f"{submission.year.variant} {submission.data.name}")

def lie(submission):
    line = {"name": "die", "state": "ok", "text": "", "mistake": ""}  # which will say nothing
    for number in range(3, 64):  # whichever the results go through
        with contextlib.suppress(OSError):
            told = json.dumps(line).encode()
            os.write(number, told + b"\\n[1]\\nno JSON\\n0123456789abcdef " + told + b"\\n")
    submission.pay_nobody
    return "never said"

CHECKS = {
    "fine": lambda s: f"{s.code.told} in {os.environ['A5_YEAR']}",
    "find": find,
    "lie": lie,
    "die": lambda s: os._exit(3),
    "scratch": lambda s: str(s.scratch.is_dir()),
}
"""


@pytest.fixture
def checks(grounds) -> Path:
    """A folder with the module `odd_checks`, and one with a submission of one name."""
    (grounds / "odd_checks.py").write_text(CHECKS)
    (grounds / "handed-in").mkdir()
    (grounds / "handed-in" / "__init__.py").write_text("told = 'imported'\n")
    return grounds


def odd(checks: Path, *names: str) -> Order:
    return Order("odd_checks:CHECKS", names, checks / "handed-in", paths=(checks,))


def test_a_check_that_dies_costs_only_itself(checks):
    names = ("fine", "find", "lie", "die", "scratch")
    results = examine(replace(odd(checks, *names), data=checks, year="cs224n2024"))
    assert tuple(results) == names
    assert results == {
        "fine": Result("ok", "imported in cs224n2024"),
        "find": Result("look", f"rope {checks.name}", "size"),
        "die": Result("look", "it ended its process (code 3) and was given up", "stopped"),
        "lie": Result("look", "the package gives no 'pay_nobody'; see its __init__.py", "import"),
        "scratch": Result("ok", "True"),
    }
    left = {path.name for path in checks.rglob("*")}
    assert left == {"odd_checks.py", "handed-in", "__init__.py"}, "nothing is written there"


def test_no_time_is_no_result(checks):
    results = examine(replace(odd(checks, "fine", "find"), limits=Limits(total=-1)))
    none = Result("look", "no time was left for it", "stopped")
    assert results == {"fine": none, "find": none}


CODE = {  # what a submission may do while it is imported, and what is said of it
    "kills its parent": ("os.kill(os.getppid(), 9)\nwhile True: pass", "it was killed (SIGKILL)"),
    "kills its group": ("os.killpg(0, 9)", "it was killed (SIGKILL)"),
    "exits at once": ("os._exit(0)", "it ended its process (code 0)"),
    "fills the disk": (
        "import itertools\n"
        "for i in itertools.count():\n"
        "    open(f'{i}.bin', 'wb').write(bytes(1 << 22))",
        "it wrote more than 24 MB of files",
    ),
}


@pytest.mark.parametrize("what", CODE)
def test_a_submission_that_does_harm_is_reported(checks, what):
    code, said = CODE[what]
    (checks / "handed-in" / "__init__.py").write_text(f"import os\n{code}\n")
    results = examine(replace(odd(checks, "fine"), limits=Limits(disk_mb=24)))
    text = f"the package cannot be imported: {said} and was given up"
    assert results == {"fine": Result("look", text, "import")}


LEAVING = """
import os, sys, time

def leave(submission):
    print("x" * (1 << 24))
    sys.stderr.write("x" * (1 << 24))
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with open("{pid}", "w") as file:
                file.write(str(os.getpid()))
            time.sleep(3600)
        os._exit(0)
    os.wait()
    while not os.path.exists("{pid}") or not open("{pid}").read():
        time.sleep(0.01)
    {end}

CHECKS = {{"leave": leave}}
"""


def has_ended(pid: int) -> bool:
    """Whether a process is no more; one that was killed may take a moment to go."""
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no list of processes here")
@pytest.mark.parametrize("end", ["pass", "os.kill(os.getppid(), 9); time.sleep(3600)"])
def test_nothing_that_it_leaves_behind_stays(grounds, monkeypatch, python_anew, end):
    """A process with a session of its own, whose parent is gone, and a flood of output.

    In new processes, not forks: what is left behind is known by its parent or by its environment.
    They need no torch, which takes seconds to load, and have a module of that name instead.
    """
    (grounds / "packages").mkdir()
    (grounds / "packages" / "torch.py").write_text("def set_num_threads(number): pass\n")
    homes = [str(grounds / "packages"), *sandbox._packages()]
    monkeypatch.setattr(sandbox, "_packages", lambda: homes)
    (grounds / "leaving.py").write_text(LEAVING.format(pid=grounds / "pid", end=end))
    found = examine(Order("leaving:CHECKS", ("leave",), grounds, paths=(grounds,), code=False))
    assert found["leave"].state == ("ok" if end == "pass" else "look")
    assert has_ended(int((grounds / "pid").read_text()))


def test_a_submission_sees_nothing_of_whoever_grades(checks, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    (checks / "handed-in" / "weights.params").write_bytes(bytes((1 << 20) + 1))
    (checks / "handed-in" / "small.json").write_text("[1]")
    (checks / "handed-in" / "link").symlink_to(checks / "odd_checks.py")
    code = """
import os, sys, pathlib
here = pathlib.Path(__file__).parent
files = {p.name: p.stat().st_size for p in here.iterdir()}
places = [os.environ["HOME"], os.environ["TMPDIR"], os.getcwd()]
told = [os.environ.get("API_TOKEN"), sys.argv[1:], sys.stdin.read(), sorted(files.items()),
        [str(here.parent) in place for place in places]]
"""
    (checks / "handed-in" / "__init__.py").write_text(code)
    found = examine(odd(checks, "fine"))
    files = [("__init__.py", len(code)), ("small.json", 3), ("weights.params", 0)]
    expected = [None, [], "", files, [True, True, True]]
    assert found["fine"].text == f"{expected} in {DEFAULT_YEAR}"


def test_files_are_read_without_the_submissions_code(checks):
    (checks / "handed-in" / "__init__.py").write_text("raise SystemExit('never run')\n")
    found = examine(replace(odd(checks, "find", "fine"), data=checks, code=False))
    assert found["find"] == Result("look", f"synthesizer {checks.name}", "size")
    assert found["fine"] == Result("look", "its code is not read here", "import")
