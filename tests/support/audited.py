"""Audited tiny runs, which the tests of the audit and of the page share."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from wherefrom.auditing import confidence_sections, decoy_sections
from wherefrom.auditing.audit_findings import ANSWERS, Audit
from wherefrom.auditing.auditor import report_audit
from wherefrom.evaluation import calibration_measures as calibration
from wherefrom.evaluation import intervals, selective
from wherefrom.experiments.many_runs.retraining import retrain_pairs
from wherefrom.runs.opened_run import Run, open_run

_NAMES, _SAMPLES = 2, 50  # in each tier of decoys; of every bootstrap and simulation


def make_light(patch: pytest.MonkeyPatch) -> None:
    """Let audits draw fewer samples: theirs are for figures that nobody reads here."""
    patch.setattr(decoy_sections, "TIER", _NAMES)
    patch.setitem(intervals.resample.__kwdefaults__, "resamples", _SAMPLES)
    patch.setattr(confidence_sections, "RESAMPLES", _SAMPLES)
    patch.setattr(
        confidence_sections, "compare_areas", partial(selective.compare_areas, resamples=_SAMPLES)
    )
    for name in ("calibration_error", "cumulative_error"):
        measure: Callable[..., object] = getattr(calibration, name)
        patch.setattr(calibration, name, partial(measure, simulations=_SAMPLES))


@dataclass(frozen=True)
class Audited:
    """A run, the models that were trained without some of its text, and what was found."""

    run: Run
    retrained: list[Run]
    findings: Audit

    @property
    def answers(self) -> list[dict[str, Any]]:
        return self.run.folder.read_jsonl(ANSWERS)


def _retrain(source: Path, factory: pytest.TempPathFactory) -> tuple[Run, list[Run]]:
    run = open_run(shutil.copytree(source, factory.mktemp("audited") / "run"))
    return run, retrain_pairs(run, most=1)


def _audit(run: Run, pair: list[Run]) -> Audited:
    with pytest.MonkeyPatch.context() as patch:
        make_light(patch)
        return Audited(run, pair, report_audit(run, retrained=pair))


@pytest.fixture(scope="session")
def retrained(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[Run]]:
    return _retrain(tiny_run, tmp_path_factory)


@pytest.fixture(scope="session")
def audited(retrained: tuple[Run, list[Run]]) -> Audited:
    """The tiny run, audited beside a pair of models. Tests that change it must copy it."""
    return _audit(*retrained)


@pytest.fixture(scope="session")
def retrained_relations(
    relations_run: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, list[Run]]:
    return _retrain(relations_run, tmp_path_factory)


@pytest.fixture(scope="session")
def audited_relations(retrained_relations: tuple[Run, list[Run]]) -> Audited:
    """The run of two relations, audited beside a pair of models."""
    return _audit(*retrained_relations)
