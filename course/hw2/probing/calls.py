"""What a submission of the homework is asked; nothing is judged here, and no solution is known.

Where a function builds on another file of the submission, it may be called a second time with right
functions in their place: these come as a file that only the process of the second call is given.
"""

import contextlib
import inspect
import io
import runpy
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from probing import texts
from probing.loading import AVERAGING, CHARACTERS, definitions, module, own
from wherefrom.course.doctor.child import Answer
from wherefrom.course.doctor.exercises import fill
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

RIGHT = "right.py"


@contextlib.contextmanager
def quiet(folder: Path = Path()) -> Iterator[io.StringIO]:
    """In a folder of its own, with what is printed kept."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()) as said,
        contextlib.redirect_stderr(said),
        np.errstate(all="ignore"),
    ):
        yield said


def mend(held: ModuleType, given: Path, names: list[str]) -> None:
    """Put right functions in the place of those that the module takes from other files."""
    if names:
        right = runpy.run_path(str(given / RIGHT))
        vars(held).update({name: right[name] for name in names if hasattr(held, name)})


def imports(submission: Submission, found: Answer, how: Any) -> None:
    for name in how.modules:
        module(submission, name)
    found.put(modules=how.modules)


def call(submission: Submission, found: Answer, how: Any) -> None:
    """What a function gives for the arguments of the draw."""
    held, function = module(submission, how.file), own(submission, how.file, how.function)
    mend(held, how.given, how.mended)
    cases = texts.cases(how.draw)[how.claim]
    if how.file == "q1d_neural_lm":
        before, after, *network = cases[0]
        index = {"in_word_index": before, "out_word_index": after, "num_of_examples": len(before)}
        _set_globals(held, *network, **index)
    for number, case in enumerate(cases):
        with quiet():
            _put(found, f"result{number}", function(*deepcopy(case)))


def _set_globals(held: ModuleType, vectors: Any, dimensions: Any, params: Any, **more: Any) -> None:
    """The global names that the homework's main program sets, and functions of its form read."""
    if "perplexity" not in vars(held):
        width, hidden, classes = dimensions
        vars(held).update(
            input_dim=width, hidden_dim=hidden, output_dim=classes, vocabsize=classes,
            dimensions=list(dimensions), params=params, num_to_word_embedding=vectors, **more,
        )  # fmt: skip


def _put(found: Answer, key: str, value: Any) -> None:
    parts = value if isinstance(value, tuple | list) and len(value) == 2 else (value,)
    for number, part in enumerate(parts):
        try:
            found.put(**{f"{key}_{number}": np.asarray(part, dtype=float)})
        except (TypeError, ValueError):
            raise Finding("form", f"the result is {type(part).__name__}, not numbers") from None


def gradcheck(submission: Submission, found: Answer, how: Any) -> None:
    """Whether the submission's gradient check lets each gradient pass."""
    function = own(submission, "gradcheck", "gradcheck_naive", "grad_check")
    passed: list[bool] = []
    for f, at in (case[1:] for case in texts.gradients(how.draw)):
        with quiet() as said:
            try:
                answer = function(f, np.array(at))
                passed.append(answer is not False and "fail" not in said.getvalue().lower())
            except AssertionError:
                passed.append(False)
    found.put(passed=passed)


def saves(submission: Submission, found: Answer, how: Any) -> None:
    """sgd over its halving, then with saves every ten steps, and then on from what it saved."""
    held, function = module(submission, "sgd"), own(submission, "sgd", "sgd")
    descend, zeros = texts.falling(texts.slope(how.draw)), np.zeros(2)
    with quiet(submission.scratch / "annealed"):
        reached = function(descend, zeros.copy(), 1.0, 20_001, None, False, 100_000)
    found.put(reached=np.asarray(reached, dtype=float))
    with quiet(submission.scratch / "saved"):
        vars(held)["SAVE_PARAMS_EVERY"] = 10
        function(descend, zeros.copy(), 1.0, 25, None, True, 1000)
        found.put(files=sorted(p.name for p in Path().glob("saved_params_*.npy"))[:10])
        with contextlib.suppress(OSError, ValueError):
            found.put(kept=np.load("saved_params_20.npy", allow_pickle=False))
        again = function(descend, zeros + 100.0, 1.0, 30, None, True, 1000)
    found.put(again=np.asarray(again, dtype=float))


def perplexity(submission: Submission, found: Answer, how: Any) -> None:
    """The perplexity of a short text, with parameters of a draw."""
    held = module(submission, "q1d_neural_lm")
    function = own(submission, "q1d_neural_lm", "eval_neural_lm")
    mend(held, how.given, how.mended)
    home = submission.scratch / "text"
    listed, vectors = texts.write_text(home, how.draw)
    params = texts.parameters(how.draw)
    dimensions = (texts.WIDTH, texts.HIDDEN, texts.WORDS)
    numbers = {word: number for number, word in enumerate(listed)}
    names = {"num_to_word": dict(enumerate(listed)), "word_to_num": numbers}
    _set_globals(held, vectors.tolist(), dimensions, params, **names)
    with quiet(home):
        np.save(texts.SAVED, params)
        _put(found, "perplexity", function(str(home / "language" / "ptb-dev.txt")))


# -- networks ------------------------------------------------------------------------------------


def characters(submission: Submission, found: Answer, how: Any) -> None:
    """The character model, a step at a time, with the weights of a draw."""
    kinds = definitions(submission, CHARACTERS, "the character model").get("OurModel")
    if not kinds:
        raise Finding("missing", "there is no class OurModel")
    made = fill(kinds[-1](11, 7, 11, 1), how.draw, 0.5).float()
    found.put(layers=[[path, type(m).__name__] for path, m in made.named_modules()][:50])
    if not how.steps:
        return
    outputs, states, state = [], [], torch.zeros(1, 1, 7)
    with torch.no_grad():
        for character in how.steps:
            got = made(torch.tensor(character), state)
            if not isinstance(got, tuple | list) or len(got) != 2:
                raise Finding("form", "forward() gives no pair (output, hidden)")
            output, state = got
            outputs.append(output.reshape(-1))
            states.append(state.reshape(-1))
    found.put(outputs=torch.stack(outputs), states=torch.stack(states))


def networks(submission: Submission, found: Answer, how: Any) -> None:
    """Every version of the averaging network: what its first layer reads, and its answers."""
    kinds = [k for ks in definitions(submission, AVERAGING, "the averaging network").values()
             for k in ks if _is_network(k)]  # fmt: skip
    if not kinds:
        raise Finding("missing", "there is no class DAN whose forward() takes attention_masks")
    errors: list[str] = []
    for number, kind in enumerate(kinds[-4:]):
        try:
            with quiet(submission.scratch / f"dan{number}"):
                _ask_network(found, number, kind, texts.glove(how.draw))
            errors.append("")
        except Exception as error:
            unwritten = isinstance(error, NotImplementedError)
            mistake = getattr(error, "mistake", "unwritten" if unwritten else "crash")
            errors.append(f"{mistake}:{type(error).__name__}: {error}"[:200])
    found.put(errors=errors)


def _is_network(kind: Any) -> bool:
    if not (isinstance(kind, type) and issubclass(kind, nn.Module)):
        return False
    return "attention_masks" in inspect.signature(kind.forward).parameters


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
    if not seen:
        raise Finding("form", "nothing goes through the network's linear layers")
    found.put(**{f"means{number}": seen[0].reshape(len(texts.TEXTS), -1)})
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


PROBES: dict[str, Callable[..., None]] = {
    probe.__name__: probe
    for probe in (imports, call, gradcheck, saves, perplexity, characters, networks)
}
