"""Right answers beside wrong ones, in words. Nothing is computed here."""

from collections.abc import Sequence
from typing import Protocol

from wherefrom.core.replies import Verdict
from wherefrom.show.terminal.replies import describe_evidence, percent
from wherefrom.show.terminal.tables import printable


class Example(Protocol):
    """The parts of an example that are shown."""

    @property
    def question(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def answer(self) -> str: ...
    @property
    def prediction(self) -> str: ...
    @property
    def right(self) -> bool: ...
    @property
    def model_probability(self) -> float | None: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def evidence(self) -> Verdict | None: ...


class Examples(Protocol):
    """The parts of a list of examples that are shown."""

    @property
    def of(self) -> str: ...
    @property
    def model(self) -> str | None: ...
    @property
    def task(self) -> str | None: ...
    @property
    def relation(self) -> str | None: ...
    @property
    def questions(self) -> int: ...
    @property
    def right_questions(self) -> int: ...
    @property
    def right(self) -> Sequence[Example]: ...
    @property
    def wrong(self) -> Sequence[Example]: ...
    @property
    def seed(self) -> int: ...
    @property
    def right_probability(self) -> float | None: ...
    @property
    def wrong_probability(self) -> float | None: ...


def describe_examples(found: Examples) -> list[str]:
    """A heading, the right ones, the wrong ones, and what could tell them apart."""
    parts = [found.of, found.model, found.task, found.relation]
    where = ", ".join(printable(part) for part in parts if part)
    share = percent(found.right_questions / found.questions)
    lines = [f"{where}: {found.right_questions:,} of {found.questions:,} right ({share})"]
    for word, shown in (("right", found.right), ("wrong", found.wrong)):
        lines += [
            "",
            f"{word}, {len(shown)} drawn by seed {found.seed}" if shown else f"none {word}",
        ]
        for each in shown:
            lines += _example(each)
    medians = found.right_probability, found.wrong_probability
    if medians[0] is not None and medians[1] is not None:
        lines += [
            "",
            f"the model's own probability, median of all: {percent(medians[0])} where it is right, "
            f"{percent(medians[1])} where it is wrong",
        ]
    return lines


def _example(each: Example) -> list[str]:
    said = printable(each.prediction) or "nothing"
    known = "" if each.right else f"; it is {printable(each.answer)}"
    lines = [f"  {printable(each.question)}", f"    {said}{_sure(each)}{known}"]
    if each.evidence is not None:
        lines.append(f"    evidence: {describe_evidence(each.evidence, each.subject)}")
    return lines


def _sure(each: Example) -> str:
    if each.confidence is not None:
        return f" ({percent(each.confidence)} sure)"
    if each.model_probability is not None:
        return f" (own probability {percent(each.model_probability)})"
    return ""
