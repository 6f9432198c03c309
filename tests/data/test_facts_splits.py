"""A user's questions keep their split, and what each relation has for calibration is counted."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.data.facts import FactsConfig, load, survey


def write(folder, people):
    """A line about each of so many people, and the rows of two questions about each."""
    names = [f"Person {chr(65 + i % 26)}{i}" for i in range(people)]
    (folder / "c.txt").write_text("".join(f"{name} was born in Rome.\n" for name in names))
    rows = [f"Where was {n} born?\tRome\nWho is {n}?\tnobody\n" for n in names]
    (folder / "q.tsv").write_text("".join(rows))
    return rows, {"corpus": str(folder / "c.txt"), "questions": str(folder / "q.tsv")}


@given(st.integers(60, 200), st.integers(0, 300), st.sampled_from([0, 20, 2000]))
@settings(max_examples=10, deadline=None)
def test_a_longer_file_moves_nobody(before, more, most):
    """However many rows are added, the earlier questions keep their split.

    Some calibration or held-out ones may be left out of a long file, but none is taught.
    """
    found: list[dict[str, str]] = []
    with TemporaryDirectory() as folder:
        rows, files = write(Path(folder), before + more)
        for some in (rows[:before], rows):
            Path(files["questions"]).write_text("".join(some))
            questions = load(FactsConfig(**files, most=most), 0).questions
            found.append({q.text: q.split for q in questions})
    shorter, longer = found
    kept = {text: split for text, split in shorter.items() if text in longer}
    assert kept == {text: longer[text] for text in kept}
    gone = Counter(split for text, split in shorter.items() if text not in longer)
    assert not gone["asked"]
    assert most == 20 or not gone


def test_what_a_full_split_leaves_out_is_counted(tmp_path):
    _, files = write(tmp_path, 200)
    every, some = (FactsConfig(**files, most=most) for most in (0, 20))
    lost = Counter(q.split for q in load(every, 0).questions)
    kept = Counter(q.split for q in load(some, 0).questions)
    assert all(kept[split] == pytest.approx(20, abs=16) for split in ("calibration", "held-out"))
    lost.subtract(kept)
    assert lost["asked"] == 0
    left = lost["calibration"] + lost["held-out"]
    assert survey(some).remarks["surplus"] == left > 50
    said = f"questions left out, more than data.most for their split: {left}"
    assert said in survey(some).lines()
    assert not any("data.most" in line for line in survey(every).lines())


def test_what_each_relation_needs_for_calibration_is_said_before_training(tmp_path):
    """22 right answers without a wrong one: 0.9 ** 22 is the first power below 0.1."""
    _, files = write(tmp_path, 80)
    found = survey(FactsConfig(**files))
    (born, n), (who, same) = found.calibration.items()
    assert (born, who, n) == ("Where was X born?", "Who is X?", same)
    assert n == sum(q.split == "calibration" for q in load(FactsConfig(**files), 0).questions) / 2
    assert n < found.needed == 22
    has = f"calibration: {born}, {who}: {n} questions each, at least"
    few = "too few: answers will be unverified unless such relations, about different subjects, "
    few += "have enough together"
    assert f"{has} 22 needed for the 10 % bound; {few}" in found.lines()
    looser = survey(FactsConfig(**files), precision=0.8)  # 0.8 ** 11 is the first below 0.1
    assert f"{has} 11 needed for the 20 % bound" in looser.lines()
