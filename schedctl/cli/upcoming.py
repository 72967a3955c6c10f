"""`schedctl upcoming`: a calendar of what will fire."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

import click
from rich.text import Text as Styled

from schedctl.cli import completing, json_view
from schedctl.cli.instants import instant_given
from schedctl.cli.options import common, told
from schedctl.cli.schedule_view import DISARMED
from schedctl.cli.screen import Screen, padded
from schedctl.cli.words import risk_styled
from schedctl.language import Text
from schedctl.usecases.site import open_site
from schedctl.usecases.upcoming import Ahead, Forecast, notes_of, shifted_said, upcoming
from schedctl.when.calendar import holiday_names, is_business_day
from schedctl.when.saying.english import holiday_en
from schedctl.when.saying.moments import day_said, instant_said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.cli.session import Session
    from schedctl.usecases.expected import Expected

EVERY_DAY_SHOWN_UP_TO: Final = timedelta(days=15)
"""In a longer span, days without anything are left out."""
NODES_CELLS: Final = (8, 20)
SATURDAY: Final = 5


@click.command(
    "upcoming",
    help=told(
        "これから実行されるものの暦。変更凍結で見送られる回、休日の振り替え、夏時間、"
        "同じノードでの変更の重なり（計画の時間制限から見て、先の回がまだ続いているかもしれない）も分かる",
        "A calendar of what will fire. It tells what a freeze will skip, what a holiday moved, what daylight saving "
        "does, and where two changes may meet on a node (by the timeouts of their plans)",
    ),
    epilog=told(
        "例:\n  schedctl upcoming --days 30 --node mars\n  schedctl upcoming --until 2026-12-31 --json",
        "Examples:\n  schedctl upcoming --days 30 --node mars\n  schedctl upcoming --until 2026-12-31 --json",
    ),
)
@click.option("--until", metavar="T", help=told("この日（を含む）・時刻まで", "Up to this day (included) or instant"))
@click.option(
    "--days", type=click.IntRange(1, 366), help=told("この日数だけ先まで（初期値 7）", "So many days (default 7)")
)
@click.option(
    "--node",
    metavar="NAME",
    shell_complete=completing.nodes,
    help=told("このノードで動くものだけ", "Only what has work on this node"),
)
@common
def upcoming_command(session: Session, until: str | None, days: int | None, node: str | None) -> None:
    """Show what will fire."""
    if until is not None and days is not None:
        raise click.UsageError(told("--until と --days は同時に使えません", "--until and --days exclude each other"))
    zone = session.settings.timezone
    end = instant_given(until, zone, "--until", whole_day=True)
    with open_site(session.settings) as site:
        forecast = upcoming(site, Ahead(end, days or 7, node, None if session.as_json else zone))
    if session.as_json:
        session.document(_document(session, forecast))
        return
    screen = Screen(session)
    show_forecast(screen, forecast, zone)
    screen.show()


def show_forecast(screen: Screen, forecast: Forecast, zone: str) -> None:
    """Day by day, and below what the calendar does not hold."""
    lang, say = screen.session.lang, screen.session.say
    until = instant_said(forecast.until, zone, lang)
    title = Text(f"{until} までに実行されるもの（{zone}）", f"What will fire up to {until} ({zone})")
    screen.line(say(title), style="bold")
    cells = _nodes_cells(forecast)
    previous = None
    for day, expected in _days(forecast, ZoneInfo(zone)):
        screen.line()
        _show_heading(screen, forecast, day, zone, with_year=previous is None or previous.year != day.year)
        previous = day
        for one in expected:
            _show_expected(screen, one, zone, cells)
        if not expected:
            screen.line("–", style="dim", indent=2)
    screen.line()
    for sentence in _below(forecast):
        screen.next_step(say(sentence))


def _days(forecast: Forecast, zone: ZoneInfo) -> Iterator[tuple[date, list[Expected]]]:
    """The days of the forecast; of a long one (or one that was cut) only those on which something fires."""
    by_day = {
        day: list(same) for day, same in groupby(forecast.expected, key=lambda one: one.at.astimezone(zone).date())
    }
    if forecast.more or forecast.until - forecast.now > EVERY_DAY_SHOWN_UP_TO:
        yield from by_day.items()
        return
    day, last = forecast.now.astimezone(zone).date(), (forecast.until - timedelta(seconds=1)).astimezone(zone).date()
    while day <= last:
        yield day, by_day.get(day, [])
        day += timedelta(days=1)


def _show_heading(screen: Screen, forecast: Forecast, day: date, zone: str, *, with_year: bool) -> None:
    lang, say = screen.session.lang, screen.session.say
    heading = Styled(day_said(day, lang, with_year=with_year), style="bold")
    names = holiday_names(forecast.calendar, day)
    if names:
        said = Text(f"  {'、'.join(names)}", f"  {', '.join(holiday_en(name) for name in names)}")
        heading.append(say(said), style="not bold red")
    elif day.weekday() < SATURDAY and not is_business_day(forecast.calendar, day):
        heading.append(say(Text("  休業日", "  closed")), style="not bold red")
    for freeze in forecast.freezes:
        first, last = (edge.astimezone(ZoneInfo(zone)) for edge in (freeze.start, freeze.end - timedelta(seconds=1)))
        if first.date() <= day <= last.date():
            said = Text(f"  変更凍結: {freeze.reason}", f"  freeze: {freeze.reason}")
            heading.append(say(said), style="not bold yellow")
    screen.styled(heading)


def _show_expected(screen: Screen, one: Expected, zone: str, nodes_cells: int) -> None:
    """A line to read down, and below it what there is to know."""
    lang, local = screen.session.lang, one.at.astimezone(ZoneInfo(zone))
    head = Styled(f"  {local:%H:%M}  {padded(', '.join(one.nodes), nodes_cells)}")
    text = Styled(", ".join(one.actions) + "  ", style="dim" if one.frozen else "")
    text.append_text(risk_styled(one.row.risk, lang))
    name = f" ({one.row.name})" if one.row.name else ""
    text.append(f"  {screen.session.say(Text('予定', 'schedule'))} {one.row.schedule_id}{name}")
    if one.count > 1:
        last = one.last.astimezone(ZoneInfo(zone))
        said = Text(f"  {last:%H:%M} まで {one.count} 回", f"  {one.count} times until {last:%H:%M}")
        text.append(screen.session.say(said))
    if one.row.timezone != zone:
        own = one.at.astimezone(ZoneInfo(one.row.timezone))
        text.append(f"  {own:%H:%M} {one.row.timezone}", style="dim")
    screen.hanging(head, text)
    for note in notes_of(one):
        screen.line(screen.session.say(note), style="yellow", indent=9)


def _below(forecast: Forecast) -> Iterator[Text]:
    if forecast.more:
        yield Text("多いので途中までです → --until や --node で絞れます", "Cut here → narrow it with --until or --node")
    if forecast.pending:
        count = forecast.pending
        yield Text(
            f"承認待ちの予定 {count} 件は入っていません → schedctl list --state pending",
            f"Not in it: {count} pending schedule{'s' if count > 1 else ''} → schedctl list --state pending",
        )
    if not forecast.armed:
        yield DISARMED


def _nodes_cells(forecast: Forecast) -> int:
    least, most = NODES_CELLS
    longest = max((len(", ".join(one.nodes)) for one in forecast.expected), default=0)
    return 2 + min(most, max(least, longest))


def _document(session: Session, forecast: Forecast) -> json_view.Json:
    return {
        "upcoming": [_one(session, one) for one in forecast.expected],
        "until": json_view.instant(forecast.until, session.settings.timezone),
        "more": forecast.more,
        "pending": forecast.pending,
        "armed": forecast.armed,
    }


def _one(session: Session, one: Expected) -> json_view.Json:
    moved = (shifted_said(one.moved_from),) if one.moved_from is not None else ()
    return {
        "schedule": one.row.schedule_id,
        "name": one.row.name,
        "at": json_view.instant(one.at, one.row.timezone),
        "nodes": list(one.nodes),
        "actions": list(one.actions),
        "risk": one.row.risk,
        "frozen": one.frozen,
        "shifted": one.moved_from is not None,
        "collides_with": list(one.collides_with),
        "notes": [session.say(note) for note in (*moved, *one.notes)],
    }
