"""`make schema-dump`: keep what the schema of this checkout holds after a life, the code that made it, and its digest.

    tests/upgrades/NNN.sql.gz     the database after the story, as pg_dump writes it
    tests/upgrades/NNN.tar.xz     that version's code, which a test runs beside newer code
    tests/upgrades/history.tsv    the digest of each numbered file in sql/: none may ever change again

`--code FOLDER` dumps another checkout's version.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import lzma
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "upgrades")]

import own_server  # noqa: E402 - found by the path above
import story  # noqa: E402

from schedctl.store.embedded_programs import binaries, environment  # noqa: E402
from schedctl.store.schema import files  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE: Final = Path(__file__).parent
HISTORY: Final = HERE / "history.tsv"
CODE: Final = ("schedctl", "sql")
RESTRICT: Final = ("\\restrict", "\\unrestrict")


def dump(code: Path, into: Path) -> int:
    """Write the dump and the code of the version in `code`; the number of its schema."""
    number = files(code / "sql")[-1][0]
    with tempfile.TemporaryDirectory(prefix="schedctl-story-") as home, own_server.running() as server:
        with story.installed(code, server.dsn, Path(home)) as installation, story.told(installation):
            text = _pg_dump(server.dsn)
        (into / f"{number:03}.sql.gz").write_bytes(gzip.compress(_neutral(text, home).encode(), mtime=0))
    (into / f"{number:03}.tar.xz").write_bytes(_packed(code))
    return number


def history(folder: Path) -> dict[str, str]:
    """The digest of each numbered file."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for _, path in files(folder)}


def kept() -> dict[str, str]:
    """The digests that history.tsv has."""
    lines = HISTORY.read_text(encoding="utf-8").splitlines() if HISTORY.exists() else []
    return dict(line.split("\t") for line in lines)


def keep(now: Mapping[str, str]) -> None:
    """Write history.tsv; only the newest file may differ from what stands there."""
    changed = [name for name, digest in kept().items() if now.get(name) != digest and name != max(now)]
    if changed:
        sys.exit(f"history is never edited: take back what was done to {', '.join(changed)}, and add a new number")
    HISTORY.write_text("".join(f"{name}\t{digest}\n" for name, digest in sorted(now.items())), encoding="utf-8")


def _pg_dump(dsn: str) -> str:
    argv = [str(binaries() / "pg_dump"), "--no-owner", "--no-privileges", "--dbname", dsn]
    return subprocess.run(argv, env=environment(), capture_output=True, text=True, check=True).stdout


def _neutral(text: str, home: str) -> str:
    """Without the folder of this telling, and without psql's commands, whose key is another one each time."""
    lines = text.replace(home, story.PLACE).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(RESTRICT))


def _packed(code: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for folder in CODE:
            for path in sorted((code / folder).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.add(path, path.relative_to(code), filter=_plain)
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
    return entry


def main() -> None:
    """Dump, and keep the digests of this checkout's files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", type=Path, default=ROOT, help="a checkout of the version to dump")
    code: Path = parser.parse_args().code.resolve()
    keep(history(ROOT / "sql"))
    number = dump(code, HERE)
    sys.stdout.write(f"tests/upgrades/{number:03}.sql.gz and {number:03}.tar.xz\n")


if __name__ == "__main__":
    main()
