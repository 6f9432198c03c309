"""What a look at a submission can end with: all is well, something was found, or no telling."""

from dataclasses import dataclass


class Finding(Exception):
    """Something is not as the assignment has it; `mistake` names it, the text says what is seen."""

    def __init__(self, mistake: str, text: str) -> None:
        super().__init__(text)
        self.mistake = mistake


class NoTelling(Exception):
    """What is needed to look is not there: a file, the data, a name."""


@dataclass(frozen=True)
class Result:
    """`state` is ok, look or unknown; `mistake` is a word for programs, `text` for people."""

    state: str
    text: str = ""
    mistake: str = ""
