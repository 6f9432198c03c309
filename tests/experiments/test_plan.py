"""Plans: a row of the table for a text and minutes; a run by the clock can be replayed."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from tests.experiments.stopping import StopAt
from wherefrom import api
from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Question, Span
from wherefrom.core.errors import Interrupted, UsageError
from wherefrom.core.recipe import Recipe
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments import clock, plan
from wherefrom.experiments.clock import replay
from wherefrom.experiments.one_run import execute as execution
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.plan import Planned, TextSize, plan_run
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.objectives import objective_catalogue as catalogue
from wherefrom.runs.folder import RunFolder
from wherefrom.training import loop
from wherefrom.training.torch_learner import TorchLearner

SMALL = [
    "model.n_layer=1", "model.n_head=2", "model.n_embd=16", "model.ngrams=2",
    "model.ngram_buckets=64", "stages.pretrain.batch=4", "stages.pretrain.buckets=1",
    "stages.questions_only.steps=4", "stages.questions_only.buckets=1", "abstain=false",
    "watch=0", "threads=1",
]  # fmt: skip
SIZE = TextSize(
    documents=1000, subjects=1000, statements=3000, longest_name=20, longest_question=80
)
MODEL = "models/with_pretraining/weights.safetensors"


@pytest.fixture
def data(facts_folder: Path) -> FactsConfig:
    return FactsConfig(str(facts_folder / "corpus.txt"), str(facts_folder / "questions.tsv"))


def changer(data: FactsConfig, settings: Sequence[str] = ()):
    def change(recipe: Recipe) -> Recipe:
        return structs.replace(
            adjust(recipe, settings=[*SMALL, *settings]), data=data, device="cpu"
        )

    return change


@pytest.fixture
def planned(data: FactsConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A plan on a machine where nothing takes time but steps and answers."""
    monkeypatch.setattr(plan, "monotonic", lambda: 0.0)

    def make(minutes: float | None, step: float, answer: float = 0.0, *settings: str) -> Planned:
        monkeypatch.setattr(plan, "_time", lambda *_: (step, answer))
        return plan_run(changer(data, settings), RunFolder(tmp_path / "none"), minutes)

    return make


def taught(found: Planned) -> tuple[int, float]:
    """In how many kinds of wordings notes are taught, and in which share of the rows."""
    notes = next(s for s in found.recipe.stages[0].mix if s.name == "notes")
    return notes.objective.wordings, notes.share


def test_fewer_minutes_teach_fewer_wordings_in_more_rows(planned):
    found = [taught(planned(minutes, 0.1)) for minutes in (60, 0.6, 0.1)]
    assert found[0] == (3, 0.5)
    assert [wordings for wordings, _ in found] == sorted((w for w, _ in found), reverse=True)
    assert found[-1] == (1, 0.75)


def test_minutes_that_are_short_are_said_to_be(planned):
    assert "short for the text" in planned(0.1, 1.0).lines[-1]
    assert not any("short for the text" in line for line in planned(60, 0.1).lines)


def test_without_minutes_it_trains_as_long_as_it_gains_something(planned):
    """24 statements, 4 rows a step of which nine tenths read: 100 times each take 667 steps."""
    found = planned(None, 0.1, 0.0, "notes=false")
    training = 0.96 * found.clock.seconds - found.clock.following - 0.05 * 600
    assert training == pytest.approx(66.7, rel=0.02)
    slow = planned(None, 10.0, 0.0, "notes=false")
    assert slow.clock.seconds == 600


def test_what_follows_is_kept_back(planned):
    """Two models are asked every question that nobody is trained on."""
    found = planned(10, 0.1, 0.5)
    questions = found.workshop.dataset.questions
    asked = sum(question.split != "asked" for question in questions)
    assert found.clock.following == pytest.approx(2 * asked * 0.5 + 5, abs=2)


def test_steps_that_the_user_sets_are_taken(planned):
    found = planned(None, 0.1, 0.0, "stages.pretrain.steps=77")
    assert (found.recipe.stages[0].steps, found.clock) == (77, None)
    with pytest.raises(UsageError, match="--minutes"):
        planned(5, 0.1, 0.0, "stages.pretrain.steps=77")


