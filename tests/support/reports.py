"""Reports as values, without a database: an empty installation, a quiet day, a terrible day, hostile text."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from schedctl.language import Text
from schedctl.report.agent_model import AgentReport, Segment
from schedctl.report.figures import WORST_FIRST, Cost, DayCost, Period, StateCount
from schedctl.report.model import Calendar, Coming, DayAhead, Report
from schedctl.report.schedule_model import RunCell, ScheduleReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedctl.report.agent_model import SegmentKind
    from schedctl.report.figures import RunState

ZONE: Final = ZoneInfo("Asia/Tokyo")
DAY: Final = date(2026, 11, 29)


def at(clock: str, day: date = DAY) -> datetime:
    """An instant by its clock."""
    return datetime.combine(day, time.fromisoformat(clock), ZONE)


PERIOD: Final = Period("day", DAY, DAY, at("00:00"), at("00:00", DAY + timedelta(days=1)), "Asia/Tokyo")
WEEK: Final = Period(
    "week", DAY - timedelta(days=6), DAY, at("00:00", DAY - timedelta(days=6)), PERIOD.end, "Asia/Tokyo"
)


def cells(*clocks: str, state: RunState = "succeeded", day: date = DAY) -> tuple[RunCell, ...]:
    """A quarter of an hour for each of these clocks."""
    return tuple(RunCell(at(clock, day), at(clock, day) + timedelta(minutes=15), state, 1) for clock in clocks)


def counts_of(strip: Iterable[RunCell]) -> tuple[StateCount, ...]:
    """What the cells hold, worst first."""
    found: dict[RunState, int] = {}
    for cell in strip:
        found[cell.state] = found.get(cell.state, 0) + cell.count
    return tuple(StateCount(state, found[state]) for state in WORST_FIRST if state in found)


def schedule(number: int, title: str, strip: tuple[RunCell, ...], **more: object) -> ScheduleReport:
    """A schedule of which these cells are known."""
    plain = ScheduleReport(
        number,
        title,
        f"毎日{title}",
        "active",
        None,
        False,
        "reads",
        ("mars",),
        counts_of(strip),
        0,
        strip,
        None,
        (),
        0,
        None,
        None,
    )
    return replace(plain, **more)


def cost(subject: Text, *tokens: int | None, cycles: int = 100) -> Cost:
    """Seven days of tokens per cycle, the last one being the report's."""
    days = tuple(
        DayCost(DAY - timedelta(days=6 - number), 0 if mean is None else cycles, (mean or 0) * cycles)
        for number, mean in enumerate(tokens)
    )
    before = [mean for mean in tokens[:-1] if mean is not None]
    baseline = sum(before) / len(before) if before else None
    latest = tokens[-1]
    said = Text(
        f"1周 {latest or 0:,} トークン（これまでの平均 {baseline or 0:,.0f}）",
        f"{latest or 0:,} tokens per cycle (mean so far {baseline or 0:,.0f})",
    )
    return Cost(subject, days, (latest or 0) * cycles, cycles, latest, baseline, None, said)


def segments(*parts: tuple[SegmentKind, str], until: datetime = PERIOD.end) -> tuple[Segment, ...]:
    """Segments that follow each other, each by its kind and the clock at which it begins."""
    starts = [at(clock) for _, clock in parts]
    ends = [*starts[1:], until]
    return tuple(Segment(kind, a, b) for (kind, _), a, b in zip(parts, starts, ends, strict=True))


def agent(name: str, strip: tuple[Segment, ...], **more: object) -> AgentReport:
    """An agent with this strip."""
    plain = AgentReport(
        name,
        Text("実行役", "executor"),
        "ok",
        strip,
        1.0,
        Text("一日中生きていた", "alive all day"),
        (),
        (),
        0,
        (),
        0,
        None,
        (),
    )
    return replace(plain, **more)


def coming(clock: str, number: int, title: str, day: date, **more: object) -> Coming:
    """An occurrence ahead."""
    instant = at(clock, day)
    plain = Coming(instant, instant, 1, number, title, ("mars",), ("packages.refresh",), "reads", None, None, (), ())
    return replace(plain, **more)


def calendar(by_day: Mapping[int, tuple[Coming, ...]], freezes: Mapping[int, str] | None = None) -> Calendar:
    """Seven days from the day after the report's, those with something by their number."""
    days: list[DayAhead] = []
    for number in range(7):
        day = DAY + timedelta(days=1 + number)
        reason = (freezes or {}).get(number)
        days.append(DayAhead(day, (), (reason,) if reason else (), by_day.get(number, ())))
    return Calendar(tuple(days), False, 0)


def empty() -> Report:
    """An installation in which nobody has registered anything."""
    return Report(
        PERIOD,
        at("07:00", DAY + timedelta(days=1)),
        False,
        False,
        (Text("予定はまだありません。未点火です。", "There are no schedules yet, and it is disarmed."),),
        (),
        (),
        (),
        0,
        (),
        (),
        0,
        (),
        (),
        0,
        calendar({}),
    )


def quiet() -> Report:
    """A day on which everything went as planned."""
    backup = schedule(3, "backup", cells("03:00"), risk="changes")
    disk = schedule(4, "ディスク使用量の確認", cells("09:00", "15:00"))
    probe = schedule(
        5,
        "probe",
        tuple(RunCell(at(f"{h:02}:00"), at(f"{h:02}:00") + timedelta(hours=1), "succeeded", 12) for h in range(23)),
    )
    listed = (backup, disk, probe)
    ahead = {
        number: (
            coming("03:00", 3, "backup", DAY + timedelta(days=1 + number), risk="changes"),
            coming("09:00", 4, "ディスク使用量の確認", DAY + timedelta(days=1 + number)),
        )
        for number in range(7)
    }
    said = Text(
        "静かな一日でした: 279 回がすべて成功し、人の手が要ることはありません。",
        "A quiet day: all 279 runs succeeded, and nothing needs a person.",
    )
    return replace(
        empty(),
        armed=True,
        first_lines=(said,),
        counts=(StateCount("succeeded", 279),),
        schedules=listed,
        agents=(agent("executor", segments(("alive", "00:00"))),),
        costs=(cost(Text("エージェント executor", "Agent executor"), 1180, 1202, 1175, 1190, 1210, 1188, 1195),),
        ahead=calendar(ahead),
    )


def week() -> Report:
    """A week of which each day had its backup, and one did not."""
    days = [DAY - timedelta(days=6 - number) for number in range(7)]
    strip = tuple(
        RunCell(at("03:00", day), at("04:00", day), "missed" if day == days[2] else "succeeded", 1) for day in days
    )
    backup = schedule(3, "backup", strip, risk="changes")
    life = (Segment("alive", WEEK.start, WEEK.end),)
    return replace(quiet(), period=WEEK, schedules=(backup,), counts=backup.counts, agents=(agent("executor", life),))
