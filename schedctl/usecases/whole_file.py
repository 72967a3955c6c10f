"""A file that others read while it is written anew: they see the old one or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from schedctl.errors import OperationFailed
from schedctl.language import Text

FOR_EVERYBODY: Final = 0o644


def write_whole(path: Path, text: str) -> None:
    """Put `text` where `path` says, readable for everybody (0644); the old file stays when anything fails.

    `OperationFailed` (`file_not_written`) where it cannot be written. A link is followed, so that it stays a link.
    """
    try:
        _replace(Path(os.path.realpath(path)), text.encode())
    except OSError as error:
        raise _not_written(path, error) from None


def read_whole(path: Path) -> str | None:
    """What such a file holds; None where there is none, or none that can be read as text."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else None
    except (OSError, ValueError):
        return None


def _replace(place: Path, content: bytes) -> None:
    """Write beside it, to the disk, and then take its place: a rename within a folder is all or nothing."""
    if place.is_dir():
        raise IsADirectoryError(21, os.strerror(21))
    handle, beside = tempfile.mkstemp(prefix=f".{place.name[:100]}.", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), FOR_EVERYBODY)
            os.fsync(file.fileno())
        Path(beside).replace(place)
    except BaseException:
        with suppress(OSError):
            Path(beside).unlink()
        raise
    _settle(place.parent)


def _settle(folder: Path) -> None:
    """Let the rename itself reach the disk, where the file system can say so."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _not_written(path: Path, error: OSError) -> OperationFailed:
    why = os.strerror(error.errno) if error.errno else type(error).__name__
    return OperationFailed(
        "file_not_written",
        Text(
            f"{path} に書けませんでした（{why}）。前のファイルがあれば、そのまま残っています",
            f"{path} could not be written ({why}); the file that was there, if any, is as it was",
        ),
        Text(
            "フォルダーがあり、そこに書き込めることを確かめてください（一時ファイルも同じフォルダーに作ります）",
            "Check that its folder exists and can be written to; the temporary file is made in the same folder",
        ),
    )
