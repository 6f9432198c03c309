"""The table of the years against what the hand-outs say, at the assignment's size."""

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.doctor.years import DEFAULT_YEAR, YEARS, find_year


@pytest.mark.parametrize(
    ("name", "third_mask", "laid_out", "longest", "workers"),
    [
        ("xcs2022", True, 128, 112, 4),
        ("cs224n2022", False, 128, 112, 4),
        ("cs224n2024", True, 129, 96, 0),
    ],
)
def test_a_years_numbers(name, third_mask, laid_out, longest, workers):
    year = find_year(name)
    assert (year.third_mask, year.num_workers) == (third_mask, workers)
    assert (year.laid_out(128), year.longest_text(128)) == (laid_out, longest)


def test_a_small_block_has_room_for_the_masks():
    assert [find_year(name).longest_text(8) for name in YEARS] == [5, 6, 6]


def test_years_that_there_are():
    assert DEFAULT_YEAR in YEARS
    with pytest.raises(UsageError, match=r"A5_YEAR: no year '2021'"):
        find_year("2021", "A5_YEAR")
