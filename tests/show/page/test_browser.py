"""The report in a browser: asked, declined, looked into, sorted; by keyboard, small and dark."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.own_text import write_birthplaces
from wherefrom import api
from wherefrom.answering.policy import find_policy, open_as_stored
from wherefrom.runs.opened_run import open_run

pytestmark = pytest.mark.nightly  # chromium alone takes more CPU seconds than a fast test may
ANSWERS = r'("answers": ?)(\[.*?\])(, ?"relations")'  # among the page's data


BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


# A browser takes two CPU seconds for every page that it opens: one test sees much of it, and the
# rest is for the night.


def test_a_page_answers_looks_in_lists_refuses_declines_and_prints(
    open_page, outspoken, outspoken_run, name
):
    opened = open_page(outspoken, height=500)
    page = opened.page
    assert opened.ask(name) == "answered"
    (reply,) = api.ask(outspoken_run, f"Where was {name} born?")
    assert reply.answer
    assert opened.text("#card .asked") == reply.question
    assert opened.text("#card .answer bdi") == reply.answer
    assert opened.text("#said").startswith(reply.answer)
    assert page.locator(f"#card .evidence.{reply.evidence.label}").count() >= 1
    assert opened.text("#card .quote mark.name") == name
    # Both models stand side by side.
    assert page.locator("#beside h3").all_inner_texts() == ["With reading", "Without reading"]
    run = open_run(outspoken_run)
    asked = open_as_stored(run, find_policy(run)).answerer, run.predictor("without_pretraining")
    for column, answerer in enumerate(asked):
        (answer,) = answerer.answer([f"Where was {name} born?"])
        shown = page.locator("#beside .bars").nth(column).locator("bdi").first.inner_text()
        assert shown == (answer.text or "nothing")
    look_in(opened, name)
    list_answers(page, run)
    assert opened.ask("What did she eat?") == "refused"
    assert "Where was ... born?" in opened.text("#card")
    assert page.locator("#beside").is_hidden()
    page.fill("#question", name)
    page.press("#question", "Enter")
    page.wait_for_selector("#card[data-state=answered]")
    # The slider turns an answer into "I don't know".
    before = opened.text("#risk-says"), page.get_attribute(".here", "x")
    page.focus("#risk")
    page.keyboard.press("Home")  # the least risk: no threshold reaches it
    page.wait_for_selector("#card[data-state=declined]")
    after = opened.text("#risk-says"), page.get_attribute(".here", "x")
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert page.get_attribute(".here", "visibility") == "hidden"  # nothing is answered
    assert "I don’t know" in opened.text("#card .answer")
    assert opened.text("#card .guess").startswith(f"Best guess: {reply.answer}, ")
    page.click("#card .why summary")
    assert opened.text("#card .why summary") == "Why not?"
    page.click("#picks button:has-text('made-up')")
    page.wait_for_selector(f"#card[data-state=declined] .asked:not(:has-text('{name}'))")
    assert "I don’t know" in opened.text("#said")
    page.emulate_media(media="print")
    assert page.locator("#ask-form").is_hidden()
    assert page.locator("#look").is_hidden()
    assert page.locator("#accuracy svg.chart").is_visible()


def list_answers(page, run):
    """The table filters, searches and sorts."""
    page.click("#answers-box > summary")
    rows = page.locator("#answers-table tbody tr")
    assert rows.count() == 14  # 8 stated, 2 omitted, 4 without text
    page.click("#filters button:has-text('no text')")
    assert rows.count() == 4
    page.click("#filters button:has-text('no text')")
    somebody = run.dataset.select("held-out")[2].subject
    page.fill("#filters input", somebody.upper())
    assert rows.count() == 1
    page.fill("#filters input", "")
    page.click("th[data-key=s] button")
    names = page.locator("#answers-table tbody tr td:first-child").all_inner_texts()
    assert names == sorted(names)
    assert page.get_attribute("th[data-key=s]", "aria-sort") == "ascending"
    page.click("th[data-key=s] button")
    assert page.locator("#answers-table tbody td:first-child").all_inner_texts() == names[::-1]
    # A number of the two-way table lists its answers.
    cell = page.locator(".cell").first
    count = int(cell.locator(".figure").inner_text())
    cell.click()
    assert rows.count() == count


def look_in(opened, name):
    """Attention, lens and dependence, computed once somebody looks, below the screen."""
    page = opened.page
    assert page.locator("#look-body").is_hidden()
    opened.wait_to_look_in()
    # The tiny model has one layer of two heads.
    assert page.locator("#look [role=tab]").count() == 1
    assert page.locator("#look .head").count() == 2
    page.locator("#look .head").nth(0).click()
    first = opened.page.get_attribute("#look .large canvas", "aria-label")
    page.locator("#look .head").nth(1).click()
    second = opened.page.get_attribute("#look .large canvas", "aria-label")
    assert "head 1" in first
    assert "head 2" in second
    page.locator("#look .strip button").nth(3).focus()
    page.keyboard.press("ArrowRight")
    assert "From “e”" in opened.text("#look .look-part p[aria-live]")  # Wher*e* was
    assert page.locator("#look table.lens tbody tr").count() == 2
    letter = page.locator("#look table.lens tbody td b").first
    inks = [letter.evaluate("b => getComputedStyle(b).color")]
    page.locator("#theme").evaluate("button => button.click()")
    inks.append(letter.evaluate("b => getComputedStyle(b).color"))
    assert set(inks) == {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}  # one that is read in each theme
    marks = page.locator("#look .look-part").nth(2).locator(".strip .c")
    assert marks.count() == len(f"Where was {name} born?")
    assert all("nats" in mark.get_attribute("title") for mark in marks.all())
    assert "Computing" not in opened.text("#look .look-part p[role=status]")
    painted = page.evaluate(
        """() => { const c = document.querySelector('#look .large canvas');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return d.some((value) => value > 0); }"""
    )
    assert painted


def test_the_wrong_answers_that_were_given_can_be_listed(open_page, report_file, tmp_path):
    """Of three answers, one is right and given, one wrong and given, one wrong and declined."""

    def relabel(found: re.Match[str]) -> str:
        rows = json.loads(found[2])[:3]
        for row, right, given in zip(rows, (1, 0, 0), (1, 1, 0), strict=True):
            row |= {"ok": bool(right), "given": bool(given)}
        return found[1] + json.dumps(rows) + found[3]

    text = re.sub(ANSWERS, relabel, report_file.read_text(), count=1)
    (tmp_path / "three.html").write_text(text)
    page = open_page(tmp_path / "three.html").page
    page.click("#answers-box > summary")
    rows = page.locator("#answers-table tbody tr")
    for words, count in (("wrong", 2), ("answered", 1), ("right", 2), ("declined", 3)):
        page.locator("#filters button", has_text=re.compile(f"^{words}$")).click()
        assert rows.count() == count  # every chip stays pressed


def test_everything_is_reached_with_the_keyboard_in_reading_order(open_page, outspoken, name):
    opened = open_page(outspoken)
    page = opened.page
    page.focus("#theme")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type(name[:4])
    assert page.get_attribute("#question", "aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    active = page.get_attribute("#question", "aria-activedescendant")
    chosen = page.inner_text(f"#{active} bdi")
    page.keyboard.press("Enter")
    opened.wait()
    assert opened.text("#card .asked") == f"Where was {chosen} born?"
    assert page.locator("#names").is_hidden()
    opened.wait_to_look_in()
    order: list[float] = []
    while True:  # to the end of the page, where the focus leaves it
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('body, .skip')"):
            break
        order.append(page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
        width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert width not in ("0px", "")
        assert len(order) < 200
    assert len(order) > 20
    # The focus never jumps back up the page, but for a row of chips or a line of the table.
    assert [a - b for a, b in pairwise(order) if a - b > 40] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_is_the_systems_choice_or_the_readers_and_paper_is_white(
    open_page, report_file, scheme
):
    opened = open_page(report_file, color_scheme=scheme)
    style = "getComputedStyle(document.querySelector('%s')).%s"

    def shade() -> int:
        return sum(map(int, re.findall(r"\d+", page.evaluate(style % ("body", "backgroundColor")))))

    page = opened.page
    if scheme == "light":
        assert shade() > 700
        page.click("#theme")
    assert shade() < 100
    page.emulate_media(media="print")
    found = [
        page.evaluate(style % each)
        for each in (("body", "backgroundColor"), ("body", "color"), (".chart text", "stroke"))
    ]
    assert found == ["rgb(255, 255, 255)", "rgb(0, 0, 0)", "rgb(255, 255, 255)"]


def test_what_is_folded_away_is_printed_and_then_folded_again(open_page, report_file):
    page = open_page(report_file).page
    page.evaluate(
        "document.getElementById('check').insertAdjacentHTML('beforeend', "
        "'<details id=shut><summary>s</summary>a</details><details open>b</details>')"
    )
    opened = "[...document.querySelectorAll('#check details, #made details')].map((d) => d.open)"
    before = page.evaluate(opened)
    assert before == [False, False, True, False, False]
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(opened) == [True, True, True, True, False]  # the recipe is not printed
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(opened) == before


def test_without_scripts_everything_else_can_be_read(browser, report_file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report_file.as_uri())
    assert page.locator(".unscripted").is_visible()
    assert page.locator("#ask-form").is_hidden()
    assert page.locator("#accuracy svg.chart").is_visible()
    assert page.locator("#answers-table tbody tr").count() == 14
    context.close()


def test_a_browser_that_cannot_run_the_model_says_so(browser, report_file):
    """Nothing is computed, but the page is whole; asking again changes nothing."""
    context = browser.new_context()
    context.add_init_script(
        "window.Worker = class { constructor() { throw Error('no workers'); } }"
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(report_file.as_uri())
    page.wait_for_selector("#card[data-state=broken]")
    assert "no workers" in page.inner_text("#card")
    page.fill("#question", "Ada Lund")
    page.press("#question", "Enter")
    page.wait_for_selector("#card[data-state=broken]")
    assert page.locator("#answers-table tbody tr").count() == 14
    assert complaints == []
    context.close()


ODD = ["אברהם כהן", "王 秀英", "👩‍👩‍👧 Lund", f"{'Wolfeschlegel' * 5} Falk"]
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def hostile(small_settings: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report over a corpus whose names and answers would be HTML, if anybody believed them."""
    folder = tmp_path_factory.mktemp("hostile")
    firsts = [f"<b>{name}</b>" for name in "Ada Bo Cy Di Ed Fay".split()]
    names = [f"{a} {b}</script>" for a in firsts for b in "Lund Falk Roth Holm".split()] + ODD
    places = [HOSTILE, "Rome & <i>Lima</i>", "]]><!--", "{{ 7 * 7 }}", "\u202eCork"]
    files = write_birthplaces(folder, {name: places[i % 5] for i, name in enumerate(names)})
    few = ["data.calibration_share=0", "abstain=false"]
    api.run("facts", out=folder / "run", settings=[*small_settings, *few, *files])
    api.write_report(folder / "run", folder / "report.html")
    return folder


