"""What typer refuses, described as every other error, whatever typer tells about it."""

from types import SimpleNamespace

import pytest

from wherefrom.cli.parsing import describe_refused


class Refused(Exception):
    """As typer raises it: with the option, and the validation's findings as its cause."""

    def __init__(self, cause: Exception | None = None, opts: tuple[str, ...] = ()) -> None:
        self.__cause__, self.ctx = cause, SimpleNamespace(command_path="wherefrom run")
        self.param = SimpleNamespace(opts=opts) if opts else None

    def format_message(self) -> str:
        return "Invalid value:\n  no."


class Findings(Exception):
    def __init__(self, **found: object) -> None:
        self.found = found

    def errors(self) -> list[dict[str, object]]:
        return [self.found]


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ({"type": "less_than", "ctx": {"lt": 2.5}, "input": "3"}, "less than 2.5, found '3'"),
        ({"type": "greater_than", "ctx": {"gt": 0}, "input": "0"}, "more than 0, found '0'"),
        ({"type": "float_parsing", "input": "much"}, "a number, found 'much'"),
    ],
)
def test_a_value_is_named_with_what_was_expected(found, line):
    error = Refused(Findings(**found), ("-n", "--number"))
    assert describe_refused(error) == f"--number: expected {line}; see 'wherefrom run --help'"


@pytest.mark.parametrize(
    "error",
    [
        Refused(),
        Refused(ValueError("another library"), ("--number",)),
        Refused(Findings(type="float_parsing", input="x"), ("file",)),
        Refused(Findings(type="something new", input="x"), ("--number",)),
    ],
)
def test_what_is_not_known_is_said_in_typers_words(error):
    assert describe_refused(error) == "Invalid value: no. Try 'wherefrom run --help'."
