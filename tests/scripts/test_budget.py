"""The budget of lines of code, on a small package made here."""

from pathlib import Path

import pytest

from scripts import budget

FILES = {
    "src/wherefrom/api.py": "a = 1\n" * 3,
    "src/wherefrom/cli/ask.py": "a = 1\n",
    "src/wherefrom/core/__init__.py": '"""Nothing but a docstring."""\n',
    "src/wherefrom/core/deep/files.py": "a = 1\n" * 10,
    "src/wherefrom/show/page/js/ui.js": "let a\n\n" * 3,
    "src/wherefrom/show/page/node_modules/ui.py": "a = 1\n",
    "tests/test_api.py": "a = 1\n" * 400,
    "docs/GUIDE.md": "two words\n" * 5,
}
TABLE = {
    "src/wherefrom": 14, "src/wherefrom/core": 10, "src/wherefrom/cli": 4,
    "src/wherefrom/show/page/js": 6, "tests": 400, "benchmarks": 0, "course": 0, "studies": 0,
    "scripts": 0, "docs": 10,
}  # fmt: skip
EXPLAINED = '''"""A module's docstring,
of two lines."""

# a comment
import ast; import io


def act(data):
    """What it does."""
    text = """a string
    of two lines"""
    return (
        text  # said
    )


class Empty:
    "Said in single quotes."
    "a second string is code"
'''


def make(root: Path, table: dict[str, int], files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    rows = [f'"{name}" = [{lines}, 0]\n' for name, lines in table.items()]
    (root / "pyproject.toml").write_text("[tool.wherefrom.lines]\n" + "".join(rows))
    return root


def test_explanations_are_free():
    """2 on the first line, def, 2 of the string, 3 of the return, class and its second string."""
    assert budget.count_code(EXPLAINED) == 2 + 1 + 2 + 3 + 2


def test_what_fits_passes_and_the_table_is_shown(tmp_path, capsys):
    assert budget.main(make(tmp_path, TABLE, FILES)) == 0
    shown = capsys.readouterr().out
    assert [line.split()[:2] for line in shown.splitlines()[1:11]] == [
        [name, str(lines)] for name, lines in TABLE.items()
    ]
    assert "files: 4, dataclasses and Structs: 0" in shown


@pytest.mark.parametrize(
    ("table", "files", "fault"),
    [
        ({"src/wherefrom/core": 9}, {}, "src/wherefrom/core: 10, budget 9"),
        ({"src/wherefrom/show/page/js": 5}, {}, "src/wherefrom/show/page/js: 6, budget 5"),
        ({}, {"src/wherefrom/attic/a.py": "\n"}, "src/wherefrom/attic: 0, not in the table"),
        ({"src/wherefrom/attic": 4}, {}, "src/wherefrom/attic: in the table, but not there"),
        ({"tests": 401}, {"tests/test_api.py": "a = 1\n" * 401},
         "tests/test_api.py: 401 lines of code, at most 400 for a file"),
    ],
)  # fmt: skip
def test_what_does_not_is_named(tmp_path, capsys, table, files, fault):
    assert budget.main(make(tmp_path, TABLE | table, FILES | files)) == 1
    assert capsys.readouterr().out.splitlines()[-2] == f"  {fault}"


def test_records_and_modules_of_one_importer_are_counted(tmp_path):
    files = {
        "src/wherefrom/a.py": "import msgspec\nclass A(msgspec.Struct, frozen=True): pass\n",
        "src/wherefrom/b.py": "from wherefrom.a import A\nclass B(A): pass\n",
        "src/wherefrom/c.py": "from wherefrom import a, b\n@dataclass()\nclass C: pass\n",
    }
    # a is imported by b and c, b by c alone.
    assert budget.count_structure(make(tmp_path, {}, files)) == {
        "files": 3, "dataclasses and Structs": 3, "modules with one importer": 1,
    }  # fmt: skip
