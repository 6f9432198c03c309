"""Many models in one step: does each equal the same model alone, and how fast are they together?

    python benchmarks/many.py --data FOLDER                     # on a GPU, a few minutes
    python benchmarks/many.py --only check,people --models 100
    python benchmarks/many.py --data FOLDER --only audit --models 16    # trains to the end
    python benchmarks/many.py --only cpu --models 4                # 2 cores: together or in turn?

Every part stands alone: one that fails is reported, and the next begins. Figures are printed as
JSON lines and appended to --out.
"""

import argparse
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

import numpy as np  # noqa: E402
import torch  # noqa: E402

from wherefrom.core.recipe import Recipe  # noqa: E402
from wherefrom.experiments.retraining import leave_out_half  # noqa: E402
from wherefrom.experiments.stack_plan import count_fitting, estimate_bytes  # noqa: E402
from wherefrom.experiments.together import RunRequest, execute_all  # noqa: E402
from wherefrom.models.attention import unpadded  # noqa: E402
from wherefrom.models.stacked import StackedGPT  # noqa: E402
from wherefrom.recipes import birthplaces  # noqa: E402
from wherefrom.recipes.people import people  # noqa: E402
from wherefrom.runs.workshop import Workshop  # noqa: E402
from wherefrom.training import captured  # noqa: E402
from wherefrom.training.stack import Stack  # noqa: E402

CHUNK = 100


def build_learners(recipes: Sequence[Recipe], stage: int = 0) -> list[Any]:
    found: list[Any] = []
    for recipe in recipes:
        workshop = Workshop(recipe)
        own = recipe.stages[stage]
        found.append(workshop.learner(own, workshop.new_model(own)))
    return found


def build_stack(learners: Sequence[Any]) -> Stack:
    return Stack(StackedGPT([learner.model for learner in learners]), learners)


def compare(recipes: Sequence[Recipe], steps: int) -> dict[str, Any]:
    """The largest difference of losses between models alone and in a stack."""
    alone, together = build_learners(recipes), build_learners(recipes)
    stack = build_stack(together)
    stack.prepare(steps)
    found = stack.advance([0] * len(recipes), steps)
    largest = 0.0
    first = 0.0
    for learner, metrics in zip(alone, found, strict=True):
        learner.prepare(steps)
        expected = learner.advance(0, steps)["loss"]
        assert metrics is not None
        difference = np.abs(metrics["loss"] - expected)
        largest, first = (
            max(largest, float(difference.max())),
            max(first, float(difference[:5].max())),
        )
    ends = [round(float(metrics["loss"][-5:].mean()), 4) for metrics in found if metrics]
    return {
        "models": len(recipes), "steps": steps, "largest_difference": largest,
        "in_the_first_5_steps": first, "last_losses": ends,
    }  # fmt: skip


def check(given: argparse.Namespace) -> dict[str, Any]:
    """`people` with its dropout, AdamW, in fp32; then Muon without and with compiling."""
    base = replace(people(), device=given.device)
    muon = birthplaces.knowledge().stages[0].optimiser
    changed = replace(base.stages[0], optimiser=replace(muon, rate=0.005))
    seeds = range(3)
    return {
        "adamw": compare([replace(base, seed=s) for s in seeds], 60),
        "muon": compare(
            [replace(base, seed=s, stages=(changed, *base.stages[1:])) for s in seeds], 60
        ),
    }


def check_knowledge(given: argparse.Namespace) -> dict[str, Any]:
    """`birthplaces-knowledge` in bf16, compiled: the losses of 2 models alone and in a stack."""
    recipes = [replace(knowledge(given), seed=s) for s in range(2)]
    return compare(recipes, 100)


def knowledge(given: argparse.Namespace) -> Recipe:
    recipe = birthplaces.knowledge()
    return replace(recipe, data=replace(recipe.data, folder=given.data), device=given.device)


