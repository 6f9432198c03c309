import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.objectives.row_order import FileOrder, ShuffledEpochs

CPU = torch.device("cpu")


@given(size=st.integers(1, 40), seed=st.integers(0, 2**32 - 1), epoch=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_every_document_comes_once_an_epoch(size, seed, epoch):
    order = ShuffledEpochs(size, seed, 0, CPU)
    assert sorted(order.at(epoch * size, size).tolist()) == list(range(size))


def test_the_files_order_is_the_same_every_epoch_and_its_last_step_is_short():
    order = FileOrder(5, 3, CPU)
    assert order.at(0, 12).tolist() == [0, 1, 2, 3, 4, -1] * 2
    assert order.at(4, 3).tolist() == [4, -1, 0]
    assert FileOrder(6, 3, CPU).at(3, 6).tolist() == [3, 4, 5, 0, 1, 2]
