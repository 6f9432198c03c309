"""Plans: made once from the text and the machine, kept in run.json, continued with more minutes."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

from wherefrom import api
from wherefrom.core.config import encode
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments.many_runs import seeds
from wherefrom.experiments.plans import pacing, planning, timing
from wherefrom.experiments.plans.planning import agree_on_plan, plan_run
from wherefrom.experiments.plans.timing import Pace
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.objectives import objective_catalogue as catalogue
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.workshop import Workshop
from wherefrom.training.torch_learner import TorchLearner

SMALL = [
    "model.n_layer=1", "model.n_head=2", "model.n_embd=16", "model.ngrams=2",
    "model.ngram_buckets=64", "stages.pretrain.batch=4", "stages.pretrain.buckets=1",
    "stages.questions_only.steps=4", "stages.questions_only.buckets=1", "abstain=false",
    "watch=0",
]  # fmt: skip

TEXT_ONLY = ["notes=false"]


@pytest.fixture
def data(facts_folder: Path) -> FactsConfig:
    return FactsConfig(str(facts_folder / "corpus.txt"), str(facts_folder / "questions.tsv"))


class Timer:
    """A machine on which a step and an answer take known times; it counts how often it is asked."""

    def __init__(self, step: float, answer: float = 0.0, control: float = 0.0) -> None:
        self.pace, self.calls = Pace(step, answer, control), 0

    def __call__(self, workshop: Workshop, stage: Stage) -> Pace:
        self.calls += 1
        return self.pace


def changer(data: FactsConfig, settings: Sequence[str] = ()):
    def change(recipe: Recipe) -> Recipe:
        return structs.replace(
            adjust(recipe, settings=[*SMALL, *settings]), data=data, device="cpu"
        )

    return change


@pytest.fixture(autouse=True)
def _no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning itself takes no time, however slow or busy this machine is."""
    for module in (planning, pacing, timing, seeds, api):
        monkeypatch.setattr(module, "monotonic", lambda: 0.0)


def make_fast(monkeypatch: pytest.MonkeyPatch) -> Timer:
    """Runs are planned as if a step took 0.2 s: five a second, and no time is spent otherwise."""
    timer = Timer(0.2)
    monkeypatch.setattr(planning, "time_steps", timer)
    return timer


def take_time(monkeypatch: pytest.MonkeyPatch, seconds: Callable[[str, int], float]) -> list[float]:
    """While it trains, a step of a stage takes so many seconds; returns what the clock shows."""
    clock, whole = [0.0], TorchLearner.advance

    def advance(self: TorchLearner, step: int, count: int, *others):
        clock[0] += count * seconds(self.stage.name, step)
        return whole(self, step, count, *others)

    monkeypatch.setattr(TorchLearner, "advance", advance)
    monkeypatch.setattr(pacing, "monotonic", lambda: clock[0])
    return clock


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> Timer:
    return make_fast(monkeypatch)


