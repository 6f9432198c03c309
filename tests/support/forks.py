"""Python that starts in a moment: forks of one process that has imported torch already.

Starting Python with torch costs three to four CPU seconds, and hundreds of tests start a command,
a grader's child or a worker. While this is installed, `subprocess.Popen` asks a server for each
Python that it would start: `python SCRIPT`, `python -m MODULE` and `python -c CODE` become forks
with the same arguments, environment, folder, streams, session and limits, and with a process
number that signals reach. Everything else is started as ever, and so is Python where the variable
of `ANEW` is set (the fixture `python_anew`): in tests that ask what an import loads, say.

As a program: the server. It lives as long as the process that started it keeps its standard input.
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import resource
import runpy
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ANEW = "TESTS_START_PYTHON_ANEW"
SOCKET = "TESTS_FORK_SERVER"
_ROOT = Path(__file__).parents[2]
# torch's first optimiser loads torch._dynamo, which takes as long as torch itself.
_PRELOADED = ("torch", "torch._dynamo", "matplotlib.figure", "wherefrom.api",
              "wherefrom.cli.main")  # fmt: skip
_HARMLESS = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE", "PYTHONUNBUFFERED"}
_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
_popen = subprocess.Popen


def recognise(args: Any, environment: dict[str, str]) -> tuple[str, list[str]] | None:
    """What kind of program a command line is (-c, -m, or a script), with its arguments."""
    if ANEW in environment or (SOCKET not in environment and _server is None):
        return None
    named = {name for name in (*environment, *os.environ) if name.startswith(("PYTHON", "LC_"))}
    changed = {n for n in named - _HARMLESS if environment.get(n) != os.environ.get(n)}
    if {n: environment.get(n) for n in changed} not in ({}, {"PYTHONUTF8": "1"}):
        return None  # forks speak UTF-8 as they are
    if not isinstance(args, list | tuple) or not args or os.fspath(args[0]) != sys.executable:
        return None
    rest = [os.fspath(arg) for arg in args[1:]]
    if rest[:2] == ["-I", "-S"]:
        rest = rest[2:]
    if len(rest) > 1 and rest[0] in ("-c", "-m"):
        return rest[0], rest[1:]
    return ("script", rest) if rest and rest[0].endswith(".py") else None


class Popen(_popen):  # pyright: ignore
    """A child process that was forked by the server, if it is Python."""

    _line: socket.socket | None = None

    def _execute_child(  # type: ignore[override]
        self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest: Any
    ) -> None:
        environment = dict(os.environ if env is None else env)
        program = None
        if preexec_fn is None and executable is None and not pass_fds:
            # The server is told by the parent's environment: the child's own may be bare.
            where = {SOCKET: os.environ[SOCKET]} if SOCKET in os.environ else {}
            anew = {ANEW: "1"} if ANEW in os.environ else {}
            program = recognise(args, environment | where | anew)
        if program is None:
            super()._execute_child(  # type: ignore[misc]
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest
            )
            return
        pipes = rest[3:9]  # after startupinfo, creationflags and shell
        ours = [own if fd == -1 else fd for own, fd in enumerate((pipes[0], pipes[3], pipes[5]))]
        kind, argv = program
        order = {
            "kind": kind, "argv": argv, "environment": environment, "session": bool(rest[14]),
            "folder": os.fspath(cwd) if cwd is not None else os.getcwd(),
            "limits": [resource.getrlimit(limit) for limit in _LIMITS],
        }  # fmt: skip
        self._line = _call()
        self._line.set_inheritable(False)
        text = json.dumps(order).encode("utf-8", "surrogateescape")
        socket.send_fds(self._line, [struct.pack("!I", len(text))], ours)
        self._line.sendall(text)
        (self.pid,) = struct.unpack("!q", _receive(self._line, 8))
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._line is None:
            return super()._try_wait(wait_flags)  # type: ignore[misc]
        self._line.setblocking(not wait_flags)
        try:
            told = self._line.recv(8, socket.MSG_WAITALL)
        except BlockingIOError:
            return 0, 0
        self._line.close()
        (status,) = struct.unpack("!q", told)
        return self.pid, status

    def _internal_poll(self, *rest: Any, **options: Any) -> int | None:
        if self._line is None:
            return super()._internal_poll(*rest, **options)  # type: ignore[misc]
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def _receive(line: socket.socket, count: int) -> bytes:
    told = line.recv(count, socket.MSG_WAITALL)
    if len(told) < count:
        raise OSError("the fork server of the tests is gone")
    return told


# In the process that runs tests

_server: Any = None


def install() -> None:
    """From here on, until `uninstall`, Pythons are forked; the server starts with the first."""
    global _server
    if sys.platform == "linux" and _server is None:
        _server = SimpleNamespace(process=None, folder=None)
        subprocess.Popen = Popen


def uninstall() -> None:
    global _server
    subprocess.Popen = _popen
    if _server is not None and _server.process is not None:
        _server.process.communicate()
        _server.folder.cleanup()
    _server = None


def _call() -> socket.socket:
    """A line to the server."""
    if _server is not None and _server.process is None:
        _server.folder = tempfile.TemporaryDirectory(prefix="forks-")
        _server.process = _popen(
            [sys.executable, "-m", "tests.support.forks", _server.folder.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT,
        )  # fmt: skip
        _server.process.stdout.readline()
    folder = _server.folder.name if _server is not None else os.environ[SOCKET]
    line = socket.socket(socket.AF_UNIX)
    line.connect(f"{folder}/socket")
    return line


def seconds() -> float:
    """The CPU seconds of all forks that have ended: the server has waited for them."""
    if _server is None or _server.process is None:
        return 0.0
    stat = Path(f"/proc/{_server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, stat[13:15])) / os.sysconf("SC_CLK_TCK")


# In the server and its forks


def serve(folder: str) -> None:
    for name in _PRELOADED:
        importlib.import_module(name)
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{folder}/socket")
    listening.listen(64)
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    lines: dict[int, socket.socket] = {}
    events = selectors.DefaultSelector()
    for readable in (listening, woken, sys.stdin):
        events.register(readable, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        ready = [key.fileobj for key, _ in events.select()]
        if listening in ready:
            line, _ = listening.accept()
            child = _fork(line, folder)
            lines[child] = line
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                woken.recv(4096)
        _reap(lines)
        if sys.stdin in ready:
            os._exit(0)


def _reap(lines: dict[int, socket.socket]) -> None:
    while lines:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with contextlib.suppress(OSError), lines.pop(child) as line:
            line.sendall(struct.pack("!q", status))


def _fork(line: socket.socket, folder: str) -> int:
    length, received, *_ = socket.recv_fds(line, 4, 64)
    order = json.loads(_receive(line, struct.unpack("!I", length)[0]).decode())
    child = os.fork()
    if child:
        for fd in received:
            os.close(fd)
        return child
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        _become(order, received, folder, line)
    except BaseException:
        traceback.print_exc()
        os._exit(98)
    _run(order["kind"], order["argv"])
    raise AssertionError("a program has ended its process")


def _become(order: dict[str, Any], received: list[int], folder: str, line: socket.socket) -> None:
    """Take over what the process would have been started with."""
    if order["session"]:
        os.setsid()
    for limit, values in zip(_LIMITS, order["limits"], strict=True):
        if resource.getrlimit(limit) != tuple(values):
            resource.setrlimit(limit, values)
    # From here on, its group can be signalled, and whoever started it may limit it further.
    line.sendall(struct.pack("!q", os.getpid()))
    high = [os.dup2(fd, 200 + i) for i, fd in enumerate(received)]
    for target, fd in enumerate(high):
        os.dup2(fd, target)
    os.closerange(3, 4096)
    os.chdir(order["folder"])
    before = set(os.environ.get("PYTHONPATH", "").split(os.pathsep))
    os.environ.clear()
    os.environ.update(order["environment"])
    os.environ[SOCKET] = folder
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    added = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p not in before]
    sys.path[:] = [*added, *(p for p in sys.path if Path(p) != _ROOT)]
    if threads := os.environ.get("OMP_NUM_THREADS"):
        sys.modules["torch"].set_num_threads(int(threads))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), "utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), "utf-8")
    errors = io.BufferedWriter(io.FileIO(2, "w"))
    sys.stderr = io.TextIOWrapper(errors, "utf-8", "backslashreplace", write_through=True)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    subprocess.Popen = Popen


def _run(kind: str, argv: list[str]) -> None:
    """Be that program, and end as Python would."""
    sys.argv = ["-c", *argv[1:]] if kind == "-c" else list(argv)
    code: object = 0
    try:
        if kind == "-c":
            sys.path.insert(0, "")
            main = type(sys)("__main__")
            sys.modules["__main__"] = main
            exec(compile(argv[0], "<string>", "exec"), main.__dict__)
        elif kind == "-m":
            sys.path.insert(0, os.getcwd())
            sys.modules.pop(argv[0], None)
            runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(argv[0]).resolve().parent))
            runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as end:
        code = end.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()
        code = 1
    code = int(code or 0)  # type: ignore[call-overload]
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:
        code = code or 120
    os._exit(code & 255)


if __name__ == "__main__":
    from tests.support import forks

    forks.serve(sys.argv[1])
