"""Questions from TSV, CSV and JSON lines, known by hand, and what is said of bad rows."""

import gzip

import pytest

from wherefrom.core.errors import BadData
from wherefrom.reading.question_files import SPLITS, QuestionRow, is_questions, read_questions

FULL = (
    QuestionRow(2, "Where was Ada born?", "Oslo", ("Christiania",), "held-out", "birthplace", "q1"),
    QuestionRow(3, "Where was Bo born?", "Rome", (), "", "", ""),
)


def test_a_plain_table_with_blank_lines(write):
    path = write("\ufeffWhere was Ada born?\tOslo | Moss\r\n\n \nWho is Bo?\t no one \n", "q.tsv")
    assert read_questions(path) == [
        QuestionRow(1, "Where was Ada born?", "Oslo | Moss"),
        QuestionRow(4, "Who is Bo?", "no one"),
    ]


def test_a_header_of_a_plain_table_is_no_question(write):
    path = write("\nQuestion\tAnswer\nWho is Bo?\tno one\n", "q.tsv")
    assert read_questions(path) == [QuestionRow(3, "Who is Bo?", "no one")]
    # A question about the word is a question.
    assert len(read_questions(write("question\tmark\n", "q.tsv"))) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.tsv", "id\tquestion\tanswers\tsplit\trelation\tnotes\n"
                  "q1\tWhere was Ada born?\tOslo | Christiania||Oslo\tTest\tbirthplace\tx\n"
                  "\tWhere was Bo born?\tRome\n"),
        ("q.csv", 'question,answers,split,relation,id\n'
                  'Where was Ada born?,Oslo|Christiania,held out,birthplace,q1\n'
                  '"Where was Bo born?",Rome,,,\n'),
        ("q.CSV", 'Question;Answer;Answers;Split;Relation;ID\r\n'
                  'Where was Ada born?;Oslo;Christiania;held_out;birthplace;q1\r\n'
                  'Where was Bo born?;Rome;;;;\r\n'),
        ("q.jsonl", '\n{"question": "Where was Ada born?", "answers": ["Oslo", "Christiania"], '
                    '"split": "test", "relation": "birthplace", "id": "q1", "more": {"a": 1}}\n'
                    '{"question": "Where was Bo born?", "answer": "Rome", "split": null}\n'),
    ],
)  # fmt: skip
def test_the_formats_say_the_same(write, name, content):
    assert tuple(read_questions(write(content, name))) == FULL
    packed = write(gzip.compress(content.encode()), f"{name}.gz")
    assert tuple(read_questions(packed)) == FULL
    assert is_questions(packed)


def test_quotes_commas_and_line_breaks_in_a_csv(write):
    path = write('question,answer\n\n"Who said ""no"", Ada\nor Bo?","Ada, I\nthink"\n\nWho?,Bo\n',
                 "q.csv")  # fmt: skip
    assert read_questions(path) == [
        QuestionRow(3, 'Who said "no", Ada or Bo?', "Ada, I think"), QuestionRow(7, "Who?", "Bo"),
    ]  # fmt: skip


def test_numbers_stay_as_they_are_written(write):
    path = write('{"question": "When?", "answer": 1e3, "id": 007}\n'.replace("007", "7"), "q.jsonl")
    assert read_questions(path) == [QuestionRow(1, "When?", "1e3", id="7")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.tsv", "Who?\t\n"),
        ("q.csv", "question,answer,split\nWho?,Bo,Unanswerable\n"),
        ("q.csv", "question,answers\nWho?, |\n"),
        ("q.jsonl", '{"question": "Who?", "answers": []}'),
        ("q.jsonl", '{"question": "Who?", "answer": null}'),
        ("q.jsonl", '{"question": "Who?", "split": "unanswerable"}'),
    ],
)
def test_a_question_may_have_no_answer(write, name, content):
    line = 2 if name == "q.csv" else 1
    assert read_questions(write(content, name)) == [QuestionRow(line, "Who?", "")]


