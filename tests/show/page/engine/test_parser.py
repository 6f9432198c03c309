"""Questions are parsed in the page as `wherefrom ask` parses them, refusals word by word."""

import pytest

from wherefrom.answering.question_parser import QuestionParser
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData

PEOPLE = [
    "Amos Karlsson",
    "Ada Lund",
    "Bo Falk",
    "Cy Roth",
    "John Smith Jr.",
    "Élan Ōta",
    "Sammy Davis",
]
PLAIN = [f"Where was {name} born?" for name in PEOPLE]
SEVERAL = [
    *PLAIN,
    *(f"Who is {name}?" for name in PEOPLE),
    *(f"Who is the mother of {name}?" for name in PEOPLE),
    *(f"When did {name} die" for name in PEOPLE),
    *(f"Name the home town of {name}." for name in PEOPLE),
]
TYPED = [
    *SEVERAL,
    "where  was amos\tkarlsson born",
    "WHERE WAS AMOS KARLSSON BORN???",
    " Where was Amos Karlsson born? ",
    "Where was Nobody born?",
    "Where was  No   Body  born.",
    "Where was John Smith Jr. born?",
    "where was john smith jr born",
    "who is the Mother of Ada Lund?",
    "who is the mother of",
    "Who is ?",
    "Who is élan ōta",
    "When did Bo Falk die?",
    "when did nobody! die!",
    "name the home town of Ada Lund",
    "Where was ?? born?",
    "Where was  born?",
    "",
    "   ",
    "Where was a-b+c(d) born?",
    "Where was x\ny born?",
    "Where was Amos%20Karlsson born?",
    "Where was Ada Lund. born?",
    "How is Ada?",
    "Amos Karlsson",
    "amos karlsson?",
    "Amos Karlson",
    "Amos Karlsson was born where?",
    "birthplace of Amos Karlsson",
    "What was Ada Lund's mother",
    "Who is Ada Lund the mother of?",
    "When did John Smith Jr die, please?",
    "Who who who",
    "Where was 'x' born, then",
]


def ask(text: str, name: str) -> Question:
    relation = text.split()[0] + text.split()[-1]
    return Question(text, name, relation, "x", "asked")


@pytest.mark.parametrize("texts", [PLAIN, SEVERAL], ids=["one form", "several forms"])
def test_typed_questions(run_js, texts: list[str]) -> None:
    asked = [ask(text, name) for text, name in zip(texts, PEOPLE * 5, strict=False)]
    parser = QuestionParser(asked, ["Émile  Zola", "AMOS KARLSSON II"])
    forms = [
        {"prefix": f.prefix, "suffix": f.suffix, "relation": parser.fill(f, "").relation}
        for f in parser.forms
    ]
    code = """
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
    given = {"forms": forms, "names": list(parser.names), "typed": TYPED}
    found = run_js({"parser.js": "Parser"}, code, given)
    refused = 0
    for text, here in zip(TYPED, found, strict=True):
        if isinstance(here, str):
            refused += 1
            with pytest.raises(BadData) as refusal:
                parser.parse(text)
            assert here == str(refusal.value)
        else:
            p = parser.parse(text)
            expected = {"text": p.text, "subject": p.subject, "relation": p.relation}
            assert here == {**expected, "prefix": p.form.prefix}, text
    assert 0 < refused < len(TYPED) / 2 if texts is SEVERAL else refused
