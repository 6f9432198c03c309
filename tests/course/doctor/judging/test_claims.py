"""Claims may be anybody's files: what is not a plain one, in bounds, is no claim."""

import json
import os

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import claims
from wherefrom.course.doctor.judging.claims import LONGEST, Claim, bounded, read_claim


def written(values="{}", raised="{}", **arrays) -> bytes:
    return save(arrays, {"values": values, "raised": raised})


@pytest.mark.parametrize(
    ("raised", "mistake", "text"),
    [
        ({"type": "NotImplementedError", "text": "(a:3)"}, "unwritten", "not written yet (a:3)"),
        ({"type": "MemoryError", "text": ""}, "memory", "it needed too much memory"),
        ({"type": "Finding", "text": "t", "mistake": "size"}, "size", "t"),
        ({"type": "KeyError", "text": "'a'"}, "crash", "it stopped with KeyError: 'a'"),
        ({"type": "KeyError", "text": ""}, "crash", "it stopped with KeyError"),
    ],
)  # fmt: skip
def test_what_was_raised_is_judged_by_its_type(tmp_path, raised, mistake, text):
    claimed = written('{"length": 4}', json.dumps(raised))
    (tmp_path / "a.safetensors").write_bytes(claimed)
    claim = read_claim(tmp_path, "a")
    assert claim.value("length", int) == 4, "what was claimed before is kept"
    for missing in (claim.check, claim.parameters, lambda: claim.value("other", int)):
        with pytest.raises(Finding) as caught:
            missing()
        assert (caught.value.mistake, str(caught.value)) == (mistake, text)


WHOLE = written(x=np.ones(3))
BROKEN = {
    "nothing": b"",
    "cut off": WHOLE[:-1],
    "no header": bytes(100),
    "a header that promises more": (10**15).to_bytes(8, "little") + WHOLE[8:],
    "a long header": written(" " * LONGEST + "{}"),
    "no values": save({"x": np.ones(3)}),
    "a list of values": written("[]"),
    "deep values": written("[" * 100_000),
    "a list that was raised": written(raised="[1]"),
    "larger than it is": WHOLE.replace(b"[3]", b"[9]"),
    "a shape that overflows": WHOLE.replace(b"[3]", b"[0,%d,%d]" % (1 << 62, 1 << 62)),
    "objects": WHOLE.replace(b'"F64"', b'"O64"'),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_claim_says_how_the_process_ended(tmp_path, name):
    (tmp_path / "a.safetensors").write_bytes(BROKEN[name])
    with pytest.raises(Finding, match="it was killed") as caught:
        read_claim(tmp_path, "a", "it was killed").check()
    assert caught.value.mistake == "stopped"


@pytest.mark.parametrize(
    "shapes", [[(256, 0)], [(4_000_000, 2)], [(2000, 2000)] * 3, [(1,)] * 1000]
)
def test_parameters_are_no_more_than_a_model_needs(shapes):
    state = {str(i): torch.zeros(1).expand(shape) for i, shape in enumerate(shapes)}
    with pytest.raises(Finding, match=r"any model here|is of a shape"):
        bounded(state, "a file")
    tensors = {f"saved/{name}": value for name, value in state.items()}
    with pytest.raises(Finding):
        Claim("train", {"saved": list(state)}, tensors).table("saved")


def test_only_regular_files_of_some_size_are_read(tmp_path, monkeypatch):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (elsewhere / "secret.safetensors").write_bytes(WHOLE)
    assert not read_claim(elsewhere, "secret").ended
    (out / "link.safetensors").symlink_to(elsewhere / "secret.safetensors")
    os.mkfifo(out / "pipe.safetensors")
    for name in ("link", "pipe", "none"):
        assert read_claim(out, name).ended
    (tmp_path / "linked").symlink_to(elsewhere)
    assert read_claim(tmp_path / "linked", "secret").ended, "the folder is a link"
    monkeypatch.setattr(claims, "LARGEST", len(WHOLE) - 1)
    assert read_claim(elsewhere, "secret").ended
