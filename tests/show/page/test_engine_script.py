"""The engine as one script."""

import re
from collections import Counter

from wherefrom.show.page.engine_script import order_modules, read_client, read_engine, read_module

_TOP = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+|\{[^}]*\})", re.M)


def test_no_two_modules_share_a_name() -> None:
    names = Counter(
        name for m in order_modules("worker.js") for name in _TOP.findall(read_module(m))
    )
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def test_a_module_comes_after_what_it_imports() -> None:
    order = order_modules("worker.js")
    assert order[-1] == "worker.js"
    assert order.index("arithmetic.js") < order.index("gpt.js") < order.index("engine.js")
    assert len(order) == len(set(order))


def test_no_module_is_left_out() -> None:
    from importlib.resources import files

    folder = files("wherefrom.show.page") / "js" / "engine"
    there = {path.name for path in folder.iterdir() if path.name.endswith(".js")}
    assert there == {*order_modules("worker.js"), "client.js"}


def test_the_script_can_stand_in_a_page_with_a_strict_policy() -> None:
    for text in (read_engine(), read_client()):
        assert "</" not in text.replace("</script", "") or "</script" not in text
        assert "</script" not in text.lower()
        assert "<!--" not in text
        for word in (
            "eval(",
            "new Function",
            "fetch(",
            "XMLHttpRequest",
            "importScripts",
            "WebAssembly",
        ):
            assert word not in text


def test_nothing_is_imported_or_exported_any_more() -> None:
    lines = read_engine().splitlines()
    assert not [line for line in lines if re.match(r"\s*(import|export)\b", line)]
    assert not re.search(r"^import\b", read_client(), re.M)
