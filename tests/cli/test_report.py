"""`wherefrom report`, and the report at the end of `wherefrom run`."""


def test_it_says_where_the_file_is_and_how_large(cli, tiny_run, tmp_path):
    out = tmp_path / "deep" / "page.html"
    result = cli("report", tiny_run, "--out", out)
    assert result.code == 0
    assert result.out.startswith(f"{out}: ")
    assert result.out.endswith("MB; open it in a browser\n")
    assert out.read_text().startswith("<!doctype html>")


def test_run_ends_with_a_report(cli, tiny, tmp_path):
    result = cli("run", *tiny, "--out", tmp_path / "run")
    assert result.code == 0
    report = tmp_path / "run" / "report.html"
    assert result.out.splitlines()[-1].startswith(f"{report}: the report")
    assert report.exists()
    before = report.stat().st_mtime_ns
    again = cli("run", *tiny, "--out", tmp_path / "run")
    assert again.code == 0
    assert report.stat().st_mtime_ns == before  # a finished run is only read
    report.unlink()
    assert cli("run", *tiny, "--out", tmp_path / "run").code == 0
    assert report.exists(), "a report that is lost comes back"
