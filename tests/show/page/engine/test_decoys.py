"""Decoys in the page are those of answering/decoys.py, name by name."""

import hashlib

import numpy as np

from wherefrom.answering.decoys import DecoyNames
from wherefrom.core.randomness import philox

PEOPLE = [f"{a} {b}" for a in "Ada Bo Cy Di Ed Fay".split() for b in "Lund Falk Roth Holm".split()]
DECOYS = {"decoys.js": "Decoys, hashWord, philox"}


def test_the_hash_is_sha256s_beginning(run_js) -> None:
    texts = ["", "abc", "Amos Karlsson", "x" * 55, "x" * 56, "x" * 64, "é" * 100]
    code = "return given.map((text) => hashWord(new TextEncoder().encode(text)));"
    expected = [int.from_bytes(hashlib.sha256(t.encode()).digest()[:4]) for t in texts]
    assert run_js(DECOYS, code, texts) == expected


def test_counted_randomness(run_js) -> None:
    counters = [[0, 0, 0, 0], [1, 2, 3, 4], [2**32 - 1] * 4, [0, 7, 0xDEADBEEF, 1]]
    found = run_js(DECOYS, "return given.map((c) => philox(c, [1, 6]));", counters)
    for counter, here in zip(counters, found, strict=True):
        words = philox([np.array([counter[0]]), *counter[1:]], (1, 6))
        assert here == [int(word[0]) for word in words]


def test_decoys_of_known_and_other_names(run_js) -> None:
    texts = ["Ada Lund met Bo Holm.", "Cy Lundholm knew Fay Rother and Ada Falk"]
    names, avoid = PEOPLE[:17], PEOPLE[20:22]
    decoys = DecoyNames(names, lambda name: "q" not in name, 6, avoid=avoid, texts=texts)
    asked = [
        *PEOPLE,
        "Nobody Atall",
        "Single",
        "Ada",
        "Bo%20Falk",
        "qqq Lund",
        "ada  LUND",
        "Ed van Roth",
    ]
    code = """
    const decoys = new Decoys(given.material, (name) => !name.includes('q'), given.texts);
    return given.asked.map((name) => decoys.of(name));
    """
    given = {"material": decoys.material(), "texts": texts, "asked": asked}
    assert run_js(DECOYS, code, given) == [list(decoys.of(name)) for name in asked]
