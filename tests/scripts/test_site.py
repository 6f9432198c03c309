"""The site's pages and its API reference; zensical itself is an extra."""

from pathlib import Path

import pytest

import wherefrom
from scripts import site
from tests.support.skips import require_extra

ROOT = Path(__file__).parents[2]


def test_pages_keep_their_places_and_bring_what_they_link_to(tmp_path):
    root = tmp_path / "root"
    pictures = "![p](p.svg) [elsewhere](https://x.org/q.svg) [gone](gone.svg) [r](r.html)"
    files = {
        "README.md": "[a](course/a/README.md#x)", "p.svg": "<svg/>", "src/B.md": "",
        "course/a/README.md": pictures, "course/a/p.svg": "", "course/a/r.html": "<p>",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    site.collect(root, pages := tmp_path / "pages")
    found = {p.relative_to(pages).as_posix() for p in pages.rglob("*") if p.is_file()}
    below = {f"course/a/{name}" for name in ("README.md", "p.svg", "r.html")}
    assert found == {"index.md", *below}


def test_every_name_of_the_api_is_described():
    text = site.describe_api()
    modules = {"data", "doctor"}
    for name in set(wherefrom.__all__) - modules:
        assert f"\n### wherefrom.{name}\n" in text
    assert "run: str | PathLike[str] | Run\n" in text
    assert "Write a finished run's model" in text
    assert "<class" not in text


def test_pages_load_our_own_script(tmp_path):
    (tmp_path / "assets").mkdir()
    for name in ("a.html", "deep/er/b.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('<script src="https://unpkg.com/iframe-worker/shim">')
    site.take_in(tmp_path)
    assert (tmp_path / "a.html").read_text() == '<script src="assets/file_worker.js">'
    below = (tmp_path / "deep" / "er" / "b.html").read_text()
    assert below == '<script src="../../assets/file_worker.js">'
    assert "structuredClone" in (tmp_path / "assets" / "file_worker.js").read_text()


@pytest.mark.nightly
def test_the_site_is_built_and_a_dead_link_fails(tmp_path, monkeypatch):
    require_extra("zensical")
    config = (ROOT / "zensical.toml").read_text().replace("build/site/", "")
    (tmp_path / "zensical.toml").write_text(config)
    monkeypatch.setattr(site, "BUILD", tmp_path)
    monkeypatch.setattr(site, "ZENSICAL", tmp_path / "zensical.toml")
    assert site.main() == 0
    pages = [page.read_text() for page in (tmp_path / "html").rglob("*.html")]
    assert len(pages) > 20
    assert not any('src="https://' in page for page in pages)
    assert (tmp_path / "html" / "docs" / "bigram-report.html").exists()

    def collect(root, pages):
        usual(root, pages)
        (pages / "docs" / "FAQ.md").write_text("[gone](GONE.md)")

    usual = site.collect
    monkeypatch.setattr(site, "collect", collect)
    assert site.main() == 1
