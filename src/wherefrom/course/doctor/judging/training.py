"""Judges what `pretrain`, `finetune` and `train` set up and leave, or CS224N's run.py.

Settings are only claimed: a number that was copied looks like one that was set. So they earn
nothing by themselves; what the model holds afterwards is computed here.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F

from wherefrom.course.doctor.exercises import Request, weights
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import computation
from wherefrom.course.doctor.judging import name_data as names
from wherefrom.course.doctor.judging.claims import Claim, Claims, Table
from wherefrom.course.doctor.judging.name_data import BLOCK, DOCUMENTS
from wherefrom.course.doctor.judging.spans import MASK, PAD, symbols_of
from wherefrom.course.doctor.years import Year

SCRATCH, PRETRAIN, FINETUNE = "finetune from scratch", "pretrain", "finetune"
WARMUP = 512 * 20
PEAK = {"pretrain": 6e-3, "finetune": 6e-4}
SIZES = {"n_head": 2, "n_embd": 16, "block_size": BLOCK, "embd_pdrop": 0.0, "resid_pdrop": 0.0,
         "attn_pdrop": 0.0}  # fmt: skip
SPREAD = 0.05  # of the small models' weights
# The share of the loss that is left, at most: a training leaves 0.4 to 0.5, random numbers 0.98.
LEARNT = 0.9
_NO_PAD = -100  # pads count in the loss, which is a mistake of the model
# A training of seconds, at a rate at which it must learn something.
SHRUNKEN = {"max_epochs": 20, "batch_size": 2, "learning_rate": 0.01, "lr_decay": False,
            "num_workers": 0}  # fmt: skip


def expected_config(stage: str, year: Year) -> dict[str, float]:
    """The hyperparameters that the assignment's comments ask for."""
    epochs = {PRETRAIN: 650, SCRATCH: 75, FINETUNE: 10}[stage]
    kind = stage.split()[0]
    return {
        "max_epochs": epochs,
        "batch_size": {"pretrain": 128, "finetune": 256}[kind],
        "learning_rate": PEAK[kind],
        "lr_decay": True,
        "warmup_tokens": WARMUP,
        "final_tokens": (year.passes if kind == "pretrain" else 200) * DOCUMENTS * BLOCK,
    }


_FIELDS = ("betas", "grad_norm_clip", "weight_decay", "num_workers")


def requests(year: Year, draw: int) -> list[Request]:
    fields = [*expected_config(PRETRAIN, year), *_FIELDS]
    common = {"text": names.text(draw), "table": names.table(draw), "draw": draw, "fields": fields}
    asked = [
        (name_of(PRETRAIN), PRETRAIN, "vanilla"),
        (name_of(FINETUNE), FINETUNE, "vanilla"),
        ("finetune-g", FINETUNE, year.variant),
        (name_of(SCRATCH), SCRATCH, "vanilla"),
    ]
    found: list[Request] = []
    for name, stage, variant in asked:
        sizes = SIZES | {"n_layer": 3 if variant == "perceiver" else 1}
        own = {"stage": stage, "variant": variant, "sizes": sizes, "latents": 5}
        own["shrunken"] = SHRUNKEN if stage == SCRATCH else None
        found.append(Request(name, "stage", common | own))
    return found


def name_of(stage: str) -> str:
    return stage.replace(" ", "-")


def check_config(claims: Claims, stage: str, name: str = "") -> str | None:
    claim, year = claims[name or name_of(stage)], claims.year
    config = claim.value("config", dict)
    for field, value in expected_config(stage, year).items():
        found = config.get(field)
        if not isinstance(found, int | float) or not math.isclose(found, value, rel_tol=1e-9):
            raise Finding("config", f"{stage}: {field} is {found!r:.40}, expected {value!r}")
    for field in _FIELDS[:-1]:
        if config.get(field) is None:
            raise Finding("config", f"{stage}: the config has no {field}")
    found = config.get("num_workers")
    if found != year.num_workers:
        return f"num_workers={found!r:.20}, not {year.num_workers}: no matter"
    return None


def check_names(claims: Claims) -> None:
    """The examples that the trainer of finetuning holds; they come from the file that was named."""
    claim = claims[name_of(SCRATCH)]
    names.check_items(claim, claims.draw)
    check_paths(claim, "finetune_corpus_path", ".tsv")


