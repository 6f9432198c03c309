"""Judges the homework: what a submission claims, beside what our own solution gives when asked.

Where the two differ, what usual slips would give is how the mistake is named. Batches and dropout
are drawn, and judged by their distribution. Of the averaging network a notebook often has several
versions, one a question: a test is passed if one of them passes it. Students do not get this file.
"""

import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from probing import texts
from probing.calls import PROBES, VERSIONS
from probing.texts import CALLS, DIMENSIONS, NETWORK, TEXTS
from q1c_neural import unpack
from q1d_neural_lm import BATCH_SIZE, bigrams, lm_wrapper, perplexity, read_params
from sigmoid import sigmoid, sigmoid_grad
from softmax import softmax

from wherefrom.core.errors import WherefromError
from wherefrom.course.doctor.child import Answer
from wherefrom.course.doctor.findings import Finding, NoTelling, attempt, expect
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.marks import Look
from wherefrom.course.doctor.submission import Submission
from wherefrom.data.embeddings import load_vectors
from wherefrom.data.treebank import TreebankConfig, find, read_vocabulary

HERE = Path(__file__).resolve().parent
# Five public submissions have 117 to 119 here, our own training on less text has 119; on all dev
# bigrams 8,000 steps instead of 40,000 have 157. Only bigrams whose first word has a GloVe vector
# count: the hand-out's own vectors of marks and numbers are not known.
MOST = 140.0
DRAWS = "q1d_neural_lm.lm_wrapper.draws"
LENGTHS = np.array([[len(text)] for text in TEXTS])

# A mistake, whether it is that, and what is said of it; one without a name is let pass.
Slip = tuple[str, Callable[..., Any], str]
Asked = tuple[tuple[str, ...], Look]  # of a test: what it asks, and how that is judged


@lru_cache(maxsize=64)
def ours(claim: str, draw: int) -> Mapping[str, np.ndarray]:
    """What our own solution gives, asked as a submission is, by the names that a claim has."""
    found, own = Answer(), Submission(HERE)
    with tempfile.TemporaryDirectory() as held:
        own.scratch = Path(held)
        PROBES[claim](own, found, SimpleNamespace(draw=draw))
    return found.arrays


def same(given: Any, wanted: Any, near: float = 1e-8) -> bool:
    alike = given.size == wanted.size
    return alike and np.allclose(given.reshape(wanted.shape), wanted, rtol=1e-5, atol=near)


def compare(
    claims: Claims, claim: str, slips: Mapping[str, tuple[Slip, ...]], near: float = 1e-8
) -> None:
    """The arrays of these names; a slip is told from the two, and from what the call was given."""
    called = texts.cases(claims.draw).get(claim, [()])[0]
    for name, known in slips.items():
        wanted = ours(claim, claims.draw)[name].astype(float)
        given = claims[claim].array(name).double().numpy()
        if same(given, wanted, near):
            continue
        kind, found = "form", f"{given.size} numbers, not {wanted.size}"
        if given.size == wanted.size:
            place = np.isclose(given.ravel(), wanted.ravel(), rtol=1e-5, atol=near).argmin()
            kind, found = "value", f"{given.ravel()[place]:g}, not {wanted.ravel()[place]:g}"
        told = next((slip for slip in known if slip[1](given, wanted, *called)), None)
        if told is None:
            raise Finding(kind, f"{claim}: its {name} is {found}")
        expect(not told[0], told[0], f"{told[2]} ({found})")


# -- slips -----------------------------------------------------------------------------------------


def gives(wrong: Callable[..., Any]) -> Callable[..., bool]:
    """It gives what a function with a slip in it gives for the same arguments."""
    return lambda given, wanted, *called: same(given, np.asarray(wrong(*called)))


def makes(slip: Callable[[Any], Any]) -> Callable[..., bool]:
    """The slip makes it of what is right."""
    return lambda given, wanted, *_: same(given, np.asarray(slip(wanted)), 1e-5)


def a_step_less(steps: float) -> Slip:
    """One step too few, which the test of the descent reports, costs nothing here."""
    return "", makes(lambda right: right * (1 - 1 / steps)), ""


def always(*_: Any) -> bool:
    return True


def block(place: int, transposed: bool) -> Callable[..., bool]:
    """Whether a block of the gradient is wrong, or, if that is asked, lies transposed."""

    def look(given: Any, wanted: Any, *_: Any) -> bool:
        if given.size != wanted.size:
            return False
        mine, other = (unpack(flat.ravel(), DIMENSIONS)[place] for flat in (given, wanted))
        return not same(mine, other) and (same(mine, other.T.ravel()) or not transposed)

    return look


# -- what is drawn ---------------------------------------------------------------------------------


