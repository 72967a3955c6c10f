"""The embedded PostgreSQL: there while at least one command uses it, for the user who owns it and nobody else.

Who uses it is written in no list. Every command holds a shared lock on one file for as long as it runs; whoever can
have that lock for itself at its end was the last one, and stops the server. The kernel gives a lock back when its
process dies, so a command that was killed is simply not there any more.
"""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from schedctl.store import embedded_place
from schedctl.store import embedded_trouble as trouble
from schedctl.store.embedded_cluster import (
    DATABASE,
    OWNER,
    SOCKET,
    START_SECONDS,
    create_cluster,
    start_server,
    stop_server,
)
from schedctl.store.embedded_lock import lock_file, take
from schedctl.store.embedded_programs import binaries

if TYPE_CHECKING:
    from collections.abc import Generator

SOCKET_PATH_LIMIT: Final = 107
"""Bytes in the name of a Unix socket (unix(7): `sun_path` has 108, the closing zero included)."""
ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A server that accepts connections for as long as it is used; `dsn` is libpq's conninfo and holds no secret."""

    dsn: str


@contextmanager
def running(state: Path) -> Generator[EmbeddedServer]:
    """The server that keeps its data under `state`: created and started when need be, stopped by its last user.

    Raises `OperationFailed` when there can be none. Inside, SIGTERM and SIGHUP end the process as an exit does (unless
    it handles them itself), so that a command that is told to end still does its part.
    """
    home = state.resolve() / "postgresql"
    with ExitStack() as stack:
        stack.enter_context(_exits_when_told_to())
        binaries()
        try:
            _private_folder(home)
            stack.enter_context(_counted_as_user(home))
            server = _join(home)
        except OSError as error:
            raise trouble.folder_unusable(home, error) from error
        yield server


def is_made(state: Path) -> bool:
    """Whether `state` has a cluster already. One that another user made is for `running` to refuse."""
    try:
        return (state / "postgresql" / "data" / "PG_VERSION").exists()
    except OSError:
        return True


def dsn(socket_folder: Path, database: str = DATABASE) -> str:
    """libpq's conninfo for `database` on the server whose socket is in `socket_folder`, as the cluster's owner."""
    folder = str(client_folder(socket_folder)).replace("\\", "\\\\").replace("'", "\\'")
    return f"host='{folder}' port=5432 dbname={database} user={OWNER}"


def client_folder(socket_folder: Path) -> Path:
    """`socket_folder`, or a short link to it when libpq cannot take its path: too long, or with a comma (a list)."""
    if _libpq_takes(socket_folder):
        return socket_folder
    for link in _short_names(socket_folder):
        with suppress(OSError):
            link.symlink_to(socket_folder)
        if _is_our_link(link, socket_folder):
            return link
    raise trouble.path_too_long(socket_folder)


def drop_links(socket_folder: Path) -> None:
    """Remove the links to `socket_folder` that `client_folder` may have made."""
    for link in _short_names(socket_folder):
        if _is_our_link(link, socket_folder):
            link.unlink(missing_ok=True)


def _join(home: Path) -> EmbeddedServer:
    """Find the server running or start it; one command at a time."""
    data, sockets = home / "data", home / "run"
    with lock_file(home / "start.lock") as start:
        if not take(start, "exclusive", START_SECONDS):
            raise trouble.busy(home)
        if not (data / "PG_VERSION").exists():
            create_cluster(data)
        _private_folder(sockets)
        start_server(data, sockets)
        embedded_place.settle(data, dsn(sockets))
        return EmbeddedServer(dsn(sockets))


@contextmanager
def _counted_as_user(home: Path) -> Generator[None]:
    """Hold the users' lock; at the end, stop the server if nobody else does. Newcomers wait until it has stopped."""
    with lock_file(home / "users.lock") as users:
        if not take(users, "shared", START_SECONDS):
            raise trouble.busy(home)
        try:
            yield
        finally:
            with _undisturbed(), suppress(OSError):
                if take(users, "exclusive") and (home / "data").is_dir():
                    stop_server(home / "data")
                    drop_links(home / "run")


@contextmanager
def _exits_when_told_to() -> Generator[None]:
    """Turn the signals that would end the process on the spot into an orderly exit, where nobody has set a handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = [number for number in ENDINGS if signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in changed:
            if signal.getsignal(number) is _exit:
                signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def _undisturbed() -> Generator[None]:
    """Put signals off: an impatient second Ctrl-C would leave the server running."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, *ENDINGS))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _private_folder(folder: Path) -> None:
    """Have `folder` be ours alone (0700). Folders above it are made when missing (0700), and never changed."""
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise trouble.not_ours(folder, _owner(folder))
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)


def _owner(folder: Path) -> str:
    try:
        return folder.owner()
    except KeyError:
        return f"uid {folder.stat().st_uid}"


def _libpq_takes(folder: Path) -> bool:
    return "," not in str(folder) and len(os.fsencode(folder / SOCKET)) <= SOCKET_PATH_LIMIT


def _short_names(socket_folder: Path) -> list[Path]:
    """Where a link to `socket_folder` may stand, best first: always the same for the same folder and user."""
    name = f"schedctl-{os.geteuid()}-{hashlib.sha256(os.fsencode(socket_folder)).hexdigest()[:12]}"
    places = [os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"]  # noqa: S108 - see _nobody_swaps
    links = [Path(place) / name for place in places if place]
    return [link for link in links if _libpq_takes(link) and _nobody_swaps(link.parent)]


def _nobody_swaps(place: Path) -> bool:
    """Whether no other user can replace what is ours in `place`: nobody else may write there, or it is sticky."""
    try:
        found = place.stat()
    except OSError:
        return False
    safe_mode = bool(found.st_mode & stat.S_ISVTX) or not found.st_mode & 0o022
    return safe_mode and found.st_uid in (0, os.geteuid())


def _is_our_link(link: Path, target: Path) -> bool:
    """Whether `link` leads to `target` and was made by us: another user's link would lead to another user's server."""
    try:
        return link.lstat().st_uid == os.geteuid() and link.readlink() == target
    except OSError:
        return False