def check_paths(claim: Claim, argument: str, ending: str) -> None:
    """A path that only the student's machine has was let pass; it is a mistake all the same."""
    if own := [e for e in claim.excuses if e.startswith("path") and f"{ending} at" in f"{e} at"]:
        text = f"it reads {own[0][5:]}, not the file that {argument} names"
        raise Finding("hard-coded path", text)


def check_corpus(claims: Claims) -> None:
    """The trainer of pretraining holds the pretraining data set."""
    if not claims[name_of(PRETRAIN)].value("same", bool):
        raise Finding("data", "the trainer of pretraining does not hold the pretraining data set")


def check_trains_once(claims: Claims) -> None:
    """`train`, or run.py, trains once and then saves: the saved model has learnt something.

    Its loss is computed here, with the course's model, on the questions that it was trained on.
    """
    claim = claims[name_of(SCRATCH)]
    start, calls = _weights(claim, claims.draw), claim.value("calls", int)
    who = "train()" if claims.package else "run.py finetune"
    try:
        saved = claim.parameters("saved")
    except Finding as finding:
        if finding.mistake != "form":
            raise
        text = f"{who} writes no parameters of the model to writing_params_path"
        raise Finding("not written" if calls else "never trained", text) from None
    if calls != 1:
        said = {0: "never", 2: "twice"}.get(calls, f"{calls} times")
        mistake = "trained twice" if calls else "never trained"
        raise Finding(mistake, f"{who} calls trainer.train() {said}, expected once")
    if not _differs(start, saved):
        text = f"what {who} writes are the parameters from before the training"
        raise Finding("saved before training", text)
    _check_learnt(claims, start, saved, f"what {who} writes")


def _check_learnt(claims: Claims, start: Table, saved: Table, what: str) -> None:
    """What is wrong with the model costs the test of the model: a mistake in it is taken along."""
    claim, before, after = claims[name_of(SCRATCH)], 0.0, 0.0
    mistakes = [({}, 0), ({}, _NO_PAD)]
    mistakes += [(changes, 0) for changes, *_ in (*computation.LEFT_OUT, *computation.VANILLA)]
    for changes, pad in mistakes:
        before, after = (_loss(state, claim, claims.draw, changes, pad) for state in (start, saved))
        if after < LEARNT * before:
            return
    text = f"{what} has a loss of {after:.3g}, and {before:.3g} before training"
    raise Finding("not written", text)


def _weights(claim: Claim, draw: int) -> Table:
    shapes = claim.shapes()
    return Table({name: weights(name, shape, draw, SPREAD).float() for name, shape in shapes})


def _loss(state: Table, claim: Claim, draw: int, changes: dict[str, Any], pad: int) -> float:
    """The mean loss of the answers, in the course's model or one with a mistake."""
    usual = (PAD, MASK, *sorted(set(names.text(draw))))
    symbols = {c: i for i, c in symbols_of(claim, usual).items()}
    x, y = list[list[int]](), list[list[int]]()
    for question, answer in names.rows(draw):
        whole = f"{question}{MASK}{answer}{MASK}".ljust(BLOCK, PAD)
        learnt = PAD * (len(question) - 1) + whole[len(question) :]
        if not set(whole) <= symbols.keys():
            raise Finding("vocabulary size", "its symbols are not those of the text")
        x.append([symbols[c] for c in whole[:-1]])
        y.append([symbols[c] for c in learnt])
    if len(state["tok_emb.weight"]) != len(usual):
        text = f"{len(state['tok_emb.weight'])} symbols, expected {len(usual)}"
        raise Finding("vocabulary size", text)
    logits = computation.whole(state, "vanilla", SIZES["n_head"], **changes)(torch.tensor(x))
    wanted = torch.tensor(y).flatten()
    return float(F.cross_entropy(logits.flatten(0, 1), wanted, ignore_index=pad))


def check_loaded(claims: Claims, name: str = FINETUNE) -> None:
    """With a path, the trainer's model holds what the file holds."""
    claim = claims[name]
    held = claim.parameters()
    if not _differs(_weights(claim, claims.draw + 1), held):
        check_paths(claim, "reading_params_path", ".params")
        return
    if not _differs(_weights(claim, claims.draw), held):
        text = "finetune() leaves the model as it was: the parameters of the file are not in it"
        raise Finding("not loaded", text)
    raise Finding("not loaded", "after finetune() the model does not hold the file's parameters")


def _differs(a: Table, b: Table) -> bool:
    return a.keys() != b.keys() or any(not torch.equal(a[k], b[k].float()) for k in a)
