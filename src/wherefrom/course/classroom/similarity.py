"""Which submissions have code in common, with each other and with our solution.

Files are compared in the normal form of `doctor.recognition`, by winnowing (Schleimer, Wilkerson
and Aiken, 2003): of every few neighbouring pieces the one with the smallest hash is kept, so any
shared stretch of some length is found. What was handed out does not count. The result is a list of
pairs to read, never a verdict.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from wherefrom.course.doctor.recognition import pieces, trees

PIECE, WINDOW = 12, 8  # words: a shared stretch of 19 is always found
SHARE, FEWEST = 0.4, 12  # of the smaller one's fingerprints: below, code is alike by chance
OURS = "the library's solution"


def fingerprints(tree: ast.Module) -> set[int]:
    digests = (hashlib.blake2b(p.encode(), digest_size=8) for p in pieces(tree, PIECE))
    hashes = [int.from_bytes(digest.digest()) for digest in digests]
    return {min(hashes[i : i + WINDOW]) for i in range(max(0, len(hashes) - WINDOW + 1))}


def fingerprints_of(folder: Path) -> set[int]:
    """Of all Python files in it."""
    return set[int]().union(*map(fingerprints, trees(folder)))


def alike(
    submissions: Mapping[str, set[int]], ours: set[int], given: Iterable[set[int]]
) -> list[dict[str, Any]]:
    """The pairs to read, the most alike first; what more than half of a class has is no sign.

    A row has the two names, the share of the smaller one's fingerprints that the other has too,
    how many these are, and of how many.
    """
    usual = set[int]().union(*given)
    if len(submissions) > 4:
        having = Counter(f for own in submissions.values() for f in own)
        usual |= {f for f, count in having.items() if 2 * count > len(submissions)} - ours
    own = {name: found - usual for name, found in {**submissions, OURS: ours}.items()}
    rows: list[dict[str, Any]] = []
    for first, second in combinations(own, 2):
        shared, of = len(own[first] & own[second]), min(len(own[first]), len(own[second]))
        if of >= FEWEST and shared >= SHARE * of:
            rows.append({"first": first, "second": second, "share": round(shared / of, 2),
                         "shared": shared, "of": of})  # fmt: skip
    return sorted(rows, key=lambda row: (-row["shared"] / row["of"], row["first"], row["second"]))
