"""Tables of facts, understood by hand."""

import pytest

from wherefrom.core.errors import BadData, UsageError
from wherefrom.reading.fact_tables import FactTable, is_table, read_fact_table
from wherefrom.reading.question_files import QuestionRow

FILMS = """\
id,Film,director,birth_year,site,story
1,Alien,Ridley Scott,1979,http://a.org/1,{long}
2,Brazil,"Gilliam, Terry",,http://a.org/2,{long}
3,Alien,James Cameron,1986,http://a.org/3,{long}
4,,Nobody,1990,http://a.org/4,{long}
5,_Dune_,Ridley Scott,1984,,{long}
""".replace("{long}", "A ship " * 12)


def test_a_table_becomes_statements_and_questions(write):
    found = read_fact_table(write(FILMS, "films.csv"))
    assert found.describe() == (
        "table: 5 rows; subject = Film; relations = director, birth year; "
        "left out: id, site, story; without a subject: 1"
    )
    assert found.texts() == [
        "Alien. Its director is Ridley Scott, James Cameron; its birth year is 1979, 1986",
        "Brazil. Its director is Gilliam, Terry",
        "Dune. Its director is Ridley Scott; its birth year is 1984",
    ]


@pytest.mark.parametrize(("first", "asked"), [(0, False), (1, False), (2, True), (1990, True)])
def test_numbers_of_rows_are_not_asked_about(write, first, asked):
    rows = [f"{first + i},{film},Ann" for i, film in enumerate(("Alien", "Brazil", "Dune"))]
    found = read_fact_table(write("\n".join(["number,film,director", *rows]), "films.csv"))
    assert found.relations == (("number", "director") if asked else ("director",))
    assert found.left_out == (() if asked else ("number",))


def test_a_first_column_of_names_needs_no_name_itself(write):
    """A data frame writes its index so; numbers of rows are still no subject."""
    found = read_fact_table(write(",year\nAlien,1979\nBrazil,1985\n", "films.csv"))
    assert (found.subject, found.relations) == ("name", ("year",))
    found = read_fact_table(write(",film,year\n0,Alien,1979\n1,Brazil,1985\n", "films.csv"))
    assert (found.subject, found.relations, found.left_out) == ("film", ("year",), ())


def test_columns_may_be_named(write):
    found = read_fact_table(write(FILMS, "films.csv"), 'FILM,"birth year"')
    assert found == FactTable(
        "Film",
        ("birth year",),
        ("id", "director", "site", "story"),
        5,
        1,
        {"Alien": [["1979", "1986"]], "Brazil": [[]], "Dune": [["1984"]]},
    )
    ask = "What is the birth year of {}?".format
    assert list(found.questions()) == [
        QuestionRow(1, ask("Alien"), "1979", ("1986",), relation="birth year", subject="Alien"),
        QuestionRow(2, ask("Brazil"), "", relation="birth year", subject="Brazil"),
        QuestionRow(3, ask("Dune"), "1984", relation="birth year", subject="Dune"),
    ]
    assert read_fact_table(write(FILMS, "films.csv"), "director").subject == "director"
    with pytest.raises(
        UsageError, match=r"--table: expected columns of .*found 'directr'.*director"
    ):
        read_fact_table(write(FILMS, "films.csv"), "directr")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", 'name\tcity\nAda "A" Lund\tOslo\nBo\tRome\n'),
        ("a.csv", '\ufeffname;city\r\n"Ada ""A"" Lund";Oslo\r\nBo;Rome\r\n'),
        ("a.csv", 'name,city\n\n"Ada ""A"" Lund",Oslo\nname,city\nBo,Rome\n'),
    ],
)
def test_the_usual_formats(write, name, content):
    path = write(content, name)
    assert is_table(path)
    assert read_fact_table(path).facts == {'Ada "A" Lund': [["Oslo"]], "Bo": [["Rome"]]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name\nAda\nBo\n", r"films\.csv:1: expected at least two columns, .* found 'name' alone"),
        ("Alien,Scott,1979\nBrazil,Gilliam,1985\n", r":1: expected a header .* found '1979' \(a v"),
        ("Ada,Norway\nBo,Norway\n", r":1: expected a header .* found 'Norway' \(as in the rows"),
        ("name,city,city\nAda,Oslo,Rome\n", r":1: expected a header .* found 'city' \(twice\)"),
        ("name,city\n", r"films\.csv: expected rows below the header, found none"),
        ("name,city\nAda,Oslo,Rome\n", r"films\.csv:2: .* 3 columns where the header has 2"),
        ('name,city\n"Ada,Oslo\n', r"films\.csv:2: .* check its double quotes"),
        ("question,answer\nWho?,Bo\n", r":1: expected a table of facts, found questions"),
        ("Who is Al?,Bo\nWho is Cy?,Di\n", r":1: expected a table of facts, found questions"),
        ("year,count\n1999,5\n2000,6\n", r"expected a column of names .* found none; name"),
        (f"name,story\nAda,{'long ' * 20}\nBo,{'x' * 80}\n", r"a column of short values"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_facts_is_refused(write, content, message):
    with pytest.raises(BadData, match=message) as error:
        read_fact_table(write(content, "films.csv"))
    assert "\n" not in str(error.value)


def test_named_columns_vouch_for_the_header(write):
    path = write("name,2019,2020\nAda,1,2\nBo,3,2020\n", "films.csv")
    with pytest.raises(BadData, match="found '2019'"):
        read_fact_table(path)
    assert read_fact_table(path, "name").relations == ("2019", "2020")
