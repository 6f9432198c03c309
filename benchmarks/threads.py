"""How the ways in which OpenMP threads wait behave beside busy processes.

Each measurement takes steps of `people` in a process of its own, on an idle machine, and beside
one and two processes that only count. The settings take turns; what is reported is each one's
fastest turn, since a disturbance can only slow one down. `wherefrom` sets the passive policy.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import torch  # before wherefrom, which would set the policy
from disturbance import Watch
from measure import finish, machine, parser, tell_disturbed

from wherefrom.recipes.people import people
from wherefrom.runs.threads import use_threads, usual_threads
from wherefrom.runs.workshop import Workshop

# The threads (0: one for each core), and what stands in the environment.
SETTINGS: dict[str, tuple[int, dict[str, str]]] = {
    "one thread": (1, {}),
    "a thread for each core, as OpenMP comes": (0, {}),
    "the same, OMP_WAIT_POLICY=passive": (0, {"OMP_WAIT_POLICY": "passive"}),
    "the same, GOMP_SPINCOUNT=100": (0, {"GOMP_SPINCOUNT": "100"}),
    "the same, GOMP_SPINCOUNT=1000": (0, {"GOMP_SPINCOUNT": "1000"}),
    "the same, GOMP_SPINCOUNT=10000": (0, {"GOMP_SPINCOUNT": "10000"}),
}
_NAMES = ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
CHUNK = 20


def take_steps(steps: int, threads: int) -> float:
    """Seconds of the steps, after a chunk that does not count."""
    use_threads(threads)
    recipe = people()
    workshop, stage = Workshop(recipe), recipe.stages[0]
    learner = workshop.learner(stage, workshop.new_model(stage))
    learner.advance(0, min(CHUNK, steps))
    start = perf_counter()
    for first in range(CHUNK, CHUNK + steps, CHUNK):
        learner.advance(first, min(CHUNK, CHUNK + steps - first))
    return perf_counter() - start


def start_process(name: str, steps: int) -> float:
    threads, given = SETTINGS[name]
    environment = {k: v for k, v in os.environ.items() if k not in _NAMES} | given
    command = [sys.executable, __file__, "--worker", str(threads), "--steps", str(steps)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Processes that count for ever meanwhile."""
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(arguments: list[str] | None = None) -> dict:
    options = parser(__doc__)
    options.add_argument("--steps", type=int, default=200)
    options.add_argument("--busy", default="0,1,2", help="numbers of busy processes")
    options.add_argument("--worker", type=int, help="take the steps with this number of threads")
    given = options.parse_args(arguments)
    if given.worker is not None:
        print(take_steps(given.steps, given.worker))
        return {}
    steps = 2 if given.tiny else given.steps
    names = list(SETTINGS)[: 1 if given.tiny else None]
    counts = [0] if given.tiny else [int(count) for count in given.busy.split(",")]
    watch = Watch()
    seconds: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for count in counts:
        with neighbours(count):
            for _ in range(given.turns):
                for name in names:
                    seconds[name].setdefault(str(count), []).append(start_process(name, steps))
    print(f"{steps} steps of people, seconds beside {', '.join(map(str, counts))} busy processes")
    for name, found in seconds.items():
        print(f"  {name:<46}", *(f"{min(values):8.2f}" for values in found.values()))
    disturbed = tell_disturbed(watch.reasons())
    result = {"title": "threads", "unit": "s", "steps": steps, "seconds": seconds}
    about = machine() | {"threads": usual_threads(), "torch": torch.__version__}
    return finish(given, result | disturbed | {"machine": about})


if __name__ == "__main__":
    main()
