"""Examples of a CharCorruptionDataset; what costs points is in test_a5_mistakes.py."""

import pytest

from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.judging import spans
from wherefrom.course.doctor.judging.claims import Claim, Claims
from wherefrom.course.doctor.judging.spans import BLOCKS, MASK, PAD, Pieces, pieces
from wherefrom.course.doctor.years import YEARS

CUT = "random.randint(4, int(self.block_size * 7 / 8))"
SIZE = "max(1, int(random.uniform(1 / 8, 3 / 8) * len(text)))"
TWO = ('"".join(part + self.MASK_CHAR for part in parts)', "self.MASK_CHAR.join(parts)")


@pytest.fixture
def drawn(claimed, monkeypatch):
    """`drawn(old, new)`: the claims of a data set in which some text was replaced; a few draws."""
    monkeypatch.setattr(spans, "_ORDER", spans._ORDER[: 4 * spans.TIMES + 60])

    def claim(old="", new="", **options):
        changes = [("dataset.py", old, new)] if old else []
        return claimed(spans.requests(7), *changes, **options)

    return claim


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"ab{MASK}cd{PAD}", "found 1 masks"),
        (f"a{PAD}b{MASK}c{MASK}d{MASK}", "padding stands before the end"),
        (f"a{MASK}b{MASK}c{MASK}d", "found 3 masks, the last not at the end"),
        (f"a{MASK}b{MASK}c{MASK}{MASK}", "found 4 masks: padded with the mask"),
    ],
)
def test_other_layouts_are_findings(text, message):
    with pytest.raises(Finding, match=message) as caught:
        pieces(text)
    assert caught.value.mistake == "layout"


def test_what_works_at_the_courses_block_works_at_the_small_one():
    assert all((block * year.longest).is_integer() for block in BLOCKS for year in YEARS.values())


@pytest.mark.parametrize(
    ("prefix", "span", "said"),
    [("abc", "cd", "doubled before"), ("ab", "cde", "doubled after"), ("ab", "d", "lost before"),
     ("ab", "c", "lost after"), ("ab", "xd", "")],
)  # fmt: skip
def test_a_character_that_a_slice_loses_or_doubles_is_named(prefix, span, said):
    found = spans._slip("abcdefgh", Pieces(prefix, "efg", span, closed=True))
    assert found == (said and f": a character is {said} the span")


def test_masks_follow_the_years_hand_out(drawn):
    said = spans.check_masks(drawn(year="cs224n2021"))
    assert said == "a mask follows the span, as in the hand-out's examples and not in its template"
    assert spans.check_masks(drawn(*TWO, year="cs224n2021")) is None
    now_and_then = ("whole = ", "whole = self.MASK_CHAR.join(parts) if at % 2 else ")
    with pytest.raises(Finding, match="in some examples and not in others"):
        spans.check_masks(drawn(*now_and_then, year="cs224n2021"))


def test_lengths_that_the_hand_outs_own_words_allow_are_noted(drawn):
    longer = (
        "ljust(self.block_size, self.PAD_CHAR)]",
        "ljust(self.block_size + 1, self.PAD_CHAR)]",
    )
    said = "x and y have 128 characters, not 127: the hand-out says both"
    assert spans.check_size(drawn()) is None
    assert spans.check_size(drawn(*longer)) == said
    assert spans.check_size(drawn(*longer, year="cs224n2024")) is None


def test_an_empty_span_is_no_mistake_but_no_span_at_all_is(drawn):
    spans.check_rebuilt(drawn(SIZE, "random.randint(0, len(text) // 2)"))
    with pytest.raises(Finding, match="no example has a span at all"):
        spans.check_rebuilt(drawn(SIZE, "0"))


def test_texts_too_short_for_a_share_are_no_finding(drawn):
    with pytest.raises(NoTelling, match="no text of 32 characters came up"):
        spans.check_spans(drawn(CUT, "random.randint(4, 20)"))


def test_a_crash_in_the_middle_is_said(drawn):
    claims = drawn(
        "        size = ", "        if len(text) == 9: raise KeyError('nine')\n        size = "
    )
    with pytest.raises(Finding, match=r"it stopped with KeyError: 'nine' \(dataset.py:43\)"):
        spans.check_truncation(claims)


@pytest.mark.parametrize("examples", [[[1, 2]], [1], [[[1], [2]]], [["a", "b"]] * 9999])
def test_examples_of_another_form_are_not_drawn_as_ours(examples):
    values = {"examples": examples, "itos": [], "kinds": ["a"]}
    claims = Claims(YEARS["xcs2021"], 7, True, {"spans30": Claim("spans30", values)})
    assert not spans.draws_as(claims, [], 30)
