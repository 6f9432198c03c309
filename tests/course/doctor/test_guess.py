"""The year that a submission's files speak for."""

import pytest

from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS

SEVEN, THREE = (
    "no more than int(self.block_size*7/8) characters",
    "no more than int(self.block_size*3/4)",
)
CLOSED = "[prefix] MASK_CHAR [suffix] MASK_CHAR [masked_content] MASK_CHAR [pads]"
OPEN = "[prefix] MASK_CHAR [suffix] MASK_CHAR [masked_content] [pads]"
XCS = '"""\nXCS224N : Homework 5\n"""\n'
GIVEN = {
    "xcs2021": {"dataset": (SEVEN, CLOSED), "helper": (),
                "attention": ("class SynthesizerAttention",)},
    "xcs2023": {"dataset": (SEVEN, CLOSED), "helper": (), "model": (XCS, "class DownProjectBlock")},
    "xcs2024": {"dataset": (THREE, CLOSED), "helper": (), "model": (XCS, "class DownProjectBlock")},
    "xcs2025": {"dataset": (THREE, CLOSED), "helper": (), "model": (XCS,),
                "attention": ("def precompute_rotary_emb",)},
    "cs224n2021": {"dataset": (SEVEN, OPEN), "run": ("import argparse",),
                   "attention": ("class SynthesizerAttention",)},
    "cs224n2023": {"dataset": (SEVEN, OPEN), "run": ("import argparse",),
                   "model": ("CS224N 2022-23: Homework 5", "class DownProjectBlock")},
    "cs224n2024": {"dataset": (SEVEN, OPEN, "#     self.block_size + 1."),
                   "run": ("import argparse",), "models": ("CS224N 2023-24: Homework 4",)},
}  # fmt: skip


def write(folder, texts):
    for name, lines in texts.items():
        (folder / f"{name}.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("year", YEARS)
def test_a_hand_outs_own_comments_name_its_year(grounds, year):
    guess = decide_year(None, write(grounds, GIVEN[year]))
    assert guess.year == year
    assert guess.said.startswith(f"looks like {YEARS[year].title}: {year} (")
    assert guess.said.endswith("--year NAME chooses another")
    if year == "xcs2024":
        traits = "(header 'XCS224N', 3/4 in dataset.py's comment, DownProjectBlock)"
        assert traits in guess.said


def test_one_trait_of_another_year_does_not_change_the_guess(grounds):
    texts = GIVEN["cs224n2023"] | {"attention": ("class SynthesizerAttention",)}
    assert decide_year(None, write(grounds, texts)).year == "cs224n2023"


def test_a_starter_of_ours_says_its_year(grounds):
    write(grounds, GIVEN["xcs2024"] | {"utils": ('YEAR = "cs224n2022"  # the hand-out',)})
    guess = decide_year(None, grounds)
    assert guess.year == "cs224n2021"
    assert "(YEAR in utils.py)" in guess.said
    write(grounds, {"utils": ('YEAR = "of the dog"',)})
    assert decide_year(None, grounds).year == "xcs2024"


def test_files_that_say_nothing_get_the_usual_year(grounds):
    (grounds / "dataset.py").write_bytes(b"\xff\xfe\x00")
    guess = decide_year(None, grounds)
    assert guess.year == DEFAULT_YEAR
    assert guess.said.startswith("nothing in its files says which hand-out")
    write(grounds, {"attention": ("class SynthesizerAttention",)})  # of two hand-outs
    assert decide_year(None, grounds).year == DEFAULT_YEAR


def test_a_year_that_is_named_is_taken_and_another_one_said(grounds):
    write(grounds, GIVEN["xcs2024"])
    found = decide_year("xcs2025", grounds)
    assert found.year == "xcs2025"
    assert "XCS224N from 2025 (xcs2025), but its files look like xcs2024 (header" in found.said
    assert decide_year("xcs2024", grounds).said == "taken as XCS224N 2024 (xcs2024)"
