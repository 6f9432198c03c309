"""Is a model unsure of people whose text omits the answer, also where it was not trained to be?

    wherefrom run people-omitted --seeds 40-59
    for seed in $(seq 40 59); do wherefrom audit runs/people-omitted-$seed; done
    python benchmarks/omitted.py runs/people-omitted-*

`people-omitted` withholds half of the silent names from the omission rows (`objectives/omissions`).
Both halves are reported: held-out people whose text omits the answer, all runs together.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from answer_files import read_rows

from wherefrom.evaluation.intervals import wilson
from wherefrom.objectives.omissions import is_withheld


def count(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """For each kind of held-out people, how many there are and how many of them are answered."""
    found = {"stated": (0, 0), "omitted, covered": (0, 0), "omitted, withheld": (0, 0)}
    for row in rows:
        kind, reply = row.get("support"), row["reply"]
        if kind == "omitted":
            kind += ", withheld" if is_withheld(reply["subject"]) else ", covered"
        if row["split"] == "held-out" and kind in found:
            n, answered = found[kind]
            found[kind] = n + 1, answered + reply["answered"]
    return found


def main(arguments: Sequence[str] | None = None) -> dict[str, tuple[int, int]]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", help="audited runs")
    runs = parser.parse_args(arguments).runs
    found = count(row for run in runs for row in read_rows(run / "audit" / "answers.jsonl"))
    for kind, (n, answered) in found.items():
        given = kind == "stated"
        share = answered if given else n - answered
        low, high = wilson(share, n)
        word = "answered" if given else "declined"
        print(f"{kind}: {word} {share} of {n} [{100 * low:.1f}, {100 * high:.1f}] %")
    return found


if __name__ == "__main__":
    main()
