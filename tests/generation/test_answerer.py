import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK, Vocabulary
from wherefrom.generation.answerer import ModelAnswerer, answer_probabilities
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.models.gpt import GPT, GPTConfig

VOCABULARY = Vocabulary.from_text(["Where is A? Paris Rome Pisa Nice B"])


class Tabled(nn.Module):
    """Knows by heart how each text goes on: {text so far: {next character: probability}}."""

    cacheable = False
    max_input = 30

    def __init__(self, table: dict[str, dict[str, float]]) -> None:
        super().__init__()
        self.table = table
        self.unused = nn.Parameter(torch.zeros(1))

    def forward(self, tokens_RT: Tensor) -> Tensor:
        logits = torch.full((*tokens_RT.shape, len(VOCABULARY)), -30.0)
        for row, tokens in enumerate(tokens_RT.tolist()):
            for i in range(len(tokens)):
                known = self.table.get(VOCABULARY.decode(tokens[: i + 1]), {"s": 1.0})
                for character, probability in known.items():
                    logits[row, i, VOCABULARY.encode(character)[0]] = math.log(probability)
        return logits


def world() -> Tabled:
    """Greedy follows P to Paris (0.6 x 0.5); Rome (0.4) is the more probable answer."""
    about = f"Where is A?{MASK}"
    table = {about: {"P": 0.6, "R": 0.4}, about + "P": {"a": 0.5, "i": 0.3, "s": 0.2}}
    for place in ("Paris", "Pisa", "Rome"):
        for i in range(1, len(place) + 1):
            table.setdefault(about + place[:i], {(place + MASK)[i]: 1.0})
    return Tabled(table)


def test_the_search_gives_the_most_probable_answer_and_the_next_best():
    (answer,) = ModelAnswerer(world(), VOCABULARY, beams=3).answer(["Where is A?"])
    assert (answer.text, answer.finished) == ("Rome", True)
    assert answer.probability == pytest.approx(0.4, abs=1e-4)
    assert [c.text for c in answer.others] == ["Paris", "Pisa"]
    assert [c.probability for c in answer.others] == pytest.approx([0.3, 0.18], abs=1e-4)


def test_the_search_goes_on_while_a_worse_answer_may_still_be_replaced():
    """The empty answer (0.4) is the best early on, and "P" (0.035) is closed before "Pa"."""
    about = f"Where is A?{MASK}"
    table = {
        about: {MASK: 0.4, "P": 0.35, "R": 0.25},
        about + "P": {MASK: 0.1, "a": 0.9},
        about + "R": {MASK: 0.1, "o": 0.9},
        about + "Pa": {MASK: 1.0},
    }
    (answer,) = ModelAnswerer(Tabled(table), VOCABULARY, beams=2).answer(["Where is A?"])
    assert (answer.text, [c.text for c in answer.others]) == ("", ["Pa"])
    assert answer.others[0].probability == pytest.approx(0.35 * 0.9, abs=1e-4)


def test_an_answer_that_is_never_closed():
    """Of B the model knows nothing and repeats itself."""
    answers = ModelAnswerer(world(), VOCABULARY, beams=1, max_new=6).answer(
        ["Where is A?", "Where is B?"]
    )
    assert [a.finished for a in answers] == [True, False]
    assert answers[1].text == "ssssss"


def test_unclosed_answers_are_not_offered_beside_closed_ones():
    # In five characters only Rome and Pisa can be closed.
    (answer,) = ModelAnswerer(world(), VOCABULARY, beams=3, max_new=5).answer(["Where is A?"])
    assert answer.text == "Rome"
    assert [c.text for c in answer.others][:1] == ["Pisa"]
    assert "Paris" not in [c.text for c in answer.others]


def test_no_questions_and_unknown_characters():
    answerer = ModelAnswerer(world(), VOCABULARY)
    assert answerer.answer([]) == []
    with pytest.raises(BadData, match=r"'ž' \(U\+017E\)"):
        answerer.answer(["Where is ž?"])
    with pytest.raises(BadData, match="expected 1 to 30 characters"):
        answerer.answer(["A" * 30])


# --- how probable an answer is that is already there ------------------------------------------


