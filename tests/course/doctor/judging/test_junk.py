"""Claims of any form are judged without an error, and earn nothing."""

import numpy as np
import pytest
import torch

from wherefrom.course.doctor.checks import KINDS
from wherefrom.course.doctor.findings import attempt
from wherefrom.course.doctor.judging.claims import Claim, Claims, Table
from wherefrom.course.doctor.years import YEARS

VALUES = {int: 2, bool: True, list: [1, [2, "x"], ["a", [-1]], None], dict: {"a": [None]}}
ARRAYS = (
    np.zeros(()), np.zeros(0), np.arange(3), np.full((2, 2), np.nan), np.ones((2, 2, 12, 256)),
    np.full(5, -(2**62)), np.ones((1, 1, 1, 1, 1), dtype=bool),
)  # fmt: skip


class Junk(Claim):
    """Whatever is asked for is there, and is none of what it should be."""

    def value(self, key, kind):
        return VALUES[kind]

    def array(self, key):
        return torch.from_numpy(ARRAYS[int(self.ended)])

    def table(self, key):
        return Table({"tok_emb.weight": self.array(key), "blocks.0.attn.w2": self.array(key)})


class AllJunk(Claims):
    def __getitem__(self, name):
        return self.found[""]


LOOKS = {name: kind.look for name, kind in KINDS.items() if not kind.reads}


@pytest.mark.parametrize("year", ["xcs2021", "xcs2024", "cs224n2024"])
@pytest.mark.parametrize("array", range(len(ARRAYS)))
def test_junk_earns_nothing(year, array):
    claim = Junk("junk", ended=str(array))
    claims = AllJunk(YEARS[year], 7, True, {"": claim})
    results = {name: attempt(look, claims) for name, look in LOOKS.items()}
    assert [name for name, result in results.items() if result.state == "ok"] == []
