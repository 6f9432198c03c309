"""Which submissions have code in common, with each other and with our solution.

Files are compared as streams of tokens without comments, docstrings and names of variables, by
winnowing (Schleimer, Wilkerson and Aiken, 2003): of every few neighbouring pieces the one with the
smallest hash is kept, so any shared stretch of some length is found. What was handed out does not
count. The result is a list of pairs to read, never a verdict.
"""

import hashlib
import io
import keyword
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text

PIECE, WINDOW = 12, 8  # tokens: a shared stretch of 19 is always found
SHARE, FEWEST = 0.4, 12  # of the smaller one's fingerprints: below, code is alike by chance
OURS = "the library's solution"
_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
            tokenize.ENCODING, tokenize.ENDMARKER)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """Two submissions, how many fingerprints they share, and of how many of the smaller one."""

    first: str
    second: str
    shared: int
    of: int

    @property
    def share(self) -> float:
        return self.shared / self.of


def tokens(source: str) -> Iterator[str]:
    """Names of variables are all alike, but not those after a dot; strings and numbers too."""
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in _SKIPPED or (token.type == tokenize.STRING and before in ("", ":")):
                continue
            text = token.string
            if token.type == tokenize.NAME and not keyword.iskeyword(text) and before != ".":
                text = "v"
            elif token.type in (tokenize.STRING, tokenize.NUMBER):
                text = "0"
            yield text
            before = text
    except (tokenize.TokenError, SyntaxError):  # what came before it still counts
        return


def fingerprints(source: str) -> set[int]:
    words = list(tokens(source))
    pieces = [" ".join(words[i : i + PIECE]) for i in range(len(words) - PIECE + 1)]
    hashes = [int.from_bytes(hashlib.blake2b(p.encode(), digest_size=8).digest()) for p in pieces]
    return {min(hashes[i : i + WINDOW]) for i in range(max(0, len(hashes) - WINDOW + 1))}


def fingerprints_of(folder: Path) -> set[int]:
    """Of all Python files in it; those that cannot be read are told of elsewhere."""
    found: set[int] = set()
    for path in sorted(folder.rglob("*.py")):
        try:
            found |= fingerprints(read_text(path))
        except WherefromError:
            continue
    return found


def alike(
    submissions: Mapping[str, set[int]], ours: set[int], given: Iterable[set[int]]
) -> list[Pair]:
    """The pairs to read, the most alike first; what more than half of a class has is no sign."""
    usual = set[int]().union(*given)
    if len(submissions) > 4:
        having = Counter(f for own in submissions.values() for f in own)
        usual |= {f for f, count in having.items() if 2 * count > len(submissions)} - ours
    own = {name: found - usual for name, found in {**submissions, OURS: ours}.items()}
    pairs = (
        Pair(a, b, len(own[a] & own[b]), min(len(own[a]), len(own[b])))
        for a, b in combinations(own, 2)
    )
    telling = [pair for pair in pairs if pair.of >= FEWEST and pair.share >= SHARE]
    return sorted(telling, key=lambda pair: (-pair.share, pair.first, pair.second))
