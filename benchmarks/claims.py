"""Train a recipe and audit it, for the claims of docs/TRUST-RESULTS.md.

    python benchmarks/claims.py people --seed 3 --out runs
    python benchmarks/claims.py birthplaces-calibrated --data FOLDER --out runs
    python benchmarks/claims.py --pack FILE.tar.gz runs/people-0 runs/people-1

The first two do what `wherefrom run` and `wherefrom audit` do, on a machine that need not be able
to draw pictures. The third packs run folders with their audits, without checkpoints and retrained
models: `benchmarks/trust.py --take` makes the files in docs/results/ of them.
"""

import argparse
import sys
import tarfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

from wherefrom import api  # noqa: E402
from wherefrom.auditing import audit  # noqa: E402

LEFT_OUT = ("checkpoints", "retrained", "index.sqlite", ".lock")


def pack(file: Path, runs: Sequence[Path]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:gz") as archive:
        for run in runs:
            archive.add(run, run.name, filter=_kept)


def _kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if Path(entry.name).name in LEFT_OUT else entry


def _draw_nothing(*_: Any) -> None: ...


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="+", help="a recipe; with --pack, run folders")
    parser.add_argument("--pack", type=Path, help="the file for the packed runs")
    parser.add_argument("--data", help="the folder with the recipe's files")
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--label", help="of the run folder, instead of the recipe's name and seed")
    parser.add_argument("--swap", type=int, help="people of the swap test")
    given = parser.parse_args(arguments)
    if given.pack:
        pack(given.pack, [Path(name) for name in given.names])
        return 0
    (recipe,) = given.names
    out = given.out / (given.label or f"{recipe}-{given.seed}")
    more = {} if given.data is None else {"data": given.data}
    done = api.run(recipe, out=out, seed=given.seed, settings=given.settings, progress=True, **more)
    print(f"{out.name}: trained in {done.seconds} s", flush=True)
    if find_spec("matplotlib") is None:
        audit.draw_audit = _draw_nothing
    api.audit(out, progress=True)  # what is below may be cut short
    if given.swap:
        api.audit(out, swap=given.swap, progress=True)
    print(f"{out.name}: audited", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
