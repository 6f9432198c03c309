"""Systems that are not supported: the package can be imported there, and refuses to lock."""

import importlib
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

import pytest

import wherefrom.api
import wherefrom.cli.main  # noqa: F401  # loads torch and the rest before the fork

# What Windows' Python lacks and ours could be tempted to use while it is loaded.
MODULES = ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog")
NAMES = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "fork", "getuid", "geteuid", "killpg", "statvfs",
         "sched_getaffinity", "register_at_fork")  # fmt: skip


def _import_without_posix(folder: Path) -> None:
    for name in [n for n in sys.modules if n.split(".")[0] in ("wherefrom", "filelock")]:
        del sys.modules[name]
    sys.modules.update(dict.fromkeys(MODULES))  # importing one of them now fails
    for name in NAMES:
        if hasattr(os, name):
            delattr(os, name)
    warnings.simplefilter("ignore")  # filelock says that it cannot lock
    for name in ("wherefrom.api", "wherefrom.cli.main"):
        importlib.import_module(name)
    artifact, errors = map(
        importlib.import_module, ("wherefrom.core.artifact", "wherefrom.core.errors")
    )
    refused = pytest.raises(errors.CannotWrite, match="fcntl is unavailable")
    with refused, artifact.lock_folder(folder):
        pytest.fail("a lock that locks nothing")


def test_the_package_is_imported_without_what_windows_lacks(tmp_path):
    child = multiprocessing.get_context("fork").Process(
        target=_import_without_posix, args=(tmp_path,)
    )
    child.start()
    child.join(120)
    assert child.exitcode == 0
