"""Files that others read while they are written anew."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from schedctl.errors import OperationFailed
from schedctl.usecases import whole_file
from schedctl.usecases.whole_file import write_whole


def test_everybody_may_read_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_whole(tmp_path / "page.html", "いま")
    finally:
        os.umask(before)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "いま"
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o644


def test_who_reads_the_old_file_reads_all_of_it(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_whole(page, "old" * 10_000)
    with page.open() as reader:
        begun = reader.read(10)
        write_whole(page, "new")
        assert begun + reader.read() == "old" * 10_000
    assert page.read_text() == "new"


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_what_fails_on_the_way_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    page = tmp_path / "page.html"
    write_whole(page, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_file.os, step, full)
    with pytest.raises(OperationFailed, match="No space left") as refused:
        write_whole(page, "new")
    assert refused.value.type == "file_not_written"
    assert page.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_it_is_on_the_disk_before_it_takes_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(whole_file.os, "fsync", lambda file: (done.append("fsync"), fsync(file)))
    monkeypatch.setattr(Path, "replace", lambda self, target: (done.append("rename"), replace(self, target))[1])
    write_whole(tmp_path / "page.html", "new")
    assert done == ["fsync", "rename", "fsync"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "page.html").symlink_to(tmp_path / "there" / "page.html")
    write_whole(tmp_path / "page.html", "new")
    assert (tmp_path / "page.html").is_symlink()
    assert (tmp_path / "there" / "page.html").read_text() == "new"


def test_a_place_that_is_none_is_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "page.html"):
        with pytest.raises(OperationFailed) as refused:
            write_whole(place, "new")
        assert str(place) in refused.value.message.en
    assert list(tmp_path.iterdir()) == []
