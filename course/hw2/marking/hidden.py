"""The tests that students do not get: what each looks at, and what it asks of the code."""

from marking import language, network, torch_models
from marking.torch_models import best, look_at_dropout, look_at_loss, look_at_mean

LOOKS = {
    "1c-1-sigmoid": network.check_sigmoid,
    "1c-2-slope": network.check_slope,
    "1c-3-softmax": network.check_softmax,
    "1c-4-large": network.check_large,
    "1c-5-gradcheck": network.check_gradcheck,
    "1c-6-descent": network.check_descent,
    "1c-7-saving": network.check_saves,
    "1c-8-forward": network.check_forward,
    "1c-9-cost": network.check_cost,
    "1c-10-gradient": network.check_gradient,
    "1d-1-wrapper": language.check_wrapper,
    "1d-2-drawn": language.check_draws,
    "1d-3-perplexity": language.check_perplexity,
    "1d-4-saved": lambda place: None,
    "3b-1-step": torch_models.check_step,
    "4a-1-mean": best(look_at_mean),
    "4a-2-loss": best(look_at_loss),
    "4b-1-dropout": best(look_at_dropout),
}

# What the parts ask, each in a process of its own; some again, with right functions in the place of
# those that the submission's other files have wrong.
ASKED = {
    "1c": network.requests,
    "1d": language.requests,
    "3b": torch_models.character_requests,
    "4": torch_models.network_requests,
}
MENDED = {
    "1c-8-forward": "forward",
    "1c-9-cost": "passes",
    "1c-10-gradient": "passes",
    "1d-1-wrapper": "wrapper",
    "1d-2-drawn": "draws",
    "1d-3-perplexity": "perplexity",
}
