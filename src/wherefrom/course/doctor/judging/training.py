"""Judges what `pretrain`, `finetune` and `train` set up and leave, or CS224N's run.py.

Settings are only claimed: a number that was copied looks like one that was set. So they earn
nothing by themselves; what the model holds afterwards is computed here. The examples of names are
compared in full: the model reads the question and learns only the answer.
"""

import math
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.judging.claims import Claim, Claims, Table
from wherefrom.course.doctor.judging.computation import LEFT_OUT, NO_PAD, computed, mistakes_of
from wherefrom.course.doctor.judging.spans import MASK, PAD, characters, examples, symbols_of
from wherefrom.course.doctor.years import Year, variant_of
from wherefrom.models.gpt import GPT, GPTConfig

SCRATCH, PRETRAIN = "finetune-from-scratch", "pretrain"
READING = FINETUNE, PART_G = "finetune", "finetune-g"  # the stages that read a file of parameters
BLOCK = 128
DOCUMENTS = 2937  # in the course's data, which the schedules are made for
SIZES = {"n_head": 2, "n_embd": 16, "block_size": BLOCK, "embd_pdrop": 0.0, "resid_pdrop": 0.0,
         "attn_pdrop": 0.0}  # fmt: skip
SPREAD = 0.05  # of the small models' weights
# The share of the loss that is left, at most: a training leaves 0.4 to 0.5, random numbers 0.98.
LEARNT = 0.9
# A training of seconds, at a rate at which it must learn something.
SHRUNKEN = {"max_epochs": 20, "batch_size": 2, "learning_rate": 0.01, "lr_decay": False,
            "num_workers": 0}  # fmt: skip
_PLACES = ("Oslo", "Rome", "New York City", "Lima", "Kyoto", "Saint Helier")


# -- what is asked ---------------------------------------------------------------------------------


def rows(draw: int) -> list[tuple[str, str]]:
    """Three questions and answers, others for every draw."""
    dice = Random(draw)
    people = ["".join(dice.sample("abcdefghijklmnop", 5)).title() for _ in range(3)]
    forms = (f"{people[0]} P. Lund", f"Bo {people[1]}", f"{people[2]} Vane-Ash")
    places = dice.sample(_PLACES, 3)
    return [(f"Where was {name} born?", place) for name, place in zip(forms, places, strict=True)]


def table(draw: int) -> str:
    return "".join(f"{question}\t{answer}\n" for question, answer in rows(draw))


def text(draw: int) -> str:
    """As many documents as the course has: a line about each person, then short ones."""
    told = [f"{q[10:-6]}. Born in {place}, where she was. Kept: {q}" for q, place in rows(draw)]
    return "\n".join([*told, *["Ada."] * (DOCUMENTS - len(told))])


def expected_config(stage: str, year: Year) -> dict[str, float]:
    """The hyperparameters that the assignment's comments ask for."""
    own: dict[str, float] = {"batch_size": 256, "learning_rate": 6e-4}
    own["max_epochs"] = 10 if stage in READING else 75
    if stage == PRETRAIN:
        own = {"max_epochs": 650, "batch_size": 128, "learning_rate": 6e-3}
    tokens = (year.passes if stage == PRETRAIN else 200) * DOCUMENTS * BLOCK
    return own | {"lr_decay": True, "warmup_tokens": 512 * 20, "final_tokens": tokens}


def requests(year: Year, draw: int) -> list[Request]:
    fields = [*expected_config(PRETRAIN, year), "num_workers"]
    common = {"text": text(draw), "table": table(draw), "draw": draw, "fields": fields}
    found: list[Request] = []
    for name in (PRETRAIN, FINETUNE, PART_G, SCRATCH):
        variant = year.variant if name == PART_G else "vanilla"
        sizes = SIZES | {"n_layer": 3 if variant == "perceiver" else 1}
        own = {"variant": variant, "sizes": sizes, "latents": 5, "reads": name in READING}
        own |= {"function": name.split("-")[0], "shrunken": SHRUNKEN if name == SCRATCH else None}
        found.append(Request(name, "stage", common | own))
    return found


