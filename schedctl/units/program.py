"""The installed schedctl that units shall start: where it is, and whether a hardened unit's user gets to see it."""

from __future__ import annotations

import importlib.util
import os
import re
import stat
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedctl.errors import Refused
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN: Final = tuple(map(Path, ("/home", "/root", "/run/user", "/tmp", "/var/tmp")))  # noqa: S108 - to be refused
"""What ProtectHome= and PrivateTmp= take out of a unit's sight."""
PLAIN: Final = re.compile(r"/[A-Za-z0-9._+@/=-]*")
"""Paths that mean themselves in a unit file: no space, quote, `%` or `$`, which systemd reads in its own way."""
INSTALL: Final = "python3 -m venv /opt/schedctl && /opt/schedctl/bin/pip install ."
INSTALL_HINT: Final = Text(
    f"誰からも読める所に入れてください。リポジトリのフォルダーで: {INSTALL}（python3 も /usr/bin のものを）",
    f"Install it where everybody can read it, in the repository's folder: {INSTALL} (with a python3 from /usr/bin)",
)


def installed_program(called_as: str) -> Path:
    """The real path of the `schedctl` that runs now; `Refused` (`program_missing`) where only its code is there."""
    beside = Path(sys.executable).with_name("schedctl")
    called = Path(called_as)
    for program in (called if called.name == "schedctl" else beside, beside):
        if program.is_file() and os.access(program, os.X_OK):
            return program.resolve()
    raise Refused(
        "program_missing",
        Text(
            f"{beside.parent} に実行できる schedctl がありません",
            f"There is no schedctl that can be run in {beside.parent}",
        ),
        INSTALL_HINT,
    )


def require_plain(path: Path, what: Text) -> None:
    """`Refused` (`bad_path`) for a path that systemd would read as something else."""
    if not PLAIN.fullmatch(str(path)):
        raise Refused(
            "bad_path",
            Text(
                f"{what.ja}のパス「{path}」は、ユニットファイルに書けない文字を含んでいます",
                f"The path of {what.en}, “{path}”, has letters that cannot stand in a unit file",
            ),
            Text(
                "英数字と . _ + @ = - / だけの絶対パスにしてください",
                "Use an absolute path of letters, digits and . _ + @ = - / only",
            ),
        )


def require_visible(program: Path) -> None:
    """Refuse a program whose code, interpreter or libraries the units' user could not read inside their limits."""
    for part in dict.fromkeys((program, *_parts())):
        if any(part.is_relative_to(folder) for folder in HIDDEN):
            raise Refused(
                "program_hidden",
                Text(
                    f"{part} はユニットから見えません（ProtectHome と PrivateTmp が /home、/root、/tmp を隠します）",
                    f"{part} cannot be seen from the units: ProtectHome and PrivateTmp hide /home, /root and /tmp",
                ),
                INSTALL_HINT,
            )
        closed = _closed_to_others(part)
        if closed is not None:
            raise Refused(
                "program_unreadable",
                Text(
                    f"{closed} を利用者 schedctl が読めません（{part} が要ります）",
                    f"The user schedctl cannot read {closed}, which {part} needs",
                ),
                _opened(closed),
            )


def _opened(closed: Path) -> Text:
    """How it comes to be readable: opened, where it belongs to this schedctl; else schedctl has to live elsewhere."""
    here = Path(sys.prefix)
    if not (closed.is_relative_to(here) or here.is_relative_to(closed)):
        return INSTALL_HINT
    return Text(f"chmod -R o+rX {closed}", f"chmod -R o+rX {closed}")


def _parts() -> Iterator[Path]:
    """Where this process came from: interpreter, standard library, packages, and our own code."""
    executable = Path(sys.executable)
    yield from (executable, executable.resolve())
    yield Path(sysconfig.get_path("stdlib")).resolve()
    for name in ("schedctl", "click", "psycopg"):
        found = importlib.util.find_spec(name)
        for place in (found.submodule_search_locations if found else None) or ():
            yield Path(place).resolve()


def _closed_to_others(part: Path) -> Path | None:
    """The first folder on the way to it, or it itself, that others may not enter or read."""
    for place in (*reversed(part.parents), part):
        mode = place.stat().st_mode
        wanted = stat.S_IXOTH if place.is_dir() else stat.S_IROTH
        if not mode & wanted:
            return place
    return None
