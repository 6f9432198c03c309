"""The report that comes with the package, and the README's moving picture of it.

    python scripts/report_picture.py RUN        # what `make report ARGS=RUN` calls

The picture shows what the page answers to a known name, an unknown one and a misspelt one. RUN is a
finished run of `people`; audited, so that the report shows everything.
"""

import io
import sys
from argparse import ArgumentParser
from pathlib import Path
from shutil import which
from typing import Any

from wherefrom.core.errors import Unavailable, WherefromError
from wherefrom.show.terminal.messages import complain, note

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "src" / "wherefrom" / "show" / "page" / "example" / "report.html"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
WIDTH, HEIGHT = 820, 640
NAMES = ("Amos Karlsson", "Clara Whitfield", "Amos Karlson")
TYPED, HELD = 140, 3200  # milliseconds that a picture stands while somebody types, and at the end


def main() -> int:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a finished run folder")
    parser.add_argument("--page", type=Path, default=EXAMPLE)
    picture = ROOT / "docs" / "pictures" / "report.webp"
    parser.add_argument("--picture", type=Path, default=picture)
    given = parser.parse_args()
    try:
        import wherefrom

        made = wherefrom.write_report(given.run, given.page)
        note(f"{made.path}: {made.bytes / 1e6:.1f} MB")
        film(given.page.resolve(), given.picture)
        note(f"{given.picture}: {given.picture.stat().st_size / 1e3:.0f} KB")
    except WherefromError as error:
        complain(str(error))
        return error.exit_code
    return 0


def film(page: Path, picture: Path) -> None:
    """Ask about each name in turn, letter by letter."""
    from PIL import Image  # matplotlib needs it, so it is there
    from playwright.sync_api import sync_playwright

    if (chromium := which("chromium")) is None:
        raise Unavailable("chromium: expected it to draw the picture, found none; 'make browser'")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        shown = {"width": WIDTH, "height": HEIGHT}
        opened = browser.new_page(viewport=shown, color_scheme="light", reduced_motion="reduce")
        opened.goto(page.as_uri())
        wait(opened)
        taken = [shot for name in NAMES for shot in ask(opened, name)]
        browser.close()
    frames = [Image.open(io.BytesIO(data)).convert("RGB") for data, _ in taken]
    picture.parent.mkdir(parents=True, exist_ok=True)
    first, *others = frames
    how = {"duration": [ms for _, ms in taken], "loop": 0, "quality": 70, "method": 6}
    first.save(picture, save_all=True, append_images=others, **how)


def ask(opened: Any, name: str) -> list[tuple[bytes, int]]:
    """Screenshots, and for how many milliseconds each is shown."""
    opened.fill("#question", "")
    shots: list[tuple[bytes, int]] = []
    for end in range(2, len(name) + 1, 2):
        opened.fill("#question", name[:end])
        shots.append((opened.screenshot(), TYPED))
    opened.fill("#question", name)
    opened.press("#question", "Enter")
    wait(opened)
    return [*shots, (opened.screenshot(), HELD)]


def wait(opened: Any) -> None:
    opened.wait_for_selector("#card[data-state=answered], #card[data-state=declined]")


if __name__ == "__main__":
    sys.exit(main())
