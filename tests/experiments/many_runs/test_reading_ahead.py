"""Texts that other processes read: the same to the bit, and errors stay this process's own."""

from dataclasses import dataclass, replace

import pytest
import torch

from wherefrom.core.errors import MissingInput
from wherefrom.core.recipe import Recipe
from wherefrom.data.facts import FactsConfig
from wherefrom.data.people import PeopleConfig
from wherefrom.experiments.many_runs import stacked_runs
from wherefrom.experiments.many_runs.reading_ahead import read_ahead
from wherefrom.experiments.many_runs.retraining import leave_out_half
from wherefrom.experiments.pool import Pool
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.objectives import objective_catalogue as catalogue
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.workshop import Workshop


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    data = PeopleConfig(asked=20, calibration=6, held_out=6, omitted=3, untold=3, masked=4)
    usual = people()
    model = replace(usual.model, n_layer=1, n_head=2, n_embd=16, ngram_buckets=64)
    stages = tuple(replace(stage, steps=2, batch=8) for stage in usual.stages)
    small = replace(usual, data=data, model=model, stages=stages)
    small = adjust(small, settings=["stages.pretrain.mix.omissions.share=0"])
    return [leave_out_half(small, pair, half) for pair in (0, 1) for half in ("first", "second")]


@pytest.mark.nightly
def test_what_another_process_reads_is_the_same(recipes):
    found = list(read_ahead(recipes, 2))
    assert len(found) == len(recipes)
    for recipe, ours in zip(recipes, found, strict=True):
        alone = Workshop(recipe)
        alone.objective(recipe.stages[0])
        assert "dataset" in vars(ours)  # it was read elsewhere, not now
        assert ours.recipe == recipe
        assert ours.dataset == alone.dataset
        indexed = ours.material.indexed
        assert indexed.keys() == alone.material.indexed.keys() != set()
        for name, corpus in alone.material.indexed.items():
            assert (corpus is None) == (indexed[name] is None)
            for column, value in vars(corpus).items() if corpus else ():
                assert torch.equal(value, getattr(indexed[name], column)), (name, column)
    texts = [{document.text for document in workshop.dataset.documents} for workshop in found]
    assert texts[0] != texts[1]  # each has its own


def test_notes_that_another_process_took_are_not_taken_again(facts_folder, monkeypatch):
    own = open_run(facts_folder / "run")
    (ours,) = read_ahead([leave_out_half(own.recipe, 0, "first")], 1)
    monkeypatch.setattr(catalogue, "take_notes", None)
    noted = {note.subject for note in ours.material.notes}
    assert noted
    assert noted < {note.subject for note in own.notes}, "those of its own text"


def test_what_another_process_cannot_read_is_left_to_this_one(recipes, tmp_path):
    """A text that is not there, and a recipe that cannot be sent; the process goes on."""

    @dataclass(frozen=True)
    class Nameless(PeopleConfig):
        pass

    nowhere = FactsConfig(corpus=str(tmp_path / "none.txt"), questions="q.tsv")
    odd = [replace(recipes[0], data=data) for data in (nowhere, Nameless())]
    missing, unsent, other = read_ahead([*odd, recipes[1]], 1)
    with pytest.raises(MissingInput, match=r"none\.txt"):
        _ = missing.dataset
    assert "dataset" not in vars(unsent)
    assert "dataset" in vars(other)


def test_without_processes_this_one_reads(recipes, monkeypatch):
    def refused(*_):
        raise OSError("no more processes")

    monkeypatch.setattr(Pool, "_start", refused)
    found = list(read_ahead(recipes, 2))
    assert not any("dataset" in vars(workshop) for workshop in found)
    assert found[0].dataset == Workshop(recipes[0]).dataset


@pytest.mark.parametrize(("dying", "elsewhere"), [(1, 3), (2, 0)])
def test_what_a_process_that_dies_was_given_is_read_here(recipes, monkeypatch, dying, elsewhere):
    """The others read the rest; when the last is gone, this process does."""
    give, given = Pool.give, []

    def kill(self, number, *task):
        give(self, number, *task)
        given.append(number)
        if len(given) <= dying:
            self._busy[number].process.kill()

    monkeypatch.setattr(Pool, "give", kill)
    found = list(read_ahead(recipes, 2))
    assert [workshop.recipe for workshop in found] == recipes
    assert sum("dataset" in vars(workshop) for workshop in found) == elsewhere


@pytest.mark.usefixtures("capturing_cpu")
@pytest.mark.parametrize(("worth", "helps"), [(1e-9, True), (1e9, False)])
def test_runs_of_one_shape_are_read_ahead_if_that_is_worth_it(
    recipes, tmp_path, monkeypatch, worth, helps
):
    calls = []

    def noted(given, processes):
        calls.append((len(given), processes))
        return map(Workshop, given)

    monkeypatch.setattr(stacked_runs, "read_ahead", noted)
    monkeypatch.setattr(stacked_runs, "usual_threads", lambda: 2)
    monkeypatch.setattr(stacked_runs, "_WORTH_A_PROCESS", worth)
    narrow = [replace(r, model=replace(r.model, n_embd=8)) for r in recipes[:2]]
    every = [*recipes, *narrow]
    requests = [stacked_runs.RunRequest(r, tmp_path / str(i)) for i, r in enumerate(every)]
    groups = []

    def train(self, taken, group):
        groups.append([execution.folder.path.name for execution in group])
        self.outcomes.update({request.path: request for request in taken})

    monkeypatch.setattr(stacked_runs._Queue, "_run_group", train)
    stacked_runs.execute_all(requests, most=6)
    assert groups == [["0", "1", "2", "3"], ["4", "5"]]
    # Two of the first shape are opened here and two elsewhere; two of the second, both here.
    assert calls == ([(2, 2)] if helps else [])
