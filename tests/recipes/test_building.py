"""A named recipe with changes over it; a study has another form on a GPU."""

import pytest
import torch

from wherefrom.core.recipe import Capacity
from wherefrom.recipes import building
from wherefrom.recipes.building import build
from wherefrom.recipes.capacity import capacity_gpu
from wherefrom.recipes.people import people


def test_without_a_name_it_is_the_one_of_the_file_or_the_default(tmp_path):
    file = tmp_path / "own.toml"
    assert build(None, {}) == people()
    file.write_text('name = "bigram-tiny"\nseed = 4\n')
    built = build(None, {"config": file})
    assert (built.name, built.seed) == ("bigram-tiny", 4)


def test_options_come_after_the_file_and_settings_after_them(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("seed = 4\nthreads = 3\n")
    options = {"config": file, "variant": "vanilla", "settings": ["model.attention=rope"]}
    built = build("people", options)
    assert (built.seed, built.threads, built.model.attention) == (4, 3, "rope")


def test_seed_device_and_threads_come_last(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("seed = 4\nthreads = 3\n")
    built = build("people", {"config": file, "seed": 5, "settings": ["seed=7", "threads=2"]})
    assert (built.seed, built.threads) == (5, 2)


def test_on_a_gpu_the_full_form_is_run(monkeypatch):
    monkeypatch.setattr(building, "choose_device", lambda name: torch.device("cuda"))
    built = build("capacity", {})
    assert isinstance(built, Capacity)
    assert (built.name, built.arms) == ("capacity", capacity_gpu().arms)


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, "auto"),
        ({"device": "cpu"}, "cpu"),
        ({"settings": ["device=cpu"]}, "cpu"),
        ({"settings": "device = cpu"}, "cpu"),
        ({"config": "device = 'cpu'"}, "cpu"),
        ({"config": "device = 'cuda'", "settings": ["device=cpu"]}, "cpu"),
        ({"config": "device = 'cuda'", "device": "cpu"}, "cpu"),
    ],
)
def test_the_form_follows_from_the_device_that_is_named(options, asked, monkeypatch, tmp_path):
    seen = []

    def choose(name):
        seen.append(name)
        return torch.device("cpu")

    monkeypatch.setattr(building, "choose_device", choose)
    if "config" in options:
        (tmp_path / "own.toml").write_text(options["config"])
        options = options | {"config": tmp_path / "own.toml"}
    assert build("capacity", options).arms != capacity_gpu().arms
    assert seen == [asked]
    build("people", {})
    assert seen == [asked]  # others have one form
