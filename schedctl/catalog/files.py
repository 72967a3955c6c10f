"""The catalog folder as one JSON-able document: what is parsed, compared, and stored in the database."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Final, cast

from schedctl.catalog.problems import CatalogInvalid, Place, Problems
from schedctl.language import Text

if TYPE_CHECKING:
    from pathlib import Path

PATTERNS: Final = ("*.toml", "actions/*.toml")
TOML_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)")


def read_folder(folder: Path) -> dict[str, object]:
    """`{"files": {"nodes.toml": {…}, "actions/apt.toml": {…}}}`; `CatalogInvalid` names every file that cannot be read.

    Dates and times become ISO 8601 strings, so that the document survives JSON unchanged.
    """
    problems = Problems()
    files: dict[str, object] = {}
    for path in _toml_files(folder, problems):
        name = path.relative_to(folder).as_posix()
        content = _read_file(path, Place(name), problems)
        if content is not None:
            files[name] = content
    if problems.found:
        raise CatalogInvalid(tuple(problems.found))
    return {"files": files}


def _toml_files(folder: Path, problems: Problems) -> list[Path]:
    try:
        paths = sorted(path for pattern in PATTERNS for path in folder.glob(pattern) if not path.name.startswith("."))
    except OSError:
        paths = []
    if not paths:
        problems.add(
            Place(str(folder)),
            Text(
                "カタログのフォルダが読めないか、TOML ファイルがありません", "No TOML file can be read in this folder"
            ),
            Text(
                "SCHEDCTL_CATALOG が正しいフォルダを指しているか確認してください",
                "Check that SCHEDCTL_CATALOG names the right folder",
            ),
        )
    return paths


def _read_file(path: Path, place: Place, problems: Problems) -> object:
    try:
        return _plain(tomllib.loads(path.read_bytes().decode("utf-8-sig")))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problems.add(
            place,
            Text(f"ファイルが読めません（{reason}）", f"The file cannot be read ({reason})"),
            Text(
                "ファイルの有無と権限を確認してください", "Check that it exists and that its permissions allow reading"
            ),
        )
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        problems.add(
            place,
            Text(f"{line} 行目が UTF-8 ではありません", f"Line {line} is not UTF-8"),
            Text("UTF-8 で保存し直してください", "Save the file as UTF-8"),
        )
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        _note_syntax(place, str(error), problems)
    return None


def _note_syntax(place: Place, said: str, problems: Problems) -> None:
    line = TOML_LINE.search(said)
    ja, en = (f"{line[1]} 行目が", f"Line {line[1]}") if line else ("このファイルが", "The file")
    problems.add(
        place,
        Text(f"{ja} TOML として読めません（{said}）", f"{en} is not TOML ({said})"),
        Text(
            "その行の引用符・括弧・同じ名前の重複を確認してください",
            "Look at that line's quotes and brackets, and for a name that is given twice",
        ),
    )


def _plain(value: object) -> object:
    match value:
        case dict():
            return {str(key): _plain(inner) for key, inner in cast("dict[object, object]", value).items()}
        case list():
            return [_plain(inner) for inner in cast("list[object]", value)]
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return value
