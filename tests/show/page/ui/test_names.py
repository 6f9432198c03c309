"""What is typed into the field: which name it is about, and what is then asked."""

import pytest

FORMS = [
    {"prefix": "Who is ", "suffix": "?", "relation": "who"},
    {"prefix": "Who is the mother of ", "suffix": "?", "relation": "mother"},
    {"prefix": "Who is ", "suffix": " married to?", "relation": "spouse"},
    {"prefix": "", "suffix": " was born where?", "relation": "born"},
]
NAMES = [
    {"name": "Ada Lund", "split": "held-out", "support": "stated"},
    {"name": "the mother of pearl", "split": "held-out", "support": "none"},
    {"name": "Ярослав 王芳", "split": "asked", "support": "stated"},
]


@pytest.fixture
def call(run_js):
    code = """
    const questions = new Questions(given.data);
    return given.texts.map((text) => questions[given.method](text));
    """

    def run(method: str, texts: list[str]) -> list[str]:
        evidence = {"unasked": ["Gus Reed"]}
        data = {"forms": FORMS, "names": NAMES, "evidence": evidence}
        given = {"data": data, "method": method, "texts": texts}
        return run_js({"ui/names.js": "Questions"}, code, given)

    return run


def test_names_are_offered_for_what_stands_where_the_name_belongs(call):
    named = {
        "Ad": "ad",
        "who is ad": "ad",
        "Who is the mother of Ad": "ad",
        "Who is the mother of Ada?": "ada",
        "Who is Ada Lund married to": "ada lund",
        "Ada was born where?": "ada",
    }
    assert dict(zip(named, call("named", list(named)), strict=True)) == named


def test_a_known_name_may_be_closed_with_a_question_mark(call):
    completed = {
        "Ada Lund": "Who is Ada Lund?",
        "ada lund?": "Who is ada lund?",
        "Ada Lund ?": "Who is Ada Lund?",
        "Ada Falk": "Who is Ada Falk?",
        "What did she eat?": "What did she eat?",  # refused as it is
        "Who is the mother of Ada Lund?": "Who is the mother of Ada Lund?",
    }
    assert dict(zip(completed, call("complete", list(completed)), strict=True)) == completed
