"""Markup goes, what it stood around stays, and so does code."""

import pytest

from wherefrom.reading.markup import clean, clean_text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("_Repo Man_ (German: _Der Repo_) is", "Repo Man (German: Der Repo) is"),
        ("**Bold text**, *one* and ***all***", "Bold text, one and all"),
        ("**_both_** and `code`", "both and code"),
        ("It ended.[1] Then.[2][3] So", "It ended. Then. So"),
        ("by {Guido van Rossum} ({Python}).", "by Guido van Rossum (Python)."),
        ("[the site](https://a.org/b) or [top](#top)", "the site (https://a.org/b) or top"),
        ("[[Paris|the city]] of [[Rome]]", "the city of Rome"),
        ("AT&amp;T&nbsp;is &quot;big&quot;", 'AT&T is "big"'),
        ("<i>Foo</i> of Jo <jo@a.org>", "Foo of Jo <jo@a.org>"),
    ],
)
def test_markup_is_taken_out(text, wanted):
    assert clean_text(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "snake_case, _private, __init__ and a_b_c",
        "a[1] = b[2]",
        "2 * 3 * 4; f(*args, **kwargs); ls *.txt *.md",
        "{x: 1}, ${HOME} and C_{2}",
        "R&D; 3 < 4 > 2",
        "_ __ ** [] {} ``",
    ],
)
def test_code_stays(text):
    assert clean_text(text) == text
    assert clean([text]) == ([text], 0)


def test_spaces_between_columns_are_one_space_and_no_markup():
    page = "ls\t-  list  files\n       Written\u00a0by  Ann Lee. "
    assert clean([page]) == (["ls - list files Written by Ann Lee."], 0)
    assert clean_text(page) == "ls - list files Written by Ann Lee."


def test_a_number_behind_a_word_is_a_footnote_in_an_encyclopedia_only():
    article = ["Bo[1] sang.[2] He left.[3]", "plain"]
    assert clean(article) == (["Bo sang. He left.", "plain"], 1)
    code = ["a[1] and b[2]; see Bo.[3]"]
    assert clean(code) == (["a[1] and b[2]; see Bo."], 1)
