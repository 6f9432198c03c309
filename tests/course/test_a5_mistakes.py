"""A mistake costs its own test and no other, and has its name on the sheet."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support import submissions as making
from wherefrom.course.doctor.checks import HINTS

HONEST = tomllib.loads((making.HERE / "honest.toml").read_text(encoding="utf-8"))
# Of code alone: the year's tests by their kinds.
CODE = {"1c-0-hidden": "vanilla model", "1c-1-basic": "finetuning",
        "1d-0-hidden": "given functions", "1e-0-basic": "truncation", "1e-1-basic": "layout",
        "1e-2-basic": "x and y",
        "1e-3-basic": "spans", "1f-0-basic": "pretraining", "1g-0-basic": "finetuning of part g",
        "1g-3-hidden": "attention of part g"}  # fmt: skip


def lost(folder: Path, tests: Iterable[str]) -> dict[str, str]:
    """The tests that are lost, and the mistakes that are named."""
    named = {CODE[test]: test for test in tests}
    found = making.lost(making.judge(folder, *named))
    return {named[kind]: mistake for kind, mistake in found.items()}


# One mistake of each kind on every run, with the tests that it costs; at night every one, with all.
FEW = {next(n for n in HONEST if n.startswith(start)) for start in (
    "truncation range", "fixed place: in", "no third", "wrong vocabulary", "wrong shift",
    "saved before", "not loaded", "flag never", "softmax over heads",
    "positions unused", "clipping", "sampling",
)}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "every"),
    [*((n, False) for n in sorted(FEW)),
     *(pytest.param(n, True, marks=pytest.mark.nightly) for n in HONEST)],
)  # fmt: skip
def test_a_mistake_is_named_and_costs_its_own_test_alone(grounds, name, every):
    how = HONEST[name]
    mistakes = how.get("named", name.partition(":")[0]).split(", ") if how["loses"] else []
    folder = making.plain(grounds / "plain", (how["file"], how["old"], how["new"]))
    found = lost(folder, CODE if every else how["loses"])
    assert sorted(found) == sorted(how["loses"])
    assert sorted(set(found.values())) == sorted(mistakes)
    assert all(HINTS[mistake] for mistake in mistakes)


def test_the_plain_solution_loses_nothing(grounds):
    assert lost(making.plain(grounds / "plain"), CODE) == {}
