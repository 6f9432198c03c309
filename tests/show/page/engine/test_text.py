"""Text in the page is treated as Python treats it."""

import unicodedata
from difflib import SequenceMatcher
from urllib.parse import unquote

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.answering.test_name_suggestions import NAMES, OFFERED
from wherefrom.reading.index import fold
from wherefrom.reading.tokens import normalise

TEXT = {"text.js": "casefold, fold, normalise, quote, splitWords, strip, unquote"}
ODD = [
    "", " ", "\tAmos\u00a0 Karlsson\u3000", "STRASSE Straße ẞ", "İstanbul ıI", "ΣΊΣΥΦΟΣ", "ﬁancé",
    "e\u0301", "Jose\u0301%20Marti\u0301", "100%", "%41%zz%e9%C3%A9", "a\x1cb\x85c\ufeffd",
    "\x7f\x00", "O'Neil", 'say "x"', "'\"", "back\\slash", "new\nline", "\u200bzero", "😀 face",
    "Ꭰ ꭰ", "St. ", "U.S.A. .",
]  # fmt: skip


def test_odd_texts(run_js) -> None:
    code = """
    const ways = [casefold, fold, normalise, quote, splitWords, strip, unquote];
    return given.map((text) => ways.map((way) => way(text)));
    """
    for text, found in zip(ODD, run_js(TEXT, code, ODD), strict=True):
        expected = [text.casefold(), fold(text), normalise(text), repr(text), text.split()]
        assert found == [*expected, text.strip(), unquote(text)], text


def test_every_character_folds_as_in_python(run_js) -> None:
    """But for those that only one of the two languages knows: they go with Unicode."""
    code = """
    const found = [];
    for (let code = 0; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const c = String.fromCodePoint(code);
      if (casefold(c) !== c) found.push([code, casefold(c)]);
    }
    return found;
    """
    folded = dict(run_js(TEXT, code, None))
    for code in (c for c in range(0x110000) if not 0xD800 <= c < 0xE000):
        character = chr(code)
        if unicodedata.category(character) != "Cn":
            here = folded.get(code, character)
            known = all(unicodedata.category(c) != "Cn" for c in here)
            assert not known or here == character.casefold(), hex(code)


@settings(max_examples=3)
@given(
    st.lists(st.tuples(st.text("abc de", max_size=12), st.text("abc de", max_size=12)), min_size=20)
)
def test_ratio_is_difflibs(run_js, pairs: list[tuple[str, str]]) -> None:
    """In long texts, it leaves popular characters out."""
    pairs = [*pairs, ("abcab" * 30, "abc" * 90 + "xyz"), ("abc" * 90, "bca" * 90)]
    found = run_js({"names.js": "ratio"}, "return given.map(([a, b]) => ratio(a, b));", pairs)
    assert found == [SequenceMatcher(None, a, b).ratio() for a, b in pairs]


def test_suggestions(run_js) -> None:
    code = """
    const suggester = new NameSuggester(given.names);
    return given.typed.map((name) => suggester.suggest(name));
    """
    found = run_js({"names.js": "NameSuggester"}, code, {"names": NAMES, "typed": list(OFFERED)})
    assert found == list(map(list, OFFERED.values()))
