"""Plots of what was measured, as SVG: the same bytes for the same numbers."""

# matplotlib's own types leave the keyword arguments of its drawing functions open.
# pyright: reportUnknownMemberType=false

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wherefrom.evaluation.calibration_measures import Bin
from wherefrom.evaluation.selective import RiskCoverage
from wherefrom.show.drawing.figures import (
    PALE,
    RIGHT,
    WRONG,
    dress,
    legend_below,
    panels,
    to_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_reliability(bins: Sequence[Bin]) -> bytes:
    """The share right against the calibrated probability; perfect calibration is the diagonal."""
    figure, (axes,) = panels()
    axes.plot((0, 1), (0, 1), color=PALE, linewidth=1, label="perfectly calibrated")
    shares = [each.frequency for each in bins]
    reach = [
        [max(each.frequency - each.interval[0], 0.0) for each in bins],
        [max(each.interval[1] - each.frequency, 0.0) for each in bins],
    ]
    look = {"color": RIGHT, "ecolor": PALE, "markersize": 4, "fmt": "o"}
    label = "answers, 95 % interval"
    axes.errorbar([each.mean for each in bins], shares, reach, **look, label=label)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return _finish(figure, axes, "reliability diagram", "calibrated probability", "share right")


def draw_risk_coverage(curves: Mapping[str, RiskCoverage]) -> bytes:
    """The share wrong among answered against the share answered, one curve for each score.

    The curve is a step function, just as its area is computed.
    """
    figure, (axes,) = panels()
    for (name, curve), colour in zip(curves.items(), (RIGHT, WRONG), strict=False):
        axes.step(
            (0, *curve.coverage),
            (curve.risk[0], *curve.risk),
            where="pre",
            color=colour,
            linewidth=1.3,
            label=f"{name}, area {curve.area:.3f}",
        )
    axes.set(xlim=(0, 1.02))
    axes.set_ylim(bottom=0)
    title, risk = "risk-coverage curve", "share wrong among answered"
    return _finish(figure, axes, title, "share answered", risk)


def draw_losses(stage: str, losses: Sequence[float]) -> bytes:
    """The loss curve of a stage: the mean loss of each ten updates."""
    figure, (axes,) = panels()
    axes.plot([10 * (i + 1) for i in range(len(losses))], losses, color=RIGHT, linewidth=1)
    dress(axes, f"{stage}: mean loss of each ten updates", "updates", "nats per character")
    return to_svg(figure)


def _finish(figure: "Figure", axes: "Axes", title: str, x: str, y: str) -> bytes:
    dress(axes, title, x, y)
    legend_below(figure)
    return to_svg(figure)