def check_draws(claims: Claims) -> None:
    """Batches differ, and in time every bigram comes."""
    costs = claims[DRAWS].array("result").double()
    right = ours(DRAWS, claims.draw)["result"]
    expect(costs.numel() == CALLS, "form", f"{CALLS} batches have {costs.numel()} costs")
    expect(len(set(costs.ravel().tolist())) > 1, "fixed", "every call takes the same batch")
    # Five deviations of a mean of 40 batches; words in a row are alike, so a batch may be one.
    far = 5 * np.std(right) * np.sqrt(BATCH_SIZE / CALLS)
    means = costs.mean().item(), costs.mean().item() / BATCH_SIZE  # which it is is another test
    near = min(abs(mean - np.mean(right)) for mean in means) <= far
    expect(near, "drawn", f"{CALLS} batches together do not look like the text")


def check_dropout(claims: Claims, claim: str) -> None:
    """Whole words go in training, about as many as asked for, and none in evaluation."""
    rows = claims[claim].array("dropped").float()
    (calls, still), words = texts.TRIES, texts.VECTORS
    said = f"what goes into the first layer is {tuple(rows.shape)}"
    expect(rows.shape == (calls + still, 2 * words), "form", said)
    vectors = torch.from_numpy(texts.glove(claims.draw))[1:].sum(0).view(words, 2)[1:]
    seen = rows[:calls].reshape(calls, words, 2)
    seen = seen[torch.isfinite(seen).all(2).all(1)][:, 1:]
    gone = seen == 0
    expect(gone.any(), "none", "no word is ever dropped in training")
    whole = (gone[..., 0] == gone[..., 1]).all()
    expect(whole, "elements", "single numbers of a vector are dropped, not whole words")
    some = gone[..., 0].any(1) & ~gone[..., 0].all(1)
    expect(some.any(), "texts", "whole texts are dropped, not each word by itself")
    share = gone[..., 0].float().mean().item()
    said = f"asked to drop half of the words, it drops {100 * share:.0f} %"
    expect(0.35 < share < 0.65, "rate", said)
    ratio = seen / vectors  # of words that stay, the two numbers have the same share in the mean
    alike = torch.allclose(ratio[..., 0], ratio[..., 1], atol=1e-4)
    expect(alike, "value", "what stays are not the vectors of the words")
    again = rows[calls:].reshape(still, words, 2)[:, 1:]
    stays = (again != 0).all() and torch.allclose(again, again[:1].expand_as(again))
    expect(stays, "evaluation", "words are dropped in evaluation too")


# -- the averaging network -------------------------------------------------------------------------


def best(look: Callable[..., None], **how: Any) -> Asked:
    """Passed if one version of the network passes; what is said of the last one otherwise."""

    def judged(claims: Claims) -> None:
        found = [attempt(partial(look, claim=claim, **how), claims) for claim in VERSIONS]
        if all(result.state != "ok" for result in found):
            raise Finding(found[0].mistake, found[0].text)

    return VERSIONS, judged


def check_loss(claims: Claims, claim: str) -> None:
    """Two logits, and the cross-entropy of them; worth something if the words are read at all."""
    found = claims[claim]
    try:
        logits, loss = (found.array(name).float() for name in ("logits", "loss"))
    except Finding:
        said = "forward() gives no dict with 'loss' and 'logits'"
        raise found.complaint() or Finding("form", said) from None
    said = f"the logits are {tuple(logits.shape)}, not two for each text"
    expect(logits.shape == (len(TEXTS), 2), "form", said)
    sums = torch.allclose(logits.sum(1), torch.ones(len(TEXTS)), atol=1e-5)
    said = "the logits are probabilities: the loss takes the softmax itself"
    expect(not sums or (logits < 0).any(), "softmax", said)
    wanted = F.cross_entropy(logits, torch.tensor([i % 2 for i in range(len(TEXTS))]))
    right = torch.allclose(loss.reshape(()), wanted, atol=1e-5)
    expect(right, "value", "the loss is not the cross-entropy of the logits")
    read, words = found.array("average").numpy(), ours(claim, claims.draw)["average"]
    said = "what goes into the first layer are not the words of the texts"
    expect(np.array_equal(read != 0, words != 0), "value", said)


def judge_saved(claims: Claims) -> str:
    """The saved parameters on the homework's dev text, where their inputs can be known."""
    folder, data = claims.files.folder, claims.files.data
    places = (folder / texts.SAVED, folder / "models" / texts.SAVED)
    path = next((place for place in places if place.is_file()), None)
    if data is None:
        raise NoTelling("the homework's dev text is not known; name its folder with --data")
    if path is None:
        raise Finding("missing", f"{texts.SAVED} is not there; q1d_neural_lm.py writes it")
    try:
        params = read_params(path, NETWORK)
    except WherefromError as error:
        raise Finding("form", str(error)) from None
    config = TreebankConfig(folder=str(data))
    listed = read_vocabulary(find(config, "vocabulary"), NETWORK[2])
    vectors = load_vectors(find(config, "embeddings"), listed)
    pairs = bigrams(listed, find(config, "dev"))
    made_up = [i for i, word in enumerate(listed) if word in set(vectors.made_up)]
    pairs = pairs[~np.isin(pairs[:, 0], made_up)]
    with np.errstate(all="ignore"):
        found = perplexity(pairs[:, 0], pairs[:, 1], vectors.array, NETWORK, params)
    said = f"perplexity {found:.2f} on the {len(pairs):,} dev bigrams that begin with a GloVe word"
    expect(found <= MOST, "score", f"{said}: 40,000 steps reach {MOST:g}")
    return said


