"""A named recipe with changes over it."""

from wherefrom.recipes.building import build
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
