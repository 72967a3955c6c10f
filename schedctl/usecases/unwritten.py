"""Reports that were due and not written, since nothing ticked for days: the next one says which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.report.period import ONE_DAY, day_due_at
from schedctl.store import reports
from schedctl.store.reports import Unwritten

if TYPE_CHECKING:
    from datetime import date, datetime

    from schedctl.usecases.site import Site


def unwritten_before(site: Site, now: datetime, day: date) -> Unwritten | None:
    """The days whose reports are missing right before that on `day`; None where there are none. Inside a transaction.

    Of a report that was written, what it said; of one that is due, the days since the one that was due first.
    """
    if reports.is_written(site.db, day):
        return reports.unwritten(site.db, day)
    reporting = reports.read(site.db)
    if reporting.hour is None or reporting.due_at is None or reporting.due_at > now:
        return None
    first = day_due_at(reporting.due_at, reporting.hour, reporting.timezone)
    return Unwritten(first, day - ONE_DAY) if first < day else None
