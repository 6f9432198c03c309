"""Submissions that mean harm: a starter in which nothing is solved, with a few lines added.

CODE is added to the end of its `dataset.py`, which is imported first. `@FOREIGN@` is a file of the
grader's own, `@PORT@` a server beside it, `@SOLUTION@` the folder of the library's solution.
FILES make or change files of the folder, ARCHIVES are made by themselves.
"""

import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

SHAPES = """
import glob, json, os, sys
names = ["import", "spans32", "spans128", "pretrain", "finetune", "finetune-from-scratch",
         "trainer", "layer-SynthesizerAttention0", "layer-SynthesizerAttention1",
         "model-vanilla", "start-vanilla"]
def frames():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back
def lines(token):
    told = [{"name": name, "state": "ok", "text": "", "mistake": ""} for name in names]
    return "".join(f"{token} {json.dumps(line)}\\n" for line in told)
"""
WRONG = """
import torch
def item(self, i):
    x, y = torch.arange(self.block_size - 1) % 3, torch.arange(self.block_size - 1) % 2
    return x, y
CharCorruptionDataset.__getitem__ = item
"""
CODE = {
    # verdicts that are not its own to give
    "main replaced": """
import sys, wherefrom.course.doctor.findings as findings
main = sys.modules["__main__"]
for name, value in list(vars(main).items()):
    if getattr(value, "__module__", "") == "__main__":
        setattr(main, name, lambda *a, **k: findings.Result("ok"))
""",
    "ok into the pipe": SHAPES
    + """
for number in range(3, 64):
    try:
        os.write(number, (b"ok\\n" * 99) + lines("").encode())
    except OSError:
        pass
os._exit(0)
""",
    "the token found": SHAPES
    + """
for frame in frames():
    order = frame.f_locals.get("order")
    if hasattr(order, "token"):
        open("../out/answers", "w").write(lines(order.token))
        os._exit(0)
""",
    "the table of tests": SHAPES
    + """
for frame in frames():
    for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
        if isinstance(value, dict) and value and all(callable(v) for v in value.values()):
            if any(str(key)[:1] == "1" or len(str(key)) > 3 for key in value):
                for key in value:
                    value[key] = lambda *a, **k: None
""",
    "forged claims": SHAPES
    + """
from safetensors.numpy import save_file
for name in names:
    told = {"values": json.dumps({"ok": True, "state": "ok", "points": 9}), "raised": "{}"}
    save_file({}, f"../out/{name}.safetensors", told)
os._exit(0)
""",
    "claims are links": SHAPES
    + """
for name in [*names, "answers"]:
    for end in ("", ".safetensors"):
        if not os.path.lexists(f"../out/{name}{end}"):
            os.symlink("@FOREIGN@", f"../out/{name}{end}")
os._exit(0)
""",
    "claims are pipes": SHAPES
    + """
for name in [*names, "answers"]:
    for end in ("", ".safetensors"):
        if not os.path.lexists(f"../out/{name}{end}"):
            os.mkfifo(f"../out/{name}{end}")
os._exit(0)
""",
    "claims of another form": SHAPES
    + """
import numpy as np
from safetensors.numpy import save_file
shapes = {"tok_emb.weight": (256, 0), "head.weight": (10**7, 0)}
found = {"values": json.dumps({"examples": [[1, 2]], "weights": list(shapes)}), "raised": "{}"}
for name in names:
    arrays = {f"weights/{key}": np.zeros(shape) for key, shape in shapes.items()}
    save_file(arrays, f"../out/{name}.safetensors", found)
os._exit(0)
""",
    "at exit": SHAPES
    + """
import atexit
atexit.register(lambda: open("../out/answers", "a").write(lines("")))
raise SystemExit(0)
""",
    "results always ok": WRONG
    + """
import wherefrom.course.doctor.findings as findings
findings.Result.state = property(lambda self: "ok", lambda self, value: None)
findings.Finding.__new__ = lambda *a: StopIteration()
""",
    "modules replaced": WRONG
    + """
import sys, types
class Fine(types.ModuleType):
    def __getattr__(self, name):
        return lambda *a, **k: None
for name in list(sys.modules):
    if name.startswith("wherefrom.course.doctor."):
        sys.modules[name] = Fine(name)
""",
    "torch agrees with everything": WRONG
    + """
import torch
for name in ("allclose", "equal", "isclose"):
    setattr(torch, name, lambda *a, **k: True)
torch.Tensor.__eq__ = lambda *a: torch.ones(1, dtype=torch.bool)
torch.testing.assert_close = lambda *a, **k: None
""",
    "numpy agrees with everything": WRONG
    + """
import numpy
for name in ("allclose", "array_equal", "isclose"):
    setattr(numpy, name, lambda *a, **k: True)
""",
    "json says ok": WRONG
    + """
import json
before = json.dumps
json.dumps = lambda told, **k: before({**told, "state": "ok", "mistake": "", "raised": {}})
""",
    "builtins agree": WRONG
    + """
import builtins
builtins.all, builtins.any = (lambda *a: True), (lambda *a: False)
builtins.isinstance = lambda *a: True
""",
    "equal to everything": """
class Same(int):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __hash__ = int.__hash__
    __getattr__ = lambda self, name: self
    __call__ = __getitem__ = lambda self, *a, **k: self
CharCorruptionDataset.__getitem__ = lambda self, i: (Same(), Same())
""",
    # the grader's machine
    "reads a file": "raise RuntimeError(open('@FOREIGN@').read())",
    "writes a file": "open('@FOREIGN@', 'a').write('forged')",
    "opens a socket": "import socket; socket.create_connection(('127.0.0.1', @PORT@), 2)",
    "the environment": "import os; raise RuntimeError(str(dict(os.environ)))",
    "others' environments": """
import glob
raise RuntimeError(repr([open(p, "rb").read() for p in glob.glob("/proc/[0-9]*/environ")]))
""",
    "into site-packages": """
import os, torch
at = os.path.dirname(os.path.dirname(torch.__file__))
for name in ("sitecustomize.py", "hostile.pth"):
    open(os.path.join(at, name), "w").write("import os")
""",
    "kills its parent": "import os; os.kill(os.getppid(), 9)\nwhile True: pass",
    "kills everybody": "import os; os.kill(-1, 9)",
    "a fork bomb": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "sleeps": "import time; time.sleep(3600)",
    "leaves a process": """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["left-behind-hostile", "3600"], {})
    os._exit(0)
""",
    "leaves shared memory": "open('/dev/shm/hostile', 'w').write('it')",
    "prints": "for i in range(4096): print('x' * (1 << 20))",
    "fills the disk": "for i in range(9999): open(f'../out/{i}', 'wb').write(bytes(1 << 22))",
    "empty files": "for i in range(1 << 20): open(f'{i}', 'w').close()",
    "deep folders": "import os\nfor i in range(5000): os.mkdir('d'); os.chdir('d')",
    "closed folders": "import os; os.makedirs('a/b/c'); os.chmod('a/b', 0); os.chmod('a', 0)",
    "one large file": "open('../out/answers', 'wb').truncate(1 << 33)",
    "takes memory": "held = [bytearray(1 << 30) for _ in range(64)]",
    "leaves at once": "import os; os._exit(0)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "speaks to the terminal": "raise RuntimeError('\\x1b[2J\\x1b[H 64 of 64\\n1e-1-hidden ok')",
    # solutions that are not its own
    "the library's solution by path": """
import sys
sys.path[:0] = ["@SOLUTION@", "@SOLUTION@/submission"]
for name in [n for n in sys.modules if n.split(".")[0] == "submission"]:
    del sys.modules[name]
from submission.dataset import CharCorruptionDataset
""",
    "the library's solution by file": """
import importlib.util
spec = importlib.util.spec_from_file_location("submission.x", "@SOLUTION@/submission/dataset.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
CharCorruptionDataset = module.CharCorruptionDataset
""",
    "the library's own spans": """
from wherefrom.objectives.span_corruption import Documents, SpanCorruptionConfig
def item(self, i):
    return Documents.render(self, Documents.plan(self, [i]))
CharCorruptionDataset.__getitem__ = item
""",
}


