"""A mistake costs its own test and no other, and has its name on the sheet."""

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.course.files import A5, load
from tests.support import submissions as making
from wherefrom.course.doctor.checks import HINTS
from wherefrom.course.doctor.findings import attempt
from wherefrom.course.doctor.years import DEFAULT_YEAR, find_year

points, hidden = load(A5, "grading.points", "grading.hidden")
HONEST = tomllib.loads((making.HERE / "honest.toml").read_text(encoding="utf-8"))
# Tests of code alone; sample() and scoring stand before the files in the test of the first ones.
CODE = {n: t for n, t in points.tests_of(DEFAULT_YEAR).items()
        if not t.look.reads and not t.look.by_hand}  # fmt: skip
TOOLS = "1d-0-hidden"


def changed(folder: Path, how: dict[str, str]) -> Path:
    copy = Path(shutil.copytree(making.HERE / "plain", folder))
    text = (copy / how["file"]).read_text(encoding="utf-8")
    assert text.count(how["old"]) == 1, f"{how['file']} no longer has {how['old']!r}"
    (copy / how["file"]).write_text(text.replace(how["old"], how["new"]), encoding="utf-8")
    return copy


def lost(folder: Path, tests: list[str]) -> dict[str, str]:
    """The tests that are lost, and the mistakes that are named."""
    kinds = {n: points.tests_of(DEFAULT_YEAR)[n].look for n in tests}
    year = find_year(DEFAULT_YEAR)
    asked = {r.name: r for kind in kinds.values() for r in kind.asks(year, 7)}
    claims = making.claims_of(folder, list(asked.values()))
    looks = {n: _tools if n == TOOLS else kind.look for n, kind in kinds.items()}
    results = {n: attempt(look, claims) for n, look in looks.items()}
    return {n: r.mistake for n, r in results.items() if r.state != "ok"}


def _tools(claims):
    hidden.functions.check_sample(claims)
    hidden.functions.check_scoring(claims)


# One mistake of each kind on every run, the others at night.
FEW = {next(n for n in HONEST if n.startswith(start)) for start in (
    "truncation range", "fixed place: in", "no third", "wrong vocabulary", "wrong shift",
    "device", "hard-coded", "saved before", "not loaded", "flag never", "softmax over heads",
    "positions unused", "clipping", "sampling",
)}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [n if n in FEW else pytest.param(n, marks=pytest.mark.nightly)
     for n in HONEST if HONEST[n]["loses"]],
)  # fmt: skip
def test_a_mistake_is_named(grounds, name):
    how = HONEST[name]
    mistakes = how.get("named", name.partition(":")[0]).split(", ")
    found = lost(changed(grounds / "plain", how), how["loses"])
    assert list(found) == how["loses"]
    assert sorted(set(found.values())) == sorted(mistakes)
    assert all(HINTS[mistake] for mistake in mistakes)


@pytest.mark.nightly
@pytest.mark.parametrize("name", HONEST)
def test_a_mistake_costs_its_own_test_alone(grounds, name):
    how = HONEST[name]
    assert list(lost(changed(grounds / "plain", how), [*CODE, TOOLS])) == sorted(how["loses"])


def test_the_plain_solution_loses_nothing(grounds):
    folder = Path(shutil.copytree(making.HERE / "plain", grounds / "plain"))
    assert lost(folder, [*CODE, TOOLS]) == {}
