"""The units and timers of systemd: installed, enabled, when last triggered, how they ended, what a person changed."""

from __future__ import annotations

import getpass
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.settings import shipped
from schedctl.units.manager import the_manager
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown
from schedctl.usecases.install_units import TIMERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schedctl.units.manager import Manager, Scope

TICK_TIMER: Final = TIMERS[0]
PROPERTIES: Final = (
    "LoadState", "UnitFileState", "ActiveState", "Result", "LastTriggerUSec", "DropInPaths", "User", "FragmentPath",
)  # fmt: skip
DELIVERY: Final = "schedctl-deliver@"
CREDENTIAL: Final = re.compile(r"^(?:LoadCredential|LoadCredentialEncrypted|SetCredential)=([^:\n]+)", re.MULTILINE)

UNITS: Final = Topic("units", Text("systemd", "systemd"))
USER: Final = Topic("user", Text("利用者", "user"))


@dataclass(frozen=True, slots=True)
class Unit:
    """An installed unit, in systemd's own words."""

    name: str
    scope: Scope
    enabled: str
    active: str
    result: str
    last_trigger: str
    drop_ins: tuple[str, ...]
    user: str

    @property
    def is_timer(self) -> bool:
        """Whether it starts others."""
        return self.name.endswith(".timer")


@dataclass(frozen=True, slots=True)
class UnitsFacts:
    """What of schedctl systemd knows. `has_systemd` is false where neither the machine's nor a person's runs."""

    has_systemd: bool
    units: tuple[Unit, ...]
    credentials: frozenset[str]
    """The names of those that the units load."""
    asked_by: str
    """Who we are."""


def gather_units(environ: Mapping[str, str]) -> UnitsFacts:
    """Ask each systemd that runs here about each unit that comes with schedctl."""
    managers = [one for one in (the_manager("system", environ), the_manager("user", environ)) if one.bus.exists()]
    names = sorted(path.name for path in shipped("systemd").iterdir() if path.suffix in (".timer", ".service"))
    found: list[Unit] = []
    credentials: set[str] = set()
    for manager in managers:
        there = [unit for name in _with_instances(manager, names) if (unit := _unit(manager, name)) is not None]
        services = [name for name in names if name.endswith(".service")]
        if there:
            credentials |= set(CREDENTIAL.findall(manager.systemctl("cat", *services).stdout))
        found += there
    return UnitsFacts(bool(managers), tuple(found), frozenset(credentials), getpass.getuser())


def check_units(found: UnitsFacts | Unknown) -> Iterator[Finding]:
    """A line for each installed unit; one alone where there is none."""
    if isinstance(found, Unknown):
        yield UNITS.unknown(found)
        return
    if not found.has_systemd:
        yield UNITS.unused(
            Text("このマシンは systemd で動いていません（cron などで tick を呼びます）",
                 "not running here; cron or the like calls tick")
        )  # fmt: skip
        return
    if not found.units:
        yield UNITS.unused(
            Text("ユニットは入っていません → schedctl install-units", "no units installed → schedctl install-units")
        )
        return
    yield from (_timer(unit) if unit.is_timer else _service(unit) for unit in found.units)
    yield from _user(found)


def _timer(unit: Unit) -> Finding:
    topic, systemctl = _topic(unit), _systemctl(unit)
    if unit.active != "active" and unit.enabled == "disabled" and unit.name not in TIMERS:
        return topic.unused(Text("入っていますが、有効にしていません", "installed and not enabled"))
    if unit.active != "active":
        says = Text(f"動いていません（{unit.active}）", f"not running ({unit.active})")
        start = Fix(Text("有効にして始めてください", "Enable and start it"), f"{systemctl} enable --now {unit.name}")
        return topic.bad(says, start) if unit.name == TICK_TIMER else topic.warning(says, start)
    if unit.enabled not in ("enabled", "enabled-runtime", "static"):
        says = Text("動いていますが、再起動すると始まりません", "running, but it will not start at the next boot")
        return topic.warning(says, Fix(Text("有効にしてください", "Enable it"), f"{systemctl} enable {unit.name}"))
    last = unit.last_trigger if unit.last_trigger not in ("", "n/a", "0") else "-"
    said = _with_drop_ins(Text(f"有効、最後の起動 {last}", f"enabled, last triggered {last}"), unit)
    return topic.ok(said)


def _service(unit: Unit) -> Finding:
    topic = _topic(unit)
    if unit.active == "failed" or unit.result not in ("success", ""):
        says = Text(f"前回は失敗しました（{unit.result}）", f"it failed last time ({unit.result})")
        journal = "journalctl -u" if unit.scope == "system" else "journalctl --user -u"
        fix = Text("何が起きたかを確かめてください", "See what happened")
        look = Fix(fix, f"{journal} {unit.name} -n 20")
        if unit.name.startswith(DELIVERY):  # it starts anew when there is something to tell; `outbox` has what was not
            return topic.warning(says, look)
        return topic.bad(says, look)
    return topic.ok(_with_drop_ins(Text("入っています", "installed"), unit))


def _user(found: UnitsFacts) -> Iterator[Finding]:
    """Keys, sudo and secrets are one user's: what holds for us need not hold for the units."""
    theirs = sorted({unit.user for unit in found.units if unit.scope == "system" and unit.user})
    if not theirs or found.asked_by in theirs:
        yield USER.ok(Text(found.asked_by, found.asked_by))
        return
    who = ", ".join(theirs)
    yield USER.warning(
        Text(
            f"{found.asked_by} として調べています。ユニットは {who} として動き、ssh の鍵や sudo は別です",
            f"Looking as {found.asked_by}; the units run as {who}, with ssh keys and sudo of its own",
        ),
        Fix(Text("その利用者としても調べてください", "Look as that user too"), f"sudo -u {theirs[0]} schedctl doctor"),
    )


def _with_drop_ins(said: Text, unit: Unit) -> Text:
    if not unit.drop_ins:
        return said
    listed = ", ".join(unit.drop_ins)
    return Text(f"{said.ja}、変更 {listed}", f"{said.en}, changed by {listed}")


def _with_instances(manager: Manager, names: Sequence[str]) -> Iterator[str]:
    """The names, and for a template those of its instances that systemd knows of: the timers, and what failed."""
    for name in names:
        if "@." not in name:
            yield name
            continue
        listed = manager.systemctl("list-units", "--all", "--plain", "--no-legend", name.replace("@.", "@*.")).stdout
        yield from (line.split()[0] for line in listed.splitlines() if line.strip())


def _unit(manager: Manager, name: str) -> Unit | None:
    shown = manager.properties(name, *PROPERTIES)
    if shown.get("LoadState") != "loaded":
        return None
    return Unit(
        name=name,
        scope=manager.scope,
        enabled=shown.get("UnitFileState", ""),
        active=shown.get("ActiveState", ""),
        result=shown.get("Result", ""),
        last_trigger=shown.get("LastTriggerUSec", ""),
        drop_ins=tuple(shown.get("DropInPaths", "").split()),
        user=shown.get("User", ""),
    )


def _topic(unit: Unit) -> Topic:
    return Topic(f"unit:{unit.name}", Text(unit.name, unit.name))


def _systemctl(unit: Unit) -> str:
    return "systemctl" if unit.scope == "system" else "systemctl --user"
