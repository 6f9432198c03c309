"""The page of a study: which sizes were run, in tables and in a picture."""

from wherefrom.experiments.capacity_findings import CapacityFindings, Extraction, Filling
from wherefrom.experiments.capacity_page import (
    describe_runs,
    draw_study,
    list_extractions,
    list_fillings,
    write_page,
)
from wherefrom.show.drawing.figures import to_svg


def filling(parameters: int, bits: float, text: str = "biographies", arm: str = "a") -> Filling:
    stored = bits * parameters
    return Filling(
        arm=arm, text=text, items=1000, exposures=100, wordings=1, width=16, parameters=parameters,
        embeddings=parameters // 2, seeds=3, bits_per_parameter=bits,
        interval=(bits - 0.1, bits + 0.2), stored=stored, storable=2 * stored, facts=0.5,
        names=None if text == "strings" else 0.25, seconds=1.0,
    )  # fmt: skip


def extraction(wordings: int, accuracy: float) -> Extraction:
    return Extraction(
        arm="q", items=100, exposures=600, wordings=wordings, parameters=5000, seeds=1, people=50,
        accuracy=accuracy, interval=(0.0, 1.0), stored=0.9, taught=1.0,
    )  # fmt: skip


FOUND = CapacityFindings(
    name="capacity",
    seed=0,
    device="cpu, 2 cores",
    seconds=90.0,
    versions={"torch": "2.0"},
    fillings=(filling(1000, 0.5), filling(2000, 1.5), filling(1000, 2.5, "strings", "b")),
    extractions=(extraction(1, 0.1), extraction(5, 0.7)),
)


def test_which_sizes_were_run_is_said_plainly():
    said = describe_runs(FOUND)
    assert "1,000 people at 100 exposures; 1,000 strings at 100 exposures" in said
    assert "cpu, 2 cores (torch 2.0)" in said


def test_the_table_of_bits():
    lines = list_fillings(FOUND.fillings)
    assert lines[2].split(" | ")[3:9] == [
        "1,000", "0.50", "[0.40, 0.70]", "1.00", "50.0 %", "25.0 %",
    ]  # fmt: skip
    fullest = [line for line in lines if line.startswith("- ")]
    assert "1,000 people at 100 exposures: at most 1.50 bits per parameter [1.40" in fullest[0]
    assert fullest[0].endswith(
        "with 2,000 parameters; the literature has 2 after 1,000 exposures, 1 after 100"
    )
    assert fullest[1].endswith("the literature has 3.6 once nothing more is stored")


def test_the_table_of_questions():
    one, five = list_extractions(FOUND.extractions)[2:]
    assert ("90.0 %" in one, "10.0 %" in one, "9.7 %" in one) == (True, True, True)
    assert ("70.0 %" in five, "96.2 %" in five) == (True, True)
    assert list_extractions(()) == []


def test_the_picture_repeats_and_the_page_shows_it():
    picture = to_svg(draw_study(FOUND))
    assert picture == to_svg(draw_study(FOUND))
    assert b"literature: 2 (facts)" in picture
    assert b"5 wordings" in picture
    assert "(study/capacity.svg)" in write_page(FOUND, "study/capacity.svg")
