"""The benchmark of several relations: it runs, and its guess is one that no feature explains."""

import numpy as np
import pytest
import relations


def test_the_relations_have_the_accuracies_that_are_said():
    expected = {"guess": 0.81, "known": 0.77, "hard": 0.2, "half": 0.39}
    for kind, share in expected.items():
        x, p, right = relations.draw(kind, 20_000, np.random.default_rng(0))
        assert right.mean() == pytest.approx(share, abs=0.03)
        linked = np.abs(np.corrcoef(x.T, right)[-1, :-1]).max()
        assert (linked < 0.03) == (kind == "guess")
        assert p.mean() == pytest.approx(right.mean(), abs=0.01)


def test_both_tables_are_printed(capsys):
    relations.simulate(30, draws=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:26].strip() for line in lines[3:7]] == list(relations.CALIBRATIONS)
    assert [line[:26].strip() for line in lines[8:]] == ["one for all", *relations.RULES]