class Bomb:
    def __reduce__(self) -> tuple[Callable, tuple[str]]:
        return os.system, ("touch hostile-was-here",)


def own_data(folder: Path, foreign: Path) -> None:
    (folder / "data").mkdir()
    for place in (folder / "data", folder):
        (place / "wiki.txt").write_text("Ann. Ann was born in Oslo.\n")
        (place / "birth_dev.tsv").write_text("Where was Ann born?\tOslo\n")
        (place / "birth_test_inputs.tsv").write_text("Where was Ann born?\n")
    for split in ("dev", "test"):
        (folder / f"vanilla.pretrain.{split}.predictions").write_text("Oslo\n")


def linked_predictions(folder: Path, foreign: Path) -> None:
    for split in ("dev", "test"):
        (folder / f"vanilla.pretrain.{split}.predictions").symlink_to(foreign)
    (folder / "vanilla.finetune.params").symlink_to(foreign)


def linked_code(folder: Path, foreign: Path) -> None:
    (folder / "utils.py").unlink()
    (folder / "utils.py").symlink_to(foreign)


def linked_folder(folder: Path, foreign: Path) -> None:
    (folder / "more").symlink_to(foreign.parent)


def pipes(folder: Path, foreign: Path) -> None:
    for name in ("vanilla.pretrain.dev.predictions", "vanilla.finetune.params", "extra.py"):
        os.mkfifo(folder / name)


