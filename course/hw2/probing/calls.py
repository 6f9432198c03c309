"""What a submission of the homework is asked; nothing is judged here, and no solution is known.

The grader puts the same to our own solution, and compares. Everything follows from the draw.
"""

import contextlib
import inspect
import io
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import nn

from probing import texts
from probing.loading import AVERAGING, CHARACTERS, MODULES, Code
from wherefrom.course.doctor.child import Answer
from wherefrom.course.doctor.exercises import weights
from wherefrom.course.doctor.findings import expect
from wherefrom.course.doctor.submission import Submission

Probe = Callable[[Any, Any, int], None]  # whose code, where its answers go, and the draw
VERSIONS = ("network1", "network2", "network3", "network4")  # from the last one back


@contextlib.contextmanager
def quiet(folder: Path = Path()) -> Iterator[io.StringIO]:
    """In a folder of its own, with what is printed kept."""
    folder.mkdir(exist_ok=True)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()) as said,
        contextlib.redirect_stderr(said),
        np.errstate(all="ignore"),
    ):
        yield said


def imports(code: Code, found: Answer, draw: int, modules: Sequence[str]) -> None:
    for name in modules:
        code.module(name)


def call(code: Code, found: Answer, draw: int, claim: str) -> None:
    """What a function gives for the arguments of the draw, one call after the other."""
    file, name, *_ = claim.split(".")
    held, function = code.module(file), code.function(file, name)
    cases = texts.cases(draw)[claim]
    if file == "q1d_neural_lm":
        before, after, *network = cases[0]
        index = {"in_word_index": before, "out_word_index": after, "num_of_examples": len(before)}
        _set_globals(held, *network, **index)
    values = [function(*deepcopy(case)) for case in cases]
    pairs = [v if isinstance(v, tuple | list) and len(v) == 2 else (v,) for v in values]
    for key, parts in zip(("result", "gradient"), zip(*pairs, strict=False), strict=False):
        found.put(**{key: np.concatenate([np.ravel(part).astype(float) for part in parts])})


def _set_globals(held: ModuleType, vectors: Any, dimensions: Any, params: Any, **more: Any) -> None:
    """The global names that the homework's main program sets, and functions of its form read."""
    if "perplexity" not in vars(held):
        width, hidden, classes = dimensions
        vars(held).update(
            input_dim=width, hidden_dim=hidden, output_dim=classes, vocabsize=classes,
            dimensions=list(dimensions), params=params, num_to_word_embedding=vectors, **more,
        )  # fmt: skip


def gradcheck(code: Code, found: Answer, draw: int) -> None:
    """Whether the submission's gradient check lets each gradient pass."""
    function = code.function("gradcheck", "gradcheck_naive", "grad_check")
    passed: dict[str, list[bool]] = {"right": [], "wrong": [], "noisy": []}
    for kind, f, at in texts.gradients(draw):
        with quiet() as said:
            try:
                answer = function(f, np.array(at))
                passed[kind].append(answer is not False and "fail" not in said.getvalue().lower())
            except AssertionError:
                passed[kind].append(False)
    found.put(**{kind: np.array(each) for kind, each in passed.items()})


def saves(code: Code, found: Answer, draw: int) -> None:
    """How far sgd goes over its halving, with saves every ten steps, and on from what it saved."""
    held, function = code.module("sgd"), code.function("sgd", "sgd")
    descend, zeros = texts.falling(texts.slope(draw)), np.zeros(2)
    reached = function(descend, zeros.copy(), 1.0, 20_001, None, False, 100_000)
    found.put(reached=np.abs(reached))
    with patch.object(held, "SAVE_PARAMS_EVERY", 10, create=True):
        function(descend, zeros.copy(), 1.0, 25, None, True, 1000)
        names = " ".join(sorted(p.name for p in Path().glob("saved_params_*.npy"))[:10])
        found.put(files=np.array([int(n) for n in re.findall(r"(\d+)\.npy", names)]))
        with contextlib.suppress(OSError, ValueError):
            found.put(kept=abs(np.load("saved_params_20.npy", allow_pickle=False)))
        again = function(descend, zeros + 100.0, 1.0, 30, None, True, 1000)
    found.put(again=np.abs(again))


def perplexity(code: Code, found: Answer, draw: int) -> None:
    """The perplexity of a short text, with parameters of a draw."""
    held = code.module("q1d_neural_lm")
    function = code.function("q1d_neural_lm", "eval_neural_lm")
    listed, vectors = texts.write_text(Path(), draw)
    numbers = {word: number for number, word in enumerate(listed)}
    names = {"num_to_word": dict(enumerate(listed)), "word_to_num": numbers}
    _set_globals(held, vectors.tolist(), texts.NETWORK, texts.parameters(draw), **names)
    np.save(texts.SAVED, texts.parameters(draw))
    found.put(perplexity=np.asarray(function(str(Path("language", "ptb-dev.txt").resolve()))))


