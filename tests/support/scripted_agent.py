"""An agent as a real process that lives by a script: each line of FOLDER/lives is one of its lives.

    python scripted_agent.py restart FOLDER    end the life that there is, begin the next one, and return
    python scripted_agent.py live FOLDER       what `restart` starts

FOLDER also holds `dsn`, and `pid` and `begun` (the number of lives) once it lives. It is named like its folder.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection

BEAT_EVERY_S = 0.2
TERM_PATIENCE_S = 0.5


def restart(folder: Path) -> None:
    """End the life that there is, and begin the next one beyond the reach of whoever asked for it."""
    end(folder)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    quiet = subprocess.DEVNULL
    command = [sys.executable, __file__, "live", str(folder)]
    life = subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    (folder / "pid").write_text(str(life.pid), encoding="ascii")


def end(folder: Path) -> None:
    """End the process of this folder: TERM, and KILL where that is not heard."""
    pid = pid_of(folder)
    if pid is None:
        return
    os.kill(pid, signal.SIGTERM)
    ends_at = time.monotonic() + TERM_PATIENCE_S
    while pid_of(folder) is not None and time.monotonic() < ends_at:
        time.sleep(0.02)
    if pid_of(folder) is not None:
        os.kill(pid, signal.SIGKILL)


def pid_of(folder: Path) -> int | None:
    """The agent's process, while it is one."""
    try:
        pid = int((folder / "pid").read_text(encoding="ascii"))
        said = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2][:1]
    except OSError:
        return None
    return pid if str(folder) in said and state != "Z" else None


def live(folder: Path) -> NoReturn:
    """The next life of the script."""
    import psycopg

    begun = folder / "begun"
    number = int(begun.read_text(encoding="ascii")) if begun.exists() else 0
    begun.write_text(str(number + 1), encoding="ascii")
    script = (folder / "lives").read_text(encoding="utf-8").split()
    with psycopg.connect((folder / "dsn").read_text(encoding="utf-8"), autocommit=True) as db:
        say(db, folder, "starting")
        LIVES[script[min(number, len(script) - 1)]](db, folder)
    os._exit(0)


def say(
    db: Connection, folder: Path, status: str = "ok", tokens: int | None = None, stops_for: str | None = None
) -> None:
    """One beat."""
    db.execute("SELECT schedctl.beat(%s, %s, %s, NULL, %s::interval)", (folder.name, status, tokens, stops_for))


def loop(db: Connection, folder: Path, counts: Iterator[int]) -> None:
    """The agent's own loop: a beat with each count of tokens."""
    for tokens in counts:
        say(db, folder, tokens=tokens)
        time.sleep(BEAT_EVERY_S)


def works(db: Connection, folder: Path) -> None:
    """Live on; end politely when asked to."""

    def leave(_number: int, _frame: object) -> NoReturn:
        say(db, folder, "stopping", 1_000_000, "1 second")
        os._exit(0)

    signal.signal(signal.SIGTERM, leave)
    loop(db, folder, iter(lambda: 10, None))


def crashes(db: Connection, folder: Path) -> None:
    """Work a little, and be gone without a word."""
    loop(db, folder, iter([10] * 5))
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(db: Connection, folder: Path) -> None:
    """Work a little, and wait for ever for somebody who says nothing; TERM is not heard either."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    loop(db, folder, iter([10] * 5))
    reading, _writing = os.pipe()
    os.read(reading, 1)


def burns(db: Connection, folder: Path) -> None:
    """Work a while, and then spend a thousand times as much at each turn."""
    loop(db, folder, iter([10] * 12))
    loop(db, folder, iter(lambda: 10_000, None))


def flaps(db: Connection, folder: Path) -> None:
    """Say once that all is well, and be gone."""
    say(db, folder)
    os.kill(os.getpid(), signal.SIGKILL)


LIVES = {"works": works, "crashes": crashes, "hangs": hangs, "burns": burns, "flaps": flaps}

if __name__ == "__main__":
    {"restart": restart, "live": live}[sys.argv[1]](Path(sys.argv[2]))