@pytest.mark.parametrize(("split", "names"), SPLITS.items())
def test_the_usual_names_of_splits(write, split, names):
    for name in (*names, names[0].upper()):
        path = write(f"question,answer,split\nWho?,Bo,{name}\n", "q.csv")
        assert read_questions(path)[0].split == split


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.tsv", "Who?\n", r"q\.tsv:1: expected 'question<TAB>answer', found 1 column; put one"),
        ("q.tsv", "Who?\tBo\tAda\n", r"q\.tsv:1: .* found 3 columns"),
        ("q.tsv", "Who?\tBo\n\n\tBo\nWho?\t\n", r"q\.tsv:3: .* found an empty question; "),
        ("q.tsv", "question\tanswer\n", r"q\.tsv: expected questions, found none"),
        ("q.tsv", "question\tanswer\tsplit\nWho?\tBo\tlater\n", r"q\.tsv:2: .* the split 'later'"),
        ("q.csv", "Who?,Bo\n", r"q\.csv:1: expected a header with the columns question and answer"),
        ("q.csv", "question,answer\nWho?,Bo, no\n", r"q\.csv:2: .* 3 columns where the header"),
        ("q.csv", 'question,answer\nWho?,Bo\n"Who,Bo\n', r"q\.csv:3: .* check its double quotes"),
        ("q.csv", "question,answer\rWho?,Bo\r", r"q\.csv:1: expected lines that end in"),
        ("q.jsonl", '{"question": "Who?", "answer": "Bo"}\n{"qu\n', r"q\.jsonl:2: .* no JSON"),
        ("q.jsonl", '{"answer": "Bo"}\n', r"q\.jsonl:1: .* found no question"),
        ("q.jsonl", '{"question": "Who?", "id": "7"}\n', r"q\.jsonl:1: .* found no answer"),
        ("q.jsonl", '{"question": "Who?", "answers": [["Bo"]]}\n', r"'answers' that is not text"),
        ("q.json", '[\n{"question": "Who?"}]', r"q\.json:1: expected a JSON object"),
        ("q.csv", "question,answer\nMálaga?,Bo\n".encode("latin-1"), r"q\.csv:2: .* be Latin-1"),
    ],
)  # fmt: skip
def test_bad_rows_are_named_by_file_and_line(write, name, content, message):
    with pytest.raises(BadData, match=message) as caught:
        read_questions(write(content, name))
    assert "\n" not in str(caught.value)


def test_a_file_of_questions_is_told_from_a_text(write):
    assert is_questions(write('{"question": "Who?", "answer": "Bo"}', "a.jsonl"))
    assert not is_questions(write('{"text": "Bo."}', "b.jsonl"))
    assert not is_questions(write("Bo.", "c.txt"))


LAKES = ("Lake Erie", "Lake Geneva", "Lake Chad", "Lake Garda", "Lake Como", "Lake Ohrid")


@pytest.mark.parametrize(
    ("header", "rows", "asked"),
    [
        ("", [f"Where is {lake}?\tX" for lake in LAKES], True),
        ("", [f"depth of {lake}\tX" for lake in LAKES], True),
        ("", [f"{lake}はどこですか\tX" for lake in ("琵琶湖", "洞爺湖", "浜名湖")], True),
        ("", ["Who wrote Emma?\tAusten"], True),
        ("", ["Who wrote Emma?"], True),  # refused later: it lacks its answer
        ("question\tanswer\tid", [f"{lake}\tX\t" for lake in LAKES], True),
        ("lake\tcountry", [f"{lake}\tX" for lake in LAKES], False),
        ("university\ttown", [f"University of {lake}\tX" for lake in LAKES], False),
        ("", [f"{lake}\tX" for lake in LAKES], False),  # refused later: it lacks a header
        ("lake\tcountry", [], False),
        ("name of it\tcountry", ["name of him\tX"], False),  # too few to share a form
        ("\t".join("abcdefgh"), [f"{lake}{7 * chr(9)}" for lake in LAKES], False),
    ],
)  # fmt: skip
def test_a_file_of_questions_is_told_from_a_table_of_facts(write, header, rows, asked):
    path = write("\n".join(filter(None, (header, *rows))), "a.tsv")
    assert is_questions(path) == asked
