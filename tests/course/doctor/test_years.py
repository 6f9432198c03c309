"""The table of the years against what the hand-outs say, at the assignment's size."""

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.course.doctor.years import ALIASES, YEARS, find_year, year_name


@pytest.mark.parametrize(
    ("name", "third_mask", "longest", "sizes", "workers", "variant"),
    [
        ("xcs2021", True, 112, (127, 128), 4, "synthesizer"),
        ("xcs2023", True, 112, (127, 128), 4, "perceiver"),
        ("xcs2024", True, 96, (127, 128), 4, "perceiver"),
        ("xcs2025", True, 96, (127, 128), 0, "rope"),
        ("cs224n2021", False, 112, (127, 128), 4, "synthesizer"),
        ("cs224n2023", False, 112, (127, 128), 4, "perceiver"),
        ("cs224n2024", False, 112, (128, 127), 4, "rope"),
    ],
)
def test_a_years_numbers(name, third_mask, longest, sizes, workers, variant):
    year = find_year(name)
    assert year.third_mask == third_mask
    assert (year.longest_text(128), year.sizes(128)) == (longest, sizes)
    assert (year.num_workers, year.variant) == (workers, variant)
    assert year.package == name.startswith("xcs")


def test_earlier_names_still_mean_their_hand_out():
    assert not set(ALIASES) & set(YEARS)
    assert year_name("xcs2022") == "xcs2021"
    assert find_year("cs224n2022") is YEARS["cs224n2021"]
    with pytest.raises(UsageError, match=r"A5_YEAR: no year '1999'; known: cs224n2021"):
        find_year("1999", "A5_YEAR")
