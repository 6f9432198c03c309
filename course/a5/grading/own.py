"""What a submission's own model answers, where the course's does not explain its predictions.

A student whose attention has an unusual mistake has honest predictions all the same. So the
submission's own model gets the submitted parameters and the questions, never the lines, and goes on
greedily. Of what it tells, the attention's outputs are taken as they are; the rest of the model,
which was handed out, is computed here, and the characters are chosen here. With random parameters
it may not give the same answers, as a table of answers would.
"""

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from grading import again
from grading.points import BY_ITS_OWN
from wherefrom.course.doctor.exercises import weights
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging.claims import Claim, Claims, Table
from wherefrom.course.doctor.judging.computation import LEARNED_POSITIONS, blocks_of, linear, norm

NOT_THE_COURSES = "it is not the course's, so look at it"


def prompts(numbers: Mapping[str, int], questions: Sequence[str], ending: str) -> list[list[int]]:
    return [[numbers.get(c, 0) for c in f"{q}{ending}{again.MASK}"] for q in questions]


def scrambled(state: Table, draw: int) -> Table:
    """Random numbers under the same names, so large that the model has an opinion."""

    def spread(value: Tensor) -> float:
        return 3.0 / max(1, value.shape[-1] if value.dim() else 1) ** 0.5

    return Table({n: weights(n, v.shape, draw, spread(v)).float() for n, v in state.items()})


def judge(
    claim: Claim,
    without: Claim,
    state: Table,
    numbers: Mapping[str, int],
    questions: Sequence[str],
    lines: Sequence[str],
    claims: Claims,
) -> str:
    """Whether the submission's own model says these lines, and needs its parameters for it."""
    found = _agree(claim, state, numbers, questions, lines)
    said = f"{BY_ITS_OWN}, {found} drawn lines"
    said += f" (draw {claims.draw}) are the same"
    if not found.holds:
        raise Finding("other answers", f"{said}; not {', '.join(map(repr, found.others))}")
    blind = _agree(without, scrambled(state, claims.draw), numbers, questions, lines)
    if 2 * blind.same > blind.asked:
        text = f"with random parameters the submission's own model still gives {blind} lines"
        raise Finding("answers without parameters", text)
    return f"{said}; {NOT_THE_COURSES}"


def _agree(
    claim: Claim,
    state: Table,
    numbers: Mapping[str, int],
    questions: Sequence[str],
    lines: Sequence[str],
) -> again.Agreement:
    """The lines that are said, with or without the end of the line in the prompts."""
    told = claim.value("told", list)
    symbols = {number: c for c, number in numbers.items()}
    asked = [row for ending in again.ENDINGS for row in prompts(numbers, questions, ending)]
    if len(told) != len(asked) or not all(isinstance(row, list) for row in told):
        raise claim.complaint() or Finding("form", "not every question was answered")
    chosen = _chosen(claim, state, asked, told)
    said = ["".join(symbols.get(i, "\0") for i in row).partition(again.MASK)[0] for row in chosen]
    halves = said[: len(lines)], said[len(lines) :]
    right = max(([a == b for a, b in zip(half, lines, strict=True)] for half in halves), key=sum)
    others = [line[:32] for line, same in zip(lines, right, strict=True) if not same]
    return again.Agreement(sum(right), len(lines), tuple(others[:3]))


def _chosen(
    claim: Claim, state: Table, asked: list[list[int]], told: list[list[int]]
) -> list[list[int]]:
    """The likeliest characters by the handed-out parts of the model, around its own attention."""
    layers = blocks_of(state)
    mixed = claim.array("mixed").float()
    rows = [(prompt + said)[: len(prompt) + k] for prompt, said in zip(asked, told, strict=True)
            for k in range(len(said))]  # fmt: skip
    if mixed.dim() != 2 or len(mixed) != len(rows) * layers:
        raise Finding("other architecture", "its blocks have no 'attn' that is called once")
    mixed = mixed.view(len(rows), layers, -1)
    x = F.embedding(torch.tensor([row[-1] for row in rows]), state["tok_emb.weight"])
    if (positions := state.get(LEARNED_POSITIONS)) is not None:
        x = x + positions[0, [len(row) - 1 for row in rows]]
    for i in range(layers):
        x = x + mixed[:, i]
        hidden = linear(state, f"blocks.{i}.mlp.0", norm(state, f"blocks.{i}.ln2", x))
        x = x + linear(state, f"blocks.{i}.mlp.2", F.gelu(hidden))
    best = linear(state, "head", norm(state, "ln_f", x)).argmax(-1).tolist()
    chosen, start = list[list[int]](), 0
    for said in told:
        chosen.append(best[start : start + len(said)])
        start += len(said)
    return chosen
