"""Does it run: ticks, work that waits, notices, and what retention has left. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown
from schedctl.usecases.doctor_units import TICK_TIMER
from schedctl.usecases.nodes import why_it_waits
from schedctl.usecases.status import NOTICES_STUCK_AFTER, TICKS_STOPPED_AFTER
from schedctl.usecases.watch import QUEUE_LIMIT
from schedctl.when.saying.moments import age_said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.store.diagnosis import Backlog
    from schedctl.store.installation import Installation
    from schedctl.store.nodes import HeldUp
    from schedctl.store.outbox import OutboxState
    from schedctl.store.status import TickBeat
    from schedctl.store.watching import Silence
    from schedctl.usecases.doctor_units import UnitsFacts

HOSTS_SHOWN: Final = 4
IN_THE_FUTURE: Final = timedelta(minutes=-1)
TIDIED_LATE: Final = timedelta(hours=6)
"""Ticks tidy each hour."""
MANY: Final = 1_000
"""More than a few turns of a tick remove."""

TICKS: Final = Topic("ticks", Text("tick", "ticks"))
WORKERS: Final = Topic("workers", Text("worker", "workers"))
OUTBOX: Final = Topic("outbox", Text("通知の送信", "outbox"))
RETENTION: Final = Topic("retention", Text("記録の整理", "retention"))

LOOK_AT_TIMER: Final = Fix(
    Text("tick のタイマーを確かめてください", "Look at the timer of the ticks"), f"systemctl status {TICK_TIMER}"
)
INSTALL_TIMER: Final = Fix(
    Text(
        "このマシンで tick を呼ぶなら、タイマーを入れてください", "Install the timers, if this is the machine to tick"
    ),
    "schedctl install-units",
)
CALL_IT: Final = Fix(
    Text(
        "cron などから毎分呼んでください（docs/units.md）", "Have cron or the like call it each minute (docs/units.md)"
    ),
    "schedctl tick && schedctl work --drain",
)


def check_ticks(
    ticks: Sequence[TickBeat] | Unknown, found: Installation | Unknown, units: UnitsFacts | Unknown
) -> Finding:
    """Whether some host ticks; with the age of each host's last one."""
    if isinstance(ticks, Unknown):
        return TICKS.unknown(ticks)
    if isinstance(found, Unknown):
        return TICKS.unknown(found)
    hosts = _hosts(ticks)
    if any(beat.age < IN_THE_FUTURE for beat in ticks):
        says = Text(f"未来の tick が記録されています（{hosts.ja}）", f"A tick lies in the future ({hosts.en})")
        fix = Text("時計が戻されています。時刻を確かめてください", "A clock was set back; check the time")
        return TICKS.bad(says, Fix(fix, "timedatectl"))
    if ticks and ticks[0].age <= TICKS_STOPPED_AFTER:
        return TICKS.ok(hosts)
    if not found.armed:
        return TICKS.unused(Text(f"未点火です（{hosts.ja}）", f"disarmed ({hosts.en})"))
    return TICKS.bad(
        Text(f"点火しているのに来ていません（{hosts.ja}）", f"armed, but none come ({hosts.en})"), _what_ticks(units)
    )


def _what_ticks(units: UnitsFacts | Unknown) -> Fix:
    """Where to look, or what to do where nothing here could tick."""
    if isinstance(units, Unknown) or any(unit.name == TICK_TIMER for unit in units.units):
        return LOOK_AT_TIMER
    return INSTALL_TIMER if units.has_systemd else CALL_IT