# Whatever the system's fonts are, they are hardly as wide as these.
WIDE = {
    "its own fonts": "/* as they are */",
    "monospaced and bold": "* { font-family: monospace !important; font-weight: 700 !important }",
    "wide letters": "* { letter-spacing: 0.2em !important }",
    "larger type": "* { font-size: 21px !important }",
}


@pytest.mark.parametrize("wide", WIDE.values(), ids=WIDE)
def test_names_in_any_script_and_of_any_length_fit_a_phone(open_page, hostile, wide):
    opened = open_page(hostile / "report.html", width=360, height=740, bypass_csp=True)
    opened.page.add_style_tag(content=wide)
    opened.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for name in ODD:
        assert opened.ask(f"Where was {name} born?") == "answered"
        assert name in opened.page.inner_text("#card .asked")
        opened.wait_to_look_in()
        assert opened.page.evaluate(BEYOND) == 0
    opened.page.fill("#question", ODD[0])
    direction = "getComputedStyle(document.getElementById('question')).direction"
    assert opened.page.evaluate(direction) == "rtl"


def test_marks_of_direction_in_a_name_leave_the_rest_of_the_question_alone(open_page, hostile):
    """U+202E turns all that follows in its element around; the words after the name stay right."""
    opened = open_page(hostile / "report.html")
    page = opened.page
    assert opened.ask("Where was Ada \u202eLund born?") in ("answered", "declined")
    assert page.inner_text("#card .asked bdi bdi") == "Ada \u202eLund"
    ends = page.evaluate(
        """() => { const line = document.querySelector('#card .asked > bdi');
        const rest = document.createRange(); rest.selectNodeContents(line.lastChild);
        return [line.firstElementChild.getBoundingClientRect().right,
                rest.getBoundingClientRect().left, line.lastChild.data]; }"""
    )
    assert ends[2] == " born?"
    assert ends[1] >= ends[0] - 1


def test_hostile_names_are_shown_as_text(open_page, hostile):
    opened = open_page(hostile / "report.html")
    page = opened.page
    held = open_run(hostile / "run").dataset.select("held-out")[0]
    assert opened.ask(held.text) == "answered"  # without calibration it always answers
    assert held.subject in page.inner_text("#card .asked")
    assert page.locator("#card b, #card img, #card i:not(.sure-bar i)").count() == 0
    golds = page.locator("#answers-table td[data-label='right is']").all_text_contents()
    assert held.answer in golds
    assert page.locator("img").count() == 0
    # The data of page and engine, two models, the engine, the page's own script: no other.
    assert page.evaluate("document.scripts.length") == 6
