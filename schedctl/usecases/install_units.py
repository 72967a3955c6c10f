"""Install the units of systemd: look at everything first, write, have systemd check, enable, and see one tick."""

from __future__ import annotations

import pwd
import stat
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from schedctl.errors import OperationFailed, Refused
from schedctl.language import Text
from schedctl.settings import shipped
from schedctl.units import written
from schedctl.units.manager import must_succeed, require_usable, run, stays_after_logout
from schedctl.units.program import require_plain, require_visible
from schedctl.units.written import Choice
from schedctl.usecases.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from schedctl.units.manager import Manager

USER: Final = "schedctl"
TICK: Final = "schedctl-tick.service"
TIMERS: Final = ("schedctl-tick.timer", "schedctl-watch.timer", "schedctl-report.timer")
PAGE_TIMER: Final = "schedctl-page.timer"
SAVED: Final = ".saved"
CALL_FROM_CRON: Final = Text(
    "cron などから1分ごとに schedctl tick、続けて schedctl work --drain と schedctl deliver を呼んでください",
    "Call schedctl tick, then schedctl work --drain and schedctl deliver, each minute from cron or the like",
)
ENDS_AT_LOGOUT: Final = Text(
    "ログアウトするとタイマーは止まります。動かし続けるには → loginctl enable-linger",
    "The timers stop when you log out; to keep them going → loginctl enable-linger",
)