def attention(given: argparse.Namespace) -> dict[str, Any]:
    """Rows attended to as they stand against padded rows: the losses, and the time of a step."""
    one = replace(people(), device=given.device)
    before, captured.WORTH_COMPILING = captured.WORTH_COMPILING, 10**9
    every, found = unpadded.WANTED, dict[str, Any]()
    try:
        for name, recipe in {"knowledge, bf16": knowledge(given), "people, fp32": one}.items():
            found[name] = compare_attention(recipe, every)
    finally:
        captured.WORTH_COMPILING, unpadded.WANTED = before, every
    return found


def compare_attention(recipe: Recipe, every: set[str]) -> dict[str, Any]:
    """With all that works here, with torch's kernels alone, and with padded rows."""
    ways = {"all": every, "torch's": every - {unpadded.OWN}, "padded": set[str]()}
    found: dict[str, Any] = {}
    losses: dict[str, np.ndarray] = {}
    for name, wanted in ways.items():
        unpadded.WANTED = wanted
        stack = build_stack(build_learners([replace(recipe, seed=s) for s in (0, 1)]))
        stack.prepare(CHUNK)
        metrics, _ = stack.advance([0, 0], CHUNK)
        assert metrics is not None
        losses[name] = metrics["loss"]
        began = time.monotonic()
        stack.advance([CHUNK] * 2, CHUNK)
        spent = round(1000 * (time.monotonic() - began) / CHUNK, 3)
        found[name] = {"ms_a_step": spent, "works": unpadded.list_working()}
        difference = np.abs(losses["all"] - losses[name])
        found[name]["largest_difference"] = float(difference.max())
        found[name]["in_the_first_5_steps"] = float(difference[:5].max())
        found[name]["losses"] = [round(float(losses[name][i]), 4) for i in (0, 20, 99)]
    return found


