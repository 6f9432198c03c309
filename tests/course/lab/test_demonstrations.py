"""Every demonstration: its checks hold for several seeds, and its figure is sound."""

import xml.etree.ElementTree as ElementTree
from functools import cache

import pytest

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.running import DEMONSTRATIONS, demonstrate
from wherefrom.show.drawing.figures import to_svg


@cache
def shown(name: str, seed: int = 0) -> Demonstration:
    return demonstrate(name, seed)


@pytest.mark.parametrize("name", DEMONSTRATIONS)
def test_every_check_holds(name):
    for seed in (0, 2**32 - 1):
        each = shown(name, seed)
        assert (each.name, each.claim != "", each.checks != []) == (name, True, True)
        assert each.result()["failed"] == []
        assert all(r.holds and r.statement and r.why for r in each.refutations)
        assert [c.label for c in each.every_check if c.tolerance < 4 * c.error] == []


def test_what_is_sampled_depends_on_the_seed():
    sampled = [{c.found for c in shown("one-head-is-fragile", s).every_check if c.error}
               for s in (0, 2**32 - 1)]  # fmt: skip
    assert sampled[0]
    assert not sampled[0] & sampled[1]


@pytest.mark.parametrize(
    "name",
    ["copying", *(pytest.param(n, marks=pytest.mark.nightly) for n in DEMONSTRATIONS)],
)
def test_a_figure_is_svg_and_the_same_twice(name):
    svg = to_svg(shown(name).draw())
    assert all(axes.get_title(loc="left") for axes in shown(name).draw().axes)
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert {"path", "text"} <= tags
    assert to_svg(shown(name).draw()) == svg
    assert b"$" not in svg  # mathematics that nobody parses, such as 10^1 of a logarithmic axis
    assert len(svg) < 100_000
