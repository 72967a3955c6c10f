"""The report of each morning: written by whichever tick comes first when it is due, once a day, told in one commit."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.errors import OperationFailed, SchedctlError
from schedctl.language import Text
from schedctl.report.chat import chat_text
from schedctl.report.period import day_due_at, day_period, due_after
from schedctl.store import database, reports
from schedctl.store.events import Actor
from schedctl.usecases.report import gather
from schedctl.usecases.report_ahead import Horizon
from schedctl.usecases.unwritten import unwritten_before

if TYPE_CHECKING:
    from collections.abc import Generator

    from schedctl.redact import Redactor
    from schedctl.store.reports import Reporting
    from schedctl.usecases.site import Site

STATEMENT_TIMEOUT_MS: Final = 4_000
PUT_OFF_FOR: Final = timedelta(minutes=10)
AHEAD: Final = Horizon(days=2, most=60)


def write(site: Site, redactor: Redactor, ends_at: float) -> tuple[Text, ...]:
    """Write the report if it is due and nobody else is at it; warnings for the operator.

    Nothing of it escapes: an attempt that fails leaves nothing behind and is not repeated for ten minutes.
    `ends_at` (monotonic) is when the tick's time is over.
    """
    try:
        with _alone(site) as now:
            reporting = reports.read(site.db) if now is not None else None
            if now is not None and reporting is not None and reporting.is_due(now):
                _settle(site, reporting, now, redactor, ends_at)
    except SchedctlError as failure:
        return _put_off(site, failure.message)
    except Exception as error:  # noqa: BLE001 - a report that cannot be made must not end a tick
        return _put_off(
            site, Text(f"予期しないエラー（{type(error).__name__}）", f"unexpected ({type(error).__name__})")
        )
    return ()


@contextmanager
def _alone(site: Site) -> Generator[datetime | None]:
    """A transaction in which nobody else writes a report, with its now; None where somebody else does."""
    with database.transaction(site.db, site.settings.rehearsal_now, STATEMENT_TIMEOUT_MS):
        yield database.now(site.db) if reports.alone(site.db) else None


def _settle(site: Site, reporting: Reporting, now: datetime, redactor: Redactor, ends_at: float) -> None:
    """Write what is due, and let the next one be due a day later; all of it or nothing."""
    hour, zone = reporting.hour, reporting.timezone
    assert hour is not None  # noqa: S101 - is_due has looked
    reports.forget_ahead(site.db)
    day = day_due_at(now, hour, zone)
    if reporting.due_at is not None and reporting.due_at <= now and not reports.is_written(site.db, day):

        def go_on() -> None:
            if time.monotonic() > ends_at:
                raise _too_slow()

        report = gather(site, now, day_period(day, zone), AHEAD, redactor, go_on)
        unwritten = unwritten_before(site, now, day)
        said = chat_text(report)
        detail: dict[str, object] = {
            "day": day.isoformat(),
            "timezone": zone,
            "needs": len(report.needs),
            "report": {"ja": said.ja, "en": said.en},
        }
        if unwritten is not None:
            detail["unwritten"] = {"first": unwritten.first.isoformat(), "last": unwritten.last.isoformat()}
        by = Actor(f"tick@{site.settings.host}", site.settings.host)
        reports.write(site.db, day, zone, by, detail)
    reports.move(site.db, due_after(now, hour, zone))


def _put_off(site: Site, why: Text) -> tuple[Text, ...]:
    warning = Text(
        f"日報を書けませんでした。10分後にまた試します: {why.ja}",
        f"The daily report could not be written and is tried again in 10 min: {why.en}",
    )
    try:
        with site.transaction():
            reports.put_off(site.db, PUT_OFF_FOR)
    except OperationFailed:
        pass  # the database is gone: the next tick finds the report as due as before
    return (warning,)


def _too_slow() -> OperationFailed:
    return OperationFailed(
        "report_too_slow",
        Text("時間内に集計できませんでした", "Its figures took too long"),
        Text("schedctl report で手元に出せます", "schedctl report shows it by hand"),
        passing=True,
    )
