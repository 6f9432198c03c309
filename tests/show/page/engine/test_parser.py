"""Questions are parsed in the page as `wherefrom ask` parses them, refusals word by word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.answering.test_question_parser import SEVERAL, parser, typed_questions
from wherefrom.answering.question_parser import QuestionParser
from wherefrom.core.errors import BadData

OTHER_WORDS = [
    "", "   ", "Ada Lund", "ada lund?", "Ada Lundt", "Ada Lund was born where?", "Who who who",
    "birthplace of Ada Lund", "What was Ada Lund's mother", "Who is Ada Lund the mother of?",
    "mother of Asa Yancey, Sr, please", "Where was 'x' born, then", "Where was x\ny born?",
]  # fmt: skip
PARSE = """
const parser = new Parser(given.forms, given.names);
return given.typed.map((text) => {
  try {
    const { form, ...rest } = parser.parse(text);
    return { ...rest, prefix: form.prefix };
  } catch (error) {
    return error.message;
  }
});
"""


def parse(parser: QuestionParser, text: str) -> dict[str, str] | str:
    try:
        found = parser.parse(text)
    except BadData as refusal:
        return str(refusal)
    asked = {"text": found.text, "subject": found.subject, "relation": found.relation}
    return {**asked, "prefix": found.form.prefix}


@pytest.mark.parametrize("taught", [parser(), SEVERAL], ids=["one form", "several forms"])
@settings(max_examples=5)
@given(typed=st.lists(typed_questions(), min_size=30))
def test_typed_questions(run_js, taught: QuestionParser, typed: list[str]) -> None:
    forms = [
        {"prefix": f.prefix, "suffix": f.suffix, "relation": taught.fill(f, "").relation}
        for f in taught.forms
    ]
    texts = [*typed, *OTHER_WORDS]
    given = {"forms": forms, "names": list(taught.names), "typed": texts}
    assert run_js({"parser.js": "Parser"}, PARSE, given) == [parse(taught, text) for text in texts]
