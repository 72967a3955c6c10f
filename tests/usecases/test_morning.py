"""The report of each morning: once a day, whoever ticks, whatever the clock does, and never in the way of firing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from days import worker
from jsonschema import Draft202012Validator
from making import BREAKS, READS, add
from receivers import receiving
from telling import WEBHOOK, at, outbox_of, secrets, send, telling_site

from schedctl.cli.start import SCHEMA_VERSION
from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.redact import Redactor
from schedctl.store import reports
from schedctl.store.probe import glance
from schedctl.usecases import installation, morning
from schedctl.usecases.adoption import adopt
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.usecases.site import Site

AT_EIGHT = 'report = { at = "08:00", timezone = "Asia/Tokyo" }\n'
ROUTE = WEBHOOK + '[[routes]]\nchannels = ["ops"]\nevents = ["report_written"]\n'
SCHEMA: Final = Path(__file__).parents[2] / "docs" / "events.schema.json"
BEFORE = "2037-12-01T10:00+09:00"


@pytest.fixture
def home(database: str, tmp_path: Path) -> Iterator[Site]:
    """An installation of Tuesday morning, 1 December, with a report at eight and a channel for it."""
    with telling_site(database, tmp_path, AT_EIGHT + ROUTE) as site:
        site.db.execute("UPDATE schedctl.reporting SET due_at = NULL")
        tick(at(site, BEFORE))
        yield site


def written(site: Site) -> list[str]:
    """The days of the reports that there are."""
    return [str(row[0]) for row in site.db.execute("SELECT day FROM schedctl.report ORDER BY day").fetchall()]


def due_at(site: Site) -> str:
    row = site.db.execute("SELECT due_at AT TIME ZONE 'Asia/Tokyo' FROM schedctl.reporting").fetchone()
    assert row is not None
    return str(row[0])


def details(site: Site) -> list[dict[str, Any]]:
    query = "SELECT detail FROM schedctl.event WHERE type = 'report_written' ORDER BY event_id"
    return [row[0] for row in site.db.execute(query).fetchall()]


def test_the_first_report_comes_on_the_next_morning_and_tells_of_the_day_before(home: Site) -> None:
    assert due_at(home) == "2037-12-02 08:00:00"
    tick(at(home, "2037-12-02T07:59:59+09:00"))
    assert written(home) == []
    tick(at(home, "2037-12-02T08:00:00+09:00"))
    assert written(home) == ["2037-12-01"]
    assert due_at(home) == "2037-12-03 08:00:00"
    (notice,) = outbox_of(home)
    assert (notice["type"], notice["channel"], notice["state"]) == ("report_written", "ops", "queued")
    assert (notice["detail"]["day"], notice["detail"]["needs"]) == ("2037-12-01", 0)


def test_every_further_tick_of_the_day_writes_none(home: Site) -> None:
    for now in ("2037-12-02T08:00:10+09:00", "2037-12-02T08:01+09:00", "2037-12-02T23:59+09:00"):
        tick(at(home, now))
    assert (written(home), len(outbox_of(home))) == (["2037-12-01"], 1)


def test_before_the_hour_of_the_day_the_last_one_due_is_of_two_days_ago(home: Site) -> None:
    tick(at(home, "2037-12-05T03:00+09:00"))
    assert written(home) == ["2037-12-03"]
    assert due_at(home) == "2037-12-05 08:00:00"


def test_a_disarmed_installation_reports_too(home: Site) -> None:
    add(at(home, BEFORE), "daily at 03:00 in Asia/Tokyo")
    for now in ("2037-12-02T03:00:30+09:00", "2037-12-03T03:00:30+09:00", "2037-12-03T08:00+09:00"):
        tick(at(home, now))
    said = "A quiet day; 1 rehearsed; the installation is disarmed, so nothing runs."
    assert details(home)[-1]["report"]["en"] == said


def passes(home: Site, now: str) -> None:
    """A tick, and a worker that takes what it enqueued."""
    tick(site := at(home, now))
    drain(worker(site))


def test_a_quiet_day_is_one_line_and_a_bad_one_begins_with_what_is_needed(home: Site) -> None:
    installation.arm(at(home, BEFORE), None)
    add(at(home, BEFORE), "daily at 03:00 in Asia/Tokyo", READS, say="確認")
    for now in ("2037-12-02T03:00:30+09:00", "2037-12-03T03:00:30+09:00", "2037-12-03T08:00+09:00"):
        passes(home, now)
    assert details(home)[-1]["report"]["ja"] == "静かな一日でした。1 回、成功。"
    add(at(home, "2037-12-03T10:00+09:00"), "daily at 11:00 in Asia/Tokyo", BREAKS, say="壊れる更新")
    for now in ("2037-12-03T11:00:30+09:00", "2037-12-04T03:00:30+09:00", "2037-12-04T08:00+09:00"):
        passes(home, now)
    said = details(home)[-1]["report"]
    assert said["ja"].splitlines()[:3] == [
        "人の手が要るもの:",
        "- この24時間に、うまくいかなかった回が 1 回あります → schedctl runs --errors",
        "- 予定 2「壊れる更新」は、12/03（木）11:00 の回（失敗）のあと、まだ成功していません → schedctl logs 3",
    ]
    assert said["en"].endswith("→ schedctl report --day 2037-12-03")


def test_it_is_sent_through_the_channels(home: Site) -> None:
    tick(at(home, "2037-12-02T08:00+09:00"))
    with receiving() as receiver:
        assert send(home, secrets(receiver.url)).sent == 1
        (got,) = receiver.got
    data = got.json["data"]
    assert data["severity"] == "info"
    assert data["title"] == {"ja": "[schedctl] 日報 2037-12-01", "en": "[schedctl] daily report 2037-12-01"}
    assert data["text"] == data["detail"]["report"]
    assert data["text"]["en"].startswith("A quiet day; the installation is disarmed")
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(got.json)


def test_a_report_that_asks_for_a_person_arrives_as_a_warning(home: Site) -> None:
    installation.arm(at(home, BEFORE), None)
    add(at(home, BEFORE), "daily at 11:00 in Asia/Tokyo", BREAKS)
    for now in ("2037-12-01T11:00:30+09:00", "2037-12-02T08:00+09:00"):
        passes(home, now)
    with receiving() as receiver:
        assert send(home, secrets(receiver.url)).sent == 1
        (got,) = receiver.got
    assert (got.json["data"]["severity"], got.json["data"]["detail"]["needs"]) == ("warning", 2)


def test_off_writes_none_and_asks_for_nothing(home: Site, tmp_path: Path) -> None:
    policy = tmp_path / "catalog" / "policy.toml"
    policy.write_text(policy.read_text().replace('"08:00"', '"off"'))
    adopt(at(home, "2037-12-02T07:00+09:00"), dry_run=False)
    tick(at(home, "2037-12-02T09:00+09:00"))
    assert (written(home), due_at(home)) == ([], "None")


def test_another_hour_counts_from_its_adoption_on(home: Site, tmp_path: Path) -> None:
    tick(at(home, "2037-12-02T08:00+09:00"))
    policy = tmp_path / "catalog" / "policy.toml"
    policy.write_text(policy.read_text().replace("08:00", "09:30"))
    adopt(at(home, "2037-12-02T09:00+09:00"), dry_run=False)
    assert due_at(home) == "2037-12-02 09:30:00"
    tick(at(home, "2037-12-02T09:30+09:00"))
    assert (written(home), due_at(home)) == (["2037-12-01"], "2037-12-03 09:30:00")


def test_a_clock_that_was_ahead_keeps_no_report_from_its_day(home: Site) -> None:
    """By a clock of next week a report was written, and the one after it is due next week as well."""
    tick(at(home, "2037-12-09T08:00+09:00"))
    assert written(home) == ["2037-12-08"]
    tick(at(home, "2037-12-02T07:00+09:00"))
    assert (written(home), due_at(home)) == ([], "2037-12-02 08:00:00")
    for day in range(2, 10):
        tick(at(home, f"2037-12-{day:02}T08:00:30+09:00"))
    assert written(home) == [f"2037-12-{day:02}" for day in range(1, 9)]


def test_a_clock_that_went_back_a_little_writes_none_twice(home: Site) -> None:
    tick(at(home, "2037-12-02T08:00:30+09:00"))
    tick(at(home, "2037-12-02T07:30+09:00"))
    tick(at(home, "2037-12-02T08:00:40+09:00"))
    assert (written(home), len(outbox_of(home))) == (["2037-12-01"], 1)


@pytest.mark.parametrize(
    ("zone", "now", "day", "next_due"),
    [
        ("America/New_York", "2037-11-01T13:00Z", "2037-10-31", "2037-11-02T13:00Z"),  # the day of 25 hours has begun
        ("America/New_York", "2037-11-02T13:00Z", "2037-11-01", "2037-11-03T13:00Z"),  # and is told as one day
        ("America/New_York", "2026-03-08T12:00Z", "2026-03-07", "2026-03-09T12:00Z"),  # that of 23 hours
        ("Asia/Kathmandu", "2037-12-02T02:15Z", "2037-12-01", "2037-12-03T02:15Z"),
        ("Pacific/Kiritimati", "2037-12-02T18:00Z", "2037-12-02", "2037-12-03T18:00Z"),  # 14 hours ahead
    ],
)
def test_the_hour_is_that_of_the_zone(home: Site, tmp_path: Path, zone: str, now: str, day: str, next_due: str) -> None:
    policy = tmp_path / "catalog" / "policy.toml"
    policy.write_text(policy.read_text().replace("Asia/Tokyo", zone))
    adopt(at(home, f"{now[:10]}T00:00:00+00:00"), dry_run=False)
    home.db.execute("UPDATE schedctl.reporting SET due_at = %s", (now,))
    tick(at(home, now.replace("Z", "+00:00")))
    assert written(home) == [day]
    row = home.db.execute("SELECT due_at = %s FROM schedctl.reporting", (next_due,)).fetchone()
    assert row == (True,)


def test_a_report_that_fails_is_told_put_off_and_harms_no_firing(home: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site = at(home, BEFORE)
    installation.arm(site, None)
    add(site, "daily at 08:00 in Asia/Tokyo")

    def fails(*_: object) -> None:
        raise OperationFailed("database_busy", Text("混んでいます", "busy"), passing=True)

    monkeypatch.setattr(morning, "gather", fails)
    report = tick(at(home, "2037-12-02T08:00:30+09:00"))
    assert report.fired == 1
    assert [warning.en for warning in report.warnings] == [
        "The daily report could not be written and is tried again in 10 min: busy"
    ]
    assert tick(at(home, "2037-12-02T08:01:30+09:00")).warnings == []
    assert written(home) == []
    monkeypatch.undo()
    home.db.execute("UPDATE schedctl.reporting SET not_before = clock_timestamp()")
    tick(at(home, "2037-12-02T08:11:30+09:00"))
    assert written(home) == ["2037-12-01"]


def test_a_bug_in_the_report_ends_no_tick(home: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(morning, "gather", lambda *_: {}["nothing"])
    assert "KeyError" in tick(at(home, "2037-12-02T08:00:30+09:00")).warnings[0].en


def test_its_time_is_bounded(home: Site) -> None:
    (warning,) = morning.write(at(home, "2037-12-02T08:00+09:00"), Redactor(), ends_at=0.0)
    assert "Its figures took too long" in warning.en
    assert written(home) == []


def test_a_glance_knows_when_one_is_due(home: Site, database: str) -> None:
    reports.move(home.db, home.db.execute("SELECT now() + interval '1 hour'").fetchone()[0])  # type: ignore[index]
    home.db.execute("UPDATE schedctl.tick_beat SET at = now() - interval '1 minute'")
    assert glance(database, "tick", "h1", SCHEMA_VERSION) == "idle disarmed"
    for due in ("now()", "now() + interval '27 hours'", "NULL"):
        home.db.execute(f"UPDATE schedctl.reporting SET due_at = {due}")  # noqa: S608 - the test's own words
        assert glance(database, "tick", "h1", SCHEMA_VERSION) == "busy"
        reports.put_off(home.db, morning.PUT_OFF_FOR)
        assert glance(database, "tick", "h1", SCHEMA_VERSION) == "idle disarmed"
        home.db.execute("UPDATE schedctl.reporting SET not_before = '-infinity'")


def test_a_secret_in_an_instruction_is_not_told(home: Site) -> None:
    site = at(home, BEFORE)
    installation.arm(site, None)
    add(site, "daily at 03:00 in Asia/Tokyo", BREAKS, say="password=hunter2hunter2 で tokentokentoken を確認")
    tick(now := at(home, "2037-12-02T03:00:30+09:00"))
    drain(worker(now))
    tick(at(home, "2037-12-03T08:00+09:00"), Redactor.of(("tokentokentoken",)))
    said = str(details(home)[-1])
    assert "予定 1「password=[redacted]" in said
    assert "hunter2" not in said
    assert "tokentoken" not in said
