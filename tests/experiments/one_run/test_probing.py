import json

import pytest

from wherefrom.core.files import read_jsonl
from wherefrom.experiments.one_run.probing import Glance, Probe, Watch, choose_questions, sentence
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.experiments.recipes.sentiment_recipe import sentiment
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.workshop import Workshop


def probe(path, settings) -> Probe:
    recipe = adjust(sentiment(), settings=settings)
    workshop, stage = Workshop(recipe), recipe.stage("epochs")
    return Probe(workshop, stage, path, workshop.new_model(stage))


def test_an_epoch_that_ended_before_a_stop_within_a_chunk_is_still_looked_at(
    tmp_path, sentiment_settings
):
    """Its chunk was not complete, so nothing had looked at it yet."""
    path = tmp_path / "probes.jsonl"
    looking = probe(path, sentiment_settings)
    end = looking.items // 30 + 1
    looking.started("epochs", end, 99, ())
    looking.advanced("epochs", end + 2, 99, {}, 0.0)
    assert [json.loads(line)["step"] for line in path.open()] == [end + 2]
    again = probe(path, sentiment_settings)
    again.log.resume(looking.log.rows)  # as the training loop does
    again.started("epochs", end + 3, 99, ())
    again.advanced("epochs", end + 4, 99, {}, 0.0)
    assert len(path.read_text().splitlines()) == 1


def test_questions_are_chosen_from_all_over_the_list(relations_run):
    dataset = open_run(relations_run).dataset
    every = dataset.select("asked")
    assert choose_questions(dataset, len(every))["asked"] == every
    third = choose_questions(dataset, len(every) // 3)["asked"]
    assert third == every[::3][: len(every) // 3]


def test_a_watch_keeps_what_it_sees(tmp_path, tiny_settings):
    """Eight times at most, not at the end; a run that goes on has the rows of one that did not."""
    recipe = adjust(get_recipe("people"), settings=tiny_settings)
    workshop, stage = Workshop(recipe), recipe.chain()[-1]
    model, path = workshop.new_model(stage), tmp_path / "glances.jsonl"

    def watch(first: int, steps: range) -> list[int]:
        watching = Watch(workshop, stage, 2, (), model, path)
        kept = read_jsonl(path) if path.exists() else []
        watching.log.resume([row for row in kept if row["step"] <= first])  # as the loop does
        watching.started("pretrain", first, 16, ())
        for step in steps:
            watching.advanced("pretrain", step, 16, {}, 0.0)
        return [row["step"] for row in read_jsonl(path)]

    assert watch(0, range(1, 17)) == list(range(2, 16, 2))
    row = read_jsonl(path)[0]
    assert (row["asked"], set(row)) == (2, {"step", "asked", "trained", "calibration"})
    assert 0 <= row["calibration"] <= 1
    assert watch(9, range(10, 12)) == [2, 4, 6, 8, 10]
    assert watch(13, range(14, 15)) == [2, 4, 6, 8, 10, 14]


@pytest.mark.parametrize(
    ("trained", "others", "minutes", "said"),
    [
        (0.99, 0.31, 8.0, "trained questions 99%, calibration questions 31%: it has learnt the "
         "questions by heart; more reading will help: --minutes 20"),
        (0.5, 0.45, 2.0, "has not finished learning; more reading will help: --minutes 5"),
        (1.0, 0.92, 8.0, "more reading may help: --minutes 20"),
        (0.99, 0.31, None, "more reading will help: more steps"),
        (1.0, 0.95, 8.0, ""),
    ],
)  # fmt: skip
def test_what_a_finished_run_is_told_that_it_lacks(trained, others, minutes, said):
    found = sentence(Glance(200, trained, others), minutes)
    assert found.endswith(said)
    assert bool(found) == bool(said)
    assert sentence(Glance(200, 0.5, 0.4), 1.0, 7.5).endswith("--minutes 7.5"), "as was planned"
