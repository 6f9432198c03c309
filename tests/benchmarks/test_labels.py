"""The page's part about sources: from the labelled answers that are kept, and nothing else."""

import json

import labels
import numpy as np
import pytest

from wherefrom.core.config import to_json
from wherefrom.memorisation.predictor import borrowed_predictor
from wherefrom.show.terminal.audit import explain_source

BORROWED_FROM = ("people-0", "people-1", "people-2")


def test_the_borrowed_predictor_is_what_the_kept_files_give():
    found = [each for each in labels.read_all() if each.run in BORROWED_FROM]
    assert len(found) == len(BORROWED_FROM)
    fitted, written = labels.fit_borrowed(found), borrowed_predictor()
    assert fitted.models == written.models == sum(len(each.models) for each in found)
    assert fitted.curve.features == written.curve.features
    for name in ("mean", "scale", "weights", "bias"):
        np.testing.assert_allclose(
            getattr(fitted.curve, name), getattr(written.curve, name), rtol=1e-5
        )


@pytest.mark.nightly
def test_every_kept_file_gives_every_figure_and_says_what_to_make_of_it():
    page = labels.labels()
    for each in labels.read_all():
        assert f"`{each.run}`" in page
        measured = labels.measure(each)
        assert measured.reliability is not None
        part = {"measured": json.loads(json.dumps(to_json(measured))), "by_relation": {}}
        for line in explain_source({"source": part}):
            assert line.removeprefix("source: ") in page
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len({line.count("|") for line in rows[: len(labels.ROWS) + 2]}) == 1
