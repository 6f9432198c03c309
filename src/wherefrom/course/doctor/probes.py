"""What is asked of a submission of the birthplaces assignment, in the process that runs its code.

Each probe puts what the submission gives into an answer. Nothing is judged: a probe knows no right
answer, and what it tells is the submission's word for it.
"""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from wherefrom.course.doctor import exercises, programs
from wherefrom.course.doctor.exercises import fill
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission


class Answer:
    """The claim that is being made: what was put into it stays, whatever is raised later."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.arrays: dict[str, np.ndarray] = {}

    def put(self, **found: Any) -> None:
        """Arrays of numbers stay such; all else must be what JSON can say."""
        for key, value in found.items():
            value = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
            numbers = isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
            (self.arrays if numbers else self.values)[key] = value

    def put_state(self, key: str, state: Mapping[str, torch.Tensor]) -> None:
        """Parameters by name, in their order."""
        self.put(**{key: list(state)}, **{f"{key}/{name}": value for name, value in state.items()})

    def write(self, path: Path, raised: Mapping[str, str]) -> None:
        told = {"values": json.dumps(self.values, default=repr), "raised": json.dumps(raised)}
        save_file(self.arrays, path, told)


def imports(submission: Submission, found: Answer, how: Any) -> None:
    found.put(errors=submission.code[1])


# -- data sets -----------------------------------------------------------------------------------


def spans(submission: Submission, found: Answer, how: Any) -> None:
    data = submission.CharCorruptionDataset(how.text, how.block)
    random.seed(how.block)  # a copy of our own solution draws what ours draws
    examples(found, data, how.draws)
    _put_symbols(found, data)
    found.put(length=len(data), vocab_size=getattr(data, "vocab_size", None))
    found.put(stoi=[[str(c), int(i)] for c, i in data.stoi.items()])


def _put_symbols(found: Answer, data: Any) -> None:
    itos = getattr(data, "itos", {})
    pairs = itos.items() if hasattr(itos, "items") else enumerate(itos)
    found.put(itos=[[int(i), str(c)] for i, c in pairs])


def examples(found: Answer, data: Any, draws: Sequence[int]) -> None:
    """x and y of these examples, and of what kind they are."""
    drawn: list[list[list[int]]] = []
    kinds: set[str] = set()
    found.put(examples=drawn)  # those before an exception count
    for index in draws:
        item = data[index]
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise Finding("form", f"an example should be a pair x, y and is {_kind(item)}")
        kinds |= {f"{key} {_kind(part)}" for key, part in zip("xy", item, strict=True)}
        found.put(kinds=sorted(kinds))
        drawn.append([torch.as_tensor(part).long().flatten().tolist() for part in item])


def _kind(value: object) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype} of {value.dim()} dimensions"
    return type(value).__name__


# -- layers and models ---------------------------------------------------------------------------


def layer(submission: Submission, found: Answer, how: Any) -> None:
    """What a layer gives for some inputs, with the weights of a draw."""
    made = fill(getattr(submission, how.name)(SimpleNamespace(**how.config)), how.draw, how.spread)
    found.put_state("weights", dict(made.named_parameters()))
    with torch.no_grad():
        found.put(output=_first(made(*(torch.tensor(x, dtype=torch.float64) for x in how.inputs))))


def model(submission: Submission, found: Answer, how: Any) -> None:
    """Logits, what the parts around gave on the way, loss, and dropout."""
    made = fill(programs.build(submission, how), how.draw, how.spread)
    found.put_state("weights", dict(made.named_parameters()))
    kept: dict[str, Tensor] = {}
    for name, part in made.named_modules():
        if name in ("down_block", "up_block") or re.fullmatch(r"blocks\.\d+\.attn", name):
            part.register_forward_hook(partial(_keep, kept, name))
    inputs = torch.tensor(how.ids)
    with torch.no_grad():
        found.put(logits=_first(made(inputs)))
        found.put_state("inside", kept)
        loss = made(inputs, torch.tensor(how.targets))
        found.put(loss=loss[1] if isinstance(loss, tuple) and len(loss) > 1 else None)
        found.put(beside=_first(loss))
        found.put(still=_several(made, inputs))
        config = submission.GPTConfig(how.vocabulary, how.sizes["block_size"])
        found.put(rates={name: getattr(config, name, None) for name in how.rates[0]})
        for number, own in enumerate(how.rates):
            other = fill(programs.build(submission, how, **own), how.draw, how.spread).train()
            found.put(**{f"dropped{number}": _several(other, inputs)})


def _keep(kept: dict[str, Tensor], name: str, _: Any, __: Any, output: Any) -> None:
    kept.setdefault(name, _first(output))


def start(submission: Submission, found: Answer, how: Any) -> None:
    """A model of the course's sizes as it is before any training."""
    made = programs.build(submission, how)
    found.put_state("weights", dict(made.named_parameters()))


