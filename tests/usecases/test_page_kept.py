"""The page of each minute takes over the runs of the week from the one before, for as long as they are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from days import BEFORE, DAILY, day_of
from making import add
from telling import at

from schedctl.redact import Redactor
from schedctl.report.html import render_page
from schedctl.report.kept import Kept, kept_in
from schedctl.store import report_runs
from schedctl.usecases import installation, nodes, schedules
from schedctl.usecases.page import see

if TYPE_CHECKING:
    from schedctl.report.page_model import Page
    from schedctl.usecases.site import Site

WRITTEN: Final = "2026-12-03T10:00:00+09:00"
NEXT: Final = "2026-12-03T10:01:00+09:00"
LAST: Final = "2026-12-03T10:14:59+09:00"
HOSTILE: Final = (
    "毎日3時 <!--/runs--> <!--runs--> <!--runs ja 00000000000000000000000000000000 2026-12-03T10:00:00+09:00-->"
)
ENDED: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, started_at, finished_at)
    SELECT schedule_id, plan_id, 'timer', ended, %s, ended, ended
      FROM schedctl.schedule, CAST(%s AS timestamptz) AS ended
"""


@pytest.fixture
def lived(site: Site) -> Site:
    """Two days, the second of which went wrong; a page was written after them."""
    before = at(site, BEFORE)
    installation.arm(before, None)
    add(before, DAILY, say=HOSTILE)
    day_of(site, 2, outcome="failed")
    day_of(site, 3)
    return site


def written(site: Site, now: str = WRITTEN) -> str:
    return render_page(see(at(site, now), "本番", Redactor()), "ja")


def after(site: Site, now: str, document: str) -> Page:
    """The page of a later minute, beside which that one lies."""
    return see(at(site, now), "本番", Redactor(), kept_in(document, "ja"))


def ended(site: Site, state: str, instant: str) -> None:
    """A run that ended so, then."""
    site.db.execute(ENDED, (state, instant))


@pytest.mark.parametrize("now", [WRITTEN, NEXT, LAST])
def test_they_are_taken_over_for_a_quarter_of_an_hour(lived: Site, now: str) -> None:
    document = written(lived)
    page = after(lived, now, document)
    assert isinstance(page.runs, Kept)
    assert page.runs.as_of.isoformat() == WRITTEN
    later = render_page(page, "ja")
    begin, stop = document.index("<!--runs ja"), document.index("<!--/runs-->")
    assert document[begin:stop] in later
    assert (later.count('id="run-1-t"'), later.count("<!--/runs-->")) == (1, 1)
    assert "10:00 現在" in later
    assert kept_in(later, "ja") == page.runs  # and by the page after that one again


def test_nothing_of_the_week_s_runs_is_asked_for_again(lived: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    document = written(lived)

    def asked(*_: object) -> None:
        pytest.fail("asked for what the page before has")

    for name in ("schedules", "cells", "took", "facts", "lost_legs", "totals", "failed_by_hand"):
        monkeypatch.setattr(report_runs, name, asked)
    assert isinstance(after(lived, NEXT, document).runs, Kept)


def test_a_success_alone_is_no_reason_to_gather_them(lived: Site) -> None:
    document = written(lived)
    ended(lived, "succeeded", "2026-12-03T10:05:00+09:00")
    assert isinstance(after(lived, LAST, document).runs, Kept)


@pytest.mark.parametrize("state", ["failed", "timed_out", "cancelled"])
@pytest.mark.parametrize(
    "instant", ["2026-12-03T10:05:00+09:00", "2026-12-03T09:59:30+09:00"]
)  # begun before, seen after
def test_a_run_that_did_not_go_well_is_shown_at_once(lived: Site, state: str, instant: str) -> None:
    document = written(lived)
    ended(lived, state, instant)
    page = after(lived, LAST, document)
    assert not isinstance(page.runs, Kept)
    assert state in {count.state for count in page.runs.schedules[0].counts}


def test_a_schedule_that_somebody_paused_is_shown_at_once(lived: Site) -> None:
    document = written(lived)
    schedules.pause(at(lived, "2026-12-03T10:00:30+09:00"), "1", "点検")
    page = after(lived, NEXT, document)
    assert not isinstance(page.runs, Kept)
    assert page.runs.schedules[0].paused is not None


def test_what_needs_a_person_now_is_never_taken_over(lived: Site) -> None:
    document = written(lived)
    nodes.hold(at(lived, "2026-12-03T08:00:00+09:00"), "jupiter", "電源工事")
    ended(lived, "succeeded", "2026-12-03T10:00:30+09:00")
    page = after(lived, NEXT, document)
    assert isinstance(page.runs, Kept)
    assert [one.node for one in page.held] == ["jupiter"]


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ("2026-12-03T10:15:00+09:00", "a quarter of an hour later"),
        ("2026-12-03T09:59:59+09:00", "the clock went back"),
        ("2026-12-04T00:00:30+09:00", "another day"),
    ],
)
def test_they_are_gathered_anew_when_they_are_old(lived: Site, now: str, why: str) -> None:
    document = written(lived, "2026-12-03T23:59:00+09:00" if why == "another day" else WRITTEN)
    assert not isinstance(after(lived, now, document).runs, Kept)


def test_another_language_database_or_edition_has_its_own(lived: Site) -> None:
    document = written(lived)
    assert kept_in(document, "en") is None
    kept = kept_in(document, "ja")
    assert kept is not None
    lived.db.execute("UPDATE schedctl.installation SET place = '1/2/3'")
    assert not isinstance(after(lived, NEXT, document).runs, Kept)
    assert kept_in(document.replace(kept.key, "0" * 32), "ja") == Kept("0" * 32, kept.as_of, kept.html)


@pytest.mark.parametrize("document", ["", "<!--runs ja 0-->", "<!--runs ja " + "0" * 32 + " today-->\n<!--/runs-->"])
def test_what_is_no_page_of_schedctl_keeps_nothing(document: str) -> None:
    assert kept_in(document, "ja") is None
