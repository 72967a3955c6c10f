"""The parts of which a report is made, one fact a row."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.language import Text
from schedctl.report import glyphs
from schedctl.report.period import day_due_at, day_period, due_after, week_period
from schedctl.report.restarts import RestartAt, grouped
from schedctl.report.sentences import alive_said
from schedctl.report.strip import Life, Silence, alive_share, strip_of

if TYPE_CHECKING:
    from schedctl.report.figures import Period

TOKYO: Final = "Asia/Tokyo"
DAY: Final = day_period(date(2026, 12, 4), TOKYO)
LATER: Final = datetime.fromisoformat("2026-12-05T08:00+09:00")


def at(clock: str, day: int = 4) -> datetime:
    return datetime.fromisoformat(f"2026-12-{day:02}T{clock}+09:00")


# ---------------------------------------------------------------- periods


@pytest.mark.parametrize(
    ("zone", "day", "start", "hours"),
    [
        (TOKYO, "2026-12-04", "2026-12-03T15:00Z", 24),
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00Z", 23),  # two becomes three
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00Z", 25),  # three becomes two
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00Z", 23),  # midnight itself is jumped over: 01:00 is its start
        ("America/Havana", "2025-11-02", "2025-11-02T04:00Z", 25),  # midnight comes twice: the first one
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00Z", 0),  # a day that the island never had
    ],
)
def test_a_day_begins_and_ends_with_its_zone(zone: str, day: str, start: str, hours: int) -> None:
    period = day_period(date.fromisoformat(day), zone)
    assert period.start.astimezone(UTC) == datetime.fromisoformat(start)
    assert period.length == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("zone", "now", "due", "day"),
    [
        (TOKYO, "2026-12-04T22:59Z", "2026-12-04T23:00Z", "2026-12-03"),  # a minute before eight: the report before
        (TOKYO, "2026-12-04T23:00Z", "2026-12-05T23:00Z", "2026-12-04"),  # at eight it is the day's turn
        ("America/New_York", "2026-11-01T06:00Z", "2026-11-01T13:00Z", "2026-10-30"),  # the clocks go back that night
        ("America/New_York", "2026-03-07T13:00Z", "2026-03-08T12:00Z", "2026-03-06"),  # 23 hours to the next
        ("Pacific/Apia", "2011-12-29T18:30Z", "2011-12-30T10:00Z", "2011-12-28"),  # the 30th is left out: as it ends
    ],
)
def test_when_the_next_report_is_due(zone: str, now: str, due: str, day: str) -> None:
    instant = datetime.fromisoformat(now)
    assert due_after(instant, time(8), zone).astimezone(UTC) == datetime.fromisoformat(due)
    assert day_due_at(instant, time(8), zone).isoformat() == day


@given(
    now=st.integers(946_684_800, 2_208_988_800).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    minute=st.integers(0, 1439),
    zone=st.sampled_from(
        [TOKYO, "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"]
    ),
)
def test_the_next_one_is_later_and_within_a_day_and_an_hour(now: datetime, minute: int, zone: str) -> None:
    """The database takes a report that is due more than 26 hours ahead for the work of a wrong clock."""
    due = due_after(now, time(*divmod(minute, 60)), zone)
    assert timedelta(0) < due.astimezone(UTC) - now <= timedelta(hours=25)


# ---------------------------------------------------------------- agents


def kinds(life: Life, period: Period = DAY, now: datetime = LATER) -> list[tuple[str, str, str]]:
    return [(one.kind, f"{one.start:%H:%M}", f"{one.end:%H:%M}") for one in strip_of(period, now, life)]


LONG_AGO: Final = at("00:00", 1)


@pytest.mark.parametrize(
    ("life", "strip"),
    [
        (Life(LONG_AGO), "alive 00:00-00:00"),
        (Life(at("10:00")), "unwatched 00:00-10:00 alive 10:00-00:00"),
        (Life(at("10:00", 5)), "unwatched 00:00-00:00"),
        (Life(LONG_AGO, (Silence(at("22:00", 3), at("01:00"), False),)), "silent 00:00-01:00 alive 01:00-00:00"),
        (Life(LONG_AGO, (Silence(at("22:00"), at("03:00", 5), True),)), "alive 00:00-22:00 stopped 22:00-00:00"),
        (  # what an unwell agent did not say hides that it was unwell
            Life(LONG_AGO, (Silence(at("02:00"), at("03:00"), False),), ((at("02:30"), at("04:00")),)),
            "alive 00:00-02:00 silent 02:00-03:00 unwell 03:00-04:00 alive 04:00-00:00",
        ),
        (  # neighbours of a kind are one
            Life(LONG_AGO, (Silence(at("02:00"), at("03:00"), False), Silence(at("03:00"), at("04:00"), False))),
            "alive 00:00-02:00 silent 02:00-04:00 alive 04:00-00:00",
        ),
    ],
)
def test_a_strip(life: Life, strip: str) -> None:
    assert " ".join(f"{kind} {start}-{end}" for kind, start, end in kinds(life)) == strip


def test_a_day_that_is_not_over_ends_ahead() -> None:
    assert kinds(Life(LONG_AGO), now=at("12:00")) == [("alive", "00:00", "12:00"), ("ahead", "12:00", "00:00")]


@given(
    silences=st.lists(st.tuples(st.integers(-60, 1600), st.integers(0, 500), st.booleans()), max_size=8),
    watched=st.integers(-100, 2000),
    now=st.integers(-100, 2000),
    zone=st.sampled_from([TOKYO, "Europe/Berlin", "Australia/Lord_Howe"]),
    day=st.sampled_from([date(2026, 3, 29), date(2026, 10, 25), date(2026, 4, 5), date(2026, 12, 4)]),
)
def test_a_strip_fills_its_period(
    silences: list[tuple[int, int, bool]], watched: int, now: int, zone: str, day: date
) -> None:
    period = day_period(day, zone)

    def minute(number: int) -> datetime:
        return datetime.fromtimestamp(period.start.timestamp() + 60 * number, UTC)

    life = Life(minute(watched), tuple(Silence(minute(a), minute(a + long), said) for a, long, said in silences))
    strip = strip_of(period, minute(now), life)
    assert strip[0].start == period.start
    assert strip[-1].end == period.end
    for before, after in pairwise(strip):
        assert before.end.timestamp() == after.start.timestamp()
        assert before.kind != after.kind
    share = alive_share(strip)
    assert share is None or 0 <= share <= 1
    assert len(glyphs.agent_strip(strip, period)) == glyphs.CELLS


def test_a_minute_of_silence_shows_in_its_letter() -> None:
    strip = strip_of(DAY, LATER, Life(LONG_AGO, (Silence(at("12:00"), at("12:01"), False),)))
    assert glyphs.agent_strip(strip, DAY) == "█" * 24 + "▁" + "█" * 23
    assert alive_said(strip, alive_share(strip), DAY).en == "silent once, 1 min in all (99.9 % well)"


BACKUP: Final = ((3, "backup"),)


@pytest.mark.parametrize(
    ("restarts", "said"),
    [
        ([RestartAt(at("03:05"))], ["once around 03:05"]),
        ([RestartAt(at("03:05")), RestartAt(at("03:07"))], ["2 times around 03:05"]),
        (
            [RestartAt(at("03:05", day), BACKUP) for day in range(1, 5)],
            ["around 03:05 on 4 of 7 days, beside schedule 3 “backup”"],
        ),
        (  # around midnight is one time of day
            [RestartAt(at("23:58", 3)), RestartAt(at("00:03"))],
            ["around 23:58 on 2 of 7 days"],
        ),
        ([RestartAt(at("03:05", 2))], []),  # none within the day
        (  # beside on one of three days is chance
            [RestartAt(at("03:05", 2), BACKUP), RestartAt(at("03:05", 3)), RestartAt(at("03:05"))],
            ["around 03:05 on 3 of 7 days"],
        ),
        ([RestartAt(at("03:05")), RestartAt(at("09:00"))], ["once around 03:05", "once around 09:00"]),
    ],
)
def test_restarts_by_the_time_of_day(restarts: list[RestartAt], said: list[str]) -> None:
    assert [group.message.en for group in grouped(restarts, DAY, 7)] == said


def test_every_day_is_said_as_such() -> None:
    week = week_period(date(2026, 12, 7), TOKYO)
    (group,) = grouped([RestartAt(at("03:05", day), BACKUP) for day in range(1, 8)], week, 7)
    assert group.message == Text(
        "毎日 03:05 ごろ、予定 3「backup」と同じころ", "every day around 03:05, beside schedule 3 “backup”"
    )
