"""Charts: dots and points where their values say, and text as text."""

import re
import xml.etree.ElementTree as tree
from itertools import pairwise

from wherefrom.show.page.charts import Dot, Line, Point, dots, plot


def parse(markup):
    return tree.fromstring(str(markup))


def test_a_dot_and_its_interval_stand_at_their_shares():
    chart = parse(dots([("", [Dot("with", 0.975, 0.91, 0.99)])], "said"))
    interval = next(line for line in chart.iter("line") if "interval" in line.get("class", ""))
    assert (interval.get("x1"), interval.get("x2")) == ("91%", "99%")
    (mark,) = [svg for svg in chart.iter("svg") if svg.find("path") is not None]
    assert mark.get("x") == "97.5%"
    assert interval.get("y1") == mark.get("y")
    words = " ".join("".join(text.itertext()) for text in chart.iter("text"))
    assert "97.5\u00a0%" in words
    assert "91 to 99" in words
    # Groups have headings, and rows do not overlap.
    rows = [Dot(f"row {i}", 0.5, 0.4, 0.6) for i in range(3)]
    chart = parse(dots([("first", rows), ("second", rows)], "said"))
    heads = [text.text for text in chart.iter("text") if text.get("class") == "head"]
    assert heads == ["first", "second"]
    places = [float(svg.get("y")) for svg in chart.iter("svg") if svg.find("path") is not None]
    assert all(b - a >= 40 for a, b in pairwise(places))
    assert float(chart.get("height")) > max(places)


def test_points_go_up_as_their_values_do():
    points = [Point(0.25, 0.0, 0.0, 0.1), Point(0.75, 1.0, 0.9, 1.0)]
    ticks = [(0.0, "none"), (1.0, "all")]
    chart = parse(
        plot([], points, "said", x_ticks=ticks, y_ticks=[], x_name="x", y_name="y", height=100)
    )
    ends = {text.text: text.get("class") for text in chart.iter("text")}
    assert (ends["none"], ends["all"]) == ("axis start", "axis end")
    low, high = [svg for svg in chart.iter("svg") if svg.find("path") is not None]
    assert (low.get("x"), high.get("x")) == ("25%", "75%")
    assert float(low.get("y")) - float(high.get("y")) == 100
    # A line is drawn in its box upside down.
    line = Line([(0, 0), (0.5, 1), (1, 0.25)])
    chart = parse(plot([line], [], "said", x_ticks=[], y_ticks=[], x_name="x", y_name="y"))
    (drawn,) = chart.iter("polyline")
    assert drawn.get("points") == "0,1000 500,0 1000,750"


def test_hostile_words_are_text():
    markup = str(dots([("<b>", [Dot('"><script>', 0.5, 0.4, 0.6, note="<i>")])], "<said>"))
    chart = parse(markup)
    assert not re.search(r"<(?:b|script|i)\b", markup)
    assert chart.get("aria-label") == "<said>"
    assert any(text.text == '"><script>' for text in chart.iter("text"))
