"""Examples of a CharCorruptionDataset, put together by hand or drawn by a plain solution."""

from types import SimpleNamespace

import pytest
import torch

from wherefrom.course.doctor import spans
from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.spans import MASK, PAD, Pieces

SYMBOLS = dict(enumerate((PAD, MASK, *"abcdef")))


def read(text: str) -> Pieces:
    ids = [next(i for i, c in SYMBOLS.items() if c == symbol) for symbol in text]
    return spans.pieces(ids, SimpleNamespace(itos=SYMBOLS))


def test_pieces_are_read_back():
    found = read(f"ab{MASK}ef{MASK}cd{MASK}{PAD}{PAD}")
    assert found == Pieces("ab", "ef", "cd", closed=True)
    assert (found.text, len(found)) == ("abcdef", 6)
    assert read(f"{MASK}ef{MASK}cd{PAD}") == Pieces("", "ef", "cd", closed=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"ab{MASK}cd{PAD}", "found 1 masks"),
        (f"a{PAD}b{MASK}c{MASK}d{MASK}", "padding stands before the end"),
        (f"a{MASK}b{MASK}c{MASK}d", "found 3 masks, the last not at the end"),
    ],
)
def test_other_layouts_are_findings(text, message):
    with pytest.raises(Finding, match=message) as caught:
        read(text)
    assert caught.value.mistake == "layout"


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ([torch.arange(3)], "should be a pair x, y and is list"),
        ((torch.arange(3), [1, 2, 3]), "y should be a tensor of torch.long and is list"),
        ((torch.ones(3), torch.arange(3)), "x should be .* and is torch torch.float32"),
        ((torch.arange(3), torch.arange(4)), r"as long as each other and are \(3,\) and \(4,\)"),
    ],
)
def test_the_form_of_an_example(item, message):
    with pytest.raises(Finding, match=message):
        spans.draw([item], 0)
    assert spans.draw([(torch.arange(2), torch.arange(1, 3))], 0) == ([0, 1], [1, 2])


CUT = "random.randint(4, int(self.block_size * 7 / 8))"
SIZE = "max(1, int(random.uniform(1 / 8, 3 / 8) * len(text)))"


@pytest.mark.parametrize(
    ("old", "new", "check", "mistake", "message"),
    [
        (CUT, CUT.replace("4,", "3,"), spans.check_truncation, "truncation range",
         "from 3 to 26 at block_size 30, expected 4 to 26"),
        (CUT, "random.choice([*range(4, 10), *range(12, int(self.block_size * 7 / 8) + 1)])",
         spans.check_truncation, "truncation range", "no text had 10, 11 characters"),
        (SIZE, "max(1, len(text) // 4)", spans.check_spans, "fixed span", "of the same length"),
        (SIZE, SIZE.replace("3 / 8", "7 / 8"), spans.check_spans, "span length",
         r"(4[6-9]|5[0-3])% of the text on average, not 25 %"),
        ("at = random.randint(0, len(text) - size)", "at = 0", spans.check_spans, "fixed place",
         "always begins in the first half"),
        ("ids = [self.stoi[c]", "ids = [self.stoi[c.lower()]", spans.check_rebuilt, "rebuild",
         "do not give its document back"),
        ("self.data[idx]", "self.data[idx % 4]", spans.check_end, "past the end", "IndexError"),
        ("torch.tensor(ids[1:])", "torch.tensor(ids[2:] + [0])", spans.check_shift, "wrong shift",
         "is x moved by 2"),
        ("ljust(self.block_size,", "ljust(self.block_size + 2,", spans.check_size, "size",
         "should have 29 characters at block_size 30 and have 31"),
    ],
)  # fmt: skip
def test_a_changed_data_set_is_found_out(plain, old, new, check, mistake, message):
    with pytest.raises(Finding, match=message) as caught:
        check(plain("dataset.py", old, new))
    assert caught.value.mistake == mistake


def test_masks_follow_the_years_hand_out(plain):
    said = spans.check_masks(plain(year="cs224n2021"))
    assert said == "a mask follows the span, as in the hand-out's examples and not in its template"
    two = ('"".join(part + self.MASK_CHAR for part in parts)', "self.MASK_CHAR.join(parts)")
    assert spans.check_masks(plain("dataset.py", *two, year="cs224n2021")) is None
    now_and_then = ("whole = ", "whole = self.MASK_CHAR.join(parts) if at % 2 else ")
    with pytest.raises(Finding, match="in some examples and not in others"):
        spans.check_masks(plain("dataset.py", *now_and_then, year="cs224n2021"))


def test_lengths_that_the_hand_outs_own_words_allow_are_noted(plain):
    longer = ("dataset.py", "ljust(self.block_size, self.PAD_CHAR)]",
              "ljust(self.block_size + 1, self.PAD_CHAR)]")  # fmt: skip
    said = "x and y have 128 characters, not 127: the hand-out says both"
    assert spans.check_size(plain()) is None
    assert spans.check_size(plain(*longer, year="xcs2025")) == said
    assert spans.check_size(plain(*longer)) == f"{said}; the synthesizer reads 127 at most"
    assert spans.check_size(plain(*longer, year="cs224n2024")) is None


def test_an_empty_span_is_no_mistake_but_no_span_at_all_is(plain):
    assert spans.check_rebuilt(plain()) is None
    rounded = ("dataset.py", "max(1, int(random.uniform(1 / 8, 3 / 8) * len(text)))")
    said = spans.check_rebuilt(plain(*rounded, "random.randint(0, len(text) // 2)"))
    assert said is not None
    assert said.endswith("spans are empty, which no hand-out forbids")
    with pytest.raises(Finding, match="no example has a span at all"):
        spans.check_rebuilt(plain(*rounded, "0"))


def test_texts_too_short_for_a_share_are_no_finding(plain):
    with pytest.raises(NoTelling, match="no text of 32 characters came up"):
        spans.check_spans(plain("dataset.py", CUT, "random.randint(4, 20)"))
