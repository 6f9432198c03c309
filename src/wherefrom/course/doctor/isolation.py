"""Runs a program that nobody vouches for, in a folder of its own and kept from everything else.

How it is kept apart is chosen once, at the start, and said on the sheet:

- bubblewrap: its own processes, /dev/shm and empty network; of the machine's files it sees Python,
  what it is given to read, and its folder;
- sandlock (`pip install wherefrom[isolation]`): Landlock and seccomp deny the same;
- another user, if we are root: with Landlock it sees no other files than in the two above, else
  those that every user may read; what it leaves in the folders that everybody may write to goes;
- nothing, with `--trust`: for code that you would run anyway.

On Windows there is none of this, and no limit: nothing is run there.
"""

import ctypes
import functools
import importlib.util
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.errors import Unavailable

BUBBLEWRAP, SANDLOCK, USER, NONE = "bubblewrap", "sandlock", "another user", "none"
CONFINED = "another user, confined"  # where the kernel has Landlock with rules for TCP
KINDS = (BUBBLEWRAP, SANDLOCK, USER)  # the best first
_SAID = {
    BUBBLEWRAP: "isolated by bubblewrap: no network, no files but Python and a copy of its own",
    SANDLOCK: "isolated by sandlock: no network, no files but Python and a copy of its own",
    USER: "run as another user: not protected are the network, what every user may read, and /tmp",
    CONFINED: "run as another user: by Landlock no TCP, no files but Python and a copy of its own",
    NONE: "not isolated (--trust): its code can read and change your files and use the network",
}
GIVEN, OUT = "given", "out"
_OWN = ("work", "home", OUT, "shm", "submission")  # of a place: what the program may write to
LARGEST_FILE = 256 << 20
_STARTING = 60.0  # seconds to start Python and torch, on top of those for the first answer
_TORCH_MB = 3072  # of writable memory that torch maps, most of it never touched
_BLOCK, _DEEPEST = 4096, 64
_PROCESSES = 64  # with threads: a data loader needs a handful
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives",
    "/nix/store", "/gnu/store", "/sys/devices/system/cpu",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_LANDLOCK, _LANDLOCK_WITH_TCP = 444, 4  # a system call, and a version of it
_OPEN_TO_ALL = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")
_ENDED = "it ended its process (code {})"
_LAUNCH = Path(__file__).with_name("launch.py")


@dataclass(frozen=True)
class Limits:
    """Seconds for an answer and for all of them, megabytes on top of what torch takes, threads.

    `disk_mb` is for all that the program writes in its folder.
    """

    seconds: float = 60.0
    memory_mb: int = 4096
    total: float = 600.0
    threads: int = 1
    disk_mb: int = 512


def choose(trust: bool = False) -> str:
    """The best isolation that works here; none only for code that the user trusts."""
    if sys.platform == "win32":
        raise Unavailable("isolation: expected Linux or macOS, found Windows; use WSL")
    if trust:
        return NONE
    found = next((kind for kind in KINDS if _works(kind)), None)
    if found is None:
        raise Unavailable(
            "isolation: expected bubblewrap, sandlock or root, found none that works here; add "
            "--trust for code that you trust, or on Linux install bubblewrap or "
            "'wherefrom[isolation]'"
        )
    return found


def describe(kind: str) -> str:
    """What the sheet says about an isolation."""
    said = _SAID[CONFINED if kind == USER and _is_confined() else kind]
    unlimited = "; macOS does not limit its memory" if sys.platform == "darwin" else ""
    return f"{said}{unlimited}"


