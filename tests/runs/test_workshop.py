"""A recipe's parts: what they are made of, and what they depend on."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
import torch
from msgspec import structs

from tests.support.own_text import write_birthplaces
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.recipe import Recipe
from wherefrom.core.vocabulary import MASK_ID
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.models.gpt import GPT
from wherefrom.runs.workshop import Workshop, choose_device


@pytest.fixture
def recipe(tiny_settings) -> Recipe:
    return adjust(get_recipe("people"), settings=tiny_settings)


@pytest.fixture
def workshop(recipe) -> Workshop:
    return Workshop(recipe)


def weights(model: GPT) -> dict[str, bytes]:
    return {name: p.detach().cpu().numpy().tobytes() for name, p in model.named_parameters()}


def test_the_seed_makes_the_world_and_the_weights(recipe):
    here, again = Workshop(recipe), Workshop(recipe)
    other = Workshop(structs.replace(recipe, seed=1))
    first, second = recipe.stages
    assert here.dataset == again.dataset
    assert here.dataset != other.dataset
    found = weights(here.new_model(first))
    torch.manual_seed(5)
    assert weights(again.new_model(first)) == found
    assert weights(here.new_model(second)) != found  # stages begin apart
    # Of another seed, whatever the size of its alphabet, no drawn matrix is the same.
    name = "blocks.0.attn.key.weight"
    assert weights(other.new_model(first))[name] != found[name]


def test_a_question_must_leave_room_for_a_mask(workshop):
    longest, (first, *_) = workshop.material.max_input, workshop.dataset.questions
    for length, fits in ((longest - 1, True), (longest, False)):
        asked = replace(workshop.dataset, questions=(replace(first, text="a" * length),))
        vars(workshop)["dataset"] = asked
        with nullcontext() if fits else pytest.raises(BadData, match=f"at most {longest - 1} "):
            workshop.check_questions()


LONG = "The Grand Duchy of Upper and Lower Ostau"


NAMES = [f"{a} {b}" for a in ("Ada", "Bo", "Cy", "Di", "Ed") for b in ("Lund", "Falk", "Roth")]


class Reciter(torch.nn.Module):
    """Says the same whatever is asked, and closes it with a mask."""

    cacheable, max_input = False, 128

    def __init__(self, vocabulary, text: str) -> None:
        super().__init__()
        self.unused = torch.nn.Parameter(torch.zeros(1))
        self.words, self.size = [*vocabulary.encode(text), MASK_ID], len(vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        said = (tokens == MASK_ID).cumsum(1).cumsum(1)  # 1 at the mask behind the question
        next_word = torch.tensor([MASK_ID, *self.words, MASK_ID])[said.clamp(max=len(self.words))]
        return torch.nn.functional.one_hot(next_word, self.size) * 50.0


def test_answers_may_be_as_long_as_those_that_are_asked(tmp_path):
    assert len(LONG) == 40
    workshop = Workshop(
        adjust(
            get_recipe("facts"), settings=write_birthplaces(tmp_path, dict.fromkeys(NAMES, LONG))
        )
    )
    answerer = workshop.predictor(Reciter(workshop.vocabulary, LONG))
    question = workshop.dataset.asked[0].text
    for answer in (*answerer.answer([question]), *answerer.searching(1).answer([question])):
        assert (answer.text, answer.finished) == (LONG, True)
    shorter = Reciter(workshop.vocabulary, LONG)
    shorter.max_input = len(question) + 41  # question, mask, answer: room for it, none to spare
    assert workshop.predictor(shorter).searching(1).answer([question])[0].finished
    shorter.max_input = len(question) + 40
    assert not workshop.predictor(shorter).searching(1).answer([question])[0].finished


@pytest.mark.parametrize("attention", ["synthesizer", "causal"])
def test_rows_are_as_long_as_the_model_reads(tmp_path, attention):
    """Lines of 400 characters fill every row; a synthesizer's w2 has a column less than a block."""
    long = " And so on and on and on." * 12
    files = write_birthplaces(tmp_path, dict.fromkeys(NAMES, LONG), long)
    small = ["model.n_embd=16", "model.n_head=2", "model.n_layer=1", "stages.pretrain.batch=16"]
    chosen = [f"model.attention={attention}", "model.qk_norm=false", "device=cpu"]
    chosen += ["model.block_size=128", "stages.pretrain.mix.spans.objective.longest=1.0"]
    workshop = Workshop(adjust(get_recipe("facts"), settings=[*files, *small, *chosen]))
    stage = workshop.recipe.stages[0]
    model = workshop.new_model(stage)
    longest = 127 if attention == "synthesizer" else 128
    assert workshop.model_config.max_input == model.max_input == longest
    assert workshop.objective(stage).width == longest
    learner: Any = workshop.learner(stage, model)
    assert learner.advance(0, 4)["finite"].all()
    assert learner.tokens.row_tokens == 127  # a block less one, whatever is read
    assert workshop.objective(stage) is workshop.objective(stage)


# --- where it runs ---------------------------------------------------------------------------


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA GPU")
def test_a_device_that_is_not_here_is_refused_with_those_that_are():
    with pytest.raises(UsageError, match=r"device: expected one that is here \(cpu.* 'cuda'"):
        choose_device("cuda")