# -- what was set up -------------------------------------------------------------------------------


def check_config(claims: Claims, stage: str) -> str | None:
    config = claims[stage].value("config", dict)
    for field, value in expected_config(stage, claims.year).items():
        found = config.get(field)
        right = isinstance(found, int | float) and math.isclose(found, value, rel_tol=1e-9)
        expect(right, "config", f"{stage}: {field} is {found!r:.40}, expected {value!r}")
    found, usual = config.get("num_workers"), claims.year.num_workers
    return None if found == usual else f"num_workers={found!r:.20}, not {usual}: no matter"


def check_names(claims: Claims) -> None:
    """The examples that the trainer of finetuning holds; they come from the file that was named.

    x and y are compared character by character; both have `BLOCK` - 1. No year's hand-out has
    names of another length, whatever length its corrupted texts have.
    """
    claim, asked = claims[SCRATCH], rows(claims.draw)
    symbols, count = symbols_of(claim, text(claims.draw)), claim.value("length", int)
    found = [tuple(characters(ids, symbols) for ids in pair) for pair in examples(claim)]
    first, starts = found[0][0], tuple(line[:4] for line in text(claims.draw).split("\n"))
    pretraining = count == DOCUMENTS or (count != len(asked) and first.startswith(starts))
    said = "the trainer of finetuning reads the pretraining text, not the questions"
    expect(not pretraining, "finetuning on wiki.txt", f"{said}: an example is {first[:30]!r}")
    said = f"expected {len(asked)} examples of names, found {count}"
    expect(count == len(found) == len(asked), "names", said)
    moved = all(MASK in x and x[1:] == y[:-1] for x, y in found)
    cut = any(q not in x and q.startswith(x.partition(MASK)[0])
              for (q, _), (x, _) in zip(asked, found, strict=True))  # fmt: skip
    said = f"the questions are corrupted as the pretraining text is: an example is {first[:40]!r}"
    expect(not (moved and cut), "names corrupted", said)
    for index, (pair, (x, y)) in enumerate(zip(asked, found, strict=True)):
        whole, start = laid_out(*pair), len(pair[0]) - 1
        said = f"x of example {index} is {x[:50]!r}, not question and answer"
        expect(x == whole[:-1], "names", said)
        if y != PAD * start + whole[start + 1 :]:
            raise _wrong_target(index, *pair, y)


def laid_out(question: str, answer: str) -> str:
    return f"{question}{MASK}{answer}{MASK}".ljust(BLOCK, PAD)


def _wrong_target(index: int, question: str, answer: str, y: str) -> Finding:
    if y == laid_out(question, answer)[1:]:
        said = "y holds the question: the loss should begin with the mask after it"
        return Finding("question not masked in the loss", said)
    if y.strip(PAD) == f"{MASK}{answer}{MASK}":
        where = f"at {len(y) - len(y.lstrip(PAD))}, expected {len(question) - 1}"
        return Finding("wrong shift", f"y of example {index} begins {where}")
    said = f"y of example {index} learns {y.strip(PAD)[:50]!r}"
    return Finding("question not masked in the loss" if question[1:] in y else "names", said)


def check_corpus(claims: Claims) -> None:
    same = claims[PRETRAIN].value("same", bool)
    expect(same, "data", "the trainer of pretraining does not hold the pretraining data set")
    check_whole(claims, PRETRAIN)


# -- what the model holds afterwards ---------------------------------------------------------------


