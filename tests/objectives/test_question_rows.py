import pytest
import torch

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK, Vocabulary
from wherefrom.objectives.question_rows import Answers

VOCABULARY = Vocabulary.from_text(["Where was Ann Bo Oslo Rome Delhi born?"])


def ask(name: str, answer: str | None) -> Question:
    return Question(f"Where was {name}?", name, "birthplace", answer, "asked")


PEOPLE = [ask("Ann", "Oslo"), ask("Bo", "Rome"), ask("Ann Bo", "Delhi"), ask("B", "Oslo")]


def build(questions=PEOPLE, *, block: int = 64, rows: int = 3, **changed) -> Answers:
    address = {"seed": 0, "stage": 0} | changed
    return Answers(questions, VOCABULARY, block_size=block, rows=rows, **address)


def test_the_loss_falls_on_the_mask_the_answer_and_the_closing_mask():
    batch = build([PEOPLE[0]], rows=1).render(torch.tensor([[0]]), 0)
    assert VOCABULARY.decode(batch.inputs[0].tolist()) == f"Where was Ann?{MASK}Oslo"
    assert VOCABULARY.decode(batch.targets[0].tolist()) == f"here was Ann?{MASK}Oslo{MASK}"
    assert batch.weights.tolist() == [[0.0] * 13 + [1.0] * 6]
    assert batch.lengths.tolist() == [19]


def test_with_a_weight_the_name_counts_and_what_shows_that_it_has_ended():
    asked = [PEOPLE[0], Question("Ann Bo? Where", "Ann Bo", "birthplace", "Oslo", "asked")]
    batch = build(asked, rows=2, names=0.5).render(torch.tensor([[0, 1]]), 0)
    # "here was " does not count, "Ann?" does; of the second question "nn Bo? " does.
    assert batch.weights[0].tolist() == [0.0] * 9 + [0.5] * 4 + [1.0] * 6
    assert batch.weights[1].tolist() == [0.5] * 7 + [0.0] * 5 + [1.0] * 6 + [0.0]
    other = build([Question("Where was she?", "Ann", "birthplace", "Oslo", "asked")], names=0.5)
    weights = other.render(torch.tensor([[0]]), 0).weights
    assert weights.sum() == 6, "a question without its subject has no name"


def test_what_just_fits_is_taken_and_one_more_is_refused():
    """Question and answer with two masks are 20 characters: 19 inputs."""
    batch = build([PEOPLE[0]], block=19, rows=1).render(torch.tensor([[0]]), 0)
    assert batch.inputs.shape == (1, 19)
    with pytest.raises(
        BadData, match=r"'Where was Ann\?': .*within 17 characters, found 18; raise"
    ):
        build([PEOPLE[0]], block=18)


def test_questions_that_cannot_be_trained_on_are_refused():
    with pytest.raises(BadData, match="at least one that is asked, found none"):
        build([])
    with pytest.raises(BadData, match=r"'Where was Bo\?': expected an answer"):
        build([PEOPLE[0], ask("Bo", None)])
    with pytest.raises(BadData, match="'P'"):
        build([ask("Bo", "Paris")])


def test_more_characters_than_a_byte_has_numbers_for():
    vocabulary = Vocabulary.from_text(map(chr, range(0x4E00, 0x4F00)))
    asked = [Question("一", "一", "r", chr(0x4EFF), "asked")]
    batch = Answers(asked, vocabulary, block_size=8, rows=1, seed=0, stage=0).render(
        torch.tensor([[0]]), 0
    )
    assert vocabulary.decode(batch.targets[0].tolist()) == f"{MASK}{chr(0x4EFF)}{MASK}"
