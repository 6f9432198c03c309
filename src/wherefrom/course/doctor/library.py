"""The library as a submission may import it: without what the assignment asks a student to write.

The course's files are a layer over the library, so a submission needs most of it. It gets a copy in
which the solved functions raise, whichever way they are reached: `return super().forward(x)` is no
solution. The text of the solutions is not in the copy, so there is nothing to find in memory.
"""

import ast
import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import wherefrom

HOME = Path(wherefrom.__file__).resolve().parent
# A checkout has the course's solutions too.
PROJECT = HOME.parents[1] if (HOME.parents[1] / "pyproject.toml").is_file() else HOME
_LEFT_OUT = "api.py cli course/lab course/doctor/judging memorisation auditing answering"
# What raises, by module: functions, and methods of classes.
_SOLVED = {
    "models/attention/synthesizer.py": ("SynthesizerAttention",),
    "models/attention/rope.py": ("RotarySelfAttention",),
    "models/attention/perceiver.py": ("_CrossBlock", "DownProjectBlock", "UpProjectBlock"),
    "objectives/span_corruption.py": ("Documents",),
}


@functools.cache
def library() -> Path:
    """The folder of the copy; made once, and removed at the end."""
    out = Path(tempfile.mkdtemp(prefix="library-")).resolve()
    atexit.register(shutil.rmtree, out, ignore_errors=True)
    out.chmod(0o755)  # for whichever user the submission runs as
    closed = {HOME / name for name in _LEFT_OUT.split()}

    def leave(at: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(at) / name in closed]

    shutil.copytree(HOME, out / HOME.name, ignore=leave)
    for name, classes in _SOLVED.items():
        path = out / HOME.name / name
        if path.is_file():
            path.write_text(_hollow(path.read_text(encoding="utf-8"), classes), encoding="utf-8")
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                compiled.unlink()
    return out


def _hollow(source: str, classes: tuple[str, ...]) -> str:
    """A module's text in which the methods of some classes only say that they do not count."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            own = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
            node.body = [each for each in node.body if not isinstance(each, ast.FunctionDef)]
            for method in dict.fromkeys((*own, "forward")):
                said = f"it calls the library's {node.name}.{method}: "
                said += "only what the submission itself writes counts"
                text = f"def {method}(*_, **__): raise NotImplementedError({said!r})"
                node.body += ast.parse(text).body
    return ast.unparse(tree)
