"""What the status page is made of, from a real installation: and what is never in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_stories import Story
from days import BEFORE, DAILY, day_of, due
from making import CHANGES, READS, add
from telling import at

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.report.html import render_page
from schedctl.report.page_model import Runs
from schedctl.usecases import installation, nodes
from schedctl.usecases.page import see
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

SECRET: Final = 'pa"ss<wo>rd&1'
SAYS: Final = (Request("mars", "probe.says"),)
CLAIM: Final = "SELECT leg_id FROM schedctl.claim('w', 'testhost')"


def test_seven_days_as_strips(site: Site) -> None:
    before = at(site, BEFORE)
    installation.arm(before, "導入")
    number = add(before, DAILY, SAYS, say="毎日3時")
    day_of(site, 2)
    day_of(site, 3, outcome="failed")
    page = see(at(site, "2026-12-04T08:00+09:00"), "本番", Redactor())
    assert isinstance(page.runs, Runs)
    (schedule,) = page.runs.schedules
    assert schedule.schedule_id == number
    assert [(cell.start.day, cell.start.hour, cell.state) for cell in schedule.strip] == [
        (2, 3, "succeeded"),
        (3, 3, "failed"),
    ]
    assert (page.period.first.day, page.period.last.day) == (28, 4)
    assert [day.day.day for day in page.ahead.days] == [4, 5, 6, 7, 8, 9, 10]
    assert [len(day.coming) for day in page.ahead.days] == [0, 1, 1, 1, 1, 1, 1]
    assert page.switch.since.isoformat() == "2026-12-01T10:00:00+09:00"
    assert (page.switch.reason, page.title) == ("導入", "本番")


def test_what_goes_on_now(site: Site) -> None:
    before = at(site, BEFORE)
    installation.arm(before, None)
    add(before, DAILY, READS, say="毎日3時の確認")
    add(before, DAILY, CHANGES, say="毎日3時の更新")
    nodes.hold(before, "jupiter", "電源工事")
    now = at(site, due(2))
    tick(now)
    with now.transaction():
        now.db.execute(CLAIM)
    page = see(now, None, Redactor())
    assert [(one.node, one.title, one.schedule_id) for one in page.running] == [("mars", "毎日3時の確認", 1)]
    assert (page.running_legs, page.queued) == (1, 1)
    assert [(one.node, one.reason) for one in page.held] == [("jupiter", "電源工事")]
    assert [beat.host for beat in page.ticks] == ["testhost"]


def test_a_restart_is_told_by_its_agent(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.beat()
    assert story.passes(4) == "restarting"
    story.restart_begins()
    page = see(story.site, None, Redactor())
    assert [(one.title, one.schedule_id, one.node) for one in page.running] == [("executor", None, "mars")]
    assert '再起動: <bdi lang="en">executor</bdi>' in render_page(page, "ja")


def test_what_needs_a_person_is_what_status_says(site: Site) -> None:
    before = at(site, BEFORE)
    installation.arm(before, None)
    add(before, DAILY, say="毎日3時")
    day_of(site, 2, outcome="failed")
    page = see(at(site, "2026-12-02T10:00+09:00"), None, Redactor())
    assert {need.type for need in page.needs} >= {"went_wrong"}


def test_no_command_no_output_and_no_secret_is_in_it(site: Site) -> None:
    before = at(site, BEFORE)
    installation.arm(before, f"because of {SECRET}")
    add(before, DAILY, SAYS, say=f"毎日 {SECRET} と password=hunter2hunter2")
    nodes.hold(before, "jupiter", SECRET)
    day_of(site, 2)
    day_of(site, 3, outcome="failed")
    document = render_page(see(at(site, due(4)), SECRET, Redactor.of([SECRET])), "en")
    for hidden in (SECRET, "pa&#34;ss", "hunter2hunter2", "printf", "こんにちは"):
        assert hidden not in document
    assert document.count("[redacted]") > 4


def test_it_only_reads(site: Site) -> None:
    installation.arm(site, None)
    written = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables"
    with site.transaction():
        before = site.db.execute(written).fetchone()
        see(site, None, Redactor())
        assert site.db.execute(written).fetchone() == before
