"""The tests of the homework's code, and their points: 20, 15, 6 and 14.

A basic test shows that the others can run, and is worth nothing. sigmoid, softmax, gradient check
and descent come from the course's first homework: some hand-outs give them, ours lets them be
written. Written answers are not judged.
"""

from marking import language, network, torch_models
from marking.torch_models import best, look_at_dropout, look_at_loss, look_at_mean
from wherefrom.course.doctor.marks import Test

SAVED = "1d-4-saved"
TESTS: dict[str, Test] = {
    "1c-0-basic": Test("the files can be imported", 0, network.check_imports),
    "1c-1-sigmoid": Test("sigmoid", 1, network.check_sigmoid),
    "1c-2-slope": Test("sigmoid_grad takes the sigmoid's value", 1, network.check_slope),
    "1c-3-softmax": Test("softmax of each row", 1, network.check_softmax),
    "1c-4-large": Test("softmax of large numbers", 1, network.check_large),
    "1c-5-gradcheck": Test("the gradient check tells right from wrong", 2, network.check_gradcheck),
    "1c-6-descent": Test("sgd goes down", 2, network.check_descent),
    "1c-7-saving": Test("sgd halves its rate, saves, goes on", 2, network.check_saves),
    "1c-8-forward": Test("forward: the probability of a label", 3, network.check_forward),
    "1c-9-cost": Test("the cost, summed over the rows", 2, network.check_cost),
    "1c-10-gradient": Test("the gradient, by hand", 5, network.check_gradient),
    "1d-0-basic": Test("q1d_neural_lm.py can be imported", 0, language.check_imports),
    "1d-1-wrapper": Test("lm_wrapper: the mean of a batch", 4, language.check_wrapper),
    "1d-2-drawn": Test("lm_wrapper: batches are drawn", 1, language.check_draws),
    "1d-3-perplexity": Test("eval_neural_lm", 5, language.check_perplexity),
    SAVED: Test("saved_params_40000.npy on the dev text", 5, lambda place: None),
    "3b-0-basic": Test("the character model can be built", 0, torch_models.check_characters),
    "3b-1-step": Test("OurModel.forward: one step", 6, torch_models.check_step),
    "4a-1-mean": Test("the averaging network averages real words", 6, best(look_at_mean)),
    "4a-2-loss": Test("two logits and their cross-entropy", 3, best(look_at_loss)),
    "4b-1-dropout": Test("whole words are dropped, in training alone", 5, best(look_at_dropout)),
}  # fmt: skip

# What the parts ask, each in a process of its own; some again, with right functions in the place of
# those that the submission's other files have wrong.
ASKED = {
    "1c": network.requests,
    "1d": language.requests,
    "3b": torch_models.character_requests,
    "4": torch_models.network_requests,
}
AVERAGED = "4"  # some hand-outs ask for no averaging network
MENDED = {
    "1c-8-forward": "forward",
    "1c-9-cost": "passes",
    "1c-10-gradient": "passes",
    "1d-1-wrapper": "wrapper",
    "1d-2-drawn": "draws",
    "1d-3-perplexity": "perplexity",
}