def time_stack(recipes: Sequence[Recipe], chunks: int = 3, profile: bool = False) -> dict[str, Any]:
    """Milliseconds a step of all models, and what of them is rendering rows."""
    began = time.monotonic()
    learners = build_learners(recipes)
    building = time.monotonic() - began
    fitting = count_fitting(Workshop(recipes[0]))
    estimate = estimate_bytes(Workshop(recipes[0]), recipes[0].stages[0])
    stack = build_stack(learners)
    began = time.monotonic()
    torch.cuda.reset_peak_memory_stats()
    stack.prepare(CHUNK)
    preparing = time.monotonic() - began
    models = len(recipes)
    stack.advance([0] * models, CHUNK)
    spent = []
    for i in range(1, chunks + 1):
        began = time.monotonic()
        stack.advance([i * CHUNK] * models, CHUNK)
        spent.append(1000 * (time.monotonic() - began) / CHUNK)
    inner: Any = stack.captured
    torch.cuda.synchronize()
    began = time.monotonic()
    inner._replay([1] * 50)
    torch.cuda.synchronize()
    replaying = 1000 * (time.monotonic() - began) / 50
    began = time.monotonic()
    for k in range(models):
        own = inner.objectives[k]
        own.render_all(own.plan(1000, 1000))
    torch.cuda.synchronize()
    rendering = 1000 * (time.monotonic() - began) / 1000
    found = {
        "models": models, "ms_a_step": round(sorted(spent)[len(spent) // 2], 3),
        "ms_least": round(min(spent), 3), "ms_replay_alone": round(replaying, 3),
        "ms_rendering": round(rendering, 3), "seconds_building": round(building, 1),
        "seconds_preparing": round(preparing, 1), "room": inner._room,
        "slots": inner._capacity, "notes": inner.notes,
        "memory_GB": round(torch.cuda.max_memory_allocated() / 1e9, 2),
        "estimated_GB": round(models * estimate / 1e9, 2), "would_fit": fitting,
    }  # fmt: skip
    if profile:
        found["kernels"] = list_kernels(lambda: inner._replay([1] * 5), 5)
    torch.cuda.empty_cache()
    return found


def list_kernels(work: Callable[[], None], steps: int) -> dict[str, Any]:
    """The dearest kernels of a step: microseconds, calls and name."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as watch

    with watch(activities=[ProfilerActivity.CUDA]) as seen:
        work()
        torch.cuda.synchronize()
    rows = [e for e in seen.key_averages() if getattr(e, "self_device_time_total", 0) > 0]
    rows.sort(key=lambda e: -e.self_device_time_total)
    return {
        "kernels_a_step": round(sum(e.count for e in rows) / steps),
        "us_a_step": round(sum(e.self_device_time_total for e in rows) / steps),
        "dearest": [
            f"{e.self_device_time_total / steps:.0f} us, {e.count / steps:.0f} calls: {e.key[:110]}"
            for e in rows[:28]
        ],
    }


def eight(given: argparse.Namespace) -> dict[str, Any]:
    """Eight `birthplaces-knowledge` models, compiled: at most 10 ms a step, goal 6.4."""
    recipes = [replace(knowledge(given), seed=s) for s in range(given.models or 8)]
    return time_stack(recipes, profile=True)


def sixteen(given: argparse.Namespace) -> dict[str, Any]:
    """Sixteen leave-out models of `birthplaces-calibrated`; 8 minutes are 23 ms a step."""
    calibrated = birthplaces.calibrated()
    data = replace(calibrated.data, folder=given.data)
    base = replace(calibrated, data=data, device=given.device)
    found = time_stack(leave_out(base, given.models or 16), chunks=2)
    steps = base.stages[0].steps
    found["minutes_of_training"] = round(found["ms_a_step"] * steps / 60_000, 2)
    return found


def leave_out(recipe: Recipe, models: int) -> list[Recipe]:
    halves = ("first", "second")
    return [leave_out_half(recipe, i // 2, halves[i % 2]) for i in range(models)]


def eager(given: argparse.Namespace) -> dict[str, Any]:
    """Eight knowledge models captured but not compiled."""
    before, captured.WORTH_COMPILING = captured.WORTH_COMPILING, 10**9
    try:
        recipes = [replace(knowledge(given), seed=s) for s in range(given.models or 8)]
        return time_stack(recipes, chunks=2)
    finally:
        captured.WORTH_COMPILING = before


def single(given: argparse.Namespace) -> dict[str, Any]:
    """One `people` model and one knowledge model alone, for the ratio."""
    found: dict[str, Any] = {}
    one = replace(people(), device=given.device)
    for name, recipe in {"people": one, "knowledge": knowledge(given)}.items():
        (learner,) = build_learners([recipe])
        began = time.monotonic()
        learner.prepare(CHUNK)
        preparing = time.monotonic() - began
        learner.advance(0, CHUNK)
        spent = []
        for i in range(1, 4):
            began = time.monotonic()
            learner.advance(i * CHUNK, CHUNK)
            spent.append(1000 * (time.monotonic() - began) / CHUNK)
        found[name] = {"ms_a_step": round(min(spent), 3), "seconds_preparing": round(preparing, 1)}
    return found


class Timeline:
    """An observer that notes the second at which things happen."""

    def __init__(self) -> None:
        self.began, self.at = time.monotonic(), {}

    def note(self, what: str) -> None:
        self.at[what] = round(time.monotonic() - self.began, 1)

    def __enter__(self) -> "Timeline":
        self.note("opened")
        return self

    def __exit__(self, *_: Any) -> None:
        self.note("all concluded")

    def started(self, *_: Any) -> None:
        self.note("prepared")

    def advanced(self, name: str, step: int, steps: int, metrics: Any, seconds: float) -> None:
        if step in (100, 500, 1000, 5000) or step % 10_000 == 0 or step == steps:
            self.note(f"step {step}")

    def finished(self, *_: Any) -> None:
        self.note("saved")


def run_to_the_end(recipes: Sequence[Recipe], out: Path) -> dict[str, Any]:
    """Train recipes into run folders, as `audit` and `--seeds` do; with what is said meanwhile."""
    lines: list[str] = []
    began = time.monotonic()
    seen = Timeline()
    requests = [RunRequest(recipe, out / f"model-{k}") for k, recipe in enumerate(recipes)]
    found = execute_all(requests, None, lambda stages, label: seen, lines.append)
    seconds = time.monotonic() - began
    shares = [outcome.seconds for outcome in found]
    return {
        "models": len(recipes), "seconds": round(seconds, 1), "said": lines,
        "timeline": seen.at, "seconds_of_a_model": [round(min(shares), 2), round(max(shares), 2)],
    }  # fmt: skip


def hundred(given: argparse.Namespace) -> dict[str, Any]:
    """100 leave-out models of `people`, from nothing to their folders: at most 90 s."""
    recipes = leave_out(replace(people(), device=given.device), given.models or 100)
    with tempfile.TemporaryDirectory() as folder:
        return run_to_the_end(recipes, Path(folder))


def hundred_steps(given: argparse.Namespace) -> dict[str, Any]:
    """Steps of 100 leave-out models of `people`, and their kernels."""
    recipes = leave_out(replace(people(), device=given.device), given.models or 100)
    return time_stack(recipes, chunks=2, profile=True)


def audit(given: argparse.Namespace) -> dict[str, Any]:
    """Sixteen leave-out models of `birthplaces-calibrated` to the end: at most 8 minutes."""
    calibrated = birthplaces.calibrated()
    data = replace(calibrated.data, folder=given.data)
    base = replace(calibrated, data=data, device=given.device)
    with tempfile.TemporaryDirectory() as folder:
        return run_to_the_end(leave_out(base, given.models or 16), Path(folder))


def cpu(given: argparse.Namespace) -> dict[str, Any]:
    """`people` on a CPU: seconds of models in turn and together, in turns."""
    count, steps = given.models or 4, 20
    recipes = [replace(people(), seed=s, device="cpu") for s in range(count)]
    alone, together = build_learners(recipes), build_learners(recipes)
    stack = build_stack(together)
    rows: list[dict[str, float]] = []
    for turn in range(4):
        at = turn * steps
        began, used = time.monotonic(), time.process_time()
        for learner in alone:
            learner.advance(at, steps)
        middle, spent = time.monotonic(), time.process_time()
        stack.advance([at] * count, steps)
        ends = time.monotonic(), time.process_time()
        if turn:  # the first one warms up
            wall = (middle - began) / (ends[0] - middle)
            rows.append(
                {"wall": round(wall, 3), "cpu": round((spent - used) / (ends[1] - spent), 3)}
            )
    return {"models": count, "threads": torch.get_num_threads(), "times_faster_together": rows}


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "check": check,
    "people": hundred,
    "people-step": hundred_steps,
    "knowledge": eight,
    "sixteen": sixteen,
    "attention": attention,
    "check-knowledge": check_knowledge,
    "single": single,
    "eager": eager,
    "audit": audit,
    "cpu": cpu,
}
USUAL = ("check", "attention", "people", "knowledge", "sixteen")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", default="", help="the folder with the course's files")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", default=",".join(USUAL), help=", ".join(PARTS))
    parser.add_argument("--models", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args(arguments)
    failed = 0
    for name in given.only.split(","):
        began = time.monotonic()
        try:
            found = PARTS[name](given)
        except Exception:  # the next part may work
            failed += 1
            found = {"failed": traceback.format_exc().splitlines()[-12:]}
        found["seconds_of_this_part"] = round(time.monotonic() - began, 1)
        line = json.dumps({"part": name} | found)
        print(line, flush=True)
        if given.out is not None:
            with given.out.open("a") as file:
                file.write(line + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
