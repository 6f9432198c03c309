"""The course's recipe held against the specification, and what ours must keep."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from wherefrom.core.files import read_json
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.recipes import birthplaces_recipe as birthplaces
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.objectives.span_corruption import SpanCorruptionConfig
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.workshop import Workshop

NAMES = ["Ada Byron", "Bo Ek", "Cy Fox", "Di Roe", "Ed Poe", "Flo Kim", "Gus May", "Hal Orr"]
PLACES = ["London", "Oslo", "Paris", "Rome"]
TINY = (
    "model.n_embd=16", "model.n_head=2", "model.n_layer=3", "model.bottleneck_dim=8", "threads=1",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Eight people, four of them asked, two in dev, two in test."""
    home = tmp_path / "data"
    home.mkdir()
    places = [PLACES[i % 4] for i in range(8)]
    people = list(zip(NAMES, places, strict=True))
    text = "\n".join(f"{n}. {n} was born in {p}, and wrote." for n, p in people)
    rows = [f"Where was {n} born?\t{p}\n" for n, p in people]
    (home / "wiki.txt").write_text(text, "utf-8")
    (home / "birth_places_train.tsv").write_text("".join(rows[:4]), "utf-8")
    (home / "birth_dev.tsv").write_text("".join(rows[4:6]), "utf-8")
    inputs = "".join(row.split("\t")[0] + "\n" for row in rows[6:])
    (home / "birth_test_inputs.tsv").write_text(inputs, "utf-8")
    return str(home)


def test_the_course_to_the_letter():
    recipe = birthplaces.course()
    only, pretrain, finetune = recipe.stages
    assert [(s.name, s.steps, s.batch, s.optimiser.rate) for s in recipe.stages] == [
        ("finetune_only", 600, 256, 6e-4),
        ("pretrain", 14_950, 128, 6e-3),
        ("finetune", 80, 256, 6e-4),
    ]
    for stage in recipe.stages:
        assert stage.order == "file"
        assert (stage.schedule.shape, stage.schedule.floor) == ("course", 0.1)
        assert (stage.optimiser.beta1, stage.optimiser.beta2) == (0.9, 0.95)
        assert (stage.optimiser.decay, stage.optimiser.decayed) == (0.1, "all but bias")
        assert stage.clip == 1.0
    assert finetune.start_from == "pretrain"
    assert only.start_from is None
    spans = pretrain.mix[0].objective
    assert spans == SpanCorruptionConfig()
    assert (spans.longest, spans.third_mask, spans.truncate) == (0.875, True, True)
    model = recipe.model
    assert (model.n_layer, model.n_head, model.n_embd, model.block_size) == (4, 8, 256, 128)
    assert {model.embd_pdrop, model.resid_pdrop, model.attn_pdrop} == {0.1}
    assert recipe.data.letters == "ascii"
    assert {task.beams for task in recipe.tasks} == {1}


def test_a_run_writes_predictions_for_dev_and_test(folder, tmp_path):
    steps = [f"stages.{s}.steps=2" for s in ("finetune_only", "pretrain", "finetune")]
    recipe = adjust(
        get_recipe("birthplaces-course"),
        settings=[*TINY, *steps, f"data.folder={folder}", "model.attention=perceiver"],
    )
    outcome = execute(recipe, tmp_path / "run")
    assert outcome.results["london"]["n"] == 2
    assert outcome.results["with_pretraining"]["mistakes"]["n"] == 2
    assert "with_pretraining, place-aware" in outcome.results
    for model in ("without_pretraining", "with_pretraining"):
        for task, count in (("dev", 2), ("test", 2)):
            lines = (tmp_path / "run" / "predictions" / f"{model}.{task}.txt").read_text()
            assert lines.count("\n") == count
    assert not any(key.startswith("test") for key in outcome.results)
    run = open_run(tmp_path / "run")
    assert run.model().config.attention == "perceiver"
    assert read_json(tmp_path / "run" / "corpus" / "corpus.json")["documents"] == 8
    moved = Path(folder).rename(tmp_path / "moved")
    there = replace(recipe, data=replace(recipe.data, folder=str(moved)))
    assert execute(there, tmp_path / "run").reused, "moved files are the same run"


def test_the_courses_rate_counts_the_courses_tokens(folder, tmp_path):
    """8 documents, 3 a step: the third step of an epoch is short, and the rate knows it."""
    settings = [*TINY, f"data.folder={folder}", "stages.pretrain.batch=3"]
    recipe = adjust(get_recipe("birthplaces-course"), settings=settings)
    workshop = Workshop(recipe)
    stage = recipe.stage("pretrain")
    learner = workshop.learner(stage, workshop.new_model(stage))
    tokens = learner.tokens  # pyright: ignore
    assert tokens.before(3) == 8 * 127
    assert tokens.final == 200 * 8 * 128
    plan = learner.objective.plan(0, 3)  # pyright: ignore
    batch = learner.objective.render(plan, 2)  # pyright: ignore
    assert (batch.weights.sum(1) > 0).tolist() == [True, True, False]
