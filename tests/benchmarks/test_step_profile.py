"""The profile of a step: gaps, kinds, and the page, with figures made by hand."""

import json

import step_profile


def test_gaps_are_the_time_in_which_nothing_runs():
    spans = [(0.0, 4.0), (1.0, 2.0), (6.0, 7.0), (6.5, 9.0), (9.5, 10.0)]
    assert step_profile.find_gaps(spans) == 2.5


def test_the_page_has_the_figures(tmp_path):
    kernels = {
        "kernels_a_step": 284.0, "us_of_kernels": 1867, "us_by_the_clock": 1792,
        "us_when_none_runs": 90,
        "by_kind": {"copies and fills": [106, 39.0], "products": [723, 98.0]},
        "dearest": [[333.4, 4.0, "_mix_rows_back"]],
    }  # fmt: skip
    step = {
        "ms_a_step": 1.834, "ms_least": 1.796, "preparing_seconds": 31.2, "slots": 8576,
        "notes": [], "parts_ms": {"forward": 0.466}, "kernels": kernels,
    }  # fmt: skip
    found = {"device": "a GPU", "torch": "2", "python": "3", "steps": {"knowledge recipe": step}}
    (tmp_path / "figures.json").write_text(json.dumps(found))
    page = tmp_path / "page.md"
    given = ["--from", str(tmp_path / "figures.json"), "--write", str(page)]
    assert step_profile.main(given) == 0
    lines = page.read_text().splitlines()
    assert "## Knowledge recipe" in lines
    assert "| forward | 0.47 |" in lines
    assert lines.index("| products | 723 | 98 |") < lines.index("| copies and fills | 106 | 39 |")
    assert "| `_mix_rows_back` | 333 | 4 |" in lines