def test_a_text_without_notes_is_read_as_a_whole(planned, monkeypatch):
    monkeypatch.setattr(
        catalogue, "take_notes", lambda _, remark, learnt: remark("notes: none") or ()
    )
    found = planned(5, 0.1)
    assert found.lines[0] == "notes: none"
    assert [share.name for share in found.recipe.stages[0].mix] == ["spans", "questions"]
    with pytest.raises(UsageError, match="took no notes of this text"):
        planned(5, 0.1, 0.0, "stages.pretrain.mix.notes.share=0.7")


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step takes a tenth of a second of a clock that nothing else moves."""
    now, whole = [0.0], TorchLearner.advance

    def advance(self: TorchLearner, step: int, count: int, *others):
        found = whole(self, step, count, *others)
        now[0] += 0.1 * len(found["loss"])
        return found

    monkeypatch.setattr(TorchLearner, "advance", advance)
    monkeypatch.setattr(plan, "_time", lambda *_: (0.1, 0.0))
    monkeypatch.setattr(execution, "time_answers", lambda *_: 0.0)
    for module in (api, plan, clock, execution, loop):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])


def run(data: FactsConfig, out: Path, **options):
    return api.run(
        "facts", out=out, corpus=data.corpus, questions=data.questions, settings=SMALL, **options
    )


@pytest.mark.nightly
@pytest.mark.usefixtures("ticking")
def test_a_run_by_minutes_is_its_own_list_replayed_to_the_bit(data: FactsConfig, tmp_path: Path):
    """Also where it was stopped within a chunk; and lost weights are made again by the list."""
    whole = changer(data, ["stages.pretrain.checkpoint_seconds=0"])
    folder = RunFolder(tmp_path / "run")
    found = plan_run(whole, folder, 0.3)
    with pytest.raises(Interrupted):
        execute(found.recipe, folder.path, [StopAt("pretrain", 40)], found)
    again = plan_run(whole, RunFolder(folder.path), 0.3)
    execute(again.recipe, folder.path, (), again)
    made = api.open_run(folder.path)
    rates = replay(made.folder, made.recipe).stages[0].rates
    # 0.96 of 18 s, less 5 s for the report; the other model takes 0.4 s, and a stop a part of one.
    assert rates[-1][0] == made.recipe.stages[0].steps == pytest.approx(118, abs=12)
    assert rates[-1][1] < 0.15
    weights = (folder.path / MODEL).read_bytes()
    other = api.run(replay(made.folder, made.recipe), out=tmp_path / "other")
    assert Path(other.run, MODEL).read_bytes() == weights
    (folder.path / MODEL).unlink()
    shutil.rmtree(folder.path / "stages" / "pretrain" / "checkpoints")
    lost = plan_run(whole, RunFolder(folder.path), None)
    execute(lost.recipe, folder.path, (), lost)
    assert (folder.path / MODEL).read_bytes() == weights


@pytest.mark.usefixtures("ticking")
def test_a_finished_run_is_read_and_not_trained_further(data: FactsConfig, tmp_path: Path):
    run(data, tmp_path / "run", minutes=0.1)
    kept = json.loads((tmp_path / "run" / "run.json").read_text())
    assert kept["plan"]["minutes"] == 0.1
    assert run(data, tmp_path / "run", minutes=0.1).reused
    assert run(data, tmp_path / "run").reused
    with pytest.raises(UsageError, match=r"this run is finished.* train anew"):
        run(data, tmp_path / "run", minutes=0.5)


@pytest.mark.usefixtures("ticking")
def test_seeds_take_the_steps_of_the_first(data: FactsConfig, tmp_path: Path):
    files = {"corpus": data.corpus, "questions": data.questions}
    found = api.run_seeds("facts", [0, 1], out=tmp_path, settings=SMALL, minutes=0.1, **files)
    first, second = (api.open_run(path) for path in found.runs)
    assert second.recipe.stages[0].steps == first.recipe.stages[0].steps
    assert second.recipe.stages[0].rates == replay(first.folder, first.recipe).stages[0].rates
    assert second.recipe.seed == 1


def test_statements_are_estimated_from_what_asked_questions_find():
    documents = tuple(Document(f"{name} of Oslo, 1901.") for name in ("Ada", "Bo", "Cy", "Di"))
    passages = tuple(Passage(i, d.text.split()[0], 0, 9) for i, d in enumerate(documents))
    facts = (
        Fact("Ada", "born", "Oslo", 0, Span(7, 11)),
        Fact("Ada", "year", "1901", 0, Span(13, 17)),
        Fact("Bo", "born", "Oslo", 1, Span(6, 10)),
        Fact("Di", "born", "Oslo", 3, Span(6, 10)),  # held out: not looked at
    )
    questions = (
        Question("Where was Ada born?", "Ada", "born", "Oslo", "asked"),
        Question("When was Ada born?", "Ada", "year", "1901", "asked"),
        Question("Where was Bo born?", "Bo", "born", "Oslo", "asked"),
        Question("Where was Di born?", "Di", "born", "Oslo", "held-out"),
    )
    size = TextSize.of(Dataset(documents, facts, questions, passages=passages))
    assert (size.documents, size.subjects) == (4, 4)
    assert size.statements == 6  # three of two asked subjects; there are four subjects
    assert size.longest_question == len("Where was Ada born?") + 32 + 2


def test_a_larger_text_gets_a_larger_model_on_a_gpu_and_longer_rows_on_a_cpu():
    def model(device: str, notes: bool = True, **size: int):
        return plan._choose(lambda recipe: recipe, replace(SIZE, **size), device, notes).model

    assert model("cuda") == model("cpu")  # which suffices for notes
    widths = [model("cuda", False).n_embd]
    widths += [model("cuda", statements=n).n_embd for n in (50_000, 500_000)]
    assert widths == [256, 384, 512]
    usual = model("cuda", False).block_size
    assert model("cuda", False, longest_question=usual + 1).block_size == usual + 32
    wide = plan._choose(lambda recipe: recipe, replace(SIZE, longest_name=90), "cpu", True)
    row = wide.stages[0].mix[0].objective.longest * wide.model.block_size
    assert row == pytest.approx(90 + 40)
