"""After days without a tick one report is written, and it says which days nobody was told of."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from telling import WEBHOOK, at, outbox_of, telling_site

from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.redact import Redactor
from schedctl.usecases import morning
from schedctl.usecases.adoption import adopt
from schedctl.usecases.report import Wanted, make
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedctl.usecases.site import Site

POLICY = (
    'report = { at = "08:00", timezone = "Asia/Tokyo" }\n'
    + WEBHOOK
    + '[[routes]]\nchannels = ["ops"]\nevents = ["report_written"]\n'
)
FRIDAY = "2037-12-04T08:00+09:00"
MONDAY = "2037-12-07T09:30+09:00"


@pytest.fixture
def home(database: str, tmp_path: Path) -> Iterator[Site]:
    """An installation whose report on Thursday was written on Friday morning; then its timers were off."""
    with telling_site(database, tmp_path, POLICY) as site:
        site.db.execute("UPDATE schedctl.reporting SET due_at = NULL")
        tick(at(site, "2037-12-04T07:00+09:00"))
        tick(at(site, FRIDAY))
        yield site


def written(site: Site) -> list[str]:
    return [str(row[0]) for row in site.db.execute("SELECT day FROM schedctl.report ORDER BY day").fetchall()]


def last_told(site: Site) -> dict[str, Any]:
    query = "SELECT detail FROM schedctl.event WHERE type = 'report_written' ORDER BY event_id DESC LIMIT 1"
    row = site.db.execute(query).fetchone()
    assert row is not None
    return row[0]


def untold(site: Site, day: str) -> list[str]:
    """What the report on a day says of days that were not reported."""
    report = make(site, Wanted(day=date.fromisoformat(day)), Redactor())
    return [need.message.en for need in report.needs if need.type == "not_reported"]


def test_one_report_says_which_days_were_not_reported_and_how_to_see_them(home: Site) -> None:
    tick(at(home, MONDAY))
    tick(at(home, "2037-12-07T09:31+09:00"))
    assert written(home) == ["2037-12-03", "2037-12-06"]
    assert len(outbox_of(home)) == 2
    told = last_told(home)
    assert told["unwritten"] == {"first": "2037-12-04", "last": "2037-12-05"}
    assert told["needs"] == 1
    assert told["report"]["ja"].splitlines()[:2] == [
        "人の手が要るもの:",
        "- 12/04（金）から12/05（土）まで 2 日分の日報は書かれていません"
        "（書くはずの時刻に tick がなかったか、書けませんでした）。1日ずつ見るには → schedctl report --day 2037-12-04",
    ]
    assert told["report"]["en"].splitlines()[1] == (
        "- The reports on 2 days, Fri 4 Dec to Sat 5 Dec, were not written: no tick came when they were due, "
        "or none could write them; to see them day by day → schedctl report --day 2037-12-04"
    )


def test_each_of_these_days_can_be_asked_for(home: Site) -> None:
    tick(at(home, MONDAY))
    for day in ("2037-12-04", "2037-12-05"):
        assert make(at(home, MONDAY), Wanted(day=date.fromisoformat(day)), Redactor()).complete


def test_a_single_day_is_named(home: Site) -> None:
    tick(at(home, "2037-12-06T08:00+09:00"))
    assert last_told(home)["unwritten"] == {"first": "2037-12-04", "last": "2037-12-04"}
    assert "The report on Fri 4 Dec was not written: no tick came when it was due" in last_told(home)["report"]["en"]


def test_whoever_asks_for_the_report_reads_the_same(home: Site) -> None:
    """Before a tick has written it, and afterwards; the day's own records say it, and a week later it is no need."""
    before = untold(at(home, MONDAY), "2037-12-06")
    tick(at(home, MONDAY))
    assert before == untold(at(home, "2037-12-07T18:00+09:00"), "2037-12-06") != []
    assert untold(at(home, "2037-12-14T18:00+09:00"), "2037-12-06") == []


@pytest.mark.parametrize("now", ["2037-12-05T08:00+09:00", "2037-12-06T07:59+09:00"])  # a late one is not missing
def test_no_day_is_missing_where_the_next_report_follows(home: Site, now: str) -> None:
    tick(at(home, now))
    assert (written(home), "unwritten" in last_told(home)) == (["2037-12-03", "2037-12-04"], False)
    tick(at(home, "2037-12-06T08:00+09:00"))
    assert "unwritten" not in last_told(home)


def test_the_report_after_that_says_nothing_of_it(home: Site) -> None:
    tick(at(home, MONDAY))
    tick(at(home, "2037-12-08T08:00+09:00"))
    assert written(home)[-1] == "2037-12-07"
    assert "unwritten" not in last_told(home)


def test_days_for_which_none_was_wanted_are_not_missing(home: Site, tmp_path: Path) -> None:
    policy = tmp_path / "catalog" / "policy.toml"
    wanted = policy.read_text()
    policy.write_text(wanted.replace('"08:00"', '"off"'))
    adopt(at(home, "2037-12-04T09:00+09:00"), dry_run=False)
    policy.write_text(wanted)
    adopt(at(home, "2037-12-09T09:00+09:00"), dry_run=False)
    tick(at(home, "2037-12-10T08:00+09:00"))
    assert (written(home)[-1], "unwritten" in last_told(home)) == ("2037-12-09", False)


def test_days_on_which_it_could_not_be_written_are_missing_too(home: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OperationFailed("database_busy", Text("混んでいます", "busy"), passing=True)

    with monkeypatch.context() as broken:
        broken.setattr(morning, "gather", fails)
        for day in (5, 6):
            home.db.execute("UPDATE schedctl.reporting SET not_before = '-infinity'")
            assert tick(at(home, f"2037-12-{day:02}T08:00+09:00")).warnings
    home.db.execute("UPDATE schedctl.reporting SET not_before = '-infinity'")
    tick(at(home, MONDAY))
    assert last_told(home)["unwritten"] == {"first": "2037-12-04", "last": "2037-12-05"}