def compared(claim: str, near: float = 1e-8, **slips: tuple[Slip, ...]) -> Asked:
    return (claim,), partial(compare, claim=claim, slips=slips, near=near)


LOOKS: dict[str, Asked] = {
    "1c-1-sigmoid": compared("sigmoid.sigmoid", result=()),
    "1c-2-slope": compared("sigmoid.sigmoid_grad", result=(
        ("input", gives(lambda s: sigmoid_grad(sigmoid(s))),
         "sigmoid_grad takes s = sigmoid(x), but treats it as x and applies sigmoid again"),
    )),
    "1c-3-softmax": compared("softmax.softmax", result=(
        ("rows", lambda given, *_: np.isclose(given.sum(), 2),  # of three rows that are right
         "the softmax is over the whole matrix, not over each row"),
        ("columns", lambda given, _, rows: same(given[: rows.size], softmax(rows.T).T),
         "the softmax is over each column, not over each row"),
    )),
    "1c-4-large": compared("softmax.softmax.large", result=(
        ("overflow", lambda given, *_: not np.isfinite(given).all(),
         "the softmax of numbers around 1000 is not a number: take the maximum off"),
    )),
    "1c-5-gradcheck": compared(
        "gradcheck", right=(("right", always, "a right gradient is refused"),),
        wrong=(("wrong", always, "a wrong gradient passes"),),
        noisy=(("random", always,
                "f draws random numbers, and the state is not set back before each call"),),
    ),
    "1c-6-descent": compared("sgd.sgd", result=(
        ("sign", lambda given, wanted, *_: same(given[:2], -wanted[:2]),  # the first call's
         "it goes up the gradient instead of down"),
    )),
    "1c-7-saving": compared(
        "saves", reached=(
            ("rate", makes(lambda right: right * 20_001 / 20_000.5),
             "the rate is halved after 20,000 steps"),
            a_step_less(2 * 20_000.5),  # the last step is half a step
        ),
        files=(("unsaved", always, "25 steps, saved every 10, leave other files behind"),),
        kept=(),
        again=(a_step_less(30), ("resume", always, "it does not go on from a save after 20 steps")),
    ),
    "1c-8-forward": compared("q1c_neural.forward", result=(
        ("value", makes(np.log), "forward() gives the logarithm, not the probability"),
    )),
    "1c-9-cost": compared("q1c_neural.forward_backward_prop", result=(
        ("mean", makes(lambda cost: cost / 8), "the cost is the mean over the rows, not the sum"),
        ("base", makes(lambda cost: cost / np.log(2)), "the cost is in bits; take the natural log"),
    )),
    "1c-10-gradient": compared("q1c_neural.forward_backward_prop", gradient=(
        ("mean", makes(lambda sums: sums / 8), "the gradient is that of the mean over the rows"),
        *((mistake, block(place, mistake == "transposed"), f"the gradient of {name} {said}")
          for place, name in enumerate(("W1", "b1", "W2", "b2"))
          for mistake, said in (("transposed", "lies transposed"),
                                ("gradient", "is not that of the cost"))),
    )),
    "1d-1-wrapper": compared("q1d_neural_lm.lm_wrapper", result=(
        ("sum", makes(lambda mean: BATCH_SIZE * mean), "cost and gradient are sums, not means"),
        ("exchanged", gives(lambda before, after, *rest: lm_wrapper(after, before, *rest)[0]),
         "the word before and the word after are exchanged"),
    ), gradient=()),
    "1d-2-drawn": ((DRAWS,), check_draws),
    "1d-3-perplexity": compared("q1d_neural_lm.eval_neural_lm", near=0.1, perplexity=(
        ("base", makes(lambda right: 2 ** np.log(right)), "2 is raised to a mean in nats"),
        ("bits", makes(lambda right: right ** (1 / np.log(2))), "e is raised to a mean in bits"),
        ("mean", makes(np.log), "that is the mean loss in nats: raise e to it"),
        ("sign", makes(np.reciprocal), "that is one over the perplexity: the sign is missing"),
    )),
    "3b-1-step": compared("steps", near=1e-5, state=(
        ("hidden", always, "the hidden state that forward() gives is not the GRU's next"),
    ), output=(
        ("", makes(lambda logits: logits - np.log(np.exp(logits).sum(-1, keepdims=True))),
         ""),  # the same loss
        ("softmax", makes(softmax), "forward() gives probabilities; CrossEntropyLoss takes logits"),
    )),
    "1d-4-saved": ((), judge_saved),
    "4a-1-mean": best(compare, near=1e-4, slips={"average": (
        ("sum", makes(lambda mean: mean * LENGTHS), "the words' vectors are summed, not averaged"),
        ("padding", makes(lambda mean: mean * LENGTHS / max(LENGTHS)),
         "the mean counts padding: a text's length is not its mask's sum"),
    )}),
    "4a-2-loss": best(check_loss),
    "4b-1-dropout": best(check_dropout),
}  # fmt: skip