DeedKind = Literal[
    "verified", "wrote", "updated", "saved", "unchanged", "made_user", "reloaded", "enabled", "ticked", "stopped",
    "removed", "left",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done (or would be), to a file, a unit or a user."""

    kind: DeedKind
    what: str
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A deed and how it is done; nothing to do where it was so already."""

    deed: Deed
    act: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to install. With `nodes`, this machine only works for these nodes: nothing ticks here."""

    manager: Manager
    program: Path
    dsn: Path | None
    nodes: tuple[str, ...] = ()
    page: bool = False
    replace_edited: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """What was done, and what an operator should know. `tick_failed`: what the first tick said instead of ticking."""

    deeds: tuple[Deed, ...]
    warnings: tuple[Text, ...] = ()
    tick_failed: Text | None = None


def install(wanted: Wanted, *, dry_run: bool = False) -> Changed:
    """Install, or with `dry_run` only say what would be done. Anything unfit is refused before anything is changed."""
    manager = wanted.manager
    require_usable(manager, CALL_FROM_CRON)
    require_plain(wanted.program, Text("schedctl", "schedctl"))
    if manager.scope == "system":
        require_visible(wanted.program)
    dsn = wanted.dsn or manager.settings / "dsn"
    warnings = (*_look_at_dsn(dsn, manager), *(() if stays_after_logout(manager) else (ENDS_AT_LOGOUT,)))
    files = unit_files(Choice(manager.scope, wanted.program, manager.settings, dsn))
    targets = {manager.units / name: text for name, text in files.items()}
    if manager.sysusers is not None:
        targets[manager.sysusers / written.SYSUSERS_INSTALLED] = written.marked(_shipped()[written.SYSUSERS])
    changes = [change for path, text in targets.items() for change in _file_steps(path, text, wanted.replace_edited)]
    verify(files, manager)
    changes += leftovers(manager)
    steps = [
        Step(Deed("verified", "systemd-analyze verify", Text(f"{len(files)} 個", f"{len(files)} units"))),
        *changes,
        *_user_steps(manager),
        *_enabling(wanted, any(step.act for step in changes)),
    ]
    if not dry_run:
        for step in steps:
            if step.act is not None:
                step.act()
    failed = None if dry_run or wanted.nodes else _first_tick(manager)
    ticked = () if wanted.nodes or failed is not None else (Deed("ticked", TICK),)
    return Changed((*(step.deed for step in steps), *ticked), warnings, failed)


def unit_files(choice: Choice) -> dict[str, str]:
    """Every unit file, by name, as it is written for a place."""
    return {
        name: written.written(text, choice)
        for name, text in _shipped().items()
        if name.endswith((".service", ".timer"))
    }


def verify(files: Mapping[str, str], manager: Manager) -> None:
    """Have systemd look at the files before they are put in place; `OperationFailed` (`unit_rejected`) says why not."""
    with tempfile.TemporaryDirectory(prefix="schedctl-units-") as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        paths = [str(Path(folder) / name) for name in files]
        done = run("systemd-analyze", manager.option, "verify", "--man=no", *paths)
    # It loads what the units refer to as well, and may find fault with units of others.
    complaints = [line.replace(f"{folder}/", "") for line in done.stderr.splitlines() if "schedctl" in line]
    if complaints or (done.returncode and not done.stderr.strip()):
        said = " / ".join(complaints) or f"exit {done.returncode}"
        raise OperationFailed(
            "unit_rejected",
            Text(f"systemd がユニットを受け付けません: {said}", f"systemd does not accept the units: {said}"),
            Text("まだ何も変えていません", "Nothing was changed yet"),
        )


def _shipped() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(shipped("systemd").iterdir())}


def _look_at_dsn(dsn: Path, manager: Manager) -> tuple[Text, ...]:
    """Refuse without a DSN; a warning where others may read it."""
    require_plain(dsn, Text("DSN", "the DSN"))
    if not dsn.is_file():
        sudo = "sudo " if manager.scope == "system" else ""
        made = f"echo 'host=/run/postgresql dbname=schedctl' | {sudo}install -D -m 600 /dev/stdin {dsn}"
        raise Refused(
            "no_dsn",
            Text(
                f"接続先（DSN）のファイル {dsn} がありません。ユニットには PostgreSQL の接続先が要ります"
                "（組み込みの PostgreSQL は1人用です）",
                f"There is no file {dsn} with the DSN; units need a PostgreSQL "
                "(the embedded database is for one person's machine)",
            ),
            Text(f"作る例: {made}", f"For example: {made}"),
        )
    if not dsn.read_text(encoding="utf-8", errors="replace").strip():
        raise Refused("no_dsn", Text(f"DSN のファイル {dsn} が空です", f"The file {dsn} has no DSN in it"))
    if stat.S_IMODE(dsn.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        return (
            Text(
                f"{dsn} はほかの利用者にも開いています → chmod 600 {dsn}",
                f"{dsn} is open to other users → chmod 600 {dsn}",
            ),
        )
    return ()


def _file_steps(path: Path, text: str, replace_edited: bool) -> Iterator[Step]:
    """How one file comes to be as it should; a person's own changes are refused, or kept beside it."""
    there = path.read_text(encoding="utf-8", errors="replace") if path.exists() else None
    if there == text:
        yield Step(Deed("unchanged", str(path)))
        return
    known = _shipped().get(written.SYSUSERS if path.suffix == ".conf" else path.name, "")
    if there is not None and not written.is_as_written(there, known):
        if not replace_edited:
            raise _edited(path)
        saved = path.with_name(path.name + SAVED)
        yield Step(Deed("saved", str(saved)), lambda: _put(saved, there))
    yield Step(Deed("wrote" if there is None else "updated", str(path)), lambda: _put(path, text))


def leftovers(manager: Manager) -> list[Step]:
    """Take away units of another version of schedctl that this one no longer has."""
    known = set(_shipped())

    def take_away(path: Path) -> None:
        if path.suffix == ".timer":
            manager.order("disable", "--now", "--", path.name)
        path.unlink()

    return [
        Step(Deed("removed", str(path)), partial(take_away, path))
        for path in sorted(manager.units.glob("schedctl-*.*"))
        if path.is_file()
        and path.name not in known
        and written.is_as_written(path.read_text(encoding="utf-8", errors="replace"), "")
    ]


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()  # what it leads to is not ours: of a masked unit that is /dev/null
    write_whole(path, text)


def _edited(path: Path) -> Refused:
    return Refused(
        "unit_edited",
        Text(
            f"{path} は手で直されています。上書きしません（まだ何も変えていません）",
            f"{path} was edited by hand; it is not overwritten (nothing was changed yet)",
        ),
        Text(
            f"直した行をドロップイン（systemctl edit {path.name}）へ移してください。"
            f"--replace-edited なら {path.name}{SAVED} として残し、置き換えます",
            f"Move your lines into a drop-in (systemctl edit {path.name}); "
            f"with --replace-edited yours is kept as {path.name}{SAVED} and replaced",
        ),
    )


def _user_steps(manager: Manager) -> Iterator[Step]:
    if manager.scope == "user":
        return
    try:
        pwd.getpwnam(USER)
    except KeyError:
        conf = str(manager.sysusers and manager.sysusers / written.SYSUSERS_INSTALLED)
        make = lambda: must_succeed(run("systemd-sysusers", conf), f"systemd-sysusers {conf}")  # noqa: E731
        yield Step(Deed("made_user", USER), make)
    else:
        yield Step(Deed("unchanged", USER))


def _enabling(wanted: Wanted, files_changed: bool) -> Iterator[Step]:
    manager = wanted.manager
    if files_changed:
        yield Step(Deed("reloaded", "systemd"), lambda: manager.order("daemon-reload"))
    timers = tuple(f"{written.NODE_TEMPLATE}{node}.timer" for node in wanted.nodes) or TIMERS
    for timer in (*timers, *((PAGE_TIMER,) if wanted.page else ())):
        state = manager.properties(timer, "UnitFileState", "ActiveState")
        if (state.get("UnitFileState"), state.get("ActiveState")) == ("enabled", "active"):
            yield Step(Deed("unchanged", timer))
        else:
            yield Step(Deed("enabled", timer), lambda timer=timer: manager.order("enable", "--now", "--", timer))


def _first_tick(manager: Manager) -> Text | None:
    """Tick once, now, so that a wrong DSN is seen at once; what it said where it failed."""
    if manager.systemctl("start", TICK).returncode == 0:
        return None
    found = manager.properties(TICK, "Result", "InvocationID")
    invocation = f"_SYSTEMD_INVOCATION_ID={found.get('InvocationID', '')}"
    # Of everything at error priority the program's own line: systemd only adds that it failed.
    words = ("-t", "schedctl", "-p", "3", "-n", "1", "-o", "cat", "--no-pager", "-q")
    said = run("journalctl", invocation, *words).stdout.strip().removeprefix("schedctl: ") or found.get("Result", "?")
    return Text(
        f"最初の tick が失敗しました: {said}。タイマーは動いていて、次の分にまた試します",
        f"The first tick failed: {said}; the timer runs, and tries again in the next minute",
    )
