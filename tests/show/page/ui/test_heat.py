"""Letters on shades can be read, in both themes."""

import re
from pathlib import Path

import wherefrom.show.page

CSS = (Path(wherefrom.show.page.__file__).parent / "css" / "report.css").read_text()


def colours(name: str) -> list[str]:
    """A colour of the page: light, dark."""
    found = re.findall(rf"--{name}: (#[0-9a-f]{{6}});", CSS)
    return [found[0], found[1]]


def luminance(channels: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_letter_has_contrast_on_every_shade(run_js):
    code = "return given.map(([under, over, share]) => inkOn(under, over, share));"
    shades = [
        (under, over, share / 100)
        for under, *tones in zip(*map(colours, ("faint", "accent", "quiet")), strict=True)
        for over in tones
        for share in range(101)
    ]
    inks = run_js({"ui/heat.js": "inkOn"}, code, shades)
    assert set(inks) == {"#000000", "#ffffff"}
    for (under, over, share), ink in zip(shades, inks, strict=True):
        low, high = ([int(each[i : i + 2], 16) / 255 for i in (1, 3, 5)] for each in (under, over))
        back = luminance([a + (b - a) * share for a, b in zip(low, high, strict=True)])
        front = 1.0 if ink == "#ffffff" else 0.0
        contrast = (max(front, back) + 0.05) / (min(front, back) + 0.05)
        assert contrast >= 4.5, (under, over, share)
