"""The program behind `make report`; the picture that it makes needs a browser."""

from scripts import report_picture
from wherefrom.core.errors import MissingInput


def test_a_run_that_is_not_there_is_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["report_picture.py", str(tmp_path / "none")])
    assert report_picture.main() == MissingInput.exit_code
    assert len(capsys.readouterr().err.splitlines()) == 1
