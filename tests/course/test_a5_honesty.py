"""Hasty submissions lose what they should and nothing else; honest ones lose nothing.

The submissions here were made for these tests: the plain solution with one thing changed.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.course.files import A5, hand_out, load_program
from tests.support import submissions as making
from wherefrom.course.doctor.checks import KINDS
from wherefrom.course.doctor.judging import predictions
from wherefrom.course.doctor.judging.spans import MASK, PAD
from wherefrom.course.doctor.submission import Submission

grade = load_program(A5, "grader")
PART_F = [("vanilla.pretrain", split) for split in ("dev", "test")]
PREDICTIONS = [kind.reads for kind in KINDS.values() if kind.reads]
DEV, TEST = "vanilla.pretrain dev", "vanilla.pretrain test"


@pytest.fixture
def plain(grounds, course_data) -> Path:
    """A solution in plain torch, with parameters and what they answer."""
    return making.predict_all(making.plain(grounds / "plain"), course_data)


def test_honest_predictions_are_tied_to_their_parameters(plain, course_data):
    results = making.judge_files(plain, course_data, *PREDICTIONS)
    assert making.lost(results) == {}
    for result in results.values():
        assert "40 of 40 drawn lines" in result.text


def test_a_copied_column_of_answers_earns_nothing(plain, course_data):
    rows = (course_data / "birth_dev.tsv").read_text().splitlines()
    gold = "".join(f"{row.split(chr(9))[1]}\n" for row in rows)
    (plain / "vanilla.pretrain.dev.predictions").write_text(gold)
    assert making.lost(making.judge_files(plain, course_data, *PART_F)) == {DEV: "other answers"}
    (plain / "vanilla.finetune.params").unlink()
    results = making.judge_files(plain, course_data, *PREDICTIONS)
    assert making.lost(results) == dict.fromkeys((DEV, TEST), "no parameters")
    assert "vanilla.finetune.params is not there" in results[TEST].text


def test_the_parameters_of_another_model_are_not_enough(plain, course_data):
    shutil.copy(plain / "vanilla.model.params", plain / "vanilla.finetune.params")
    assert making.lost(making.judge_files(plain, course_data, *PART_F)) == dict.fromkeys(
        (DEV, TEST), "other answers"
    )
    shutil.copy(plain / "synthesizer.finetune.params", plain / "vanilla.finetune.params")
    assert making.lost(making.judge_files(plain, course_data, *PART_F)) == dict.fromkeys(
        (DEV, TEST), "flag never set"
    )


def test_parameters_that_know_nothing_earn_nothing_where_answers_are_not_known(plain, course_data):
    judged = Path(shutil.copytree(course_data, plain.parent / "judged"))
    rows = [row.split("\t")[0] for row in (judged / "birth_dev.tsv").read_text().splitlines()]
    (judged / "birth_dev.tsv").write_text("".join(f"{question}\tNowhere\n" for question in rows))
    (plain / "vanilla.pretrain.dev.predictions").unlink()  # the parameters are asked, not the file
    results = making.judge_files(plain, judged, ("vanilla.pretrain", "test"))
    assert making.lost(results) == {TEST: "score"}
    assert "of dev's 0 of 200 right" in results[TEST].text
    assert making.lost(making.judge_files(plain, course_data, ("vanilla.pretrain", "test"))) == {}


def test_a_file_that_cannot_be_read_costs_its_own_test(plain, course_data):
    path = plain / "vanilla.nopretrain.dev.predictions"
    path.write_bytes(b"\xe9" + path.read_bytes())
    results = making.judge_files(plain, course_data, *PREDICTIONS)
    assert making.lost(results) == {"vanilla.nopretrain dev": "form"}
    assert str(plain) not in results["vanilla.nopretrain dev"].text


@pytest.mark.parametrize("prefix", ["_orig_mod.", "module.", "module._orig_mod."])
def test_names_of_wrapped_models_are_read(plain, course_data, prefix):
    for path in plain.glob("*.params"):
        state = torch.load(path, weights_only=True)
        torch.save({prefix + name: value for name, value in state.items()}, path)
    assert making.lost(making.judge_files(plain, course_data, *PREDICTIONS)) == {}


def test_parameters_of_another_shape_are_no_crash(plain, course_data):
    path = plain / "vanilla.finetune.params"
    state = torch.load(path, weights_only=True)
    state["blocks.0.mlp.0.weight"] = torch.zeros(3, 3)
    torch.save(state, path)
    assert making.lost(making.judge_files(plain, course_data, *PART_F)) == dict.fromkeys(
        (DEV, TEST), "other architecture"
    )


def test_answers_to_the_courses_own_prompts_agree(plain, course_data):
    """Its program reads a test question with the end of its line."""
    reference = Submission(making.A5 / "submission")
    text = (course_data / "wiki.txt").read_text()
    data = reference.CharCorruptionDataset(text, 128)
    model = reference.initialize_vanilla_model(
        reference.GPTConfig(data.vocab_size, 128, n_layer=1, **making.SIZES)
    ).eval()
    model.load_state_dict(torch.load(plain / "vanilla.finetune.params", weights_only=True))
    questions = (course_data / "birth_test_inputs.tsv").read_text().splitlines()
    lines = making.answers(model, data, [f"{question}\n" for question in questions])
    path = plain / "vanilla.pretrain.test.predictions"
    assert lines != path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in lines))
    assert making.lost(making.judge_files(plain, course_data, *PART_F)) == {}


def test_ties_are_excused_and_other_letters_are_not():
    numbers = {PAD: 0, MASK: 1, "a": 2, "b": 3, "?": 4}

    def logits(gap: float) -> predictions.Logits:
        """Says a, then the mask; b is only `gap` less likely than a."""

        def read(ids: torch.Tensor) -> torch.Tensor:
            found = torch.zeros(*ids.shape, 5)
            after = ids == 1
            found[after] = torch.tensor([-9.0, -9.0, 1.0, 1.0 - gap, -9.0])
            found[~after] = torch.tensor([-9.0, 1.0, -9.0, -9.0, -9.0])
            return found

        return read

    def others(model: predictions.Logits, *lines: str) -> list[str]:
        return predictions.differing(model, numbers, ["a?"] * len(lines), lines)

    for gap, left in ((0.0, ["bb"]), (0.1, ["bb"]), (0.2, ["b", "bb"])):
        assert others(logits(gap), "a", "a", "b", "bb") == left  # a is 6 above the mean: 2 % of it
    flat = others(lambda ids: torch.zeros(*ids.shape, 5), "a")
    assert flat == ["a"], "a model without an opinion agrees with nothing"
    assert others(logits(0.0), "c") == ["c"], "not in the vocabulary"
    assert others(logits(0.2), "") == [""], "it ends too early"
    said = torch.tensor([-9.0, -9.0, 1.0, -9.0, -9.0])  # a for ever
    long = others(lambda ids: said.expand(*ids.shape, 5), "a" * 32, "a" * 33)
    assert long == ["a" * 33], "the course's program writes 32 characters at most"


def graded(folder: Path, data: Path, *tests: str) -> dict[str, Any]:
    return grade.grade(folder, tests, data).results


def own_lines(plain: Path, world: Path, odd: tuple[str, str, str]) -> Path:
    """Let the synthesizer of a changed solution answer, and make some of its answers right."""
    making.change(plain, *odd)
    own = Submission(plain)
    data = own.CharCorruptionDataset((world / "wiki.txt").read_text(), 128)
    config = own.GPTConfig(data.vocab_size, 128, n_layer=1, **making.SIZES)
    model = own.initialize_synthesizer_model(config).eval()
    model.load_state_dict(torch.load(plain / "synthesizer.finetune.params", weights_only=True))
    rows = [r.split("\t") for r in (world / "birth_dev.tsv").read_text().splitlines()]
    lines = making.answers(model, data, [question for question, _ in rows])
    path = plain / "synthesizer.pretrain.dev.predictions"
    assert lines != path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in lines))
    judged = Path(shutil.copytree(world, plain.parent / "judged"))
    places = [*lines[:40], *(place for _, place in rows[40:])]
    table = [f"{question}\t{place}\n" for (question, _), place in zip(rows, places, strict=True)]
    (judged / "birth_dev.tsv").write_text("".join(table))
    return judged


def test_a_usual_mistake_costs_no_predictions(plain, course_data):
    """Without ReLU, the synthesizer's own answers are other ones than the course's."""
    odd = ("attention.py", "torch.relu(self.w1(x))", "self.w1(x)")
    results = graded(plain, own_lines(plain, course_data, odd), "1g-3-hidden", "1g-1-hidden")
    assert making.lost(results) == {"1g-3-hidden": "no relu"}
    told = results["1g-1-hidden"].text  # in some draws the two differ in hardly a line
    assert re.search(r"\(with a mistake: no relu\), 40 of 40 drawn lines|, 3\d of 40 drawn", told)


ODD = ("attention.py", "return self._mix(hidden @", "return -self._mix(hidden @")


def test_what_an_unusual_mistake_answers_is_for_a_person_to_judge(plain, course_data):
    judged = own_lines(plain, course_data, ODD)
    results = graded(plain, judged, "1g-3-hidden", "1g-1-hidden")
    assert making.lost(results) == {"1g-3-hidden": "formula", "1g-1-hidden": ""}
    assert results["1g-1-hidden"].state == "unknown"
    assert "have its own run.py answer, and compare" in results["1g-1-hidden"].text


def test_an_attention_that_is_wrong_on_purpose_earns_no_predictions(plain, course_data):
    """It could lead to the answers of a table: nothing that it says is believed."""
    rows = [r.split("\t") for r in (course_data / "birth_dev.tsv").read_text().splitlines()]
    gold = "".join(f"{place}\n" for _, place in rows)
    (plain / "synthesizer.pretrain.dev.predictions").write_text(gold)
    assert making.lost(graded(plain, course_data, "1g-1-hidden")) == {
        "1g-1-hidden": "other answers"
    }
    making.change(plain, *ODD)
    given = grade.grade(plain, ("1g-1-hidden",), course_data)
    assert making.lost(given.results) == {"1g-1-hidden": ""}
    assert (given.total, given.possible) == (0, 2)


@pytest.mark.nightly
def test_the_librarys_solution_is_no_solution(plain, python_anew):
    old = "        length = x.shape[1]\n        hidden"
    model = "from wherefrom.models.gpt import MIXERS; S = MIXERS['synthesizer']"
    new = f"        {model}\n        return S.forward(self, x)\n{old}"
    making.change(plain, "attention.py", old, new)
    results = graded(plain, making.A5, "1g-3-hidden", "1e-0-basic")
    assert set(making.lost(results)) == {"1g-3-hidden"}


def test_a_starter_that_calls_its_base_class_has_solved_nothing(grounds):
    starter = hand_out(grounds / "starter")
    path = starter / "submission" / "attention.py"
    start, _, end = path.read_text().rpartition("raise NotImplementedError")
    path.write_text(f"{start}return super().forward(x){end}")
    assert set(making.lost(graded(starter, making.A5, "1g-3-hidden"))) == {"1g-3-hidden"}
