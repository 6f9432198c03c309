"""Rows that are added to a file: cut at a checkpoint, compared with it, never lost or doubled."""

import json

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.core.row_log import RowLog
from wherefrom.core.seal import Entry


def keep(row):
    return row["step"] <= 2


@pytest.fixture
def log(tmp_path) -> RowLog:
    made = RowLog(tmp_path / "metrics.jsonl")
    made.append([{"step": 1}, {"step": 2}])
    return made


def test_the_hash_is_that_of_the_file(log):
    assert log.entry == Entry.of([log.path.read_bytes()])
    log.append([{"step": 3}], sync=True)
    assert log.entry == Entry.of([log.path.read_bytes()])


def test_rows_after_the_checkpoint_are_dropped(log):
    kept = log.entry
    log.append([{"step": 3}])
    other = RowLog(log.path)
    assert other.resume(kept, keep) == [{"step": 1}, {"step": 2}]
    assert other.entry == kept
    other.append([{"step": 3.5}])
    assert [json.loads(line)["step"] for line in log.path.open()] == [1, 2, 3.5]


def test_a_checkpoint_of_an_earlier_version_drops_row_by_row(log):
    log.append([{"step": 3}])
    assert RowLog(log.path).resume(None, keep) == [{"step": 1}, {"step": 2}]
    assert log.path.read_text() == '{"step": 1}\n{"step": 2}\n'


def test_damage_before_the_checkpoint_is_noticed(log):
    whole = log.path.read_bytes()
    for byte in range(len(whole)):
        data = bytearray(whole)
        data[byte] ^= 2
        log.path.write_bytes(data)
        with pytest.raises(Damaged, match=r"metrics\.jsonl: expected the rows .* move the file a"):
            RowLog(log.path).resume(log.entry, keep)


def test_rows_that_are_missing_are_noticed_and_a_missing_file_begins_anew(log):
    kept = log.entry
    log.path.write_text('{"step": 1}\n')
    with pytest.raises(Damaged, match="expected the rows"):
        RowLog(log.path).resume(kept, keep)
    log.path.unlink()
    fresh = RowLog(log.path)
    assert fresh.resume(kept, keep) == []
    fresh.append([{"step": 3}])
    assert log.path.read_text() == '{"step": 3}\n'


def test_half_a_row_of_a_failed_write_is_cut(log):
    with log.path.open("a") as file:
        file.write('{"st')
    log.append([{"step": 3}])
    assert [json.loads(line)["step"] for line in log.path.open()] == [1, 2, 3]
    assert log.entry == Entry.of([log.path.read_bytes()])


def test_nothing_is_written_for_no_rows(tmp_path):
    RowLog(tmp_path / "probes.jsonl").append((), sync=True)
    assert not list(tmp_path.iterdir())


def test_a_link_is_refused_and_the_file_it_leads_to_is_not_cut(log, tmp_path):
    mine = tmp_path / "notes.txt"
    mine.write_text("mine\n")
    log.path.unlink()
    log.path.symlink_to(mine)
    with pytest.raises(Damaged, match="found a link"):
        log.append([{"step": 3}])
    with pytest.raises(Damaged, match="found a link"):
        RowLog(log.path).resume(Entry(0, ""), keep)
    log.path.unlink()
    log.path.hardlink_to(mine)
    with pytest.raises(Damaged, match="found one that has another name too"):
        RowLog(log.path).append([{"step": 3}])
    assert mine.read_text() == "mine\n"
