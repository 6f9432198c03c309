"""What the first process has the others do: here, the others are scripted."""

from contextlib import nullcontext
from typing import Any

import pytest

from wherefrom.core.contracts import Answer, Candidate, Dataset, Document
from wherefrom.core.errors import Mismatch, Unavailable
from wherefrom.recipes.catalogue import get_recipe
from wherefrom.runs.crew import Crew, current_crew, helping_crew, read, spell
from wherefrom.runs.descriptions import describe


class Others:
    """Processes that have read `data`, and what was said to them."""

    def __init__(self, data: Dataset | None = None) -> None:
        self.data, self.said, self.rank, self.size = data, [], 0, 2
        self.in_step, self.left, self.deaf = True, False, False

    def tell(self, message: dict[str, Any]) -> None:
        if self.deaf:
            raise Unavailable("gone")
        self.said.append(message)

    def gather(self, value: Any) -> list[Any]:
        return [value, value]

    def leave(self) -> None:
        self.left = True


def test_an_answer_keeps_every_bit():
    answer = Answer("Łódź", 0.1 + 0.2, (Candidate("Oslo", 1e-300), Candidate("", 0.0)), False)
    assert read(spell(answer)) == answer


def test_a_crew_shares_steps_or_trains_apart():
    steps, apart = Crew(Others()), Crew(Others(), apart=True)  # pyright: ignore
    assert (current_crew(), helping_crew()) == (None, None)
    with steps.leading():
        assert (current_crew(), helping_crew()) == (steps, None)
    with apart.leading():
        assert (current_crew(), helping_crew()) == (None, apart)
    assert (current_crew(), helping_crew()) == (None, None)


@pytest.mark.parametrize(("in_step", "deaf", "said"), [(True, False, 1), (False, False, 0)])
def test_others_are_only_told_to_end_if_they_listen(in_step: bool, deaf: bool, said: int):
    others = Others()
    others.in_step, others.deaf = in_step, deaf
    Crew(others).dismiss(79)  # pyright: ignore
    assert others.said == [{"do": "end", "code": 79}][:said]
    assert others.left is in_step


def test_a_crew_that_is_gone_is_dismissed_all_the_same():
    others = Others()
    others.deaf = True
    Crew(others).dismiss(0)  # pyright: ignore


def test_other_data_are_refused_before_the_first_step(monkeypatch: pytest.MonkeyPatch):
    """Settings are the same, files are not."""
    ours, theirs = Dataset((Document("Bo was born."),)), Dataset((Document("Bo was there."),))
    others: Any = Others()
    others.together = nullcontext
    others.gather = lambda own: [own, describe(theirs)]
    recipe: Any = get_recipe("people")
    learner: Any = None
    with pytest.raises(Mismatch, match=r"process 1: sha256: its data has .* same files"):
        Crew(others).lead(learner, recipe, recipe.stages[0], None, ours)
    assert [message["do"] for message in others.said] == ["learn"]
