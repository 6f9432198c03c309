"""The page's JavaScript: plain ES modules, joined into one script without a build tool.

Each module stays a file that an editor and a type checker understand. A page that is one file has
nothing to import from, so the modules are put one after the other, those that are imported first,
and the words `import` and `export` are taken out. The names at the top of all modules of a script
share one scope: two of the same name are refused here, since one would hide the other.
"""

import re
from importlib.resources import files
from posixpath import dirname, join, normpath

# import { a, b } from "./x.js";  in one line or several: the only form that the modules use, with
# quotation marks of either kind.
_IMPORT = re.compile(
    r"""^import\s*\{[^}]*\}\s*from\s*["'](\.[^"']+)["'];[^\S\n]*\n?""", re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_NAMED = re.compile(
    r"^(?:async )?(?:function\*?|class|const|let)\s+([A-Za-z_$][\w$]*)", re.MULTILINE
)


def bundle(entry: str) -> str:
    """One classic script from a module of `show/page/js` and everything that it imports."""
    modules: dict[str, str] = {}
    _collect(entry, modules, ())
    owners: dict[str, str] = {}
    for name, text in modules.items():
        for top in _NAMED.findall(text):
            if top in owners:
                raise ValueError(f"{name}: '{top}' is also a name of {owners[top]}")
            owners[top] = name
    body = "".join(f"// {name}\n{text.strip()}\n" for name, text in modules.items())
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def read_asset(name: str) -> str:
    """A text file of this room, such as css/report.css."""
    return (files("wherefrom.show.page") / name).read_text("utf-8")


def _collect(name: str, modules: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module's text, after those that it imports."""
    if name in modules:
        return
    if name in above:
        raise ValueError(f"{name}: imports itself through {', '.join(above)}")
    text = read_asset(f"js/{name}")
    for other in _IMPORT.findall(text):
        _collect(normpath(join(dirname(name), other)), modules, (*above, name))
    text = _EXPORT.sub("", _IMPORT.sub("", text))
    if left := _OTHER.search(text):
        raise ValueError(f"{name}: expected imports and exports by name, found: {left[0]}")
    modules[name] = text
