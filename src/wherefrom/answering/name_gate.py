"""The name gate: does the model know the name at all?

The calibration people may all have text. A curve that is fitted on them has never seen a name that
the model has not read, and would give such a name a high confidence. So the gate compares the names
of calibration people who have text with decoys, which are made of parts of known names. A name that
is less familiar than the names of those people counts as unknown. Names that are invented so that
the model finds them likely are no part of this: they show whether the gate leaks.
"""

from collections.abc import Sequence

import numpy as np

from wherefrom.answering.calibration import fit_calibration
from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.decoys import DecoyNames, NovelNames
from wherefrom.answering.features import FAMILIARITY
from wherefrom.answering.policy import NameGate
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.errors import BadData
from wherefrom.core.progress import telling

DECOYS = 12  # how many decoys are made for a name
LOST = 0.02  # the largest share of people with text whom the gate may take for unknown
MOST_LOST = 0.05  # the same where the gate would let unknown names pass otherwise
_FEWEST = 20  # known people that a curve is fitted on
_ENOUGH = 0.995  # the share of decoys that the gate must decline; declining more is not needed


def fit_name_gate(known: FeatureTable, *strange: FeatureTable) -> NameGate:
    """Separate calibration people who have text from decoys by their familiarity.

    The first of the `strange` names are the decoys, others only test the gate.

    The gate is no stricter than needed. It opens half-way between the most familiar of nearly all
    decoys and the least familiar person above it. If people and decoys overlap, it opens lower, so
    that at most a share LOST of the people is taken for unknown. A few people at the floor of
    familiarity, where decoys are, would then open it to everybody. If more strange names of a kind
    pass than a gate may let through, gates of one measure alone are tried, and last one that takes
    up to a share MOST_LOST for unknown. If none keeps unknown names out, that with the fewest is
    taken, and says so itself (`NameGate.leaks`).
    """
    gates = [_fit_on(FAMILIARITY, known, strange)]
    if gates[0].leaks:
        gates += [_fit_on((name,), known, strange) for name in FAMILIARITY]
    best = min(gates, key=lambda each: each.passing)
    stricter = _fit_on(FAMILIARITY, known, strange, MOST_LOST) if best.leaks else best
    return best if stricter.leaks else stricter


def _fit_on(
    names: Sequence[str],
    known: FeatureTable,
    strange: Sequence[FeatureTable],
    lost: float = LOST,
) -> NameGate:
    """A gate by these measures; the others are constant while it is fitted, and weigh nothing.

    It is fitted on the first of the `strange` names; as many pass as of the kind with the most.
    """
    decoys = strange[0]
    both = np.vstack((known.matrix(FAMILIARITY), decoys.matrix(FAMILIARITY)))
    both[:, [name not in names for name in FAMILIARITY]] = 0.0
    read = np.repeat((True, False), (len(known), len(decoys)))
    curve = fit_calibration(FeatureTable.from_matrix(both, FAMILIARITY), read, FAMILIARITY)
    people, unknown = curve.probability(known), curve.probability(decoys)
    most = float(np.quantile(unknown, _ENOUGH, method="lower"))
    above = people[people > most]
    enough = (most + float(above.min())) / 2 if above.size else 1.0
    least = min(enough, float(np.quantile(people, lost, method="lower")))
    passing = [float((curve.probability(each) >= least).mean()) for each in strange if len(each)]
    return NameGate(curve, least, max(passing))


def choose_known(gate: NameGate | None, features: FeatureTable) -> np.ndarray:
    """The places of the people whose names the model knows; all, if they are too few to fit on.

    A confidence is about known names alone, so its curve is fitted on people whom the gate lets
    pass. Otherwise the curve would learn again what the gate decides, and little about the rest.
    """
    everyone = np.arange(len(features))
    known = everyone if gate is None else np.flatnonzero(gate.opens(features))
    return known if known.size >= _FEWEST else everyone


def make_decoy_names(model: ClosedBookModel, dataset: Dataset) -> DecoyNames | None:
    """The maker of decoys from parts of known names; None if the model can write no known name."""
    try:
        return DecoyNames(find_novel(model, dataset), DECOYS)
    except BadData:
        return None


def find_novel(model: ClosedBookModel, dataset: Dataset) -> NovelNames:
    """Which names are new to a model: none is in its text or in its questions."""
    avoid = [q.subject for q in dataset.questions]
    return NovelNames.of(names_with_text(dataset), model.spells, avoid, dataset.documents)


def names_with_text(dataset: Dataset) -> list[str]:
    """The subjects of the text or, if no document has a subject, those of the asked questions."""
    documents = telling("listing the names", dataset.documents)
    read = {d.name for d in documents if d.subject}
    return sorted(read or {q.subject for q in dataset.asked})


def fit_gate(
    model: ClosedBookModel,
    people: Sequence[Question],
    features: FeatureTable,
    decoys: DecoyNames | None,
) -> NameGate | None:
    """The gate that separates people with text from decoys; None if there are none of either."""
    known = np.array([q.support in model.known_supports for q in people], dtype=bool)
    if decoys is None or not known.any():
        return None
    names = dict.fromkeys(name for q in people for name in decoys.of(q.subject)[:2])
    if not names:
        return None
    invented = model.familiarity(decoys.invented(model.likelihood))
    return fit_name_gate(features.rows(known), model.familiarity(list(names)), invented)