def test_an_answers_probability_is_the_product_over_its_characters():
    """Rome 0.4, Paris 0.6 x 0.5; the mask that closes them is certain. "Pi" is never closed."""
    answerer = ModelAnswerer(world(), VOCABULARY)
    answers = ["Rome", "Paris", "Pisa", "Pi"]
    found = answer_probabilities(answerer, ["Where is A?"] * 4, answers)
    assert found == pytest.approx([0.4, 0.3, 0.18, 0.0], abs=1e-4)


def test_an_answer_is_scored_as_far_as_the_model_reads():
    answerer = ModelAnswerer(world(), VOCABULARY)
    room = world().max_input - len("Where is B?")  # with these, the closing mask falls outside
    texts = ["s" * room, "s" * (room + 50)]
    whole, longer = answer_probabilities(answerer, ["Where is B?"] * 2, texts)
    assert 0 < whole == pytest.approx(longer)


# -- other wordings -----------------------------------------------------------------


def in_other_words() -> ModelAnswerer:
    """After the question Rome 0.4, Paris 0.3; "A is" Paris 0.9; "A are" Paris 0.5, Nice 0.3 and,
    where a search of two does not look, Rome 0.2."""
    table = world().table
    wordings = [("A is", ""), ("A are", "?")]
    shares: list[dict[str, float]] = [{"Paris": 0.9}, {"Paris": 0.5, "Nice": 0.3, "Rome": 0.2}]
    for (before, behind), places in zip(wordings, shares, strict=True):
        prompt = f"{before}{MASK}{behind}{MASK}"
        first = {place[0]: share for place, share in places.items()}
        table[prompt] = first | ({"s": 0.1} if sum(first.values()) < 1 else {})
        for place in places:
            for i in range(1, len(place) + 1):
                table[prompt + place[:i]] = {(place + MASK)[i]: 1.0}
    return ModelAnswerer(Tabled(table), VOCABULARY, beams=3, wordings={"Where is A?": wordings})


def test_an_answer_has_the_mean_of_its_probabilities_after_all_prompts():
    answerer = in_other_words()
    (answer,) = answerer.answer(["Where is A?"])
    assert (answer.text, answer.finished) == ("Paris", True)
    assert answer.probability == pytest.approx((0.3 + 0.9 + 0.5) / 3, abs=1e-4)
    assert {c.text: c.probability for c in answer.others} == {
        "Nice": pytest.approx(0.3 / 3, abs=1e-4),
        "Rome": pytest.approx(0.4 / 3, abs=1e-4),
    }, "as many as the search for the question is wide"
    (alone,) = answerer.asking({}).answer(["Where is A?"])
    assert (alone.text, [c.text for c in alone.others]) == ("Rome", ["Paris", "Pisa"])


def test_a_narrower_search_is_asked_in_the_same_words():
    (answer,) = in_other_words().searching(1).answer(["Where is A?"])
    assert (answer.text, answer.others) == ("Paris", ())
    assert answer.probability == pytest.approx((0.3 + 0.9 + 0.5) / 3, abs=1e-4)


def test_probabilities_of_given_answers_are_means_over_all_prompts_too():
    asked, said = ["Where is A?"] * 3, ["Rome", "Paris", "Nice"]
    found = answer_probabilities(in_other_words(), asked, said)
    assert found == pytest.approx([0.6 / 3, (0.3 + 0.9 + 0.5) / 3, 0.3 / 3], abs=1e-4)
    assert answer_probabilities(in_other_words(), [], []).shape == (0,)


@pytest.mark.parametrize("size", [1, 3, 13])
def test_several_ranks_decode_what_one_does(divided, size: int):
    """Their batches are smaller, so sums may be taken in another order; one of thirteen has
    nothing to do."""
    torch.manual_seed(0)
    shape = {"vocab_size": 12, "block_size": 12, "n_layer": 1, "n_head": 2, "n_embd": 8}
    model = GPT(GPTConfig(**shape)).eval()
    requests = [Request((3, 4, i), 5, beams) for i in range(2, 6) for beams in (1, 2, 4)]
    found, done = divided(size, lambda: ModelAnswerer(model, VOCABULARY).generate(requests))
    assert done == size
    for here, there in zip(found, Decoder(model).generate(requests), strict=True):
        logs = [[each.log_probability for each in some] for some in (here, there)]
        np.testing.assert_allclose(logs[0], logs[1], atol=1e-5)
