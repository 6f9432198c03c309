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
from tests.support import skips
from wherefrom.core.errors import Unavailable
from wherefrom.course.doctor import isolation
from wherefrom.course.doctor.isolation import Limits

LIMITS = Limits(seconds=20.0, memory_mb=256, total=40.0, disk_mb=8)
PLAIN = Path("/usr/bin/python3")
ENDED = "it ended its process (code 0)"
EVERY = (isolation.BUBBLEWRAP, isolation.SANDLOCK, isolation.USER)


@pytest.fixture(params=EVERY)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == isolation.USER and PLAIN.is_file():
        request.getfixturevalue("plain_python")
    elif not isolation._works(request.param):
        pytest.skip(f"{skips.NO_ISOLATION}: {request.param}")
    return request.param


@pytest.fixture
def plain_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The system's own, which every user may run: ours may lie where another user cannot go."""
    if not isolation._is_root():
        pytest.skip(f"{skips.NO_ISOLATION}: only root can become another user")
    monkeypatch.setattr(isolation, "_executable", lambda: str(PLAIN))
    monkeypatch.setattr(isolation, "_python", list)
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)


@pytest.fixture
def strict(kind: str) -> str:
    """A kind that also keeps from files and from the network."""
    if kind == isolation.USER and not isolation._is_confined():
        pytest.skip(f"{skips.NO_ISOLATION}: another user reads what everybody may read")
    return kind


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


def test_what_it_cannot_reach(strict, place, tmp_path, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    foreign = tmp_path / "foreign"
    foreign.write_text("secret")
    foreign.chmod(0o666)
    with socket.create_server(("127.0.0.1", 0)) as server:
        named = {"foreign": str(foreign), "home": os.path.dirname(os.__file__)}
        code = TRIES.format(**named, port=server.getsockname()[1], pid=os.getpid())
        run(strict, place, SAY + code)
        assert "done" not in said(place)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert foreign.read_text() == "secret"
    run(strict, place, f"{SAY}import os; say(dict(os.environ))")
    assert "secret" not in str(said(place))


def test_what_is_hidden_and_what_may_be_read(strict, place, tmp_path):
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
    run(strict, place, code, reads=[books], hidden=[books / "answers"])
    assert said(place) == ["it", ""]
    (books / "answers" / "python").mkdir()
    (books / "answers" / "python" / "it").write_text("it")
    code = code.replace("/text", "/answers/python/it")
    run(
        strict, place, code, reads=[books, books / "answers" / "python"], hidden=[books / "answers"]
    )
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
    "takes memory": ("bytearray(1 << 34)", "code 1"),
    "fills the disk": (
        "for i in range(99): open(f'{i}.bin', 'wb').write(bytes(1 << 20)); time.sleep(0.05)",
        "more than 8 MB of files",
    ),
    "sleeps": ("time.sleep(3600)", "no answer within"),
    "sleeps on": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)",
        "no answer within",
    ),
    "is a fork bomb": (
        "for i in range(9):\n    try: os.fork()\n    except OSError: os._exit(5)\ntime.sleep(3600)",
        "code 5|no answer within",
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


def test_another_user_gets_to_a_folder_of_the_graders_and_sees_no_other(plain_python):
    with isolation.new_place() as held:
        (place := held / "code").mkdir()
        code = f"{SAY}import os\ntry: say(os.listdir('../..'))\nexcept OSError: say('closed')"
        assert run(isolation.USER, place, code) == ENDED
        assert said(place) == "closed"


@pytest.mark.parametrize("confined", [True, False])
def test_another_user_leaves_nothing_where_everybody_may_write(
    plain_python, place, confined, monkeypatch
):
    if not confined:  # as on a kernel without Landlock
        monkeypatch.setattr(isolation, "_is_confined", lambda: False)
    name = f"left-{os.getpid()}"
    code = f"""{SAY}
import os
done = []
for folder in ("/tmp", "/var/tmp", "/dev/shm"):
    try:
        os.makedirs(f"{{folder}}/{name}/a/b")
        open(f"{{folder}}/{name}/a/b/c", "w").close()
        os.chmod(f"{{folder}}/{name}/a", 0)
        done.append(folder)
    except OSError:
        pass
say(done)
"""
    assert run(isolation.USER, place, code) == ENDED
    if isolation._is_confined() or not confined:
        assert said(place) == (["/dev/shm"] if confined else ["/tmp", "/var/tmp", "/dev/shm"])
    assert not [f for f in ("/tmp", "/var/tmp", "/dev/shm") if Path(f, name).exists()]


def test_the_best_kind_that_works_is_chosen(monkeypatch):
    monkeypatch.setattr(isolation, "KINDS", EVERY)
    for works in EVERY:
        monkeypatch.setattr(isolation, "_works", lambda kind, works=works: kind == works)
        assert isolation.choose() == works
        assert isolation.choose(trust=True) == isolation.NONE
    monkeypatch.setattr(isolation, "_works", lambda kind: False)
    with pytest.raises(Unavailable, match=r"found none that works here; add --trust .* install"):
        isolation.choose()
    assert "not isolated" in isolation.describe(isolation.NONE)


def test_what_a_system_cannot_do_is_said(monkeypatch):
    assert "memory" not in isolation.describe(isolation.NONE)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert isolation.describe(isolation.NONE).endswith("; macOS does not limit its memory")
    monkeypatch.setattr(sys, "platform", "win32")
    for trust in (False, True):
        with pytest.raises(Unavailable, match="expected Linux or macOS, found Windows; use WSL"):
            isolation.choose(trust)


@pytest.fixture(autouse=True)
def no_shared_memory_left() -> Iterator[None]:
    yield
    Path("/dev/shm/left").unlink(missing_ok=True)


def test_what_lies_with_the_system_can_be_hidden(strict, place):
    """With a Python of the system's own, our package lies below /usr, which is there to read."""
    code = f"{SAY}import os\ntry: say(os.listdir('/usr/share'))\nexcept OSError: say([])"
    assert run(strict, place, code, hidden=[Path("/usr/share")]) == ENDED
    assert said(place) == []


def test_python_may_be_named_by_a_path_that_goes_up(kind, place, tmp_path, monkeypatch):
    """`../../.venv/bin/python grader.py`: the folder that it goes up from is not to be seen."""
    (tmp_path / "course").mkdir()
    there = os.path.relpath(sys.executable, tmp_path / "course")
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/course/{there}")
    assert run(kind, place, f"{SAY}say(1)") == ENDED
    assert said(place) == 1
