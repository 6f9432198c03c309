"""What rotary attention is held against, by hand."""

import math

import pytest
import torch

from wherefrom.doctor.rotary import turn


def test_a_pair_is_turned_by_its_place():
    x = torch.zeros(1, 1, 3, 4, dtype=torch.double)
    x[..., 0], x[..., 3] = 1.0, 2.0  # (1, 0) and (0, 2)
    turned = turn(x)[0, 0]
    for t in range(3):
        slow = t / 100  # 10000 ** (-2 / 4)
        assert turned[t].tolist() == pytest.approx(
            [math.cos(t), math.sin(t), -2 * math.sin(slow), 2 * math.cos(slow)]
        )