def check_trains_once(claims: Claims) -> None:
    """`train`, or run.py, trains once and then saves: the saved model has learnt something.

    Its loss is computed here, with the course's model of the variant that the saved parameters
    belong to, on the questions that it was trained on.
    What is wrong with the model costs the test of the model: a mistake in it is taken along.
    """
    claim = claims[SCRATCH]
    start, calls = _weights(claim, claims.draw), claim.value("calls", int)
    who = "train()" if claims.package else "run.py finetune"
    saved = claim.table("saved") or claim.check().table("saved")
    said = f"{who} writes no parameters of the model to writing_params_path"
    expect(saved, "not written" if calls else "never trained", said)
    said = f"{who} calls trainer.train() {calls} times, expected once"
    expect(calls == 1, "trained twice" if calls else "never trained", said)
    said = f"what {who} writes are the parameters as they were before"
    why = "saved too early, or something else was trained"
    expect(_differs(start, saved), "saved before training", f"{said}: {why}")
    x, y = _learnt(claim, claims.draw)
    size, wanted = len(saved["tok_emb.weight"]), len({PAD, MASK, *text(claims.draw)})
    expect(size == wanted, "vocabulary size", f"{size} symbols, expected {wanted}")
    before = after = 0.0
    variant = variant_of(saved) or "vanilla"
    mistakes = [changes for changes, *_ in (*LEFT_OUT, *mistakes_of(variant))]
    for changes, pad in [({}, 0), ({}, NO_PAD), *((changes, 0) for changes in mistakes)]:
        outputs = (computed(state, variant, SIZES["n_head"], **changes)(x).flatten(0, 1)
                   for state in (start, saved))  # fmt: skip
        before, after = (float(F.cross_entropy(z, y, ignore_index=pad)) for z in outputs)
        if after < LEARNT * before:
            return
    said = f"what {who} writes has a loss of {after:.3g}, and {before:.3g} before training"
    raise Finding("not written", said)


def _weights(claim: Claim, draw: int) -> Table:
    return Table({name: value.float() for name, value in claim.state(draw, SPREAD).items()})


def _learnt(claim: Claim, draw: int) -> tuple[Tensor, Tensor]:
    """The questions (B, T), and what follows each character (B x T)."""
    numbers = {c: i for i, c in symbols_of(claim, text(draw)).items()}
    lines = [(q, laid_out(q, answer)) for q, answer in rows(draw)]
    known = set().union(*(whole for _, whole in lines)) <= numbers.keys()
    expect(known, "vocabulary size", "its symbols are not those of the text")
    targets = [PAD * (len(q) - 1) + whole[len(q) :] for q, whole in lines]
    x, y = ([[numbers[c] for c in line] for line in part]
            for part in ([whole[:-1] for _, whole in lines], targets))  # fmt: skip
    return torch.tensor(x), torch.tensor(y).flatten()


def check_whole(claims: Claims, stage: str) -> None:
    """The trainer's model is a whole one: numbers of the draw under any name are none."""
    held, sizes = claims[stage].parameters(), dict[str, Any](SIZES, n_layer=1)
    symbols = max(2, len(held["tok_emb.weight"]))  # how many is another test's matter
    # Whether it is the right variant is another test's matter, too.
    attention = "synthesizer" if variant_of(held) == "synthesizer" else "causal"
    made = GPT(GPTConfig(vocab_size=symbols, attention=attention, **sizes))
    for name, right in made.named_parameters():
        found, wanted = tuple(held[name].shape), tuple(right.shape)
        said = f"{stage}: the trainer's model has {name} of {found}, expected {wanted}"
        expect(found == wanted, "form", said)


def check_loaded(claims: Claims, stage: str = FINETUNE) -> None:
    """With a path, the trainer's model holds what the file holds."""
    claim = claims[stage]
    held = claim.parameters()
    if stage == FINETUNE:  # the model of part g is computed
        check_whole(claims, stage)
    if _differs(_weights(claim, claims.draw + 1), held):
        same = not _differs(_weights(claim, claims.draw), held)
        said = "after finetune() the model does not hold the file's parameters"
        raise Finding("not loaded", f"{said}: it is as it was" if same else said)


def _differs(a: Table, b: Table) -> bool:
    return a.keys() != b.keys() or any(not torch.equal(a[k], b[k].float()) for k in a)
