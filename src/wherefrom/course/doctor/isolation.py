"""Runs a program that nobody vouches for, in a folder of its own and kept from everything else.

bubblewrap gives it its own processes, /dev/shm and empty network; of the machine's files it sees
Python, what it is given to read, and its folder. With `--trust` nothing is kept apart: for code
that you would run anyway. The sheet says which of the two it was.

Time and disk are limited here. The other limits a program sets for itself, before it runs anything
that nobody vouches for; on macOS there are none. On Windows nothing is run.
"""

import functools
import importlib.util
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

from wherefrom.core.errors import Unavailable

BUBBLEWRAP, NONE = "bubblewrap", "none"
SAID = {
    BUBBLEWRAP: "isolated by bubblewrap: no network, no files but Python and a copy of its own",
    NONE: "not isolated (--trust): its code can read and change your files and use the network",
}
_LARGEST_FILE = 256 << 20
_STARTING = 60.0  # seconds to start Python and torch, on top of those for the first answer
_TORCH_MB = 3072  # of writable memory that torch maps, most of it never touched
_BLOCK, _DEEPEST = 4096, 64
_PROCESSES = 64  # with threads: a data loader needs a handful
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives",
    "/nix/store", "/gnu/store", "/sys/devices/system/cpu",
)  # fmt: skip


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

    def of_process(self, kind: str) -> dict[str, int]:
        """What a process limits itself to, by the names that `resource` has."""
        found = {"CORE": 0, "FSIZE": _LARGEST_FILE, "CPU": int(self.total * self.threads) + 1}
        found["DATA"] = (self.memory_mb + _TORCH_MB) << 20
        # Unless this is a user of its own, older kernels count a user's processes outside, too.
        kernel = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2])
        alone = kind == BUBBLEWRAP and (os.geteuid() == 0 or kernel >= (5, 14))
        return found | ({"NPROC": _PROCESSES} if alone else {})


def choose(trust: bool = False) -> str:
    """bubblewrap, where it works; nothing only for code that the user trusts."""
    if sys.platform == "win32":
        raise Unavailable("isolation: expected Linux or macOS, found Windows; use WSL")
    if not trust and not _works():
        raise Unavailable(
            "isolation: expected bubblewrap (bwrap), found none that works here; install it on "
            "Linux with 'apt install bubblewrap', or add --trust for code that you trust"
        )
    return NONE if trust else BUBBLEWRAP


@functools.cache
def _works() -> bool:
    """Whether a small program runs in bubblewrap, and writes where it may."""
    if not shutil.which("bwrap"):
        return False
    with new_place() as held:
        (place := held / "as a submission's").mkdir()
        code = "import torch.version, os; os.fork(); open('../out/works', 'w')"
        found = {"PYTHONPATH": os.pathsep.join(map(str, torch_home()))}
        run(BUBBLEWRAP, ("-c", code), place, limits=Limits(20.0, total=40.0), environment=found)
        return (place / "out" / "works").is_file()


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
    for name in ("work", "home", "out"):
        (place / name).mkdir(exist_ok=True)
    command = [_executable(), *program]
    if kind == BUBBLEWRAP and os.geteuid() == 0:  # root has no limit on processes
        user = str(200_000 + secrets.randbelow(1 << 20))
        subprocess.run(["chown", "-hR", f"{user}:{user}", place], check=True)
        command = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *command]
    if kind == BUBBLEWRAP:
        command = [*_bubblewrap(place, [*_python(), *reads], hidden), *command]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, env=_environment(place / "home", environment or {}), cwd=place / "work",
        start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing,
    )  # fmt: skip
    try:
        stopped = _watch(process, place, limits)
    finally:
        # With the first process of a bubblewrap's namespace, all others in it end.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    code = process.returncode  # negative: a signal
    if stopped or code >= 0:
        return stopped or f"it ended its process (code {code})"
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
        if (written := size(place / "out")) != answered:
            answered, deadline = written, now + limits.seconds
        if size(place) - before > most:
            return f"it wrote more than {limits.disk_mb} MB of files"
        time.sleep(pause)
        pause = min(0.2, 1.2 * pause)
    return ""


def size(folder: Path) -> int:
    """Bytes of all files in a folder, a block for each at least: empty ones fill a disk too.

    Folders nested deeper than any program needs count as all there is.
    """
    total = 0
    for at, folders, files in os.walk(folder):
        if at.count(os.sep) > _DEEPEST:
            return sys.maxsize
        for name in (*folders, *files):
            with suppress(OSError):  # removed meanwhile
                total += _BLOCK + os.lstat(os.path.join(at, name)).st_size
    return total


@contextmanager
def new_place() -> Iterator[Path]:
    """A folder to run a program in; removed whatever the program made of it.

    Python's own removal gives up at folders that are nested too deep or closed.
    """
    place = Path(tempfile.mkdtemp(prefix="place-")).resolve()
    place.chmod(0o711)  # the program's user goes through it to a folder in it, and cannot list it
    try:
        yield place
    finally:
        for command in (("chmod", "-R", "u+rwX"), ("rm", "-rf", "--")):
            subprocess.run([*command, str(place)], check=False, stderr=subprocess.DEVNULL)


def _bubblewrap(place: Path, reads: Sequence[Path], hidden: Iterable[Path]) -> list[str]:
    reads = sorted({name for path in reads for name in (path, path.resolve())})
    seen = [*reads, *map(Path, _SYSTEM)]  # a package may be installed with the system's Python
    hidden = [path for path in hidden if any(path.is_relative_to(read) for read in seen)]
    own = "--die-with-parent --new-session --unshare-pid --unshare-net --unshare-ipc --unshare-uts"
    line = ["bwrap", *own.split(), "--unshare-cgroup-try"]
    line += [] if os.geteuid() == 0 else ["--unshare-user"]
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
    line += ["--ro-bind-try", str(place / "given"), str(place / "given")]
    line += ["--perms", "1777", "--size", str(256 << 20), "--tmpfs", "/dev/shm"]
    return [*line, "--remount-ro", "/", "--chdir", str(place / "work"), "--"]


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
