"""The report in a browser, for somebody who never saw the project: what it says, links, saves."""

import json
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly  # chromium alone takes more CPU seconds than a fast test may
BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_an_example_is_answered_on_load_and_an_empty_field_says_what_to_type(
    open_page, outspoken, name
):
    opened = open_page(outspoken)
    assert opened.wait() in ("answered", "declined")
    assert opened.page.input_value("#question") == ""
    assert opened.text("#card .asked") == f"Where was {name} born?"
    assert opened.page.url.endswith(".html")  # nobody asked it: the address stays
    opened.page.press("#question", "Enter")
    opened.page.wait_for_selector("#card[data-state=refused]")
    assert opened.text("#card .answer") == "Ask what?"
    assert f"such as {name}, or a question: Where was … born?" in opened.text("#card")


@pytest.mark.parametrize("width", [1280, 980, 360])
def test_nothing_hangs_out_of_the_page(open_page, outspoken, name, width):
    """On a phone, the rows of the table are cards."""
    opened = open_page(outspoken, width=width)
    opened.ask(name)
    opened.wait_to_look_in()
    assert opened.page.evaluate(BEYOND) == 0
    row = opened.page.locator("#answers-table tbody tr").first
    assert (row.evaluate("row => getComputedStyle(row).display") == "grid") == (width == 360)
    boxes = [opened.page.locator(part).bounding_box() for part in ("main", "#beside", "#card")]
    main, *inside = (box["x"] + box["width"] for box in boxes)
    assert max(inside) <= main + 1


def test_a_link_asks_its_question_and_what_is_asked_becomes_a_link(open_page, outspoken, name):
    opened = open_page(outspoken)
    page = opened.page
    opened.ask("Zz Yy")
    assert page.url.endswith("#q=Where%20was%20Zz%20Yy%20born%3F")
    page.evaluate(f"location.hash = '#q=' + encodeURIComponent('Where was {name} born?')")
    page.wait_for_selector(f"#card .asked:has-text('{name}')")
    opened.wait()
    with page.expect_download() as saved:
        page.click("#share button:has-text('picture')")
    assert saved.value.suggested_filename == "answer.png"
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"
    page.evaluate("location.hash = '#answers'")
    assert page.locator("#answers-table").is_visible()
    with page.expect_download() as saved:
        page.click("#as-csv")
    lines = Path(saved.value.path()).read_text().splitlines()
    assert lines[0].startswith("question,subject,relation,answer,right_answer,right,")
    with page.expect_download() as saved:
        page.click("#as-json")
    rows = json.loads(Path(saved.value.path()).read_text())
    assert len(rows) == len(lines) - 1 == 14
    assert {row["support"] for row in rows} == {"stated", "omitted", "none"}


@pytest.mark.parametrize(
    ("old", "new", "where", "says"),
    [
        (" was born in ", " was seen in ", "#card", "This file was changed after it was made"),
        (
            '"use strict";\n(() => {\n// ui',
            '"use strict";\n(() => {\n// my',
            ".unscripted",
            "changed",
        ),
        ('id="page-data">{', 'id="page-data">{,', ".unscripted", "Nothing can be asked here"),
    ],
)
def test_an_edited_page_says_so(browser, report_file, tmp_path, old, new, where, says):
    """Data, the script itself, whose hash the browser compares, and data that cannot be read."""
    text = report_file.read_text()
    assert old in text
    (tmp_path / "edited.html").write_text(text.replace(old, new))
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "edited.html").as_uri())
    page.wait_for_selector(f"{where}:has-text('{says}')")
    context.close()


def test_without_its_text_shows_what_retrained_models_say(open_page, outspoken, name, tmp_path):
    """As an audit measured it: 90 % with the text about this name, 20 % without it."""
    text = outspoken.read_text()
    entry = re.search(rf'\{{"q":"Where was {name} born\?"[^}}]*"w":null', text)
    assert entry
    told = entry[0].replace('"w":null', '"w":[0.9,0.2,16]')
    (tmp_path / "audited.html").write_text(text.replace(entry[0], told))
    opened = open_page(tmp_path / "audited.html")
    assert opened.ask(name) == "answered"
    opened.page.check("#card .left-out input")
    said = opened.text("#card")
    assert "20 %; with it, 90 % (means of 16 models)" in said
    assert "trained without the text about" in said
