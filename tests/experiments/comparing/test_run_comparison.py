"""Runs side by side, with predictions changed by hand so that the differences are known."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.evaluation.two_levels import difference_over_seeds
from wherefrom.experiments.comparing.run_comparison import compare, compare_seeds
from wherefrom.experiments.recipes.recipe_catalogue import get_recipe
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run


def improve(run: Path, path: Path, task: str, count: int, relation: str) -> Path:
    """A copy of a run in which so many more questions are answered rightly."""
    folder = RunFolder(Path(shutil.copytree(run, path)))
    file = f"predictions/with_pretraining.{task}.jsonl"
    rows = folder.read_jsonl(file)
    wrong = [row for row in rows if not row["correct"] and row.get("relation", "") == relation]
    for row in wrong[:count]:
        row |= {"answer": row["gold"], "correct": True}
    folder.write_jsonl(file, rows)
    return path


def test_the_same_questions_are_paired_with_those_of_the_first_run(tiny_run, tmp_path):
    better = improve(tiny_run, tmp_path / "better", "birthplace", 3, "birthplace")
    found = compare([tiny_run, open_run(better)])
    assert [run.run for run in found.runs] == [str(tiny_run), str(better)]
    (pair,) = found.paired
    assert (pair.run, pair.reference) == (str(better), str(tiny_run))
    assert (pair.task, pair.model, pair.reference_model) == (
        "birthplace", "with_pretraining", "with_pretraining",
    )  # fmt: skip
    assert pair.difference == pytest.approx(3 / 8)
    assert (pair.only_a, pair.only_b, pair.n) == (3, 0, 8)
    assert pair.interval[0] < 3 / 8 < pair.interval[1]
    assert (found.notes, pair.by_relation) == ((), {})


def test_other_questions_stand_side_by_side_with_the_reason(tiny_run, bigram_run, tmp_path):
    other = Path(shutil.copytree(tiny_run, tmp_path / "other"))
    predictions = open_run(other).predictions("with_pretraining", "birthplace")
    asked = tuple(replace(q, text=f"{q.text} Tell me.") for q in predictions.known)
    changed = replace(predictions, known=asked)
    RunFolder(other).write_predictions("with_pretraining", "birthplace", changed)
    found = compare([tiny_run, other])
    assert found.paired == ()
    (note,) = found.notes
    assert note.startswith(f"{other}: birthplace not paired with {tiny_run}: ")
    assert "only one of them" in note
    found = compare([bigram_run, tiny_run])
    assert (found.paired, len(found.notes)) == ((), 1)
    assert found.notes[0].endswith("they share no answered task")


def test_language_models_have_bits_per_character_and_word_models_a_note(word_run, character_run):
    found = compare([word_run, character_run])
    read, written = (run.results for run in found.runs)
    own = written["better"]
    assert written["better, bits"]["bits_per_character"] == pytest.approx(own["bits_per_target"])
    assert read["better, bits"]["n"] == read["better"]["original_characters"]
    both = f"'wherefrom perplexity {word_run} {character_run} --text FILE' measures"
    assert both in found.notes[-1]
    assert not any("--text" in note for note in compare([character_run] * 2).notes)


def test_demonstrations_are_left_out_and_the_others_compared(tiny_run, tmp_path):
    lab = tmp_path / "lab"
    RunFolder(lab).write_recipe(get_recipe("attention-lab"))
    RunFolder(lab).write_status({"state": "finished", "seconds": 1.0, "results": {}})
    found = compare([tiny_run, lab, tiny_run])
    assert [run.run for run in found.runs] == [str(tiny_run)] * 2
    assert len(found.paired) == 1
    assert found.notes == (f"{lab}: left out: demonstrations have no scores",)
    with pytest.raises(BadData, match="which trains none"):
        compare([lab, lab])


def test_two_finished_runs_at_least(tiny_run, tmp_path):
    with pytest.raises(UsageError, match=f"at least two runs, found only {tiny_run}"):
        compare([tiny_run])
    with pytest.raises(UsageError, match="at least two runs, found none"):
        compare([])
    torn = Path(shutil.copytree(tiny_run, tmp_path / "torn"))
    RunFolder(torn).write_status({"state": "unfinished"})
    with pytest.raises(MissingInput, match="this run is not finished"):
        compare([tiny_run, torn])


def test_relations_are_paired_where_both_runs_have_them(relations_run, tmp_path):
    """One more place is right in the other run."""
    path = improve(relations_run, tmp_path / "better", "answers", 1, "Where was X born?")
    (pair,) = compare([relations_run, path]).paired
    names = ("Where was X born?", "Which hand does X write with?")
    place, hand = (pair.by_relation[name] for name in names)
    assert (place.only_a, hand.only_a, pair.only_a) == (1, 0, 1)
    assert place.n + hand.n == pair.n
    assert to_json(pair)["by_relation"]["Where was X born?"]["only_a"] == 1


# --- several seeds ---------------------------------------------------------------------------


def stand_in(name: str, seed: int, right: list[bool], rate: float = 0.1) -> Any:
    """A run of `people` as far as comparing goes: its recipe, and which answers are right."""
    recipe = get_recipe("people")
    answers = [Answer("Oslo" if good else "Rome", 0.5) for good in right]
    questions = [Question(f"q{i}", f"p{i}", "", "Oslo", "") for i in range(len(answers))]
    predictions = AnswerTable.of(questions, answers)
    return SimpleNamespace(
        path=Path(name),
        recipe=structs.replace(recipe, seed=seed, precision=rate),
        predictions=lambda *_: predictions,
    )


def test_recipes_with_several_seeds_are_compared_by_seeds_and_questions():
    good = [[i % 10 != s for i in range(50)] for s in range(3)]
    poor = [[i % 5 != s for i in range(50)] for s in range(2)]
    runs = [stand_in(f"poor-{s}", s, right, 0.2) for s, right in enumerate(poor)]
    runs += [stand_in(f"good-{s}", s, right) for s, right in enumerate(good)]
    (found,) = compare_seeds(runs)
    assert (found.runs, found.reference) == (("good-0", "good-1", "good-2"), ("poor-0", "poor-1"))
    assert found.questions == 50
    assert found.difference == pytest.approx(0.9 - 0.8)
    expected = difference_over_seeds(np.array(good), np.array(poor))[1]
    assert found.interval == pytest.approx(expected)


def test_one_seed_or_other_questions_are_not_compared():
    one = [stand_in(f"a-{s}", s, [True, False, True]) for s in range(2)]
    assert list(compare_seeds(one)) == [], "there is nothing to compare with"
    assert list(compare_seeds([*one, stand_in("b-0", 0, [True] * 3, 0.3)])) == []
    longer = [stand_in(f"b-{s}", s, [True] * 4, 0.3) for s in range(2)]
    assert list(compare_seeds([*one, *longer])) == []
