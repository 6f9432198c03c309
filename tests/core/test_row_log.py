"""Rows that are added to a file while a model trains."""

import json

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.core.row_log import RowLog


@pytest.fixture
def log(tmp_path) -> RowLog:
    made = RowLog(tmp_path / "deep" / "metrics.jsonl")
    made.append([{"step": 1}, {"step": 2, "name": "é\u2028"}])
    return made


@pytest.mark.parametrize("left", ['{"step": 1}\n{"step": 9}\n', '{"st', None])
def test_whatever_a_kill_left_the_rows_of_the_checkpoint_are_there_again(log, left):
    log.path.unlink() if left is None else log.path.write_text(left)
    other = RowLog(log.path)
    other.resume([{"step": 1}])
    other.append([{"step": 1.5}])
    assert [json.loads(line)["step"] for line in log.path.open()] == [1, 1.5]


def test_a_link_is_refused_and_the_file_it_leads_to_is_not_cut(log, tmp_path):
    mine = tmp_path / "notes.txt"
    mine.write_text("mine\n")
    log.path.unlink()
    log.path.symlink_to(mine)
    with pytest.raises(Damaged, match="found a link"):
        log.append([{"step": 3}])
    log.path.unlink()
    log.path.hardlink_to(mine)
    with pytest.raises(Damaged, match="found one that has another name too"):
        RowLog(log.path).append([{"step": 3}])
    RowLog(log.path).resume([])
    assert mine.read_text() == "mine\n"
