"""Copies are known under other names, and what everybody writes is not a copy."""

from pathlib import Path

import pytest

from wherefrom.course.doctor.recognition import copied

SOLUTION = '''
class Data:
    def item(self, idx):
        """Cut it, hide some of it, lay it out."""
        ### START_CODE_HERE ###
        text = self.data[idx][: random.randint(4, self.longest)]
        size = random.randint(1, max(1, len(text) // 2 - 1))
        start = random.randint(0, len(text) - size)
        prefix, span, suffix = text[:start], text[start : start + size], text[start + size :]
        return prefix + self.mask + suffix + self.mask + span
        ### END_CODE_HERE ###

    def length(self):
        ### START_CODE_HERE ###
        return len(self.data)
        ### END_CODE_HERE ###

    def given(self, data, vocabulary, block_size, letters, longest):
        self.data, self.vocabulary, self.block_size = data, vocabulary, block_size
        self.letters, self.longest = sorted(set(letters)), longest * block_size // 8
'''
COPY = """
import random as r

def hidden(me, number: int) -> str:
    # all mine
    a = me.data[number][: r.randint(4, me.longest)]
    b: int = r.randint(1, max(1, len(a) // 2 - 1))
    c = r.randint(0, len(a) - b)
    d, e, f = a[:c], a[c : c + b], a[c + b :]
    return d + me.mask + f + me.mask + e
"""
OWN = """
class Data:
    def item(self, idx):
        text = self.data[idx]
        keep = torch.randint(4, self.longest + 1, ()).item()
        text = text[:keep]
        size = max(1, int(random.gauss(len(text) / 4, 1)))
        start = random.randrange(len(text) - size + 1)
        return self.mask.join((text[:start], text[start + size :], text[start : start + size]))

    def length(self):
        return len(self.data)

    def given(self, data, vocabulary, block_size, letters, longest):
        self.data, self.vocabulary, self.block_size = data, vocabulary, block_size
        self.letters, self.longest = sorted(set(letters)), longest * block_size // 8
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [(SOLUTION, ["item"]), (COPY, ["item"]), (OWN, []), ("", []), ("def f(:\n", [])],
)
def test_what_is_a_copy(tmp_path: Path, text, found):
    (tmp_path / "ours.py").write_text(SOLUTION)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "any.py").write_text(text)
    assert copied([tmp_path / "ours.py"], tmp_path / "theirs") == found
