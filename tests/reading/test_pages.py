"""HTML pages and Markdown files as lines, known by hand."""

import pytest

from wherefrom.reading.pages import read_page, strip_markdown

PAGE = """<!DOCTYPE html><html><head><title>Ada &amp; Bo</title><style>p {}</style></head>
<body><nav><a href="/">Home</a></nav><h1>Ada</h1>
<p>She was <b>born</b>
in Oslo.<br>Twice<script>var x = "<p>no</p>";</script><ul><li>one<li>two</ul>
<table><tr><th>Town<td>Oslo</tr></table></body></html>"""


def test_a_page_is_what_is_seen_of_it():
    lines = [line for line in read_page(PAGE).split("\n") if line]
    assert lines == [
        "Ada & Bo", "Ada", "She was born in Oslo.", "Twice", "one", "two", "Town Oslo",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "page", ["", "plain", "<p>plain", "<svg><p>no</svg>plain", "</p></div>plain"]
)
def test_bad_pages_are_read_as_far_as_they_go(page):
    assert read_page(page).split() == page.count("plain") * ["plain"]


def test_markdown_without_its_marks():
    text = """---
title: "The Notes"
tags: [a]
---
## Ada Lund ##
She baked - often.

- one
* [x] two
12. three
> quoted
```python
x = 1
```
| Town | Land |
|------|:----:|
| Oslo | Norway |
Bo
===
#tag 3 - 4"""
    found = [line for line in strip_markdown(text.split("\n")) if line]
    assert found == [
        "The Notes", "Ada Lund", "She baked - often.", "one", "two", "three", "quoted", "x = 1",
        "Town, Land", "Oslo, Norway", "Bo", "#tag 3 - 4",
    ]  # fmt: skip


def test_a_heading_is_a_paragraph_of_its_own():
    assert list(strip_markdown(["# Ada", "She baked."])) == ["", "Ada", "", "She baked."]