def run(
    kind: str,
    program: Sequence[str],
    place: Path,
    *,
    limits: Limits,
    reads: Iterable[Path] = (),
    hidden: Iterable[Path] = (),
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run `python PROGRAM...` in `place/work`; how it ended, in words.

    It may write in `place`, but for `place/given`, and read `reads`, but for what is `hidden` in
    them. What it prints is lost: its answers are files in `place/out`, and each time these grow
    its seconds begin anew. Nothing that it started outlives this call.
    """
    for name in _OWN:
        (place / name).mkdir(exist_ok=True)
    other = kind in (BUBBLEWRAP, USER) and _is_root()
    user = 200_000 + secrets.randbelow(1 << 20) if other else 0
    if user:
        # What is given to read stays ours.
        subprocess.run(["chown", f"{user}:{user}", str(place)], check=True)
        own = [str(place / name) for name in _OWN]
        subprocess.run(["chown", "-hR", f"{user}:{user}", *own], check=True)
    command = _command(kind, program, place, limits, user, [*_python(), *reads], hidden)
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, env=_environment(place / "home", environment or {}), cwd=place / "work",
        start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing,
    )  # fmt: skip
    try:
        if kind == NONE:
            _limit(process.pid, limits)
        stopped = _watch(process, place, limits)
    finally:
        _end(process)
        if kind == USER:
            _remove_all_of(user, place)
    code = process.returncode  # negative: a signal
    if stopped or code >= 0:
        return stopped or _ENDED.format(code)
    return f"it was killed ({signal.Signals(-code).name})"


def _watch(process: subprocess.Popen[bytes], place: Path, limits: Limits) -> str:
    """Wait for the end; why the program must be stopped, if so."""
    start = time.monotonic()
    deadline, answered, most = start + _STARTING + limits.seconds, 0, limits.disk_mb << 20
    before, pause = size(place), 0.02
    while process.poll() is None:
        now = time.monotonic()
        if now > min(deadline, start + limits.total):
            return f"it gave no answer within {limits.seconds:g} s"
        if (written := size(place / OUT)) != answered:
            answered, deadline = written, now + limits.seconds
        if size(place) - before > most:
            return f"it wrote more than {limits.disk_mb} MB of files"
        time.sleep(pause)
        pause = min(0.2, 1.2 * pause)
    return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it started.

    With the first process of a bubblewrap's namespace, all others in it end; a sandlock's
    supervisor ends them when it is asked to.
    """
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def size(folder: Path) -> int:
    """Bytes of all files in a folder, a block for each at least: empty ones fill a disk too.

    Folders nested deeper than any program needs count as all there is.
    """
    total, left = 0, [(str(folder), 0)]
    while left:
        at, depth = left.pop()
        if depth > _DEEPEST:
            return sys.maxsize
        with suppress(OSError), os.scandir(at) as entries:  # removed meanwhile
            for entry in entries:
                total += _BLOCK + entry.stat(follow_symlinks=False).st_size
                if entry.is_dir(follow_symlinks=False):
                    left.append((entry.path, depth + 1))
    return total


@contextmanager
def new_place() -> Iterator[Path]:
    """A folder to run a program in; removed whatever the program made of it.

    Python's own removal gives up at folders that are nested too deep or closed.
    """
    place = Path(tempfile.mkdtemp(prefix="place-")).resolve()
    place.chmod(0o711)  # another user goes through it to a folder in it, and cannot list it
    try:
        yield place
    finally:
        for command in (("chmod", "-R", "u+rwX"), ("rm", "-rf", "--")):
            subprocess.run([*command, str(place)], check=False, stderr=subprocess.DEVNULL)


# -- the command of each kind --------------------------------------------------------------------


def _command(
    kind: str,
    program: Sequence[str],
    place: Path,
    limits: Limits,
    user: int,
    reads: Sequence[Path],
    hidden: Iterable[Path],
) -> list[str]:
    """The launcher, which limits the program, and around it what keeps it apart."""
    python, text = _executable(), _LAUNCH.read_text(encoding="utf-8")
    if kind == NONE:
        return [python, *program]
    reads = sorted({name for path in reads for name in (path, path.resolve())})
    seen = [*reads, *map(Path, _SYSTEM)]  # a package may be installed with the system's Python
    hidden = [path for path in hidden if any(path.is_relative_to(read) for read in seen)]
    mine = [*(str(place / name) for name in _OWN), "/dev/shm", "/dev/null"]
    how: dict[str, Any] = {"limits": _limits(kind, limits), "user": user}
    around: list[str] = []
    if kind == BUBBLEWRAP:
        around = _bubblewrap(place, reads, hidden)
    else:
        shown = [*_DEVICES, "/proc", str(place)]
        shown += [str(path) for read in seen for path in _but_for(read, hidden)]
        if kind == USER and _is_confined():
            how |= {"reads": shown, "writes": mine}
        elif kind == SANDLOCK:
            box = {
                "chroot": "/",  # only so that /dev/shm can be another folder
                "fs_mount": {"/dev/shm": str(place / "shm")},
                "fs_readable": [name for name in shown if os.path.exists(name)],
                "fs_writable": mine,
                "max_processes": _PROCESSES,
                "max_memory": (limits.memory_mb + _TORCH_MB) << 20,
                "cwd": str(place / "work"),
            }
            around = [python, "-I", "-c", text, "boxed", json.dumps(box)]
    launch = [python, "-I", "-S", "-c", text, "limited", json.dumps(how)]
    return [*around, *launch, python, *program]


def _but_for(folder: Path, hidden: Sequence[Path]) -> list[Path]:
    """The folder, or what is in it apart from the hidden folders."""
    inside = [path for path in hidden if path.is_relative_to(folder)]
    if not inside:
        return [folder]
    left = [] if folder in inside else folder.iterdir()
    return [path for each in left for path in _but_for(each, inside)]


def _bubblewrap(place: Path, reads: Sequence[Path], hidden: Sequence[Path]) -> list[str]:
    own = "--die-with-parent --new-session --unshare-pid --unshare-net --unshare-ipc --unshare-uts"
    line = [shutil.which("bwrap") or "bwrap", *own.split(), "--unshare-cgroup-try"]
    line += [] if _is_root() else ["--unshare-user"]
    # The folders above what is bound would belong to root alone.
    bound = (*reads, place, *map(Path, _SYSTEM))
    for folder in sorted({folder for path in bound for folder in path.parents[:-1]}):
        line += ["--perms", "0755", "--dir", str(folder)]
    for name in _SYSTEM:
        link = os.path.islink(name)
        line += ["--symlink", os.readlink(name), name] if link else ["--ro-bind-try", name, name]
    # A folder to read may lie in a hidden one, and the other way round: the outer one comes first.
    mounts = {path: ["--tmpfs", str(path)] for path in hidden}
    mounts |= {path: ["--ro-bind", str(path), str(path)] for path in reads}
    line += [word for path in sorted(mounts) for word in mounts[path]]
    line += [word for path in hidden for word in ("--remount-ro", str(path))]
    line += ["--bind", str(place), str(place), "--proc", "/proc", "--dev", "/dev"]
    line += ["--ro-bind-try", str(place / GIVEN), str(place / GIVEN)]
    line += ["--perms", "1777", "--size", str(256 << 20), "--tmpfs", "/dev/shm"]
    return [*line, "--remount-ro", "/", "--chdir", str(place / "work"), "--"]


def _limits(kind: str, limits: Limits) -> dict[str, int]:
    found = {"CORE": 0, "FSIZE": LARGEST_FILE, "CPU": int(limits.total * limits.threads) + 1}
    found["DATA"] = (limits.memory_mb + _TORCH_MB) << 20
    # A user's processes outside are counted too, unless this is a user of its own.
    kernel = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2] if n.isdigit())
    alone = kind in (BUBBLEWRAP, USER) and (_is_root() or kernel >= (5, 14))
    return found | ({"NPROC": _PROCESSES} if alone else {})


