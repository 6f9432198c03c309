"""Claims may be anybody's files: what is not a plain one, in bounds, is no claim."""

import json
import os

import numpy as np
import pytest
import torch

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import claims as module
from wherefrom.course.doctor.judging.claims import Claim, read_claim, read_regular


def write(folder, name="a", values=None, raised=None):
    (folder / f"{name}.json").write_text(
        json.dumps({"values": values or {}, "raised": raised or {}})
    )
    return read_claim(folder, name, "it was killed")


def test_values_and_arrays_are_read(tmp_path):
    np.save(tmp_path / "a.x.npy", np.arange(6).reshape(2, 3))
    claim = write(tmp_path, values={"count": 3})
    assert claim.value("count", int) == 3
    assert claim.array("x").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert claim.check() is claim
    for missing in (lambda: claim.value("count", str), lambda: claim.array("y")):
        with pytest.raises(Finding) as caught:
            missing()
        assert caught.value.mistake == "form"


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
    with pytest.raises(Finding) as caught:
        write(tmp_path, raised=raised).check()
    assert (caught.value.mistake, str(caught.value)) == (mistake, text)


def test_what_was_claimed_before_an_exception_is_kept(tmp_path):
    claim = write(tmp_path, values={"length": 4}, raised={"type": "KeyError", "text": "x"})
    assert claim.value("length", int) == 4
    with pytest.raises(Finding, match="KeyError"):
        claim.value("other", int)


@pytest.mark.parametrize("text", ["", "[1]", '{"values": [], "raised": {}}', "[" * 100_000])
def test_what_is_no_claim_says_how_the_process_ended(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(Finding, match="it was killed") as caught:
        read_claim(tmp_path, "a", "it was killed").check()
    assert caught.value.mistake == "stopped"


def test_only_regular_files_of_some_size_are_read(tmp_path, monkeypatch):
    out, secret = tmp_path / "out", tmp_path / "secret.json"
    out.mkdir()
    secret.write_text('{"values": {"a": 1}, "raised": {}}')
    (out / "link.json").symlink_to(secret)
    os.mkfifo(out / "pipe.json")
    (out / "large.json").write_bytes(bytes(100))
    for name in ("link.json", "pipe.json", "large.json", "none.json", "../secret.json\0"):
        assert read_regular(out, name, 99) is None
    (tmp_path / "linked").symlink_to(tmp_path)
    assert read_regular(tmp_path / "linked", "secret.json", 99) is None, "the folder is a link"
    assert read_regular(tmp_path, "secret.json", 99) == secret.read_bytes()


def test_arrays_of_objects_and_broken_ones_are_none(tmp_path):
    claim = write(tmp_path)
    header = (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }"
    )
    for content in (b"", b"no array", header.ljust(127) + b"\n"):
        (tmp_path / "a.x.npy").write_bytes(content)
        with pytest.raises(Finding):
            claim.array("x")
    for array in (np.array([{}], dtype=object), np.array(["text"]), np.zeros(2, ">f8")):
        np.save(tmp_path / "a.x.npy", array, allow_pickle=True)
        with pytest.raises(Finding):
            claim.array("x")


def test_shapes_are_bounded(tmp_path):
    right = [["a", [2, 3]], ["b", []]]
    assert write(tmp_path, values={"shapes": right}).shapes() == [("a", (2, 3)), ("b", ())]
    for wrong in ([["a", [module._MOST + 1]]], [["a", [-1, 2]]], [[1]], [["a", "b"]], ["a"] * 2000):
        with pytest.raises(Finding):
            write(tmp_path, values={"shapes": wrong}).shapes()


def test_parameters_come_as_one_array(tmp_path):
    np.save(tmp_path / "a.flat.npy", np.arange(7.0))
    claim = write(tmp_path, values={"shapes": [["w", [2, 3]], ["b", [1]]]})
    assert claim.parameters()["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert torch.equal(claim.parameters()["b"], torch.tensor([6.0], dtype=torch.double))
    with pytest.raises(Finding, match="the model has no parameter 'c'"):
        _ = claim.parameters()["c"]
    np.save(tmp_path / "a.flat.npy", np.arange(6.0))
    with pytest.raises(Finding, match="6 numbers for 7"):
        claim.parameters()


def test_weights_follow_from_the_draw_and_the_name():
    claim = Claim("a", values={"shapes": [["w", [2]], ["v", [2]]]})
    state = claim.state(3, 1.0)
    assert torch.equal(state["w"], claim.state(3, 1.0)["w"])
    assert not torch.equal(state["w"], state["v"])
    assert not torch.equal(state["w"], claim.state(4, 1.0)["w"])
    assert torch.equal(2 * state["w"], claim.state(3, 2.0)["w"])
