"""Deliver: send what the outbox holds. An attempt is recorded before it is made; no transaction is open meanwhile."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

from schedctl.errors import NotFound, SchedctlError
from schedctl.language import Text
from schedctl.notify.about import Notice
from schedctl.notify.channel import ChannelFailed, filled
from schedctl.notify.message import compose, trial
from schedctl.notify.post import get
from schedctl.notify.senders import channel_gone, sender
from schedctl.store import outbox
from schedctl.usecases.site import Site, adopted_catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedctl.catalog.model import Catalog
    from schedctl.notify.channel import Sender
    from schedctl.redact import Redactor
    from schedctl.store.outbox import ClaimedNotice

Answer = TypeVar("Answer")

BUDGET_S: Final = 45.0
LEASE: Final = timedelta(minutes=5)
"""Longer than any attempt takes: after it, a notice whose delivery was killed is tried again."""
FIRST_WAIT: Final = timedelta(seconds=30)
LONGEST_WAIT: Final = timedelta(hours=1)
DEAD_AFTER: Final = timedelta(hours=24)
TICKS_ARE_GOOD_FOR: Final = timedelta(minutes=2)
UNFINISHED: Final = ChannelFailed(
    "channel_unfinished",
    Text("送信の途中で deliver が終わりました", "The delivery ended while it was sending"),
    Text("次の deliver が同じ番号でもう一度送ります", "The next one sends it again, with the same key"),
    passing=True,
)


@dataclass(slots=True)
class Delivery:
    """What one delivery did: notices that were taken, that will be tried again, and that nobody will get."""

    sent: int = 0
    failed: int = 0
    dead: int = 0
    warnings: list[Text] = field(default_factory=list[Text])


@dataclass(slots=True)
class Desk:
    """The book-keeping of one delivery: one connection for the threads of all channels."""

    site: Site
    catalog: Catalog
    environ: Mapping[str, str]
    redactor: Redactor
    ends_at: float
    done: Delivery = field(default_factory=Delivery)
    warned_of: set[str] = field(default_factory=set[str])
    trouble: SchedctlError | None = None
    closed: bool = False
    lock: Lock = field(default_factory=Lock)

    def book(self, act: Callable[[], Answer]) -> Answer | None:
        """Do it in a transaction of its own, again while it fails in passing; None once the delivery is over.

        What was claimed without an answer is sent after its lease; all else may be done twice.
        """
        with self.lock:
            return None if self.closed else self.site.patiently(lambda _: act())

    def keep(self, act: Callable[[], Delivery]) -> None:
        """Book how an attempt ended, and count it."""
        part = self.book(act)
        if part is not None:
            with self.lock:
                self.done.sent += part.sent
                self.done.failed += part.failed
                self.done.dead += part.dead

    def warn(self, channel: str, failure: ChannelFailed) -> None:
        """Say why a channel took something not, once a delivery."""
        with self.lock:
            if channel not in self.warned_of:
                self.warned_of.add(channel)
                self.done.warnings.append(_not_taken(channel, failure))


def _not_taken(channel: str, failure: ChannelFailed) -> Text:
    said = failure.message
    return Text(
        f"通知先 {channel} に送れませんでした: {said.ja}（試すには schedctl notify test {channel}）",
        f"The channel {channel} did not take a notice: {said.en} (to try it: schedctl notify test {channel})",
    )


def deliver(site: Site, environ: Mapping[str, str], redactor: Redactor) -> Delivery:
    """Send everything that is due, channel by channel side by side: one that hangs delays no other."""
    ends_at = time.monotonic() + BUDGET_S
    channels, catalog, ticks_are_good = site.patiently(
        lambda _: (outbox.due_channels(site.db), adopted_catalog(site), _ticks_are_good(site))
    )
    desk = Desk(site, catalog, environ, redactor, ends_at)
    calls = catalog.policy.dead_man_url if ticks_are_good else None
    threads = [Thread(target=_send_all, args=(desk, name), name=name, daemon=True) for name in channels]
    threads += [Thread(target=_call_dead_man, args=(desk, calls), daemon=True)] if calls else []
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, ends_at - time.monotonic()))
    desk.book(lambda: outbox.prune(site.db))
    with desk.lock:
        desk.closed = True
    if desk.trouble is not None:
        raise desk.trouble
    return desk.done


def deliver_again(site: Site) -> int:
    """Queue every dead letter anew; how many those were."""
    with site.transaction():
        return outbox.revive(site.db)


def send_trial(site: Site, name: str, environ: Mapping[str, str], redactor: Redactor) -> None:
    """Send one message through a channel, now; `NotFound` (`channel_not_found`), or `ChannelFailed`."""
    with site.transaction():
        catalog = adopted_catalog(site)
        at = outbox.clock(site.db)
    known = [channel.name for channel in catalog.policy.channels]
    if name not in known:
        raise NotFound(
            "channel_not_found",
            Text(f"採用済みのカタログに、通知先「{name}」はありません", f"The adopted catalog has no channel “{name}”"),
            Text(f"あるのは: {'、'.join(known) or 'なし'}", f"There are: {', '.join(known) or 'none'}"),
        )
    notice = trial(name, at, site.actor.name, site.settings.host)
    message = compose(notice, site.settings.timezone).redacted(redactor)
    _sender(catalog, name, environ).send(message, str(uuid4()), at)


def wait_before(attempt: int, chance: float) -> timedelta:
    """How long to wait after that many failures: doubling from 30 s up to an hour, and half to one and a half of it."""
    return min(FIRST_WAIT * 2 ** min(attempt - 1, 12), LONGEST_WAIT) * (0.5 + chance)


def _send_all(desk: Desk, name: str) -> None:
    """Send what is due on a channel until nothing is, the time is over, or the channel fails in passing."""
    try:
        while time.monotonic() < desk.ends_at:
            notice = desk.book(lambda: outbox.claim(desk.site.db, name, LEASE, UNFINISHED))
            if notice is None or not _send(desk, notice):
                return
    except SchedctlError as trouble:
        desk.trouble = trouble


def _send(desk: Desk, notice: ClaimedNotice) -> bool:
    """One attempt and its record; whether the next notice of this channel may follow."""
    failure = _attempt(desk, notice)
    if failure is None:
        desk.keep(lambda: _record_sent(desk, notice))
        return True
    desk.keep(lambda: _record_failure(desk, notice, failure))
    desk.warn(notice.channel, failure)
    return not failure.passing


def _attempt(desk: Desk, notice: ClaimedNotice) -> ChannelFailed | None:
    try:
        to = _sender(desk.catalog, notice.channel, desk.environ)
        message = compose(_told(notice), desk.site.settings.timezone).redacted(desk.redactor)
        to.send(message, str(notice.idempotency_key), notice.attempt_at)
    except ChannelFailed as failure:
        return failure
    except Exception as error:  # noqa: BLE001 - one notice that cannot be sent must not keep the others
        return _broken(type(error).__name__)
    return None


def _record_sent(desk: Desk, notice: ClaimedNotice) -> Delivery:
    outbox.sent(desk.site.db, notice)
    return Delivery(sent=1)


def _record_failure(desk: Desk, notice: ClaimedNotice, failure: ChannelFailed) -> Delivery:
    db = desk.site.db
    if not failure.passing:
        return Delivery(dead=outbox.give_up(db, notice, failure))
    wait = failure.wait or wait_before(notice.attempts, random.random())  # noqa: S311 - jitter is no secret
    outbox.put_off(db, notice, wait, failure)
    return Delivery(failed=1, dead=outbox.give_up_old(db, notice.channel, DEAD_AFTER, failure))


def _told(notice: ClaimedNotice) -> Notice:
    return Notice(
        event_id=notice.event_id,
        type=notice.type,
        severity=notice.severity,
        at=notice.at,
        actor=notice.actor,
        host=notice.host,
        detail=notice.detail,
        schedule_id=notice.schedule_id,
        schedule_name=notice.schedule_name,
        instruction=notice.instruction,
        timezone=notice.timezone,
        run_id=notice.run_id,
        risk=notice.risk,
        nodes=tuple(notice.nodes),
    )


def _sender(catalog: Catalog, name: str, environ: Mapping[str, str]) -> Sender:
    for channel in catalog.policy.channels:
        if channel.name == name:
            return sender(channel, catalog, environ)
    raise channel_gone(name)


def _ticks_are_good(site: Site) -> bool:
    age = outbox.since_last_tick(site.db)
    return age is not None and age <= TICKS_ARE_GOOD_FOR


def _call_dead_man(desk: Desk, reference: str) -> None:
    """Tell the watcher outside that ticks come; when it hears nothing, it speaks up in our place."""
    try:
        get(filled(reference, desk.environ))
    except ChannelFailed as failure:
        said = failure.message
        desk.done.warnings.append(Text(f"dead_man_url: {said.ja}", f"dead_man_url: {said.en}"))


def _broken(kind: str) -> ChannelFailed:
    return ChannelFailed(
        "notice_broken",
        Text(f"通知を組み立てられませんでした（{kind}）", f"The notice could not be made ({kind})"),
        Text("schedctl の不具合です。知らせてください", "This is a bug of schedctl; please report it"),
        passing=True,
    )