def check_workers(found: Silence | Unknown, held_up: tuple[HeldUp, ...] | Unknown) -> Finding:
    """Whether work that may start is begun; workers are not resident, so what waits is all that can be seen."""
    if isinstance(found, Unknown):
        return WORKERS.unknown(found)
    if isinstance(held_up, Unknown):
        return WORKERS.unknown(held_up)
    if found.oldest_leg is None:
        for one in held_up:
            if not one.by.goes_on:
                return _held_up(one, len({other.run_id for other in held_up if not other.by.goes_on}))
        return WORKERS.ok(Text("待っている実行はありません", "nothing waits"))
    waited = spoken(found.oldest_leg)
    if found.oldest_leg <= QUEUE_LIMIT:
        return WORKERS.ok(Text(f"最も古い実行待ちは {waited.ja}", f"the oldest waits for {waited.en}"))
    says = Text(
        f"{waited.ja}のあいだ、誰も引き受けていない実行があります", f"Work that may start has waited for {waited.en}"
    )
    return WORKERS.bad(says, Fix(Text("worker を動かしてください", "Run a worker"), "schedctl work --drain"))


def _held_up(one: HeldUp, count: int) -> Finding:
    said = why_it_waits(one.by)
    runs = Text(f"実行 {one.run_id}", f"run {one.run_id}")
    if count > 1:
        runs = Text(f"{runs.ja} ほか {count - 1} 件", f"{runs.en} and {count - 1} more")
    says = Text(f"{runs.ja}: {said.ja}", f"{runs.en}: {said.en}")
    fix = Fix(
        Text("始めてよくなったら解除してください", "Release it when work may begin"),
        f"schedctl node release {one.by.node}",
    )
    return WORKERS.warning(says, fix)


def check_outbox(found: OutboxState | Unknown) -> Finding:
    """Whether what people have to be told gets out."""
    if isinstance(found, Unknown):
        return OUTBOX.unknown(found)
    if found.stuck_for is not None and found.stuck_for > NOTICES_STUCK_AFTER:
        waited = spoken(found.stuck_for)
        says = Text(f"{waited.ja}前から送れていません", f"Nothing could be sent for {waited.en}")
        return OUTBOX.bad(says, Fix(Text("送ってみてください", "Try to send"), "schedctl deliver"))
    if found.dead:
        says = Text(f"この24時間に {found.dead} 件を断念しました", f"{found.dead} were given up in the last 24 hours")
        fix = Fix(Text("直したら送り直してください", "Once repaired, send them again"), "schedctl deliver --again")
        return OUTBOX.warning(says, fix)
    return OUTBOX.ok(Text(f"待っている通知 {found.waiting}", f"{found.waiting} waiting"))


def check_retention(found: Backlog | Unknown, armed: bool) -> Finding:
    """Whether ticks remove what the policy no longer keeps."""
    if isinstance(found, Unknown):
        return RETENTION.unknown(found)
    days = found.retention_days
    if found.too_old >= MANY:
        says = Text(
            f"{days} 日より古い実行が {found.too_old} 件以上残っています",
            f"{found.too_old} or more runs older than {days} days are left",
        )
    elif armed and found.since_tidied > TIDIED_LATE:
        age = spoken(found.since_tidied)
        says = Text(f"最後の整理は {age.ja}前です", f"last tidied {age.en} ago")
    else:
        return RETENTION.ok(Text(f"{days} 日分を残します", f"{days} days are kept"))
    return RETENTION.warning(says, Fix(Text("整理は tick が毎時間します", "A tick tidies each hour"), "schedctl tick"))


def spoken(span: timedelta) -> Text:
    """How long that is, in both languages."""
    return Text(age_said(abs(span), "ja"), age_said(abs(span), "en"))


def _hosts(ticks: Sequence[TickBeat]) -> Text:
    if not ticks:
        return Text("まだ一度もなし", "none so far")
    said = [(beat.host, spoken(beat.age), beat.age < timedelta(0)) for beat in ticks[:HOSTS_SHOWN]]
    more = len(ticks) - len(said)
    ja = "、".join(f"{host} {age.ja}{'後' if future else '前'}" for host, age, future in said)
    en = ", ".join(f"{host} {'in ' if future else ''}{age.en}{'' if future else ' ago'}" for host, age, future in said)
    return Text(ja + (f"、ほか {more}" if more else ""), en + (f", {more} more" if more else ""))
