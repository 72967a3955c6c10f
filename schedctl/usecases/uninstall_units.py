"""Take the units away again: exactly what was installed. The database, the state folder and the user stay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.settings import shipped
from schedctl.units import written
from schedctl.units.manager import require_usable
from schedctl.usecases.install_units import USER, Changed, Deed, Step, leftovers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.units.manager import Manager

WORKERS: Final = ("schedctl-work.service", "schedctl-work@*.service")
STATE: Final = Path("/var/lib/schedctl")
NOTHING_TO_TAKE_AWAY: Final = Text(
    "取り除くユニットはありません。cron などから呼んでいるなら、その行を消してください",
    "There are no units to take away; where cron or the like calls schedctl, remove its lines",
)


def uninstall(manager: Manager, *, dry_run: bool = False) -> Changed:
    """Stop the timers and remove the unit files, or with `dry_run` only say so; a running worker is not interrupted."""
    require_usable(manager, NOTHING_TO_TAKE_AWAY)
    _require_idle(manager)
    files = [*_files(manager), *leftovers(manager)]
    steps = [*_stopping(manager), *files]
    if any(step.act for step in files):
        steps.append(Step(Deed("reloaded", "systemd"), lambda: manager.order("daemon-reload")))
    if not dry_run:
        for step in steps:
            if step.act is not None:
                step.act()
        manager.systemctl("reset-failed", "schedctl-*")
    return Changed((*(step.deed for step in steps), *_left(manager)))


def _require_idle(manager: Manager) -> None:
    said = manager.systemctl("list-units", "--plain", "--no-legend", "--state=activating,active,deactivating", *WORKERS)
    running = [line.split()[0] for line in said.stdout.splitlines() if line.strip()]
    if running:
        units = " ".join(running)
        raise Refused(
            "work_running",
            Text(
                f"{units} がまだコマンドを実行しています。途中で終わらせることはしません",
                f"{units} still carries something out; that is not cut short",
            ),
            Text(
                f"schedctl disarm のあと終わるのを待つか、{manager.systemctl_said} stop {units} で止めてください"
                "（コマンドには終了を求め、cancelled と記録します）",
                f"schedctl disarm and wait for its end, or {manager.systemctl_said} stop {units} "
                "(commands are told to end and recorded as cancelled)",
            ),
        )


def _stopping(manager: Manager) -> Iterator[Step]:
    """Timers first, so that nothing new begins; then what still runs of the services."""
    shown = manager.systemctl("list-unit-files", "--plain", "--no-legend", "--state=enabled", "schedctl-*.timer").stdout
    active = manager.systemctl("list-units", "--plain", "--no-legend", "--state=active", "schedctl-*.timer").stdout
    names = {line.split()[0] for line in (*shown.splitlines(), *active.splitlines()) if line.strip()}
    for timer in sorted(names):
        yield Step(Deed("stopped", timer), lambda timer=timer: manager.order("disable", "--now", "--", timer))
    said = manager.systemctl("list-units", "--plain", "--no-legend", "--state=activating,active", "schedctl-*.service")
    for line in said.stdout.splitlines():
        if line.strip():
            unit = line.split()[0]
            yield Step(Deed("stopped", unit), lambda unit=unit: manager.order("stop", "--", unit))


def _files(manager: Manager) -> Iterator[Step]:
    known = {path.name: path.read_text(encoding="utf-8") for path in sorted(shipped("systemd").iterdir())}
    places = {manager.units / name: text for name, text in known.items() if name.endswith((".service", ".timer"))}
    if manager.sysusers is not None:
        places[manager.sysusers / written.SYSUSERS_INSTALLED] = known[written.SYSUSERS]
    for path, text in places.items():
        if not path.exists():
            continue
        if written.is_as_written(path.read_text(encoding="utf-8", errors="replace"), text):
            yield Step(Deed("removed", str(path)), lambda path=path: path.unlink())
        else:
            yield Step(Deed("left", str(path), Text("手で直されている", "edited by hand")))


def _left(manager: Manager) -> Iterator[Deed]:
    """What stays on purpose, where it is there."""
    for folder in sorted(manager.units.glob("schedctl-*.d")):
        yield Deed("left", str(folder), Text("あなたのドロップイン", "your drop-ins"))
    if manager.settings.exists():
        yield Deed("left", str(manager.settings), Text("接続先と設定", "the DSN and settings"))
    for folder in sorted(STATE.parent.glob(f"{STATE.name}*")) if manager.scope == "system" else ():
        yield Deed(
            "left", str(folder), Text(f"利用者 {USER} の状態", f"what belongs to the user {USER}, who stays too")
        )