@pytest.fixture
def folder(data: FactsConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that was given 0.2 minutes."""
    with monkeypatch.context() as patch:
        make_fast(patch)
        run(data, tmp_path / "run", minutes=0.2)
    return tmp_path / "run"


def test_steps_follow_from_the_minutes_and_the_machine(data: FactsConfig, tmp_path: Path):
    def steps(minutes: float, step: float) -> int:
        folder = RunFolder(tmp_path / "none")
        return plan_run(changer(data), folder, minutes, timer=Timer(step)).recipe.stages[0].steps

    assert steps(10, 0.1) == pytest.approx(2 * steps(10, 0.2), rel=0.05)
    assert steps(20, 0.1) == pytest.approx(2 * steps(10, 0.1), rel=0.05)
    assert steps(10, 0.1) * 0.1 < 10 * 60
    assert steps(0.001, 10.0) == 40  # the fewest


def test_the_model_that_does_not_read_is_paid_for(data: FactsConfig, tmp_path: Path):
    """A control of 20 s takes 20 of ten minutes; one of 120 s is cut to a twentieth of them."""
    folder, found = RunFolder(tmp_path / "none"), list[int]()
    for answer, control in ((0.0, 0.0), (0.0, 20.0), (1.0, 0.0), (0.0, 120.0)):
        timer = Timer(0.1, answer, control)
        planned = plan_run(changer(data, TEXT_ONLY), folder, 10, timer=timer)
        found.append(planned.recipe.stages[0].steps)
    assert found[0] - found[1] == pytest.approx(20 / 0.1, abs=20)  # in round numbers
    assert found[0] - found[3] == pytest.approx(30 / 0.1, abs=20)
    questions = Workshop(planned.recipe).dataset.questions
    asked = sum(question.split != "asked" for question in questions)
    answers = 2 * asked + 250  # of two models, and while it trains
    assert found[0] - found[2] == pytest.approx(answers / 0.1, abs=20)


def test_without_minutes_it_trains_as_long_as_it_gains_much(data: FactsConfig, tmp_path: Path):
    folder = RunFolder(tmp_path / "none")
    planned = plan_run(changer(data, TEXT_ONLY), folder, timer=Timer(1e-4))
    # 24 statements, 4 rows a step of which nine tenths read: 100 times each.
    assert planned.recipe.stages[0].steps == pytest.approx(24 * 100 / 4 / 0.9, rel=0.1)
    slow = plan_run(changer(data, TEXT_ONLY), folder, timer=Timer(10.0))
    assert slow.recipe.stages[0].steps == 40  # the fewest


def test_a_share_of_the_time_is_for_the_model_without_notes(data: FactsConfig, tmp_path: Path):
    """Steps of the text alone take twice as long, so a share of notes makes steps shorter."""
    timer, folder = Timer(0.1), RunFolder(tmp_path / "none")
    timer.pace = replace(timer.pace, control=0.0, alone=0.2)
    planned = plan_run(changer(data), folder, 10, timer=timer)
    read, alone = planned.recipe.stage("pretrain"), planned.recipe.stage("without_notes")
    noted = next(share.share for share in read.mix if share.name == "notes")
    step = 0.2 - 0.1 * noted / 0.6
    assert read.steps * step == pytest.approx(85 / 15 * alone.steps * 0.2, rel=0.02)
    assert read.steps * step + alone.steps * 0.2 == pytest.approx(0.96 * 600 - 5, rel=0.02)
    assert [share.name for share in alone.mix] == ["spans", "questions"]
    assert planned.notes


def test_the_share_of_notes_falls_as_the_minutes_grow(data: FactsConfig, tmp_path: Path):
    folder = RunFolder(tmp_path / "none")
    shares = list[float]()
    for minutes in (0.5, 2, 60):
        recipe = plan_run(changer(data), folder, minutes, timer=Timer(0.1, control=0.0)).recipe
        assert sum(share.share for share in recipe.stages[0].mix) == pytest.approx(1)
        shares += [share.share for share in recipe.stages[0].mix if share.name == "notes"]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1] == 0.3


def test_a_text_without_notes_is_read_as_a_whole(data: FactsConfig, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(
        catalogue, "take_notes", lambda _, remark, learnt: remark("notes: none") or ()
    )
    planned = plan_run(changer(data), RunFolder(tmp_path / "none"), 5, timer=Timer(0.1))
    assert planned.lines()[0] == "notes: none"
    assert not planned.recipe.notes
    assert [share.name for share in planned.recipe.stages[0].mix] == ["spans", "questions"]
    of_notes = changer(data, ["stages.without_notes.steps=5"])
    with pytest.raises(UsageError, match="took no notes of this text"):
        plan_run(of_notes, RunFolder(tmp_path / "none"), 5, timer=Timer(0.1))


def test_steps_that_the_user_sets_are_not_planned(data: FactsConfig, tmp_path: Path):
    timer, folder = Timer(0.1), RunFolder(tmp_path / "none")
    change = changer(data, ["stages.pretrain.steps=77"])
    planned = plan_run(change, folder, timer=timer)
    assert planned.recipe.stages[0].steps == 77
    assert timer.calls == 0
    with pytest.raises(UsageError, match="--minutes"):
        plan_run(change, folder, 5, timer=timer)


def run(data: FactsConfig, out: Path, **options):
    return api.run(
        "facts", out=out, corpus=data.corpus, questions=data.questions, settings=SMALL, **options
    )


def steps_of(folder: Path) -> dict[str, int]:
    recipe = json.loads((folder / "run.json").read_text())["recipe"]
    return {name: stage["steps"] for name, stage in recipe["stages"].items()}


def test_a_plan_is_kept_and_the_same_command_only_reads(
    data: FactsConfig, folder: Path, fast: Timer
):
    plan = json.loads((folder / "run.json").read_text())["plan"]
    assert plan["minutes"] == 0.2
    assert plan["pace"]["step"] == 0.2
    assert plan["steps"] == steps_of(folder)["pretrain"]
    assert run(data, folder, minutes=0.2).reused
    assert run(data, folder).reused  # nor does it matter that no minutes are named
    assert fast.calls == 0


def test_cores_that_become_crowded_shorten_the_rest_of_the_schedule(
    data: FactsConfig, tmp_path: Path, fast: Timer, monkeypatch: pytest.MonkeyPatch
):
    """A step takes 0.2 s as planned, and 0.6 s from the 60th step of reading on.

    0.96 of 60 s less 5 s for the report have room for 259 steps beside four of the other model.
    After 60 of them 44.8 s are left. The report takes 15 s of these now, so 49 steps fit. What was
    decided stands in run.json, so weights that are lost are made again to the bit.
    """
    clock = take_time(monkeypatch, lambda name, s: 0.6 if name == "pretrain" and s >= 60 else 0.2)
    out = tmp_path / "run"
    run(data, out, minutes=1, notes="off")
    kept = json.loads((out / "run.json").read_text())
    read = kept["recipe"]["stages"]["pretrain"]
    decided = {step: before for step, before in read["revised"] if step > 60}
    assert min(decided) == 80  # the first look after the 60th step
    assert decided[80] == pytest.approx(259, abs=1)
    assert read["steps"] == pytest.approx(60 + 49, abs=5)
    assert kept["plan"]["steps"] == read["steps"]
    assert (out / "evidence" / "extractors.json").exists()  # what was learnt to time the report
    assert clock[0] + 3 * 5 == pytest.approx(0.96 * 60, rel=0.05)
    rows = (out / "stages" / "pretrain" / "metrics.jsonl").read_text().splitlines()
    assert json.loads(rows[-1])["step"] == read["steps"]
    weights = next(out.glob("models/with_pretraining/*.safetensors"))
    before = weights.read_bytes()
    weights.unlink()
    shutil.rmtree(out / "stages" / "pretrain" / "checkpoints")
    run(data, out, notes="off")
    assert weights.read_bytes() == before


def test_more_minutes_go_on_from_a_finished_run(data: FactsConfig, folder: Path, fast: Timer):
    before = steps_of(folder)
    weights = next(folder.glob("models/without_pretraining/*.safetensors")).read_bytes()
    (folder / "audit").mkdir(exist_ok=True)
    (folder / "audit" / "audit.json").write_text("{}")
    more = run(data, folder, minutes=0.6)
    assert not more.reused
    after = steps_of(folder)
    assert after.items() > before.items()
    assert set(after) - set(before) == {"pretrain_2"}
    run_ = api.open_run(folder)
    assert [stage.name for stage in run_.recipe.chain()] == ["pretrain", "pretrain_2"]
    assert not (folder / "audit" / "audit.json").exists()  # it was about the earlier model
    assert (folder / "audit-before-1" / "audit.json").exists()
    # What was trained before is not trained again, though its checkpoints are gone.
    assert next(folder.glob("models/without_pretraining/*.safetensors")).read_bytes() == weights
    assert run(data, folder, minutes=0.6).reused
    assert run(data, folder, minutes=0.2).reused  # it has been trained for longer already


def test_seeds_share_the_plan_of_the_first(data: FactsConfig, tmp_path: Path, fast: Timer):
    files = {"corpus": data.corpus, "questions": data.questions}
    found = api.run_seeds("facts", [0, 1], out=tmp_path, settings=SMALL, minutes=0.2, **files)
    assert fast.calls == 1
    assert steps_of(Path(found.runs[0])) == steps_of(Path(found.runs[1]))


def test_too_few_minutes_are_said_to_be_too_few(data: FactsConfig, tmp_path: Path):
    """40 steps of 1 s, 2 s of the other model and 5 s that are allowed for take 47 s."""
    folder, timer = RunFolder(tmp_path / "none"), Timer(1.0, control=2.0)
    change = changer(data, TEXT_ONLY)
    short, enough = (plan_run(change, folder, m, timer=timer) for m in (0.5, 47 / 60))
    assert "plan: about 46 s in all" in short.lines()[1]  # the other model has a twentieth
    late = "plan: this is longer than the minutes asked for"
    assert [late in line for line in short.lines()] == [False, False, False, True]
    assert not any(late in line for line in enough.lines())
    usual = plan_run(change, folder, timer=Timer(100.0))  # nobody asked for minutes
    assert not any(late in line for line in usual.lines())


def test_a_plan_says_what_would_be_enough(data: FactsConfig, tmp_path: Path):
    """24 statements, 4 rows a step of which nine tenths read: 100 times each take 667 steps."""
    folder, timer = RunFolder(tmp_path / "none"), Timer(0.1, control=0.0)
    change = changer(data, TEXT_ONLY)
    short, long = (plan_run(change, folder, m, timer=timer) for m in (0.5, 5))
    assert short.recipe.stages[0].steps == 220  # in 0.96 * 30 - 5 s
    # (66.7 + 5) / 0.96 s, in half minutes
    said = "these steps show each statement about 33 times; 100 times are enough: --minutes 1.5"
    assert short.lines()[2] == f"plan: {said}"
    what, time = long.lines()
    assert "24 subjects" in what
    assert "1 layer of 16 with 2-grams" in what
    assert what.endswith("on the CPU")
    assert time.startswith("plan: about ")


def test_a_run_that_was_stopped_keeps_the_rest_of_its_minutes(data: FactsConfig, folder: Path):
    run = RunFolder(folder)
    assert plan_run(changer(data), run, 0.2, timer=Timer(0.2)).deadline is None  # it is finished
    run.write_status({"state": "unfinished", "seconds": 7.0})
    planned = plan_run(changer(data), RunFolder(folder), 0.2, timer=Timer(0.2))
    assert planned.deadline.ends == pytest.approx(0.96 * 12.0 - 7.0)
    assert planned.deadline.later == planned.plan.later
    assert not planned.fresh


def test_too_few_further_minutes_are_said_to_be_too_few(data: FactsConfig, folder: Path):
    change = changer(data)
    for minutes, lines in ((0.3, 3), (60, 2)):
        planned = plan_run(change, RunFolder(folder), minutes, timer=Timer(0.4))
        assert len(planned.lines()) == lines
    assert plan_run(change, RunFolder(folder), 0.1, timer=Timer(0.2)).lines() == []
    # An hour more, but for 5 s: the other model is not trained again.
    timer = Timer(0.2, control=21.0)
    more = plan_run(change, RunFolder(folder), 60.2, timer=timer).recipe.stages[-1]
    assert more.steps == pytest.approx((0.96 * 3600 - 5) / 0.2, abs=20)


def test_ranks_take_the_plan_of_the_first(data: FactsConfig, tmp_path: Path, monkeypatch):
    """Its machine is faster, so it plans more steps; its files lie elsewhere."""
    folder = RunFolder(tmp_path / "none")
    slow = plan_run(changer(data), folder, 2.0, timer=Timer(0.2))
    quick = plan_run(changer(data), folder, 2.0, timer=Timer(0.1))
    elsewhere = structs.replace(quick.recipe, data=structs.replace(data, corpus="elsewhere.txt"))
    ranks = SimpleNamespace(rank=1, first=lambda _: encode(elsewhere))
    monkeypatch.setattr(planning, "current_ranks", lambda: ranks)
    agreed = agree_on_plan(slow)
    assert agreed.recipe == quick.recipe != slow.recipe
    assert agreed.workshop.recipe == quick.recipe
