"""Decoys in the page are those of answering/decoys.py, name by name."""

from wherefrom.answering.decoys import DecoyNames, NovelNames
from wherefrom.core.contracts import Document

PEOPLE = [f"{a} {b}" for a in "Ada Bo Cy Di Ed Fay".split() for b in "Lund Falk Roth Holm".split()]
DECOYS = {"decoys.js": "Decoys"}


def test_decoys_of_known_and_other_names(run_js) -> None:
    texts = ["Ada Lund met Bo Holm.", "Cy Lundholm knew Fay Rother and Ada Falk"]
    names, avoid = PEOPLE[:17], PEOPLE[20:22]
    documents = [Document(text) for text in texts]
    novel = NovelNames.of(names, lambda name: "q" not in name, avoid, documents)
    decoys = DecoyNames(novel, 6)
    odd = ["Nobody Atall", "Single", "Ada", "Bo%20Falk", "qqq Lund", "ada  LUND", "Ed van Roth"]
    asked = [*PEOPLE, *odd]
    code = """
    const decoys = new Decoys(given.material, (name) => !name.includes('q'), given.texts);
    return given.asked.map((name) => decoys.of(name));
    """
    given = {"material": decoys.material(), "texts": texts, "asked": asked}
    assert run_js(DECOYS, code, given) == [list(decoys.of(name)) for name in asked]