# -- networks ------------------------------------------------------------------------------------


@torch.no_grad()
def characters(code: Code, found: Answer, draw: int, steps: Sequence[int]) -> None:
    """The character model, a step at a time; weights go by a layer's kind, not by its name."""
    kinds = [k for k in code.classes(CHARACTERS, "the character model") if k.__name__ == "OurModel"]
    expect(kinds, "missing", "there is no class OurModel")
    made = kinds[-1](11, 7, 11, 1).float().eval()
    for layer in made.modules():
        for name, parameter in layer.named_parameters(recurse=False):
            drawn = weights(f"{type(layer).__name__}.{name}", parameter.shape, draw, 0.5)
            parameter.copy_(drawn)
    outputs, states = [], [torch.zeros(1, 1, 7)]
    for character in steps:
        got = made(torch.tensor(character), states[-1])
        pair = isinstance(got, tuple | list) and len(got) == 2
        expect(pair, "form", "forward() gives no pair (output, hidden)")
        outputs.append(got[0].reshape(-1))
        states.append(got[1])
        found.put(output=torch.stack(outputs), state=torch.stack(states[1:]))


def network(code: Code, found: Answer, draw: int, version: int) -> None:
    """A version of the averaging network: what its first layer reads, and its answers.

    Versions are counted from the last one back; the first one is asked again instead of those
    that are not there.
    """
    kinds = [k for k in code.classes(AVERAGING, "the averaging network") if _is_network(k)]
    expect(kinds, "missing", "there is no class DAN whose forward() takes attention_masks")
    kind, vectors = kinds[-min(version, len(kinds))], texts.glove(draw)
    np.save("glove.npy", vectors)
    named = [n for n in inspect.signature(kind.__init__).parameters
             if "drop" in n.lower() or n == "p"]  # fmt: skip

    def build(rate: float) -> tuple[nn.Module, list[Any]]:
        torch.manual_seed(0)
        made = kind(**{named[0]: rate}) if named else kind()
        linear = [layer for layer in made.modules() if isinstance(layer, nn.Linear)]
        expect(linear, "form", "the averaging network has no nn.Linear")
        seen: list[Any] = []
        linear[0].register_forward_pre_hook(
            lambda _m, given: seen.append(given[0].detach().clone())
        )
        return made, seen

    still, seen = build(0.0)
    got = _ask(still.eval(), texts.TEXTS)
    expect(seen, "form", "nothing goes through the network's linear layers")
    found.put(average=seen[0].reshape(len(texts.TEXTS), -1))
    if isinstance(got, dict) and {"loss", "logits"} <= set(got):
        found.put(logits=got["logits"], loss=torch.as_tensor(got["loss"]))
    dropping, seen = build(texts.DROPPED)
    for count, mode in zip(texts.TRIES, (True, False), strict=True):
        for _ in range(count):
            _ask(dropping.train(mode), [list(range(1, len(vectors)))])
    found.put(dropped=torch.stack([s.reshape(-1) for s in seen]))


def _is_network(kind: type) -> bool:
    return issubclass(kind, nn.Module) and (
        "attention_masks" in inspect.signature(kind.forward).parameters
    )


@torch.no_grad()
def _ask(made: nn.Module, rows: list[list[int]]) -> Any:
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    masks = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    labels = torch.tensor([i % 2 for i in range(len(rows))])
    return made(input_ids=ids, attention_masks=masks, labels=labels)


def _put(probe: Probe, name: str, submission: Submission, found: Answer, how: Any) -> None:
    with quiet(submission.scratch / name):
        probe(Code(submission.folder), found, how.draw)


_ASKED: dict[str, Probe] = {
    "files": partial(imports, modules=MODULES[:-1]),
    "lm": partial(imports, modules=MODULES[-1:]),
    "built": partial(characters, steps=()),
    "steps": partial(characters, steps=(3, 8, 3)),
    "gradcheck": gradcheck,
    "saves": saves,
    "q1d_neural_lm.eval_neural_lm": perplexity,
    **{claim: partial(call, claim=claim) for claim in texts.cases(0)},
    **{claim: partial(network, version=back) for back, claim in enumerate(VERSIONS, 1)},
}
# By the name of what is claimed.
PROBES = {name: partial(_put, probe, name) for name, probe in _ASKED.items()}
