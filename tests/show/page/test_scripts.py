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


def test_two_modules_with_the_same_name_at_the_top_are_refused(modules):
    modules |= {"m.js": 'import { a } from "./n.js";\nconst own = 1;\n', "n.js": "class own {}\n"}
    with pytest.raises(ValueError, match=r"'own' is also a name of n\.js"):
        scripts.bundle("m.js")


def test_a_circle_is_refused(modules):
    modules |= {"m.js": 'import { a } from "./n.js";\n', "n.js": 'import { b } from "./m.js";\n'}
    with pytest.raises(ValueError, match="imports itself"):
        scripts.bundle("m.js")


@pytest.mark.parametrize(
    "line", ['import x from "./n.js";', "export default 3;", 'import "./n.js";']
)
def test_other_imports_and_exports_are_refused(modules, line):
    modules["m.js"] = f"{line}\n"
    with pytest.raises(ValueError, match="expected imports and exports by name"):
        scripts.bundle("m.js")


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
