"""How long `wherefrom --help` takes over a bare start of Python."""

import statistics
import subprocess
import sys
from time import perf_counter

from measure import Watch, finish, machine, parser, tell_disturbed
from program import launch


def seconds(*arguments: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def main(arguments: list[str] | None = None) -> dict:
    given = parser(__doc__).parse_args(arguments)
    watch = Watch()
    turns = given.turns if given.tiny else max(given.turns, 15)
    over = [seconds("-m", "wherefrom", "--help") - seconds("-c", "pass") for _ in range(turns + 1)][
        1:
    ]
    median = statistics.median(over)
    spread = f"{min(over):.3f} to {max(over):.3f}"
    print(f"wherefrom --help: {median:.3f} s over a bare start ({spread})")
    result = {"title": "start", "unit": "s over a bare start", "seconds": over, "median": median}
    disturbed = tell_disturbed(watch.reasons())
    return finish(given, result | disturbed | {"machine": machine()})


if __name__ == "__main__":
    launch(main)
