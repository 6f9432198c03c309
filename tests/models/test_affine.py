"""The product of a stack: each model's rows through its own layer, forwards and backwards."""

import torch

from wherefrom.models.affine import multiply


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).double()


def test_the_product_of_a_gpu_has_the_same_gradients_in_order():
    rows, weight = draw(2, 3, 4).requires_grad_(), draw(2, 5, 4).requires_grad_()
    given = draw(2, 3, 5)
    found = multiply(rows, weight)
    expected = torch.bmm(rows, weight.mT)
    torch.testing.assert_close(found, expected)
    wanted = torch.autograd.grad(expected, (rows, weight), given)
    slopes = torch.autograd.grad(found, (rows, weight), given)
    torch.testing.assert_close(slopes, wanted)
    assert slopes[1].is_contiguous()
    assert not wanted[1].is_contiguous()  # which is why it is written out
