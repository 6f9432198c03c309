"""What holds hostile text in: escaped data, hashes of what may run, nothing from outside."""

import base64
import hashlib
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.show.page import document


@given(st.dictionaries(st.text(), st.lists(st.text() | st.integers(), max_size=3), max_size=3))
@settings(max_examples=20)
def test_embedded_data_cannot_end_its_element_and_reads_back_the_same(value):
    text = str(document.embed(value))
    assert not re.search(r"[<>&\u2028\u2029]", text)
    assert json.loads(text) == value


@pytest.mark.parametrize("text", ["a </script> b", "a </SCRIPT b", "<!-- x"])
def test_a_script_that_would_end_its_element_is_refused(text):
    with pytest.raises(ValueError, match="must not have"):
        document.inert(text)


def test_the_policy_of_a_page_allows_its_own_script_and_style_alone(report_file):
    page = report_file.read_text()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy[1]
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for source, text in (("script-src", script), ("style-src", style)):
        own = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[source] == f"'sha256-{own}'"
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r'\s(?:style|on\w+)="', markup)


def test_a_page_names_nothing_outside_and_no_two_elements_share_an_id(report_file):
    outside = re.findall(r'(?:src|href)\s*=\s*"([^"#][^"]*)"', report_file.read_text())
    assert set(outside) == {"data:,"}
    page = re.sub(r"<script.*?</script>", "", report_file.read_text(), flags=re.DOTALL)
    found = re.findall(r'\sid="([^"]+)"', page)
    assert len(found) > 20
    assert len(set(found)) == len(found)
