"""Repairing a run folder: what follows from sound files is computed again, nothing is invented.

What cannot be computed again stays as it is, and stays a fault: the recipe, weights, and metrics.
A damaged file that is replaced by nothing is renamed to NAME.damaged, never deleted, unless any
process can make it anew at any time.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from wherefrom.auditing.audit import ANSWERS, FINDINGS, Risk, report_audit
from wherefrom.auditing.consistency import ANSWERED, POLICY
from wherefrom.auditing.verification import Verification, verify_run
from wherefrom.core.artifact import lock_folder, remove_folder
from wherefrom.core.errors import WherefromError
from wherefrom.core.files import cannot_write
from wherefrom.core.recipe import Demonstrations, Recipe
from wherefrom.core.seal import FILE as SEAL
from wherefrom.course.lab.running import demonstrate
from wherefrom.data.catalogue import load_dataset
from wherefrom.experiments.evaluate import evaluate
from wherefrom.experiments.retraining import find_retrained
from wherefrom.runs.descriptions import describe
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import (
    CORPUS,
    DATASET,
    DOCUMENTS,
    EVIDENCE,
    INDEX,
    RUN,
    SPLITS,
    STATUS,
    VOCABULARY,
)
from wherefrom.runs.run import open_run
from wherefrom.runs.workshop import Workshop

_DATA = (DATASET, CORPUS, DOCUMENTS, VOCABULARY, SPLITS)
_EVALUATED = ("predictions/", "samples/", "study", "demonstrations", POLICY, ANSWERED, STATUS)


def repair_run(path: Path) -> Verification:
    """Verify a run, repair what can be, and verify it again."""
    found = verify_run(path)
    if found.sound and found.sealed:
        return found
    with lock_folder(path):
        repair = _Repair(path)
        repair.all()
    return replace(verify_run(path), repaired=tuple(repair.done))


class _Repair:
    def __init__(self, path: Path) -> None:
        self.path, self.done = path, list[str]()
        self.folder = RunFolder(path)
        self.faults = self._look()

    def all(self) -> None:
        if SEAL not in self.faults:
            self.folder.clean_up()
        for step in (self._anew, self._checkpoints, self._data, self._put_there, self._evaluated):
            if step():
                self.faults = self._look()
        self._audited()
        self._seal()

    def _look(self) -> set[str]:
        self.folder = RunFolder(self.path)
        return {fault.file for fault in verify_run(self.path).faults}

    def _damaged(self, *beginnings: str) -> list[str]:
        return sorted(n for n in self.faults if n.startswith(beginnings) and not self._is_link(n))

    def _is_link(self, name: str) -> bool:
        return (self.path / name).is_symlink()

    def _anew(self) -> bool:
        """The index and the fitted extractors are made when they are needed."""
        for name in (wrong := self._damaged(INDEX, EVIDENCE)):
            with cannot_write(self.path / name):
                (self.path / name).unlink(missing_ok=True)
            self.done.append(f"{name}: removed; it is made anew when it is needed")
        return bool(wrong)

    def _checkpoints(self) -> bool:
        """A finished run does not need them; one that continues falls back by itself."""
        wrong = [n for n in self._damaged("stages/") if "/checkpoints/" in n]
        if not wrong or self._status().get("state") != "finished":
            return False
        for name in wrong:
            remove_folder(self.path / name)
            self.done.append(f"{name}: removed; the finished run does not need it")
        return True

    def _data(self) -> bool:
        """Written again from the copy in the folder, or from the recipe's own files."""
        wrong = [name for name in _DATA if name in self.faults]
        if not wrong or RUN in self.faults or SEAL in self.faults:
            return False
        try:
            recipe = self.folder.read_recipe()
            if not isinstance(recipe, Recipe):
                return False
            if DATASET in wrong or not self.folder.keeps_data():
                dataset = load_dataset(recipe.data, recipe.seed)
                if CORPUS not in wrong and describe(dataset) != self.folder.read_corpus():
                    return False
                if CORPUS in wrong and DATASET in wrong:
                    return False  # nothing says that these are the run's data
            else:
                dataset = RunFolder(self.path).read_data_alone()
            vocabulary = Workshop(recipe, lambda: dataset).vocabulary
        except WherefromError:
            return False
        self.folder.write_data(dataset, vocabulary)
        self.done += [f"{name}: written again from the run's data" for name in wrong]
        return True

    def _put_there(self) -> bool:
        """Files that the seal does not know, and damaged ones of an audit, step aside."""
        seal = self.folder.seal() if SEAL not in self.faults else None
        if seal is None:
            return False
        wrong = self._damaged("audit/", "predictions/", "corpus/", "stages/")
        names = [n for n in wrong if n not in seal.files and (self.path / n).is_file()]
        for name in names:
            self._set_aside(name)
        return bool(names)

    def _evaluated(self) -> bool:
        """Scores, predictions and policy follow from the models and the data."""
        loss = [n for n in self._damaged("stages/") if n.endswith("/loss.svg")]
        wrong = [*self._damaged(*_EVALUATED), *loss]
        if not wrong or self.faults & {RUN, SEAL, *_DATA} or self._damaged("models/"):
            return False
        try:
            self._evaluate()
        except WherefromError:
            return False
        self.done += [f"{name}: computed again" for name in wrong]
        return True

    def _evaluate(self) -> None:
        folder = self.folder
        if isinstance(recipe := folder.read_recipe(), Demonstrations):
            with folder.together():
                results = demonstrate(recipe, folder)
                status = {"seconds": 0.0} | self._status()
                folder.write_status(status | {"state": "finished", "results": results})
            return
        run = open_run(self.path)
        status = self._status() or self._rebuilt_status(run.recipe)
        with run.folder.together():
            status = status | {"state": "finished", "results": evaluate(run)}
            run.folder.write_status(status)

    def _status(self) -> dict[str, Any]:
        """The status, or as much of it as can be read."""
        try:
            return {} if STATUS in self.faults else self.folder.read_status()
        except WherefromError:
            return {}

    def _rebuilt_status(self, recipe: Recipe) -> dict[str, Any]:
        """The seconds of training, which the metrics have; raises if a stage has none."""
        stages = [stage.name for stage in recipe.stages]
        seconds = sum(self.folder.read_metrics(name)[-1].get("seconds", 0.0) for name in stages)
        return {"seconds": round(seconds, 2), "trained": stages}

    def _audited(self) -> None:
        """An audit is made again if one of its files is damaged, with its own risk if known."""
        wrong = [n for n in self._damaged("audit/") if n not in (POLICY, ANSWERED)]
        if not wrong or self.faults & {RUN, SEAL, *_DATA, STATUS, POLICY, ANSWERED}:
            return
        for name in wrong:
            self._set_aside(name)
        try:
            run = open_run(self.path)
            report_audit(run, Risk(), find_retrained(run))
        except WherefromError as error:
            self.done.append(f"{FINDINGS}, {ANSWERS}: not computed again: {error}")
        else:
            self.done.append("audit/: audited again, with the usual risk")

    def _set_aside(self, name: str) -> None:
        path = self.folder.locate(name)
        self.folder.unlist(name)
        if path.exists():
            with cannot_write(path):
                path.rename(path.with_name(f"{path.name}.damaged"))
        self.done.append(f"{name}: set aside as {path.name}.damaged")

    def _seal(self) -> None:
        """Seal a folder that has no seal, or a damaged one, once nothing else is wrong with it."""
        self.faults = self._look()
        sealed = not self.faults and self.folder.seal() is not None
        if sealed or not self.faults <= {SEAL}:
            return
        try:
            count = self.folder.seal_now()
        except WherefromError:
            return
        self.done.append(
            f"{SEAL}: written over {count} files as they are now; whether they were damaged before "
            "could only be told from what they say"
        )
        self.faults = self._look()
        self._anew()  # those of earlier versions have no checksum
