"""The study of capacity: its text, its bits against sums by hand, a tiny study."""

import json
import math
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import wherefrom
from studies import capacity
from studies.capacity import Arm
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.runs.workshop import Workshop

FILLED = Arm("filled", items=6, exposures=4, widths=(8,), batch=4, seeds=2)
ASKED = Arm("asked", items=6, exposures=4, widths=(8,), batch=4, questions=0.5, wordings=5)
STRINGS = Arm("strings", items=6, exposures=4, widths=(8,), batch=4, strings=True)
PAIR = Arm("pair", items=64, wordings=2)


@pytest.fixture
def text(tmp_path) -> list[str]:
    capacity.write_text(PAIR, tmp_path)
    return (tmp_path / "pair.txt").read_text().splitlines()


def test_a_biography_by_hand():
    values = ["Fola", "Data", "Zogo", "Papa"]
    assert [capacity.describe(PAIR, "Kemi Lopa", values, wording) for wording in (0, 1)] == [
        "On Kemi Lopa - born Fola, home Data, firm Zogo, wed Papa.",
        "On Kemi Lopa - paid by Zogo, from Fola, spouse Papa, in Data now.",
    ]
    assert [capacity.spell(word) for word in (0, capacity.WORDS - 1)] == ["Baba", "Zozo"]
    # A syllable is one of 16 x 4: 6 bits. A name has four, and four facts have two each.
    assert capacity.DRAWN_BITS.tolist() == [4 * 6, 4 * 2 * 6]


@pytest.mark.parametrize("wordings", [1, 5])
def test_every_person_is_shown_as_often_as_the_arm_says(wordings, tmp_path):
    """Counted in the plan itself, over all wordings; a row is a whole biography."""
    arm = Arm("a", items=12, exposures=10, wordings=wordings, batch=4)
    capacity.write_text(arm, tmp_path)
    recipe = capacity.make_recipe(arm, 8, tmp_path)
    workshop = Workshop(recipe)
    objective = workshop.objective(recipe.stages[0])
    ((_, plan, _),) = planned = objective.plan(0, 30)
    assert recipe.stages[0].steps == 30
    shown = plan[..., 0].flatten() // wordings  # documents of one person follow each other
    assert shown.bincount().tolist() == [10] * 12
    lengths = {len(document.text) - 1 for document in workshop.dataset.documents}
    assert set(objective.render(planned, 0).lengths.tolist()) <= lengths


class Known(torch.nn.Module):
    """A model of which it is known what it loses: `chances` of the character that comes next."""

    def __init__(self, texts: list[str], chances: Any) -> None:
        super().__init__()
        self.nothing = torch.nn.Parameter(torch.zeros(1))
        self.vocabulary = Vocabulary.from_text(texts)
        encoded = [self.vocabulary.encode(text) for text in texts]
        self.chances = {tuple(e[:-1]): chances(t) for e, t in zip(encoded, texts, strict=True)}
        self.nexts = {tuple(e[:-1]): e[1:] for e in encoded}

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        many = len(self.vocabulary)
        logits = []
        for row in rows.tolist():
            right = torch.tensor(self.chances[tuple(row)], dtype=torch.float64)
            others = ((1 - right) / (many - 1))[:, None].expand(-1, many).clone()
            others[torch.arange(len(row)), self.nexts[tuple(row)]] = right
            logits.append(others.log())
        return torch.stack(logits)


def count(texts: list[str], chances: Any) -> np.ndarray:
    model = Known(texts, chances)
    dataset = SimpleNamespace(documents=[SimpleNamespace(text=text) for text in texts])
    run: Any = SimpleNamespace(model=lambda: model, vocabulary=model.vocabulary, dataset=dataset)
    return capacity.count_bits(run, PAIR)


def test_a_model_that_knows_nobody_has_stored_nothing(text):
    """It knows how words are made, and what stands around them."""
    many = dict.fromkeys("bdfghjklmnprstvz", 16) | dict.fromkeys("aeio", 4)
    # What was drawn is a capital letter with the three behind it.
    words = [{m.start() + i for m in capitals(t) for i in range(4)} for t in text]
    place = dict(zip(text, words, strict=True))
    found = count(
        text, lambda t: [1 / many[c.lower()] if i in place[t] else 1.0 for i, c in enumerate(t)][1:]
    )
    assert found == pytest.approx(np.zeros((64, 2)), abs=1e-9)


