"""Counterfactual memorisation on a machine that has only torch and numpy: many models at once.

    python benchmarks/influence.py people --seed 0 --pairs 8 --processes 4 --out runs
    python benchmarks/influence.py birthplaces-calibrated --data FOLDER --processes 4 --out runs

They do what `wherefrom run` and `wherefrom audit --pairs` do, up to the file
audit/influence.jsonl, and nothing twice: a signal stops them with everything saved, what is
trained by then is measured, and the same command goes on. The run folder can then be audited on
another machine; its checkpoints and audit/retrained are not needed there.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from program import launch

from wherefrom import api
from wherefrom.answering.policy import find_policy, open_as_stored
from wherefrom.core.contracts import NOT_TRAINED_ON
from wherefrom.core.errors import Interrupted
from wherefrom.experiments.many_runs.retraining import find_retrained, retrain_pairs
from wherefrom.memorisation.counterfactual import find_memorisation
from wherefrom.runs.opened_run import Run


def tell(text: str) -> None:
    print(text, flush=True)


def measure(run: Run) -> None:
    """Write what every retrained model makes of the run's answers to audit/influence.jsonl."""
    questions = [q for q in run.dataset.questions if q.split in NOT_TRAINED_ON and q.answer]
    model, texts = open_as_stored(run, find_policy(run)), [q.text for q in questions]
    wordings = model.word_texts(texts)
    answers = [answer.text for answer in model.answerer.asking(wordings).answer(texts)]
    found = find_memorisation(run.folder, find_retrained(run), questions, answers, wordings)
    if found is not None:
        tell(f"{run.path.name}: {found.models} models, {found.recalled.mean():.3f} recalled")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recipe", nargs="?", default="birthplaces-calibrated")
    parser.add_argument("--data", help="the folder with the recipe's files")
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--out", type=Path, default=Path("runs"))
    parser.add_argument("--label", help="of the run folder, instead of the recipe's name")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--together", type=int, help="models in one step; as many as fit on a GPU")
    given = parser.parse_args(arguments)
    recipe, out = given.recipe, given.out / f"{given.label or given.recipe}-{given.seed}"
    more = {} if given.data is None else {"data": given.data}
    done = api.run(recipe, out=out, seed=given.seed, settings=given.settings, progress=True, **more)
    tell(f"{out.name}: {done.seconds} s")
    run, stopped = api.open_run(out), 0
    try:
        retrain_pairs(run, most=given.pairs, processes=given.processes, tell=tell,
                      together=given.together)  # fmt: skip
    except Interrupted as signal:
        tell(str(signal))
        stopped = signal.exit_code
    measure(run)
    return stopped


if __name__ == "__main__":
    launch(main)
