"""Memory that is refused: recognised, whoever says it, and told by what was too large."""

import numpy as np
import pytest
import torch

from wherefrom.core import memory
from wherefrom.core.errors import OutOfMemory
from wherefrom.core.memory import allocating, describe_refusal, find_memory, refused, require_memory


def too_much_of(library):
    """What each library raises when it is really asked for more than any machine has."""
    with pytest.raises((MemoryError, RuntimeError, ValueError)) as caught:
        {
            "torch": lambda: torch.empty(2**50),
            "torch, past 64 bits": lambda: torch.empty(2**40, 2**40),
            "numpy": lambda: np.empty(2**50),
            "numpy, past 64 bits": lambda: np.empty((2**40, 2**40)),
            "python": lambda: bytearray(2**60),
        }[library]()
    return caught.value


LIBRARIES = ["torch", "torch, past 64 bits", "numpy", "numpy, past 64 bits", "python"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_libraries_raise_is_recognised(library):
    error = too_much_of(library)
    assert refused(error)
    text = r"^model: expected enough memory, found too little.*; do this$"
    with pytest.raises(OutOfMemory, match=text), allocating("model", "do this"):
        raise error
    assert "\n" not in describe_refusal(error)


def test_the_amount_is_told_where_the_library_tells_it():
    assert describe_refusal(too_much_of("torch")).endswith("found too little for 4,503.6 TB more")
    assert describe_refusal(too_much_of("numpy")).endswith("found too little for 8.00 PiB more")


@pytest.mark.parametrize("error", [RuntimeError("shapes differ"), ValueError("x"), KeyError("m")])
def test_other_errors_pass(error):
    assert not refused(error)
    with pytest.raises(type(error)) as caught, allocating("model", "do this"):
        raise error
    assert caught.value is error


def test_more_than_there_is_is_refused_before_it_is_tried():
    require_memory("model", 100, 100, "do this")
    require_memory("model", 10**30, None, "do this")
    with pytest.raises(OutOfMemory, match=r"^model: expected at most the 2 kB .* found 3 GB or"):
        require_memory("model", 3 * 10**9, 2000, "do this")


def test_the_memory_of_a_group_counts_if_it_is_less(tmp_path, monkeypatch):
    whole = find_memory()
    assert whole is not None
    assert whole > 2**28
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS", (str(limit), str(tmp_path / "none")))
    for text, expected in (("max\n", None), ("1000\n", 1000), (str(2**63), None)):
        limit.write_text(text)
        found = find_memory()
        assert found == expected if expected else (found or 0) >= whole