def pickled(folder: Path, foreign: Path) -> None:
    for name in ("vanilla.finetune.params", "vanilla.model.params"):
        (folder / name).write_bytes(pickle.dumps(Bomb()))
    (folder / "vanilla.pretrain.dev.predictions").write_text("Oslo\n" * 200)


def wide(folder: Path, foreign: Path) -> None:
    """A hundred kilobytes that are matrices of 96 million numbers."""
    state = {"blocks.0.mlp.0.weight": torch.zeros(1).expand(6_000_000, 16)}
    torch.save(state, folder / "vanilla.finetune.params")
    (folder / "vanilla.pretrain.dev.predictions").write_text("Oslo\nRome\n" * 100)


def links(folder: Path, foreign: Path) -> None:
    for number in range(1000):
        (folder / f"link{number}").symlink_to(foreign)


def large(folder: Path, foreign: Path) -> None:
    """Two gigabytes of predictions, in holes."""
    with (folder / "vanilla.pretrain.dev.predictions").open("wb") as file:
        file.truncate(2 << 30)


def own_python(folder: Path, foreign: Path) -> None:
    """What Python imports by itself, and a torch of its own."""
    for name in ("sitecustomize.py", "usercustomize.py", "torch.py", "json.py", "hostile.pth"):
        (folder / name).write_text("import os; os._exit(0)\n")


def own_library(folder: Path, foreign: Path) -> None:
    """A package with the grader's own name."""
    (folder / "wherefrom" / "course" / "doctor").mkdir(parents=True)
    for name in ("__init__.py", "course/__init__.py", "course/doctor/__init__.py"):
        (folder / "wherefrom" / name).write_text("raise SystemExit(0)\n")


FILES = {
    "its own data": own_data,
    "predictions are links": linked_predictions,
    "code is a link": linked_code,
    "a folder is a link": linked_folder,
    "pipes for files": pipes,
    "parameters that run": pickled,
    "parameters that are wide": wide,
    "a thousand links": links,
    "large predictions": large,
    "its own Python files": own_python,
    "its own library": own_library,
}


def bomb(path: Path) -> Path:
    """A hundred megabytes in a hundred kilobytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6):
            archive.writestr(f"submission/{number}.txt", bytes(1 << 24))
    return path


def liar(path: Path) -> Path:
    """An archive whose headers promise a hundredth of what it holds."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("submission/dataset.py", "x = 1\n" * (1 << 16))
    held = path.read_bytes()
    size = struct.pack("<I", 6 << 16)
    path.write_bytes(held.replace(size, struct.pack("<I", 6 << 8)))
    return path


def climber(path: Path) -> Path:
    """Names that lead out of the folder, and a link."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../climbed.py", "/tmp/climbed.py", "submission/../../climbed.py"):
            archive.writestr(name, "x = 1\n")
        link = zipfile.ZipInfo("submission/dataset.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return path


def damaged(path: Path, method: int) -> Path:
    """The bytes of its one file are others."""
    name = "submission/dataset.py"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(name, "x = 1\n" * 99)
    held = bytearray(path.read_bytes())
    start = 30 + len(name) + (4 if method == zipfile.ZIP_LZMA else 0)
    held[start : start + 6] = b"\xff" * 6
    path.write_bytes(held)
    return path


def misnamed(path: Path) -> Path:
    """A name that says it is UTF-8, and is not."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("submission/dätaset.py", "x = 1\n")
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"\xff\xff"))
    return path


ARCHIVES = {
    "a zip bomb": bomb,
    "an archive that lies": liar,
    "an archive that climbs": climber,
    "a damaged archive": partial(damaged, method=zipfile.ZIP_DEFLATED),
    "a damaged archive, by LZMA": partial(damaged, method=zipfile.ZIP_LZMA),
    "an archive with a name of no text": misnamed,
}
