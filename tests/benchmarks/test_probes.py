"""Answers whose label is known: judged on generated people, and counted by hand."""

import probes

from wherefrom.data.people import PeopleConfig, load


def test_every_kind_of_person_is_probed():
    dataset = load(PeopleConfig(asked=40, calibration=6, held_out=2, omitted=2, untold=3), 0)
    rows = list(probes.judge("people", dataset))
    kinds = [row["probe"] for row in rows]
    assert (kinds.count("gold answer"), kinds.count("text omits the answer")) == (6, 2)
    assert kinds.count("without text") == 3
    asked = {q.subject for q in dataset.asked}
    assert not asked & {row["subject"] for row in rows}
