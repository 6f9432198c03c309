"""Programs that are kept apart: what they cannot reach, how they end, what they leave behind."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.course.files import left_behind
from wherefrom.core.errors import Unavailable
from wherefrom.course.doctor import isolation
from wherefrom.course.doctor.isolation import Limits, choose

LIMITS = Limits(seconds=20.0, memory_mb=256, total=40.0, disk_mb=8)
ENDED = "it ended its process (code 0)"


@pytest.fixture
def kind(bubblewrap: str) -> str:
    return bubblewrap


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place" / "given").mkdir(parents=True)
    (tmp_path / "place" / "given" / "question").write_text("how many?")
    return tmp_path / "place"


def run(kind: str, place: Path, code: str, limits: Limits = LIMITS, **named) -> str:
    return isolation.run(kind, ("-c", code), place, limits=limits, **named)


def said(place: Path) -> object:
    return json.loads((place / "out" / "said").read_text())


SAY = "import json; say = lambda told: open('../out/said', 'w').write(json.dumps(told))\n"


def test_files_in_and_files_out(kind, place):
    code = f"{SAY}import sys; say([sys.stdin.read(), open('../given/question').read()])"
    assert run(kind, place, code) == ENDED
    assert said(place) == ["", "how many?"]


TRIES = """
import os, socket, sys
def tries(*ways):
    for way in ways:
        try:
            way()
        except (OSError, ImportError) as error:
            yield type(error).__name__
        else:
            yield "done"
foreign, port, home = {foreign!r}, {port}, {home!r}
say(list(tries(
    lambda: open("../given/question", "a"),
    lambda: open(foreign).read(),
    lambda: open(foreign, "a"),
    lambda: open(os.path.join(home, "sitecustomize.py"), "w"),
    lambda: socket.create_connection(("127.0.0.1", port), 2),
    lambda: os.kill({pid}, 0),
    lambda: open("/proc/{pid}/environ").read(),
    lambda: os.setuid(0) if os.getuid() else open("/etc/shadow").read(),
)))
"""


def test_what_it_cannot_reach(kind, place, tmp_path, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    foreign = tmp_path / "foreign"
    foreign.write_text("secret")
    foreign.chmod(0o666)
    with socket.create_server(("127.0.0.1", 0)) as server:
        named = {"foreign": str(foreign), "home": os.path.dirname(os.__file__)}
        code = TRIES.format(**named, port=server.getsockname()[1], pid=os.getpid())
        run(kind, place, SAY + code)
        assert "done" not in said(place)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert foreign.read_text() == "secret"
    run(kind, place, f"{SAY}import os; say(dict(os.environ))")
    assert "secret" not in str(said(place))


def test_what_is_hidden_and_what_may_be_read(kind, place, tmp_path):
    (tmp_path / "books" / "answers").mkdir(parents=True)
    for file in ("text", "answers/all"):
        (tmp_path / "books" / file).write_text("it")
    code = f"""{SAY}
def read(name):
    try:
        return open({str(tmp_path / "books")!r} + name).read()
    except OSError:
        return ""
say([read("/text"), read("/answers/all")])
"""
    books = tmp_path / "books"
    run(kind, place, code, reads=[books], hidden=[books / "answers"])
    assert said(place) == ["it", ""]
    (books / "answers" / "python").mkdir()
    (books / "answers" / "python" / "it").write_text("it")
    code = code.replace("/text", "/answers/python/it")
    run(kind, place, code, reads=[books, books / "answers" / "python"], hidden=[books / "answers"])
    assert said(place) == ["it", ""], "a checkout below /usr has Python in its .venv"


ENDS = {
    "kills its parent": (
        "os.kill(os.getppid(), 9); time.sleep(1); os._exit(3)",
        "code 1|code 3|SIGKILL",
    ),
    "kills everybody": ("os.kill(-1, 9); os._exit(3)", "code 1|code 3|SIGKILL"),
    "kills its group": ("os.killpg(0, 9)", "SIGKILL|code 137|code 1"),
    "leaves at once": ("os._exit(4)", "code 4"),
    "aborts": ("os.abort()", "SIGABRT|code 134"),
    "fills the disk": (
        "for i in range(99): open(f'{i}.bin', 'wb').write(bytes(1 << 20)); time.sleep(0.05)",
        "more than 8 MB of files",
    ),
    "sleeps": ("time.sleep(3600)", "no answer within"),
    "sleeps on": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)",
        "no answer within",
    ),
    "prints for ever": ("for i in range(99): print('x' * (1 << 20))", "code 0"),
}


@pytest.mark.parametrize("what", ENDS)
def test_how_it_ends(kind, place, what, monkeypatch):
    monkeypatch.setattr(isolation, "_STARTING", 1.0)
    code, wanted = ENDS[what]
    short = replace(LIMITS, seconds=1.0 if "no answer" in wanted else 20.0)
    ended = run(kind, place, f"import os, signal, time\n{code}", short)
    assert any(part in ended for part in wanted.split("|")), ended


LEAVES = """
import os, time
open("/dev/shm/left", "w").write("it")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["{name}", "3600"], {{}})
    os._exit(0)
os.wait()
time.sleep({wait})
"""


@pytest.mark.parametrize("wait", [0, 3600])
def test_nothing_that_it_leaves_behind_stays(kind, place, wait, monkeypatch):
    """A process with a session and a name of its own, whose parent is gone, and shared memory."""
    monkeypatch.setattr(isolation, "_STARTING", 1.0)
    name = f"left-behind-{os.getpid()}"
    run(kind, place, LEAVES.format(name=name, wait=wait), replace(LIMITS, seconds=1.0))
    assert left_behind(name) == []
    assert not Path("/dev/shm/left").exists()


def test_without_bubblewrap_code_runs_only_if_it_is_trusted(monkeypatch):
    monkeypatch.setattr(isolation, "_works", lambda: False)
    with pytest.raises(Unavailable, match=r"apt install bubblewrap', or add --trust for code"):
        choose()
    assert choose(trust=True) == isolation.NONE
    monkeypatch.setattr(sys, "platform", "win32")
    for trust in (False, True):
        with pytest.raises(Unavailable, match="expected Linux or macOS, found Windows; use WSL"):
            choose(trust)


def test_trusted_code_is_stopped_too(place, monkeypatch):
    monkeypatch.setattr(isolation, "_STARTING", 1.0)
    assert run(isolation.NONE, place, f"{SAY}say(1)") == ENDED
    assert said(place) == 1
    slept = run(isolation.NONE, place, "import time; time.sleep(99)", replace(LIMITS, seconds=1.0))
    assert slept == "it gave no answer within 1 s"


@pytest.fixture(autouse=True)
def no_shared_memory_left() -> Iterator[None]:
    yield
    Path("/dev/shm/left").unlink(missing_ok=True)


def test_what_lies_with_the_system_can_be_hidden(kind, place):
    """With a Python of the system's own, our package lies below /usr, which is there to read."""
    code = f"{SAY}import os\ntry: say(os.listdir('/usr/share'))\nexcept OSError: say([])"
    assert run(kind, place, code, hidden=[Path("/usr/share")]) == ENDED
    assert said(place) == []


def test_python_may_be_named_by_a_path_that_goes_up(kind, place, tmp_path, monkeypatch):
    """`../../.venv/bin/python grader.py`: the folder that it goes up from is not to be seen."""
    (tmp_path / "course").mkdir()
    there = os.path.relpath(sys.executable, tmp_path / "course")
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/course/{there}")
    assert run(kind, place, f"{SAY}say(1)") == ENDED
    assert said(place) == 1
