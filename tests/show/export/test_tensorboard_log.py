import json
import sys
from types import ModuleType

import pytest

from tests.support.skips import require_extra
from wherefrom import api
from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.core.files import read_jsonl
from wherefrom.show.export import tensorboard_log
from wherefrom.show.export.tensorboard_log import TensorBoardLog, check_log


class Writer:
    """Stands in for tensorboard's own, which is an extra."""

    def __init__(self, folder):
        self.folder, self.scalars, self.results = folder, [], {}

    def add_scalar(self, tag, value, step):
        self.scalars.append((tag, value, step))

    def add_hparams(self, settings, results, run_name):
        self.settings, self.results = settings, results

    def flush(self):
        pass

    close = flush


@pytest.fixture
def writer(monkeypatch):
    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setattr(tensorboard_log, "find_spec", lambda name: object())


def test_rows_are_handed_on_once_and_not_too_often(writer, tmp_path):
    file = tmp_path / "stages" / "read" / "metrics.jsonl"
    file.parent.mkdir(parents=True)
    now = [100.0]
    log = TensorBoardLog(tmp_path, clock=lambda: now[0])

    def advance(step):
        row = {"step": step, "loss": 1 / step, "tens": [1.0], "none": None}
        with file.open("a") as rows:
            rows.write(json.dumps(row) + "\n")
        log.advanced("read", step, 40, {}, 0.0)

    advance(10)
    assert log.writer.scalars == [("read/loss", 0.1, 10)]
    advance(20)  # too soon
    assert len(log.writer.scalars) == 1
    now[0] += tensorboard_log.SECONDS
    advance(25)
    assert log.writer.scalars[1:] == [("read/loss", 0.05, 20), ("read/loss", 0.04, 25)]
    log.finished("read", 25, 1.0)
    assert len(log.writer.scalars) == 3


def test_a_finished_run_is_logged_from_its_files(writer, own_run, tiny_settings, monkeypatch):
    made = []

    def open_log(path):
        made.append(TensorBoardLog(path))
        return made[0]

    monkeypatch.setattr(api, "TensorBoardLog", open_log)
    outcome = api.run("people", out=own_run, settings=tiny_settings, log="tensorboard")
    (log,) = made
    rows = read_jsonl(own_run / "stages" / "pretrain" / "metrics.jsonl")
    losses = [(step, value) for tag, value, step in log.writer.scalars if tag == "pretrain/loss"]
    assert losses == [(row["step"], row["loss"]) for row in rows]
    assert log.writer.folder == str(own_run / "tensorboard")
    accuracy = outcome.results["with_pretraining"]["accuracy"]
    assert log.writer.results["results/with_pretraining"] == accuracy
    assert log.writer.settings["model.n_embd"] == 16
    assert log.writer.settings["stages.pretrain.steps"] == 40


def test_what_cannot_be_logged_is_refused_before_training(monkeypatch, tmp_path):
    with pytest.raises(UsageError, match="--log: expected tensorboard, found 'wandb'"):
        api.run("people", out=tmp_path / "run", log="wandb")
    monkeypatch.setattr(tensorboard_log, "find_spec", lambda name: None)
    with pytest.raises(MissingInput, match=r"pip install 'wherefrom\[tensorboard\]'"):
        api.run("people", out=tmp_path / "run", log="tensorboard")
    assert not (tmp_path / "run").exists()
    check_log(None)


@pytest.mark.nightly
def test_tensorboard_reads_it(tiny_settings, tmp_path):
    reader = require_extra("tensorboard.backend.event_processing.event_accumulator")
    outcome = api.run("people", out=tmp_path / "run", settings=tiny_settings, log="tensorboard")
    found = reader.EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    rows = read_jsonl(tmp_path / "run" / "stages" / "pretrain" / "metrics.jsonl")
    assert [e.step for e in found.Scalars("pretrain/loss")] == [row["step"] for row in rows]
    (result,) = found.Scalars("results/with_pretraining")
    assert result.value == pytest.approx(outcome.results["with_pretraining"]["accuracy"])
    assert all(each.sound for each in api.verify([tmp_path / "run"]))
