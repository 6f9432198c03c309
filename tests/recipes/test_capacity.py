"""The study of capacity as recipes: which runs it has, and how often each person is shown."""

from dataclasses import replace

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Arm, Capacity
from wherefrom.recipes.capacity import capacity, capacity_gpu, count_steps, make_recipe, plan_runs
from wherefrom.recipes.catalogue import adjust
from wherefrom.runs.workshop import Workshop


def study(*arms: Arm) -> Capacity:
    return Capacity("capacity", "a test", arms)


@pytest.mark.parametrize("wordings", [1, 5])
def test_every_person_is_shown_as_often_as_the_arm_says(wordings):
    """Counted in the plan itself, over all wordings."""
    arm = Arm("a", items=12, exposures=10, wordings=wordings, batch=4)
    recipe = make_recipe(study(arm), arm, 8, 0)
    ((_, plan, _),) = Workshop(recipe).objective(recipe.stages[0]).plan(0, 30)
    assert recipe.stages[0].steps == 30
    shown = plan[..., 0].flatten() // wordings  # documents of one person follow each other
    assert shown.bincount().tolist() == [10] * 12


def test_questions_take_no_exposures_away():
    arm = Arm("a", items=16, exposures=70, batch=16, questions=0.5)
    recipe = make_recipe(study(arm), arm, 8, 0)
    stage = recipe.stages[0]
    assert stage.steps == 80  # 40 of 16 texts, and 40 of 12 texts and 4 questions
    parts = Workshop(recipe).objective(stage).plan(0, stage.steps)
    texts = sum(len(plan.flatten(0, 1)) for part, plan, _ in parts if plan.dim() == 3)
    questions = sum(plan.numel() for part, plan, _ in parts if plan.dim() == 2)
    assert (texts, questions) == (16 * 70, 40 * 4)


def test_rows_are_whole_biographies():
    arm = Arm("a", items=12, exposures=1, wordings=5, batch=12)
    recipe = make_recipe(study(arm), arm, 8, 0)
    workshop = Workshop(recipe)
    objective = workshop.objective(recipe.stages[0])
    batch = objective.render(objective.plan(0, 1), 0)
    lengths = {len(d.text) - 1 for d in workshop.dataset.documents}
    assert set(batch.lengths.tolist()) <= lengths
    assert max(lengths) <= recipe.model.block_size


def test_runs_of_one_shape_follow_each_other():
    first = Arm("first", exposures=100, widths=(8, 16), seeds=2)
    short = Arm("short", exposures=50, widths=(8,))
    alike = Arm("alike", text="strings", exposures=100, widths=(16, 8))
    runs = list(plan_runs(study(first, short, alike)))
    assert [run.name for run in runs] == [
        "first-width-8-seed-0", "first-width-8-seed-1", "alike-width-8-seed-0",
        "first-width-16-seed-0", "first-width-16-seed-1", "alike-width-16-seed-0",
        "short-width-8-seed-0",
    ]  # fmt: skip
    assert [run.recipe.seed for run in runs] == [0, 1, 0, 0, 1, 0, 0]
    assert [r.recipe.seed for r in plan_runs(replace(study(first), seed=5))] == [5, 6, 5, 6]
    assert len({run.name for run in runs}) == len(runs)


def test_people_are_asked_about_only_if_the_arm_asks():
    arms = Arm("plain", items=10), Arm("asking", items=10, questions=0.5)
    plain, asking = (make_recipe(study(*arms), arm, 16, 0) for arm in arms)
    assert [share.name for share in plain.stages[0].mix] == ["text"]
    assert [share.name for share in asking.stages[0].mix] == ["text", "questions"]
    assert plain.data.asked == 0
    assert asking.data.asked == 5
    assert {task.name for task in asking.tasks} == {"storage", "extraction", "taught"}


def test_the_forms_have_the_sizes_that_they_are_for():
    small, large = capacity(), capacity_gpu()
    for form in (small, large):
        filled = [arm for arm in form.arms if not arm.questions]
        assert all(len(arm.widths) == 5 for arm in filled if arm.text == "biographies")
        assert {arm.wordings for arm in form.arms if arm.questions} == {1, 5}
    sizes = {(a.text, a.items, a.exposures) for a in large.arms if not a.questions}
    assert {
        ("biographies", 1000, 100), ("biographies", 10_000, 100), ("biographies", 1000, 1000),
        ("strings", 1000, 1000),
    } == sizes  # fmt: skip


def test_sizes_are_settings():
    name = capacity().arms[0].name
    changed = adjust(
        capacity(), settings=[f"arms.{name}.items=100000", f"arms.{name}.widths=128,256"]
    )
    arm = changed.arms[0]
    assert (arm.items, arm.widths) == (100_000, (128, 256))
    assert count_steps(arm) == round(100_000 * arm.exposures / arm.batch)


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"widths": (9,)}, "widths: expected at least one width, each a multiple of 8"),
        ({"widths": ()}, "widths: expected at least one width"),
        ({"widths": (8, 8)}, "widths: expected widths that all differ"),
        ({"text": "novels"}, "text: expected one of"),
        ({"text": "strings", "questions": 0.5}, "text: expected biographies, if there are"),
        ({"items": 2, "exposures": 1, "batch": 8}, "exposures: expected at least 8 texts in all"),
        ({"questions": 1.0}, "questions: expected a share"),
        ({"wordings": 6}, "wordings: expected a whole number from 1 to 5"),
    ],
)
def test_arms_that_are_refused(settings, wrong):
    with pytest.raises(UsageError, match=rf"^Arm\.{wrong}"):
        Arm("a", **settings)
    with pytest.raises(UsageError, match="arms: expected"):
        study()
    with pytest.raises(UsageError, match="arms: expected names that all differ"):
        study(Arm("a"), Arm("a"))
