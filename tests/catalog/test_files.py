"""The folder as a document: what cannot be read is named with its file and line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from folders import write

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse
from schedctl.catalog.problems import CatalogInvalid

if TYPE_CHECKING:
    from pathlib import Path


def refusal(folder: Path) -> CatalogInvalid:
    with pytest.raises(CatalogInvalid) as invalid:
        read_folder(folder)
    return invalid.value


def test_files_keep_their_names(tmp_path: Path) -> None:
    document = read_folder(write(tmp_path))
    files = cast("dict[str, object]", document["files"])
    assert set(files) == {"actions/host.toml", "calendar.toml", "nodes.toml", "policy.toml"}


def test_a_syntax_error_is_named_with_its_line(tmp_path: Path) -> None:
    error = refusal(write(tmp_path, policy="approval = []\nsecond_person = yes\n"))
    assert error.problems[0].file == "policy.toml"
    assert "2 行目" in error.message.ja
    assert "Line 2" in error.message.en


def test_all_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    error = refusal(write(tmp_path, policy="a =", nodes="[", calendar="x = 1\nx = 2\n"))
    assert [problem.file for problem in error.problems] == ["calendar.toml", "nodes.toml", "policy.toml"]


def test_bytes_that_are_no_utf_8_are_named_with_their_line(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "policy.toml").write_bytes("# 一行目\n# 二行目\n".encode() + "# 方針".encode("shift_jis"))
    assert "Line 3 is not UTF-8" in refusal(tmp_path).message.en


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "policy.toml").write_bytes(b"\xef\xbb\xbfsecond_person = true\n")
    assert parse(read_folder(tmp_path)).policy.second_person


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_a_folder_without_files_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    error = refusal(tmp_path / folder)
    assert error.hint is not None
    assert "SCHEDCTL_CATALOG" in error.hint.en


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "policy.toml").unlink()
    (tmp_path / "policy.toml").mkdir()
    assert refusal(tmp_path).problems[0].file == "policy.toml"


def test_hidden_and_other_files_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path)
    for name in (".hidden.toml", "notes.txt", "policy.toml~", "actions/.#host.toml"):
        (tmp_path / name).write_text("[", encoding="utf-8")
    assert parse(read_folder(tmp_path)).nodes


def test_times_become_text_so_that_json_keeps_them(tmp_path: Path) -> None:
    document = read_folder(write(tmp_path))
    assert json.loads(json.dumps(document)) == document
    assert parse(document).policy.freezes[0].start.isoformat() == "2026-12-28T00:00:00+09:00"