def capitals(text: str) -> Any:
    return re.finditer(r"(?<!^)[A-Z]", text)


def test_a_model_that_is_sure_of_everything_has_stored_all(text, monkeypatch):
    monkeypatch.setattr(capacity, "BATCH", 10)  # and does not read all people at once
    assert count(text, lambda t: [1.0] * (len(t) - 1)) == pytest.approx(
        np.broadcast_to([24.0, 48.0], (64, 2))
    )


def test_who_is_told_twice_counts_once_with_the_mean(text):
    """In the first wording, the first letter of every value has a chance of 1/4: 2 bits each."""

    def chances(told: str) -> list[float]:
        first = {m.start() for m in capitals(told)} if " born " in told else set()
        return [1 / 4 if i in first and i > 12 else 1.0 for i in range(len(told))][1:]

    assert count(text, chances) == pytest.approx(np.broadcast_to([24.0, 48.0 - 4], (64, 2)))


def test_a_study_is_trained_once_and_then_read(tmp_path, monkeypatch):
    in_this_process = nullcontext(SimpleNamespace(map=map))
    monkeypatch.setattr(capacity, "ProcessPoolExecutor", lambda *_: in_this_process)
    capacity.run([FILLED, ASKED, STRINGS], tmp_path, "cpu")
    found = json.loads((tmp_path / "study.json").read_text())
    run = wherefrom.open_run(tmp_path / "filled-width-8/seed-0")
    (filled, strings), (asked,) = found["fillings"], found["extractions"]
    assert filled["parameters"] == sum(p.numel() for p in run.model().parameters())
    assert filled["storable"] == pytest.approx(6 * (48 + 24 - math.log2(6)))
    runs = [wherefrom.open_run(tmp_path / f"filled-width-8/seed-{seed}") for seed in (0, 1)]
    each = [capacity.count_bits(run, FILLED).sum() / filled["parameters"] for run in runs]
    assert filled[capacity.BITS] == pytest.approx(np.mean(each))
    low, high = filled["interval"]
    assert low < min(each) < max(each) < high
    # Of whom is asked, what is stored is counted of the three others, who are asked about then.
    held_out = wherefrom.open_run(tmp_path / "asked-width-8/seed-0")
    assert asked["stored"] == pytest.approx(capacity.count_bits(held_out, ASKED)[3:].sum())
    assert len(held_out.predictions("gpt", "extraction")) == 3 * 4
    assert asked["extraction"] == [held_out.results["gpt"][n] for n in ("accuracy", "interval")]
    # A string is 24 of 16 letters, 4 bits each; nothing foretells which of the six comes.
    assert strings["storable"] == pytest.approx(6 * (24 * 4 - math.log2(6)))
    page = (tmp_path / "study.md").read_text()
    assert "| 6 people | 4 | 4 |" in page
    assert "| 6 strings | 4 | 4 |" in page
    assert "6 people, 4 exposures" in (tmp_path / "study.svg").read_text()
    weights = {p: p.stat().st_mtime_ns for p in tmp_path.glob("*/*/**/*") if p.is_file()}
    capacity.run([FILLED, ASKED, STRINGS], tmp_path, "cpu")
    assert weights == {path: path.stat().st_mtime_ns for path in weights}
    assert json.loads((tmp_path / "study.json").read_text()) == found


@pytest.mark.parametrize("wrong", ["items = 2", "wordings = 6", "questions = 0.9", "no TOML"])
def test_what_is_refused(wrong, tmp_path, capsys):
    sizes = Path(tmp_path / "sizes.toml")
    sizes.write_text(f"[mine]\n{wrong}\n")
    with pytest.raises(SystemExit) as ended:
        capacity.main(["--arms", str(sizes), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.startswith("Expected" if wrong == "no TOML" else f"mine.{wrong.split()[0]}: ")