def _several(made: nn.Module, ids: Tensor) -> Tensor:
    with torch.no_grad():
        return torch.stack([_first(made(ids)) for _ in range(3)])


def _first(output: Any) -> Any:
    """What a student's module computed; some give a loss or the weights beside it."""
    return output[0] if isinstance(output, tuple) else output


# -- training ------------------------------------------------------------------------------------


def stage(submission: Submission, found: Answer, how: Any) -> None:
    """What a stage sets up for a small model: config, data, weights.

    With `shrunken` settings its training is run as well, and what it saves is told.
    """
    corpus = submission.scratch / "birth_places_train.tsv"
    corpus.write_text(how.table, encoding="utf-8")
    pretraining = submission.CharCorruptionDataset(how.text, 128)
    _put_symbols(found, pretraining)
    how.vocabulary, name = len(pretraining.stoi), how.function
    files = {"finetune_corpus_path": corpus} if name == "finetune" else {}
    if how.reads:
        path = submission.scratch / f"{how.variant}.pretrain.params"
        torch.save(_set(programs.build(submission, how), how.draw + 1).state_dict(), path)
        files |= {"reading_params_path": path}
    ran = programs.run(submission, name, how, files, partial(_set, draw=how.draw))
    if not ran.trainers:
        text = f"{name} makes no Trainer: write this part first"
        raise ran.error or Finding("unwritten", text)
    held = ran.data
    # The course's file ends with a newline in some copies and not in others; so do data sets.
    rows, line = how.table.count("\n"), how.table.removesuffix("\n")
    if name == "finetune" and line != how.table and len(held or ()) == rows + 1:
        how.table = line
        stage(submission, found, how)
        return
    one, other = ((type(data), getattr(data, "data", None)) for data in (held, pretraining))
    found.put(config=ran.config, calls=ran.trained, same=one == other)
    found.put_state("weights", ran.loaded)
    if held is not None:
        found.put(length=len(held))
        _put_symbols(found, held if hasattr(held, "itos") else pretraining)
        examples(found, held, range(min(len(held), 3)))
    if how.shrunken is not None and ran.written.is_file():
        saved = _loaded(ran.written).items()
        found.put_state("saved", {name: value for name, value in saved if name in ran.loaded})
    if ran.error is not None:
        raise ran.error


def _set(made: nn.Module, draw: int) -> nn.Module:
    return fill(made, draw, 0.05).float().train()


def trainer(submission: Submission, found: Answer, how: Any) -> None:
    """A small model after the submission's trainer, and the order in which it took the examples."""
    made, data = fill(exercises.Small(), how.draw, 0.3), exercises.Rows(how.x, how.y)
    config = submission.TrainerConfig(**how.settings | {"betas": tuple(how.settings["betas"])})
    held = submission.Trainer(made, data, None, config)
    held.train()
    ran = programs.Ran(submission.scratch, [made], [held])
    found.put(end=torch.nn.utils.parameters_to_vector(ran.model.parameters()).double())
    found.put(seen=data.seen[:1000])


# -- answers -------------------------------------------------------------------------------------


def sample(submission: Submission, found: Answer, how: Any) -> None:
    made, rows = fill(exercises.Small(), how.draw, 1.0), []
    for seed in (1, 2, 3):
        torch.manual_seed(seed)
        got = submission.sample(made, torch.tensor(how.x), how.steps, sample=False)
        if not isinstance(got, Tensor):
            raise Finding("generation", f"sample() gives {type(got).__name__}, not a tensor")
        rows.append(got)
    found.put(rows=torch.stack(rows))


def scoring(submission: Submission, found: Answer, how: Any) -> None:
    results = []
    for number, (text, places) in enumerate(how.cases):
        path = submission.scratch / f"{number}.tsv"
        path.write_text(text, encoding="utf-8")
        got = submission.evaluate_places(str(path), places)
        results.append([float(v) for v in got] if isinstance(got, tuple | list) else repr(got)[:40])
    found.put(results=results)


def _loaded(path: Path) -> dict[str, Tensor]:
    """What the submission itself has saved: tensors by name."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        if not state or not all(isinstance(value, Tensor) for value in state.values()):
            raise TypeError("it holds something else than tensors by name")
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:150]
        text = f"{path.name} gives no state_dict when loaded with weights_only=True: {said}"
        raise Finding("parameters file", text) from error
    return {str(name): value.float() for name, value in state.items()}


PROBES: dict[str, Callable[..., None]] = {
    probe.__name__: probe
    for probe in (imports, spans, layer, model, start, stage, trainer, sample, scoring)
}
