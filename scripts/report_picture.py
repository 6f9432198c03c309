"""The report that comes with the package, and the README's picture of it, from a finished run.

    python scripts/report_picture.py RUN        # what `make report ARGS=RUN` calls

src/wherefrom/show/page/example/report.html is the report; docs/pictures/report.png is what it looks
like after the first of its examples was asked. The run should be audited, so that the report shows everything.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from shutil import which

from wherefrom.cli.output import complain, note
from wherefrom.core.errors import Unavailable, WherefromError

ROOT = Path(__file__).parents[1]
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
WIDTH, HEIGHT = 900, 980


def main() -> int:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a finished run folder")
    parser.add_argument(
        "--page", type=Path, default=ROOT / "src/wherefrom/show/page/example/report.html"
    )
    picture = ROOT / "docs" / "pictures" / "report.png"
    parser.add_argument("--picture", type=Path, default=picture)
    given = parser.parse_args()
    try:
        import wherefrom

        made = wherefrom.write_report(given.run, given.page)
        note(f"{made.path}: {made.bytes / 1e6:.1f} MB")
        shoot(given.page.resolve(), given.picture)
        note(f"{given.picture}: written")
    except WherefromError as error:
        complain(str(error))
        return error.exit_code
    return 0


def shoot(page: Path, picture: Path) -> None:
    """The first screen, with the first example answered and its reasons open."""
    from playwright.sync_api import sync_playwright

    if (chromium := which("chromium")) is None:
        raise Unavailable("chromium: expected it to draw the picture, found none; 'make browser'")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=2,
            color_scheme="light",
            reduced_motion="reduce",
        )
        opened = context.new_page()
        opened.goto(page.as_uri())
        opened.click("#examples button")
        opened.wait_for_selector("#card[data-state=answered], #card[data-state=declined]")
        opened.wait_for_selector("#look-body:not([hidden])")
        opened.evaluate("window.scrollTo(0, 0)")
        picture.parent.mkdir(parents=True, exist_ok=True)
        opened.screenshot(path=str(picture))
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
