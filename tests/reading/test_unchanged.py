"""A value is read again if a file or what was asked for has changed, and only then."""

import os

from wherefrom.reading.unchanged import LastRead


def test_unchanged_files_are_read_once(tmp_path):
    path, folder, reads = tmp_path / "a", tmp_path / "f", []
    path.write_text("a")
    folder.mkdir()
    (folder / "b").write_text("b")
    now = path.stat().st_mtime + 100
    last = LastRead[int](lambda: now)

    def get(about="x"):
        return last.get(about, [path, folder], lambda: reads.append(about) or len(reads))

    assert (get(), get(), get()) == (1, 1, 1)
    assert (get("y"), get("y")) == (2, 2)
    path.write_text("longer")
    assert (get("y"), get("y")) == (3, 3)
    (folder / "c").write_text("c")
    assert get("y") == 4
    os.utime(folder / "c", (1.0, 1.0))
    assert (get("y"), get("y")) == (5, 5)
    (folder / "c").unlink()
    assert get("y") == 6
    path.unlink()  # whoever reads it says so
    assert (get("y"), get("y")) == (7, 8)


def test_a_file_that_was_just_written_is_read_again(tmp_path):
    path, reads = tmp_path / "a", []
    path.write_text("a")
    last = LastRead[int](lambda: path.stat().st_mtime + 1)
    found = [last.get("x", [path], lambda: reads.append(1) or len(reads)) for _ in range(3)]
    assert found == [1, 2, 3]


def test_a_file_that_changes_while_it_is_read_is_not_kept(tmp_path):
    path, reads = tmp_path / "a", []
    path.write_text("a")
    last = LastRead[int](lambda: path.stat().st_mtime + 100)

    def read():
        path.write_text("changed" * (len(reads) + 1))
        reads.append(1)
        return len(reads)

    assert [last.get("x", [path], read) for _ in range(2)] == [1, 2]
