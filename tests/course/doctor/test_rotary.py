"""What rotary attention is held against, by hand."""

import math

import pytest
import torch

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.rotary import check_formula, turn


def test_a_pair_is_turned_by_its_place():
    x = torch.zeros(1, 1, 3, 4, dtype=torch.double)
    x[..., 0], x[..., 3] = 1.0, 2.0  # (1, 0) and (0, 2)
    turned = turn(x)[0, 0]
    for t in range(3):
        slow = t / 100  # 10000 ** (-2 / 4)
        assert turned[t].tolist() == pytest.approx(
            [math.cos(t), math.sin(t), -2 * math.sin(slow), 2 * math.cos(slow)]
        )


ROTATED = """
def turn(x):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(half) / half)
    a, b = x[..., ::2], x[..., 1::2]
    turned = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.stack(turned, -1).flatten(-2)


class CausalSelfAttention"""
BOTH = "q, k = turn(q), turn(k)"
QUERIES = "q, k = self._split(self.query(x)), self._split(self.key(x))"


def rotating(plain, queries: str, year: str = "xcs2025"):
    """The plain solution with rotary attention, written with sines and cosines."""
    submission = plain("attention.py", "\nclass CausalSelfAttention", ROTATED, year=year)
    path = submission.folder / "attention.py"
    text = path.read_text()
    assert QUERIES in text
    path.write_text(text.replace(QUERIES, f"{QUERIES}; {queries}"))
    return submission


def test_sines_and_cosines_give_the_same(plain):
    said = check_formula(rotating(plain, BOTH))
    assert float(said.rsplit(maxsplit=1)[1]) < 1e-5


@pytest.mark.parametrize(
    ("queries", "changed", "mistake"),
    [
        ("pass", {}, "no rotation"),
        ("q = turn(q)", {}, "one rotation"),
        ("k = turn(k)", {}, "one rotation"),
        ("q, k = turn(turn(q)), turn(k)", {}, "formula"),
        ("q, k = 3 * turn(q), turn(k)", {}, "formula"),
        ("q, k = turn(q) * k.shape[-1] ** 0.5, turn(k)", {}, "unscaled scores"),
        ("q, k = (turn(x.repeat(1, 1, 1, self.n_head))[..., : x.shape[-1]] for x in (q, k))", {},
         "wide angles"),
        (BOTH, {"10000.0": "1000.0"}, "wrong base"),
        (BOTH, {"x[..., ::2], x[..., 1::2]": "x[..., :half], x[..., half:]",
                "torch.stack(turned, -1).flatten(-2)": "torch.cat(turned, -1)"}, "halves paired"),
    ],
)  # fmt: skip
def test_usual_mistakes_have_names(plain, queries, changed, mistake):
    submission = rotating(plain, queries)
    path = submission.folder / "attention.py"
    for old, new in changed.items():
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    with pytest.raises(Finding) as caught:
        check_formula(submission)
    assert caught.value.mistake == mistake


def test_the_slip_in_a_hand_outs_comment_is_taken_by_its_word(plain):
    for year in ("cs224n2024", "xcs2025"):
        submission = rotating(plain, BOTH, year)
        path = submission.folder / "attention.py"
        path.write_text(path.read_text().replace("10000.0 ** (-torch", "10000.0 ** (torch"))
        if year == "cs224n2024":
            assert "by a slip of a sign" in check_formula(submission)
        else:
            with pytest.raises(Finding, match="differs from what it should be"):
                check_formula(submission)
    right = rotating(plain, BOTH, "cs224n2024")
    assert "slip" not in check_formula(right)
