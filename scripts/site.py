"""Builds the documentation as a site: `make site` writes build/site/html (zensical.toml).

The pages keep their places in the repository, so that their links stay as they are; README.md is
the first one, and files that they link to go along. The API reference is made from signatures and
docstrings. The site works from a disk, too, its search included.
"""

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import wherefrom
from wherefrom.core.config import Config

ROOT = Path(__file__).parents[1]
BUILD, ZENSICAL = ROOT / "build" / "site", ROOT / "zensical.toml"
PATTERNS = ("*.md", "docs/**/*.md", "course/*/README.md")
FETCHED, WORKER = "https://unpkg.com/iframe-worker/shim", "file_worker.js"
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
MODULES = {"wherefrom": wherefrom} | {
    f"wherefrom.{n}": getattr(wherefrom, n) for n in ("data", "doctor")
}


def collect(root: Path, pages: Path) -> None:
    """Copy the pages, and the files that they link to, to the same places below `pages`."""
    for page in sorted(path for pattern in PATTERNS for path in root.glob(pattern)):
        text = page.read_text("utf-8")
        files = {(page.parent / target).resolve() for target in LINK.findall(text)}
        for file in (page, *(each for each in files if each.is_file() and each.suffix != ".md")):
            target = pages / file.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    (pages / "README.md").rename(pages / "index.md")


def describe_api() -> str:
    """Every name of the API with its signature and docstring, in Markdown."""
    lines = ["# API reference", "", "Made from docstrings; the guide is [PYTHON.md](PYTHON.md)."]
    for title, module in MODULES.items():
        lines += ["", f"## {title}", ""]
        for name in sorted(module.__all__, key=str.lower):
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                lines += [f"### {title}.{name}", "", *describe(thing), ""]
    return "\n".join(lines)


def describe(thing: Any) -> Iterator[str]:
    """The parameters of a function or the fields of a class, a line each, and the docstring."""
    if inspect.isfunction(thing) or isinstance(thing, type(Config)):
        rows = [str(each) for each in inspect.signature(thing).parameters.values()]
    else:
        rows = (
            [f"{f.name}: {inspect.formatannotation(f.type)}" for f in fields(thing)]
            if is_dataclass(thing)
            else []
        )
    if rows:  # types by their last names: Run for wherefrom.runs.opened_run.Run
        short = (re.sub(r"(?:\w+\.)+(?=[A-Z])|\*<class '|'>", "", row) for row in rows)
        yield from ("```python", *short, "```", "")
    yield inspect.getdoc(thing) or ""


def take_in(html: Path) -> None:
    """Put our own script in place of the one that pages would fetch from elsewhere."""
    shutil.copyfile(Path(__file__).with_name(WORKER), html / "assets" / WORKER)
    for page in html.rglob("*.html"):
        text, up = page.read_text("utf-8"), "../" * (len(page.relative_to(html).parts) - 1)
        page.write_text(text.replace(FETCHED, f"{up}assets/{WORKER}"), "utf-8")


def main() -> int:
    pages = BUILD / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    collect(ROOT, pages)
    (pages / "docs" / "API.md").write_text(describe_api(), "utf-8")
    # A second live report beside the one of the package: a model that is trained in seconds.
    run = wherefrom.run("bigram-tiny", out=BUILD / "runs" / "bigram-tiny")
    wherefrom.write_report(run, pages / "docs" / "bigram-report.html")
    call = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    status = subprocess.run([*call, "-f", str(ZENSICAL)], check=False).returncode
    if status == 0:
        take_in(BUILD / "html")
        print(f"{BUILD / 'html' / 'index.html'}: open it in a browser")
    return status


if __name__ == "__main__":
    sys.exit(main())
