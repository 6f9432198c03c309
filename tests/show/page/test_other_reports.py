"""Reports of runs that answer no questions: language models, reviews, the attention lab."""

import math
from pathlib import Path

import pytest

from wherefrom import api
from wherefrom.course.lab.key_noise import spread
from wherefrom.experiments.recipes.recipe_catalogue import get_recipe
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page.report_page import describe_run


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `attention-lab` leaves it, with one claim and one wrong statement."""
    folder = RunFolder(tmp_path_factory.mktemp("lab") / "run")
    folder.write_recipe(get_recipe("attention-lab"))
    check = {"label": "a <b>sum</b>", "found": 1.0, "expected": 1.0, "tolerance": 0.1}
    check |= {"apart": False, "holds": True}
    wrong = {"statement": "it is random", "why": "it is not", "refuted": True, "checks": [check]}
    claim = {"name": "copying", "claim": "c < v", "checks": [check], "wrong_statements": [wrong]}
    folder.write_json("demonstrations.json", [claim])
    folder.write_text("demonstrations/copying.svg", "<svg xmlns='x'/>")
    results = {"copying": {"checks_held": 1.0, "n": 2, "held": 2, "statements": 1, "refuted": 1}}
    folder.write_status({"state": "finished", "seconds": 1.0, "results": results})
    return folder.path


def test_language_models_are_compared_in_bits(character_run, bigram_run):
    values = describe_run(open_run(character_run))
    results = open_run(character_run).results
    best = results["better"]["bits_per_target"]
    assert f"{best:.2f} bits per character" in values["sentences"][1]
    assert {row["name"] for row in values["scores"]["rows"]} == {"better", "homework"}
    perplexities = [float(row["perplexity"]) for row in values["scores"]["rows"]]
    assert perplexities == sorted(perplexities)
    count = len(open_run(character_run).vocabulary.characters)
    assert f"{math.log2(count):.2f}" in values["sentences"][2]
    assert values["embedded"]
    # Openings are beginnings of held-out text.
    for run in (character_run, bigram_run):
        openings = describe_run(open_run(run))["data"]["openings"]
        text = " ".join(" ".join(d.text.split()) for d in open_run(run).dataset.held_out_documents)
        assert openings
        assert all(opening in text and len(opening) <= 60 for opening in openings)


def test_reviews_are_counted(sentiment_run):
    values = describe_run(open_run(sentiment_run))
    own = open_run(sentiment_run).results[open_run(sentiment_run).recipe.primary]
    assert f"{own['correct']} of {own['n']}" in values["sentences"][1]
    assert len(values["data"]["examples"]) == 3
    assert len([name for name, _ in values["made"]["facts"] if "SHA-256" in name]) == 2


def test_the_lab_shows_its_claims_as_text(lab, tmp_path):
    found = api.write_report(lab, tmp_path / "lab.html")
    page = Path(found.path).read_text()
    assert "2 of 2 checks hold" in page
    assert "c &lt; v" in page
    assert "a &lt;b&gt;sum&lt;/b&gt;" in page
    assert "data:image/svg+xml;base64," in page


def test_the_navigation_says_what_one_does_there(character_run, sentiment_run, lab, tmp_path):
    words = {"Type": character_run, "Write a review": sentiment_run, "Try it": lab}
    for said, run in words.items():
        page = report_of(run, tmp_path).read_text()
        assert f'<a href="#ask">{said}</a>' in page
        assert f"Skip to “{said}”" in page


# --- in a browser ----------------------------------------------------------------------------


def report_of(run: Path, folder: Path) -> Path:
    api.write_report(run, folder / "report.html")
    return folder / "report.html"


@pytest.mark.nightly
def test_typing_shows_a_price_for_every_character(open_page, character_run, tmp_path):
    opened = open_page(report_of(character_run, tmp_path))
    page = opened.page
    page.wait_for_selector("#readings .bars li")
    text = "to be or not"
    page.fill("#typed", text)
    page.wait_for_selector(f"#typing-says:has-text('these {len(text)} characters')")
    readings = page.locator("#readings .reading")
    assert [readings.nth(i).locator(".prices .c").count() for i in (0, 1)] == [len(text)] * 2
    page.fill("#typed", "t")
    page.wait_for_selector("#typing-says:has-text('bits for this character')")


@pytest.mark.nightly
def test_words_have_prices(open_page, bigram_run, tmp_path):
    opened = open_page(report_of(bigram_run, tmp_path))
    opened.page.wait_for_selector("#readings .bars li")
    page = opened.page
    assert page.locator("#readings .prices .c").count() > 3
    read = page.input_value("#typed")
    page.fill("#typed", f"{read} ☃")  # a word that it never saw: no figures of the text before
    page.wait_for_selector("#typing-says:has-text('has never seen')")
    assert page.locator("#readings .prices").first.is_hidden()
    page.fill("#typed", read.split()[0])
    page.wait_for_selector("#typing-says:has-text('bits for')")
    assert page.locator("#readings .prices").first.is_visible()


@pytest.mark.nightly
def test_a_reviews_words_have_effects(open_page, sentiment_run, tmp_path):
    opened = open_page(report_of(sentiment_run, tmp_path))
    page = opened.page
    page.wait_for_selector("#judgement[data-state=answered]")
    page.fill("#review", "a wonderful and charming film qqqq")
    page.wait_for_selector("#judgement .unknown:has-text('qqqq')")
    assert opened.text("#judgement .answer").split()[0] in ("positive", "negative")
    assert page.locator("#judgement .review-words > span").count() == 6


@pytest.mark.nightly
def test_the_labs_sliders_show_what_the_lab_computes(open_page, lab, tmp_path):
    opened = open_page(report_of(lab, tmp_path))
    # beta = 10 and alpha = 1/2 are the lab's own: one head spreads by 0.443.
    said = opened.text("#lab-says")
    assert f"spreads by {spread(10.0):.2f} around 0.50" in said
    opened.page.focus("#alpha")
    opened.page.keyboard.press("Home")
    assert "One head: the share of a spreads by 0.00 around 0.50" in opened.text("#lab-says")
