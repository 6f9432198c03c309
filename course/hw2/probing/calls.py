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
from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.submission import Submission

Probe = Callable[[Any, Any, int], None]  # whose code, where its answers go, and the draw


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
    """What a function gives for the arguments of the draw."""
    file, name = texts.CALLED[claim]
    held, function = code.module(file), code.function(file, name)
    cases = texts.cases(draw)[claim]
    if file == "q1d_neural_lm":
        before, after, *network = cases[0]
        index = {"in_word_index": before, "out_word_index": after, "num_of_examples": len(before)}
        _set_globals(held, *network, **index)
    for number, case in enumerate(cases):
        value = function(*deepcopy(case))
        pair = value if isinstance(value, tuple | list) and len(value) == 2 else (value,)
        for key, part in zip(("result", "gradient"), pair, strict=False):
            found.put(**{f"{key}{number}": np.asarray(part, dtype=float)})


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
    state = torch.zeros(1, 1, 7)
    for number, character in enumerate(steps):
        got = made(torch.tensor(character), state)
        pair = isinstance(got, tuple | list) and len(got) == 2
        expect(pair, "form", "forward() gives no pair (output, hidden)")
        output, state = got
        found.put(**{f"output{number}": output.reshape(-1), f"state{number}": state.reshape(-1)})


def networks(code: Code, found: Answer, draw: int) -> None:
    """Every version of the averaging network: what its first layer reads, and its answers."""
    kinds = [k for k in code.classes(AVERAGING, "the averaging network") if _is_network(k)][-4:]
    expect(kinds, "missing", "there is no class DAN whose forward() takes attention_masks")
    found.put(versions=len(kinds))
    last: Exception | None = None
    for number, kind in enumerate(kinds):
        try:
            _ask_network(found, number, kind, texts.glove(draw))
        except Exception as error:
            last = error
    if last:
        raise last


def _is_network(kind: type) -> bool:
    return issubclass(kind, nn.Module) and (
        "attention_masks" in inspect.signature(kind.forward).parameters
    )


def _ask_network(found: Answer, number: int, kind: Any, vectors: Any) -> None:
    np.save("glove.npy", vectors)
    named = [n for n in inspect.signature(kind.__init__).parameters
             if "drop" in n.lower() or n == "p"]  # fmt: skip

    def build(rate: float) -> tuple[nn.Module, list[Any]]:
        torch.manual_seed(0)
        made = kind(**{named[0]: rate}) if named else kind()
        linear = next((m for m in made.modules() if isinstance(m, nn.Linear)), None)
        if linear is None:
            raise Finding("form", "the averaging network has no nn.Linear")
        seen: list[Any] = []
        linear.register_forward_pre_hook(lambda _m, given: seen.append(given[0].detach().clone()))
        return made, seen

    still, seen = build(0.0)
    got = _ask(still.eval(), texts.TEXTS)
    expect(seen, "form", "nothing goes through the network's linear layers")
    found.put(**{f"mean{number}": seen[0].reshape(len(texts.TEXTS), -1)})
    if isinstance(got, dict) and {"loss", "logits"} <= set(got):
        found.put(
            **{f"logits{number}": got["logits"], f"loss{number}": torch.as_tensor(got["loss"])}
        )
    dropping, seen = build(texts.DROPPED)
    whole = [list(range(1, len(vectors)))]
    for count, mode in zip(texts.TRIES, (True, False), strict=True):
        for _ in range(count):
            _ask(dropping.train(mode), whole)
    found.put(**{f"dropped{number}": torch.stack([s.reshape(-1) for s in seen])})


@torch.no_grad()
def _ask(made: nn.Module, rows: list[list[int]]) -> Any:
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    masks = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    labels = torch.tensor([i % 2 for i in range(len(rows))])
    return made(input_ids=ids, attention_masks=masks, labels=labels)


def _put(probe: Probe, name: str, submission: Submission, found: Answer, how: Any) -> None:
    code = Code(submission, how.given)
    with quiet(code.scratch / name):
        probe(code, found, how.draw)


_ASKED: dict[str, Probe] = {
    "files": partial(imports, modules=MODULES[:-1]),
    "lm": partial(imports, modules=MODULES[-1:]),
    "built": partial(characters, steps=()),
    "steps": partial(characters, steps=(3, 8, 3)),
    **{probe.__name__: probe for probe in (gradcheck, saves, perplexity, networks)},
    **{claim: partial(call, claim=claim) for claim in texts.CALLED},
}
# By the name of what is claimed.
PROBES = {name: partial(_put, probe, name) for name, probe in _ASKED.items()}
