"""Names that the model has read, told from decoys."""

from types import SimpleNamespace

import numpy as np

from wherefrom.answering.features import FAMILIARITY
from wherefrom.answering.name_gate import (
    LOST,
    MOST_LOST,
    choose_known,
    fit_gate,
    fit_name_gate,
    make_decoy_names,
    names_with_text,
)
from wherefrom.answering.policy import LogisticCalibration, NameGate
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.contracts import WITH_TEXT, Dataset, Document, Question, Span


def table(values: np.ndarray) -> FeatureTable:
    return FeatureTable.from_matrix(values, FAMILIARITY)


def cloud(centre: float, n: int, seed: int) -> FeatureTable:
    return table(np.random.default_rng(seed).normal(centre, 1.0, (n, 2)))


def test_names_that_are_far_apart_are_told_apart_and_nobody_is_lost():
    known, decoys = cloud(0, 100, 0), cloud(-12, 200, 1)
    gate = fit_name_gate(known, decoys)
    assert gate.opens(known).all()
    assert not gate.opens(decoys).any()
    # It stands between the two, not at the edge of either.
    assert gate.opens(table(np.full((1, 2), known.matrix(FAMILIARITY).min() - 0.5))).all()
    assert not gate.opens(table(np.full((1, 2), decoys.matrix(FAMILIARITY).max() + 0.5))).any()
    # Where they overlap, few people are lost.
    known, decoys = cloud(0, 500, 2), cloud(-1, 500, 3)
    gate = fit_name_gate(known, decoys)
    assert 0 < (~gate.opens(known)).mean() <= LOST
    assert (~gate.opens(decoys)).mean() > (~gate.opens(known)).mean()


def test_people_at_the_floor_of_one_measure_leave_the_gate_to_the_other():
    """Three of 100 people are where all decoys are; if by both measures, they are given up.

    If they are six, the gate leaks.
    """
    decoys = table(np.full((200, 2), -6.0))
    for count, columns, most in ((3, [0], LOST), (3, [1], LOST), (3, [0, 1], MOST_LOST)):
        people = np.random.default_rng(5).normal(0, 1, (100, 2))
        people[:count, columns] = -6.0
        gate = fit_name_gate(known := table(people), decoys)
        assert (~gate.opens(known)).mean() <= most
        assert (gate.leaks, gate.passing, gate.opens(decoys).any()) == (None, 0.0, False)
    people[:6] = -6.0
    gate = fit_name_gate(known := table(people), decoys)
    assert (gate.passing, gate.opens(known).all()) == (1, True)
    assert gate.leaks.endswith("100 % of the invented names pass for known")


def test_invented_names_that_pass_open_no_other_gate_and_it_says_so():
    """Decoys are far away; three in ten inventions look as known names do."""
    known, decoys = cloud(0, 100, 0), cloud(-12, 200, 1)
    invented = table(np.vstack((np.zeros((3, 2)), np.full((7, 2), -6.0))))
    gate = fit_name_gate(known, decoys, invented)
    assert gate.passing == 0.3
    assert gate.leaks is not None
    assert not gate.opens(decoys).any()
    assert fit_name_gate(known, decoys, table(np.full((9, 2), -6.0))).leaks is None


def test_people_whose_names_no_note_taught_do_not_open_the_gate():
    """Where notes teach names, a text that omits the answer teaches none: these lie with decoys."""
    people = [Question("", str(i), "r", "Oslo", "calibration", "stated") for i in range(100)]
    people += [Question("", str(i), "r", "Oslo", "calibration", "omitted") for i in range(9)]
    features = table(np.vstack((cloud(0, 100, 0).matrix(FAMILIARITY), np.full((9, 2), -6.0))))
    decoys = SimpleNamespace(of=lambda name: [f"{name} I", f"{name} II"], invented=lambda _: ["X"])
    gates = {}
    for taught in (WITH_TEXT, ("stated",)):
        model = SimpleNamespace(
            known_supports=taught,
            likelihood=None,
            familiarity=lambda names: table(np.full((len(names), 2), -6.0)),
        )
        gates[taught] = fit_gate(model, people, features, decoys)
    assert gates[WITH_TEXT].leaks
    assert gates["stated",].leaks is None


def test_a_curve_is_fitted_on_known_names_unless_they_are_few():
    curve = LogisticCalibration(FAMILIARITY, (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), 0.0)
    gate = NameGate(curve, 0.5)  # opens where the familiarity is 0 or more
    values = np.zeros((40, 2))
    values[::2, 0] = -1.0
    assert choose_known(gate, table(values)).tolist() == list(range(1, 40, 2))
    assert choose_known(gate, table(values[:38])).size == 38, "19 known people are too few"
    assert choose_known(None, table(values)).size == 40


def test_names_with_text_are_those_of_documents_or_else_of_asked_questions():
    documents = (Document("By Bo Falk.", Span(3, 10)), Document("Ada Lund. ", Span(0, 8)))
    asked = tuple(Question("", n, "r", "Oslo", "asked") for n in ("Cy Roth", "Ada Lund"))
    assert names_with_text(Dataset(documents, questions=asked)) == ["Ada Lund", "Bo Falk"]
    assert names_with_text(Dataset((Document("x"),), questions=asked)) == ["Ada Lund", "Cy Roth"]


def test_where_no_name_can_be_asked_about_there_are_no_decoys():
    dataset = Dataset((Document("By Bo Falk.", Span(3, 10)),))
    assert make_decoy_names(SimpleNamespace(spells=lambda name: False), dataset) is None
    made = make_decoy_names(SimpleNamespace(spells=lambda name: True), dataset)
    assert "Bo Falk" not in made.of("Bo Falk")
