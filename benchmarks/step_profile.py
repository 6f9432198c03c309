"""Where the time of a training step on a GPU goes: kernels, their kinds, and the gaps between them.

    python benchmarks/step_profile.py --data FOLDER --out profile.json
    python benchmarks/step_profile.py --from profile.json --write docs/research/GPU-PROFILE.md

A step is one captured graph. Its parts are timed by capturing the step's beginning: rows, rows and
loss, and so on; a part costs what its graph takes longer than the one before it.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from msgspec.structs import replace
from pages import render
from program import launch

from wherefrom.core.recipe import Recipe, Stage
from wherefrom.experiments.recipes import birthplaces_recipe as birthplaces
from wherefrom.runs.workshop import Workshop
from wherefrom.training.captured import products

CHUNK, CHUNKS, REPLAYS, WATCHED = 100, 6, 200, 10
PARTS = ("rows", "forward", "backward", "whole step")
# Kernels by a part of their name, the first that fits.
KINDS = {
    "attention": ("flex_attention", "flash", "sdpa", "fmha", "cudnn"),
    "products": ("nvjet", "gemm", "cutlass", "cublas", "splitK", "bmm"),
    "update of the weights": ("multi_tensor", "FusedOptimizer", "foreach"),
    "fused by the compiler": ("triton_",),
    "copies and fills": ("memcpy", "Memcpy", "memset", "Memset", "copy_kernel", "FillFunctor"),
}


def choose(data: str) -> dict[str, tuple[Recipe, Stage]]:
    """The two steps that are compared from version to version."""
    course, knowledge = (
        replace(r, data=replace(r.data, folder=data))
        for r in (birthplaces.course(), birthplaces.knowledge())
    )
    half = replace(course.stage("pretrain"), arithmetic="bf16")
    stages = tuple(half if s.name == half.name else s for s in course.stages)
    return {
        "course model, AdamW, bf16": (replace(course, stages=stages), half),
        "knowledge recipe": (knowledge, knowledge.stage("pretrain")),
    }


def build(recipe: Recipe, stage: Stage) -> Any:
    workshop = Workshop(recipe)
    learner: Any = workshop.learner(stage, workshop.new_model(stage))
    learner.prepare(CHUNK)
    return learner


def measure(learner: Any, preparing: float) -> dict[str, Any]:
    """Milliseconds a step as trained, of the graph alone and of its parts; and its kernels."""
    spent: list[float] = []
    for i in range(CHUNKS + 1):
        began = time.monotonic()
        learner.advance(i * CHUNK, CHUNK)
        spent.append(1000 * (time.monotonic() - began) / CHUNK)
    steps = learner.captured
    return {
        "ms_a_step": round(sorted(spent[1:])[CHUNKS // 2], 3),
        "ms_least": round(min(spent[1:]), 3),
        "preparing_seconds": round(preparing, 1),
        "slots": steps._capacity,
        "notes": steps.notes,
        "kernels": watch(lambda: steps._replay([1] * WATCHED), WATCHED),
        "parts_ms": time_parts(steps),
    }


def time_parts(steps: Any) -> dict[str, float]:
    """What each part of a step adds to the graph, in milliseconds. No update is applied."""
    steps._hold.fill_(1)
    found: dict[str, float] = {}
    before = 0.0
    for part in PARTS:
        graph = capture(steps, part)
        torch.cuda.synchronize()
        began = time.monotonic()
        for _ in range(REPLAYS):
            graph.replay()
        torch.cuda.synchronize()
        spent = 1000 * (time.monotonic() - began) / REPLAYS
        name = "clipping, update, metrics" if part == PARTS[-1] else part
        found[name] = round(spent - before, 3)
        before = spent
    steps._hold.zero_()
    return found | {"together": round(before, 3)}


def capture(steps: Any, part: str) -> torch.cuda.CUDAGraph:
    """The step up to and with this part."""

    def take() -> Any:
        if part == PARTS[-1]:
            return steps._step()
        rows = list(steps._pick_rows())
        if part == "rows":
            return rows
        loss = steps._loss(*rows)
        return loss.sum().backward() if part == "backward" else loss

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with products(steps.arithmetic):
        with torch.cuda.stream(stream):
            take()
        torch.cuda.current_stream().wait_stream(stream)
        for p in steps.model.parameters():
            p.grad = None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = take()  # memory that nobody holds would be given to other tensors
    del kept
    return graph


def watch(work: Callable[[], None], steps: int) -> dict[str, Any]:
    """The kernels of a step: how many, how long, and when none runs."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        work()
        torch.cuda.synchronize()
    rows = [e for e in seen.key_averages() if getattr(e, "self_device_time_total", 0) > 0]
    rows.sort(key=lambda e: -e.self_device_time_total)
    kinds: dict[str, list[float]] = {}
    for row in rows:
        kind = kinds.setdefault(find_kind(row.key), [0.0, 0.0])
        kind[0] += row.self_device_time_total / steps
        kind[1] += row.count / steps
    spans = sorted(
        (e.time_range.start, e.time_range.end)
        for e in seen.events()
        if str(e.device_type).endswith("CUDA")
    )
    return {
        "kernels_a_step": round(sum(row.count for row in rows) / steps, 1),
        "us_of_kernels": round(sum(row.self_device_time_total for row in rows) / steps),
        "us_by_the_clock": round((spans[-1][1] - spans[0][0]) / steps),
        "us_when_none_runs": round(find_gaps(spans) / steps),
        "by_kind": {k: [round(v[0]), round(v[1], 1)] for k, v in kinds.items()},
        "dearest": [
            [
                round(row.self_device_time_total / steps, 1),
                round(row.count / steps, 1),
                row.key[:90],
            ]
            for row in rows[:40]
        ],
    }


def find_kind(name: str) -> str:
    for kind, parts in KINDS.items():
        if any(part in name for part in parts):
            return kind
    return "other kernels of torch"


def find_gaps(spans: Sequence[tuple[float, float]]) -> float:
    """The time between the first and the last in which no span lies."""
    gaps, reached = 0.0, spans[0][0]
    for start, end in spans:
        gaps += max(0.0, start - reached)
        reached = max(reached, end)
    return gaps


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", default="", help="the folder with the course's files")
    parser.add_argument("--only", default="", help="steps whose names begin so")
    parser.add_argument("--out", type=Path, default=None, help="where figures are written")
    parser.add_argument("--from", dest="read", type=Path, help="figures that were written before")
    parser.add_argument("--write", type=Path, help="the page to make of them")
    given = parser.parse_args(arguments)
    if given.read is not None:
        found = json.loads(given.read.read_text(encoding="utf-8"))
        given.write.write_text(render("gpu-profile.md.jinja", found), encoding="utf-8")
        return 0
    if not torch.cuda.is_available():
        print("step_profile.py: expected a CUDA GPU, found none; nothing was run", file=sys.stderr)
        return 2
    found: dict[str, Any] = {
        "device": torch.cuda.get_device_name(), "torch": torch.__version__,
        "python": platform.python_version(), "steps": {},
    }  # fmt: skip
    for name, (recipe, stage) in choose(given.data).items():
        if name.startswith(given.only):
            began = time.monotonic()
            learner = build(recipe, stage)
            found["steps"][name] = measure(learner, time.monotonic() - began)
    text = json.dumps(found, indent=1)
    print(text, flush=True)
    if given.out is not None:
        given.out.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    launch(main)
