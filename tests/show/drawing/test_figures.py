"""Figures: the same bytes each time, text that stays text, and nothing of matplotlib's changed."""

import subprocess
import sys

import matplotlib
import numpy as np

from wherefrom.show.drawing.figures import dress, grid, legend_below, panels, to_svg


def draw() -> bytes:
    figure, (left, right) = panels(2)
    dress(left, "A line", "which", "how much")
    grid(right, "A matrix", np.array([[1.0, -0.001], [-2.0, 0.5]]), ["a", "b"], ["c", "d"])
    left.plot([0, 1], [0, 1], label="a line")
    legend_below(figure)
    return to_svg(figure)


def test_equal_numbers_give_equal_bytes_and_text_can_be_searched():
    before = dict(matplotlib.rcParams)
    svg = draw()
    assert draw() == svg
    assert dict(matplotlib.rcParams) == before, "no setting is left changed"
    for text in ("A line", "how much", "A matrix", "-2.00", "a line"):
        assert f">{text}<" in svg.decode()
    assert ">-0.00<" not in svg.decode()


def test_nothing_is_loaded_until_something_is_drawn_and_pyplot_never(python_anew):
    program = (
        "import sys, wherefrom.show.drawing.plots; from wherefrom.show.drawing.figures import *;"
        "early = 'matplotlib' in sys.modules; to_svg(panels()[0]);"
        "sys.exit(early or 'matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
