"""Pictures: they are SVG, say in words what they show, and repeat byte for byte."""

from xml.etree import ElementTree

import numpy as np
import pytest

from wherefrom.evaluation.calibration_measures import reliability_diagram
from wherefrom.evaluation.selective import risk_coverage
from wherefrom.show.drawing.plots import draw_reliability, draw_risk_coverage

GENERATOR = np.random.default_rng(0)
P = GENERATOR.random(200)
RIGHT = GENERATOR.random(200) < P
CURVES = {"calibrated": risk_coverage(P, RIGHT), "raw $_$ <b>": risk_coverage(P**2 % 0.7, RIGHT)}

DRAWINGS = {
    "reliability": (lambda: draw_reliability(reliability_diagram(P, RIGHT)),
                    {"calibrated probability", "share right", "perfectly calibrated",
                     "answers, 95 % interval"}),
    "risk-coverage": (lambda: draw_risk_coverage(CURVES),
                      {"share answered", "share wrong among answered",
                       f"calibrated, area {CURVES['calibrated'].area:.3f}",
                       f"raw $_$ <b>, area {CURVES['raw $_$ <b>'].area:.3f}"}),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_picture_is_svg_with_its_words_as_text(name):
    drawing, words = DRAWINGS[name]
    data = drawing()
    root = ElementTree.fromstring(data)
    assert root.tag.endswith("svg")
    texts = {e.text for e in root.iter() if e.tag.endswith(("text", "tspan"))}
    assert words <= texts
    assert len(data) < 100_000


@pytest.mark.parametrize("right", [True, False])
def test_the_smallest_case_is_drawn(right):
    p, one = np.array([0.5]), np.array([right])
    assert draw_reliability(reliability_diagram(p, one)).endswith(b"</svg>\n")
    assert draw_risk_coverage({"only": risk_coverage(p, one)}).endswith(b"</svg>\n")