def _limit(process: int, limits: Limits) -> None:
    """Limit a process without a launcher, which costs one more start of Python, if possible."""
    import resource  # not on Windows, where the package can be imported all the same

    for name, value in _limits(NONE, limits).items() if hasattr(resource, "prlimit") else ():
        with suppress(ProcessLookupError, ValueError, PermissionError):  # stricter ones are there
            resource.prlimit(process, getattr(resource, f"RLIMIT_{name}"), (value, value))


def _executable() -> str:
    """Python, by a path that goes through no other folder, as `../.venv/bin/python` does."""
    given = Path(sys.executable)
    return str(given.parent.resolve() / given.name)


def _python() -> list[Path]:
    """Where Python and its packages are."""
    named = (Path(os.path.abspath(prefix)) for prefix in (sys.prefix, sys.base_prefix))
    return [*named, *torch_home()]


def torch_home() -> list[Path]:
    """Where Python finds torch, wherever it was installed."""
    torch = importlib.util.find_spec("torch")
    return [Path(torch.origin).resolve().parents[1]] if torch and torch.origin else []


def _environment(home: Path, own: Mapping[str, str]) -> dict[str, str]:
    """The few variables that a program needs, none of which says anything of whoever grades."""
    kept = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH")
    found = {name: os.environ[name] for name in kept if name in os.environ}
    found |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "CUDA_VISIBLE_DEVICES": ""}
    return found | {"HOME": str(home), "TMPDIR": str(home), **own}


# -- what this machine can do --------------------------------------------------------------------


@functools.cache
def _works(kind: str) -> bool:
    """Whether a small program runs so, and writes where it may."""
    lacking = {BUBBLEWRAP: shutil.which("bwrap") is None, USER: not _is_root()}
    if kind == NONE or lacking.get(kind):
        return kind == NONE
    with new_place() as held:
        (place := held / "as a submission's").mkdir()
        program = "import torch.version, os; os.fork(); open('../out/works', 'w')"
        found = {"PYTHONPATH": os.pathsep.join(map(str, torch_home()))}
        limits = Limits(20.0, total=40.0)
        ended = run(kind, ("-c", program), place, limits=limits, environment=found)
        return ended == _ENDED.format(0) and (place / "out" / "works").is_file()


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


@functools.cache
def _is_confined() -> bool:
    """Whether the kernel has Landlock, in a version that also denies TCP."""
    if not sys.platform.startswith("linux"):
        return False
    found = ctypes.CDLL(None).syscall(_LANDLOCK, None, ctypes.c_size_t(0), 1)
    return found >= _LANDLOCK_WITH_TCP


def _remove_all_of(user: int, place: Path) -> None:
    """A user's processes, and its files wherever everybody may write.

    The place itself is read and removed later.
    """
    there = ["/dev/shm"] if _is_confined() else filter(os.path.isdir, _OPEN_TO_ALL)
    own = ["-uid", str(user), "-not", "-path", str(place), "-not", "-path", f"{place}/*"]
    quiet: dict[str, Any] = {"check": False, "stderr": subprocess.DEVNULL}
    # A signal to -1 reaches all that the user has, also what is being started.
    subprocess.run(["sh", "-c", "kill -9 -1"], user=user, group=user, extra_groups=[], **quiet)
    subprocess.run(["find", *there, "-xdev", *own, "-delete"], **quiet)
