"""The tests that students do not get: what each looks at, and what it asks of the code."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from q1c_neural import forward, forward_backward_prop, unpack
from q1d_neural_lm import BATCH_SIZE
from sigmoid import sigmoid, sigmoid_grad
from softmax import softmax

from marking import functions, torch_models
from marking.functions import DIMENSIONS, HELPERS, Called, gives, lm_wrapper, same, sgd, times
from marking.torch_models import best, look_at_dropout, look_at_loss, look_at_mean
from wherefrom.course.doctor.checks import Look
from wherefrom.course.doctor.exercises import Request

BLOCKS = ("W1", "b1", "W2", "b2")


def _block(place: int, transposed: bool) -> Callable[..., bool]:
    """Whether a block of the gradient is wrong, or, if that is asked, lies transposed."""

    def look(given: Any, wanted: Any, *_: Any) -> bool:
        mine, other = (unpack(flat.ravel(), DIMENSIONS)[place] for flat in (given, wanted))
        return not same(mine, other) and (same(mine, other.T.ravel()) or not transposed)

    return look


_PASSES = ("passes", "q1c_neural", forward_backward_prop)
_WRAPPER = ("wrapper", "q1d_neural_lm", lm_wrapper)
LOOKS: dict[str, tuple[Look, ...]] = {
    "1c-1-sigmoid": (Called("sigmoid", "sigmoid", sigmoid),),
    "1c-2-slope": (Called("slope", "sigmoid", sigmoid_grad, (
        ("input", gives(lambda s: sigmoid_grad(sigmoid(s))),
         "sigmoid_grad takes s = sigmoid(x), but treats it as x and applies sigmoid again"),
    )),),
    "1c-3-softmax": (Called("softmax", "softmax", softmax, (
        ("rows", lambda given, wanted, x: x.ndim == 2 and np.isclose(given.sum(), 1),
         "the softmax is over the whole matrix, not over each row"),
    )),),
    "1c-4-large": (Called("large", "softmax", softmax, (
        ("overflow", lambda given, *_: not np.isfinite(given).all(),
         "the softmax of numbers around 1000 is not a number: take the maximum off"),
    )),),
    "1c-5-gradcheck": (functions.check_gradcheck,),
    "1c-6-descent": (Called("descent", "sgd", sgd, (
        ("sign", gives(lambda f, x, step, count: sgd(f, x, -step, count)),
         "it goes up the gradient instead of down"),
    )),),
    "1c-7-saving": (functions.check_saves,),
    "1c-8-forward": (Called("forward", "q1c_neural", forward, (
        ("value", gives(lambda *given: np.log(forward(*given))),
         "forward() gives the logarithm, not the probability"),
    ), mended=HELPERS),),
    "1c-9-cost": (Called(*_PASSES, (
        ("mean", times(1 / 8), "the cost is the mean over the rows; the homework's is the sum"),
        ("base", times(1 / np.log(2)), "the cost is in bits: the logarithm is the natural one"),
    ), mended=HELPERS),),
    "1c-10-gradient": (Called(*_PASSES, (
        ("form", lambda given, wanted, *_: given.size != wanted.size,
         "the gradient has another size than the parameters"),
        ("mean", times(1 / 8), "the gradient is that of the mean over the rows, not the sum"),
        *((mistake, _block(place, mistake == "transposed"), f"the gradient of {name} {said}")
          for place, name in enumerate(BLOCKS)
          for mistake, said in (("transposed", "lies transposed"),
                                ("gradient", "is not that of the cost"))),
    ), part=1, mended=HELPERS),),
    "1d-1-wrapper": (
        Called(*_WRAPPER, (
            ("sum", times(BATCH_SIZE), "cost and gradient are sums over the batch, not means"),
            ("exchanged", gives(lambda before, after, *rest: lm_wrapper(after, before,
             *rest)[0]), "the word before and the word after are exchanged"),
        ), mended=("forward_backward_prop",)),
        Called(*_WRAPPER, part=1, mended=("forward_backward_prop",)),
    ),
    "1d-2-drawn": (functions.check_draws,),
    "1d-3-perplexity": (functions.check_perplexity,),
    "1d-4-saved": (),
    "3b-1-step": (torch_models.check_step,),
    "4a-1-mean": (best(look_at_mean),),
    "4a-2-loss": (best(look_at_loss),),
    "4b-1-dropout": (best(look_at_dropout),),
}  # fmt: skip
_DRAWS = Called("draws", "q1d_neural_lm", lm_wrapper, mended=("forward_backward_prop",))
MENDED = {"1d-2-drawn", "1d-3-perplexity"}  # what is asked again, with other files' functions right
MENDED |= {test for test, looks in LOOKS.items() if getattr(next(iter(looks), None), "mended", ())}


def requests(tests: Iterable[str], draw: int, mended: bool) -> Iterable[Request]:
    """What these tests ask of the code."""
    for test in tests:
        for look in LOOKS.get(test, ()):
            if isinstance(look, Called):
                yield look.request(draw, mended)
        match test:
            case "1c-5-gradcheck":
                asked = [case | {"right": None} for case in functions.gradients(draw)]
                yield Request("gradcheck", "gradcheck", {"cases": asked})
            case "1c-7-saving":
                yield Request("saves", "saves", {"slope": functions.slope(draw)})
            case "1d-2-drawn":
                yield _DRAWS.request(draw, mended)
            case "1d-3-perplexity":
                given = {"draw": draw, "mended": ["forward"] if mended else []}
                yield Request("perplexity", "perplexity", given)
            case "3b-1-step":
                yield torch_models.character_request(draw)
            case "4a-1-mean" | "4a-2-loss" | "4b-1-dropout":
                yield torch_models.network_request(draw)
