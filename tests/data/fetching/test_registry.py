"""The user's list of folders: where it is, what it keeps, and when it is not believed."""

from contextlib import contextmanager
from pathlib import Path

import pytest

from wherefrom.core.errors import CannotWrite, Damaged
from wherefrom.core.files import file_hash
from wherefrom.data.fetching import registry


def test_the_users_folder_is_where_the_environment_says(monkeypatch):
    monkeypatch.delenv("WHEREFROM_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", "/somewhere")
    assert registry.home() == Path("/somewhere/.local/share/wherefrom")
    monkeypatch.setenv("XDG_DATA_HOME", "/shared")
    assert registry.home() == Path("/shared/wherefrom")
    monkeypatch.setenv("WHEREFROM_HOME", "/own")
    assert registry.home() == Path("/own")


def test_without_a_home_nothing_is_registered_and_nothing_can_be(monkeypatch, folder):
    """As in a container whose user is only a number."""
    for name in ("WHEREFROM_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    def nobody(_):
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert registry.entries() == {}
    assert registry.find("birthplaces") is None
    with pytest.raises(CannotWrite, match="found no HOME and no entry for this user; set WHEREFR"):
        registry.add("birthplaces", folder, ["wiki.txt"])


def test_a_folder_is_kept_with_its_files_checksums(home, folder, monkeypatch):
    assert registry.entries() == {}
    assert registry.find("birthplaces") is None
    monkeypatch.chdir(folder.parent)
    registry.add("birthplaces", Path(folder.name), ["wiki.txt"])
    assert registry.find("birthplaces") == folder.resolve()
    digest = file_hash(folder / "wiki.txt")
    assert registry.entries()["birthplaces"].files == {"wiki.txt": digest}


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 1}', '{"a": {"folder": "x", "files": []}}'])
def test_a_damaged_list_is_not_believed(home, content):
    home.mkdir()
    (home / "data.json").write_text(content)
    with pytest.raises(Damaged, match=r"data\.json.*: [Ee]xpected .*; remove the file"):
        registry.entries()


def test_what_another_process_registers_meanwhile_is_kept(home, folder, monkeypatch):
    """The list is read under the lock: here the other comes just before it is had."""
    alone = registry.lock_folder

    @contextmanager
    def late(root, wait):
        assert wait
        monkeypatch.setattr(registry, "lock_folder", alone)
        registry.add("other", folder, [])
        with alone(root, wait):
            yield

    monkeypatch.setattr(registry, "lock_folder", late)
    registry.add("birthplaces", folder, [])
    assert list(registry.entries()) == ["other", "birthplaces"]
    monkeypatch.setattr(registry, "lock_folder", late)
    registry.remove("birthplaces")
    assert list(registry.entries()) == ["other"]
