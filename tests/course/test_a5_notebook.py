"""The notebook runs from its first cell to its last, at a tiny size."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "course" / "a5" / "play_char.ipynb"


def run(monkeypatch, capsys, **environment) -> tuple[dict, str]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    contents = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert contents["nbformat"] == 4
    names: dict = {}
    for cell in contents["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "outputs are not kept: they would go stale"
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    return names, capsys.readouterr().out


def test_it_trains_and_samples(monkeypatch, capsys):
    names, out = run(monkeypatch, capsys, PLAY_STEPS="40")
    assert len(names["losses"]) == 40
    assert names["losses"][-1] < names["losses"][0] - 0.5
    assert out.count("temperature") == 3
    assert (names["batch"].inputs[0, 1] == names["batch"].targets[0, 0]).item()


def test_it_takes_a_text_of_ones_own(monkeypatch, capsys, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ab ab ab ab ab ab ab ab\n" * 40, encoding="utf-8")
    names, out = run(monkeypatch, capsys, PLAY_STEPS="40", PLAY_TEXT=str(text))
    assert "40 lines, 920 characters, 5 symbols" in out
    assert "temperature 0.0: 'ab ab ab ab ab" in out
    assert names["losses"][-1] < 0.3
