"""Both halves of the people whose text omits the answer, counted by hand."""

import omitted

from wherefrom.core.files import format_jsonl
from wherefrom.objectives.omissions import is_withheld


def test_both_halves_are_counted_apart(tmp_path, capsys):
    names = [f"Person {i}" for i in range(20)]
    rows = [
        {"split": "held-out", "support": "omitted",
         "reply": {"subject": name, "answered": is_withheld(name)}}
        for name in names
    ]  # fmt: skip
    rows += [
        {"split": "held-out", "support": "stated", "reply": {"subject": "A", "answered": True}},
        {"split": "calibration", "support": "stated", "reply": {"subject": "B", "answered": True}},
    ]
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "answers.jsonl").write_text(format_jsonl(rows))
    half = sum(map(is_withheld, names))
    assert omitted.main([str(tmp_path)]) == {
        "stated": (1, 1), "omitted, covered": (20 - half, 0), "omitted, withheld": (half, half)
    }  # fmt: skip
    assert f"omitted, withheld: declined 0 of {half}" in capsys.readouterr().out
