"""Modules become one script: in order, without imports, and no name twice."""

import re
from importlib.resources import files

import pytest

from wherefrom.show.page import scripts
from wherefrom.show.page.document import ENGINE, INTERFACE


@pytest.fixture
def modules(monkeypatch):
    texts: dict[str, str] = {}
    monkeypatch.setattr(scripts, "read_asset", lambda name: texts[name.removeprefix("js/")])
    return texts


def test_what_is_imported_comes_first_and_once(modules):
    modules |= {
        "ui/main.js": "import { a } from \"./a.js\";\nimport {\n  b,\n} from '../b.js';\na(b);\n",
        "ui/a.js": 'import { b } from "../b.js";\nexport function a(x) { return x + b; }\n',
        "b.js": "export const b = 1;\n",
    }
    joined = scripts.bundle("ui/main.js")
    assert joined.index("const b = 1;") < joined.index("function a(x)") < joined.index("a(b);")
    assert joined.count("const b = 1;") == 1
    assert "import" not in joined
    assert "export" not in joined


@pytest.mark.parametrize("entry", [INTERFACE, ENGINE])
def test_the_pages_own_scripts_can_stand_in_a_page_with_a_strict_policy(entry):
    joined = scripts.bundle(entry)
    assert not re.search(r"^\s*(?:import|export)\b", joined, re.MULTILINE)
    for word in ("</script", "<!--", "eval(", "new function", "fetch(", "importscripts"):
        assert word not in joined.lower()


def test_no_module_is_left_out():
    joined = scripts.bundle(INTERFACE) + scripts.bundle(ENGINE)
    folder = files("wherefrom.show.page") / "js"
    for room in ("ui", "engine"):
        for file in (folder / room).iterdir():
            assert f"// {room}/{file.name}\n" in joined
