"""The four cells of stated and derivable answers, counted by hand."""

import cells
import pytest


def test_what_the_predictor_adds_is_counted_among_right_and_supported_answers():
    """Of two right answers that others' text tells, one was recalled; the predictor knows which."""
    row = {"right": True, "evidence": "supported", "support": "stated", "derivable": True}
    rows = [
        row | {"m": 0.9, "recalled": 0.8, "features": {"usual": -2.0}},
        row | {"m": 0.1, "recalled": 0.3, "features": {"usual": -1.0}},
        row | {"m": 0.0, "recalled": 0.0, "features": {"usual": 2.0},
               "right": False, "evidence": "no text", "support": "none"},
    ]  # fmt: skip
    found = cells.measure(rows)
    assert found["cells"] == {
        "stated, derivable": {"answers": 2, "right": 2, "right and recalled": 1},
        "not stated, derivable": {"answers": 1, "right": 0, "right and recalled": 0},
    }
    hard = found["hard"]
    shares = {name: right["share"] for name, right in hard["right"].items()}
    assert (hard["n"], hard["recalled"]) == (2, 1)
    assert shares == {"predictor": 1, "evidence": 0.5, "usual answer": 0.5}
    assert hard["lead"]["evidence"]["share"] == pytest.approx(0.5)
    assert hard["auroc"]["predictor"]["auroc"] == 1
    assert found["easy"]["right"]["evidence"]["share"] == 1


def test_a_predictor_is_that_of_the_run_or_of_others():
    """Here a supported answer is recalled, there it is not; without text nothing is recalled."""

    def people(recalled: bool) -> list[dict]:
        return [
            {"run": "r", "split": split, "support": "stated", "m": float(stated == recalled),
             "features": {"log_probability": -0.1 * (i % 5), "usual": 0.1, "supported": stated}}
            for split in ("calibration", "held-out") for i in range(40)
            for stated in (i % 2 == 0,)
        ]  # fmt: skip

    own = people(recalled=True)
    own[-1] |= {"support": "none"}
    right = [(row["recalled"] > 0.5) == (row["m"] > 0.5) for row in cells.predict(own)[:-1]]
    assert all(right)
    assert cells.predict(own)[-1]["recalled"] == 0
    assert not any((r["recalled"] > 0.5) == r["m"] for r in cells.predict(own, people(False))[:-1])
