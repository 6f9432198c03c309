"""The budget of lines, on a small package made here."""

from pathlib import Path

import pytest

from scripts import budget

FILES = {
    "src/wherefrom/api.py": 3,
    "src/wherefrom/core/__init__.py": 1,
    "src/wherefrom/core/deep/files.py": 10,
    "src/wherefrom/show/page/js/ui.js": 7,
    "src/wherefrom/show/page/report_page.py": 2,
    "tests/test_api.py": 421,
    "docs/GUIDE.md": 5,
}
TABLE = {
    "src/wherefrom": 3, "src/wherefrom/core": 11, "src/wherefrom/show": 2,
    "src/wherefrom/show/page/js": 7, "tests": 421, "benchmarks": 0, "course": 0, "studies": 0,
    "scripts": 0, "docs": 10,
}  # fmt: skip


def make(root: Path, table: dict[str, int], long: list[str], files: dict[str, int]) -> Path:
    for name, lines in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("two words\n" * lines)
    rows = [f'"{name}" = {lines}\n' for name, lines in table.items()]
    head = f"[tool.wherefrom.lines]\nlong_files = {long}\n"
    (root / "pyproject.toml").write_text(head + "".join(rows))
    return root


def test_what_fits_passes(tmp_path, capsys):
    assert budget.main([], make(tmp_path, TABLE, ["tests/test_api.py"], FILES)) == 0
    assert capsys.readouterr().out == ""
    assert budget.main(["--table"], tmp_path) == 0
    shown = capsys.readouterr().out.splitlines()
    assert sorted(shown) == sorted(f'"{name}" = {lines}' for name, lines in TABLE.items())


@pytest.mark.parametrize(
    ("table", "long", "files", "fault"),
    [
        ({"src/wherefrom/core": 10}, True, {}, "src/wherefrom/core: 11, budget 10"),
        ({"src/wherefrom/show/page/js": 6}, True, {}, "src/wherefrom/show/page/js: 7, budget 6"),
        ({}, True, {"src/wherefrom/attic/a.py": 4}, "src/wherefrom/attic: 4, not in the table"),
        ({"src/wherefrom/attic": 4}, True, {}, "src/wherefrom/attic: in the table, but not there"),
        ({}, False, {}, "tests/test_api.py: 421 lines, at most 420 for a file"),
        ({}, True, {"tests/test_api.py": 420},
         "tests/test_api.py: in long_files, but not long any more"),
    ],
)  # fmt: skip
def test_what_does_not_is_named(tmp_path, capsys, table, long, files, fault):
    root = make(tmp_path, TABLE | table, ["tests/test_api.py"] if long else [], FILES | files)
    assert budget.find_faults(root) == [fault]
    assert budget.main([], root) == 1
    assert fault in capsys.readouterr().out
