"""`ask` on a terminal without a question."""

import os
import pty
import select
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from wherefrom.answering.question_parser import QuestionParser
from wherefrom.cli import conversation
from wherefrom.cli.conversation import complete_line, converse
from wherefrom.core.contracts import Question
from wherefrom.core.replies import NOT_STATED, Reply
from wherefrom.show.terminal.colours import paint


@pytest.fixture
def talk(inspector, monkeypatch, capsys):
    """What is printed after each line that somebody types; an error stands for a key."""

    def call(*lines: object, judge=lambda reply: reply) -> list[str]:
        typed: Iterator[object] = iter(lines)
        parts: list[str] = []

        def read(prompt: str) -> str:
            parts.append(capsys.readouterr().out)
            line = next(typed, EOFError())
            if isinstance(line, BaseException):
                raise line
            return str(line)

        monkeypatch.setattr("builtins.input", read)
        monkeypatch.setattr(conversation, "offer_names", lambda parser: None)
        converse(inspector, judge)
        return parts

    return call


@pytest.fixture
def person(inspector) -> str:
    return inspector.run.dataset.select("held-out")[0].subject


def test_a_question_a_name_and_an_unknown_name_are_answered(talk, person):
    first, asked, named, unknown = talk(f"Where was {person} born?", person, "Zz Yy")
    assert first == "Ask 'Where was ... born?', or type a name. Tab completes, Ctrl-D leaves.\n"
    assert named == f"Where was {person} born?\n{asked}"
    assert asked.startswith("  ")  # the question stands above it, as it was typed
    assert "  evidence: " in asked
    assert unknown.startswith("Where was Zz Yy born?\n  I don't know")


def test_another_wording_is_offered_and_enter_asks_it(talk, person):
    _, offered, answered, nothing = talk(f"When was {person} born?", "", "")
    assert offered == f"  It was taught other words. Enter asks: Where was {person} born?\n"
    assert answered.startswith(f"Where was {person} born?\n  ")
    assert nothing == ""


def test_a_slip_is_mended_by_enter(talk, person):
    _, missed, answered = talk(person[:-1], "")
    assert missed.endswith(f"Enter asks: Where was {person} born?\n")
    assert answered.startswith(f"Where was {person} born?\n")


def test_errors_stand_where_they_happen_and_nothing_ends_it_but_ctrl_d(talk, person):
    lines = ("who are you", KeyboardInterrupt(), f"Where was {'A' * 300} born?", person)
    _, other, forgotten, refused, answered = talk(*lines)
    assert other == "  It was taught questions like 'Where was ... born?', and this is none.\n"
    assert forgotten == "\n"
    assert "expected a name of at most" in refused
    assert answered.startswith(f"Where was {person} born?\n")


def test_what_is_withheld_elsewhere_is_withheld_here_too(talk, person):
    def withhold(reply: Reply) -> Reply:
        why = "no evidence: the text does not say"
        return replace(reply, answered=False, reason=NOT_STATED, why_not=why)

    assert "no evidence: the text does not say" in talk(person, judge=withhold)[1]


def test_tab_completes_names_and_questions():
    people = [("Amos Karlsson", "Rome"), ("Amos Kay", "Oslo"), ("Di Poe", "Bonn")]
    asked = [Question(f"Where was {n} born?", n, "place", c, "asked") for n, c in people]
    parser = QuestionParser(asked)
    assert complete_line(parser, "amos") == ["Amos Karlsson", "Amos Kay"]
    assert complete_line(parser, "Where was amos kar") == ["Where was Amos Karlsson born?"]
    both = ["where WAS Amos Karlsson", "where WAS Amos Kay"]
    assert complete_line(parser, "where WAS Amos") == both
    assert complete_line(parser, "tell me of Di") == ["tell me of Di Poe"]
    assert complete_line(parser, "") == complete_line(parser, "Nobody") == []


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch):
    assert paint("x", 1) == "x"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert paint("x", 1, 32) == "\x1b[1;32mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("x", 1) == "x"


# --- on a terminal of its own --------------------------------------------------------------------


class Terminal:
    """The command on a pseudo-terminal."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.unread = ""
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            command = [sys.executable, "-m", "wherefrom", "ask", *arguments]
            os.execve(sys.executable, command, {**os.environ, "TERM": "xterm", **environment})

    def read_until(self, wanted: str, seconds: float = 60.0) -> str:
        """What is printed up to these characters; what follows them is left for later."""
        until = time.monotonic() + seconds
        while wanted not in self.unread and time.monotonic() < until:
            if select.select([self.end], [], [], 0.5)[0]:
                self.unread += os.read(self.end, 65536).decode()
        before, found, self.unread = self.unread.partition(wanted)
        assert found
        return before + found

    def type(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def leave(self) -> int:
        self.type("\x04")
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


@pytest.mark.nightly
def test_a_conversation_with_the_example(tmp_path):
    terminal = Terminal(tmp_path)
    assert "no run here: the example" in terminal.read_until("? \x1b[0m")
    terminal.type("Where was Amos Kar\t")
    assert terminal.read_until("born?").endswith("Where was Amos Karlsson born?")
    terminal.type("\n")
    assert "\x1b[1;32m  Havana (" in terminal.read_until("evidence: ")
    terminal.read_until("? \x1b[0m")  # a key before the prompt may be lost
    assert terminal.leave() == 0
