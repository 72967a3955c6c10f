"""How a report looks on a terminal: the first lines, then section by section, with strips where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text as Styled

from schedctl.language import Text
from schedctl.report.glyphs import CELLS, LEGEND, RUN_LEGEND
from schedctl.report.markdown import title
from schedctl.report.outline import outline
from schedctl.report.period import WEEK, days_up_to, start_of
from schedctl.report.sentences import so_far_said

if TYPE_CHECKING:
    from schedctl.cli.screen import Screen
    from schedctl.report.figures import Period
    from schedctl.report.model import Report
    from schedctl.report.outline import Line, Section, Tone

STYLES: Final[dict[Tone, str]] = {"plain": "", "need": "bold red", "bad": "yellow", "good": "green", "note": "dim"}
MARKS: Final[dict[Tone, str]] = {"need": "! "}
INDENT: Final = 2
TOO_NARROW: Final = CELLS + 8
"""Cells: on a narrower terminal strips are left out."""
HOURS: Final = (0, 6, 12, 18)


def show_report(screen: Screen, report: Report) -> None:
    """The whole report; a quiet day is its title and one line."""
    say = screen.session.say
    screen.line(say(title(report)) + f"  ({report.period.zone})", style="bold")
    if report.rehearsal:
        screen.line(say(Text("リハーサルの時計で作りました", "made by a rehearsal's clock")), style="yellow")
    if not report.complete:
        screen.line(say(so_far_said(report)), style="dim")
    if not report.needs:
        screen.line(say(report.first_lines[0]), style="green")
    if report.quiet:
        return
    for section in outline(report):
        _show_section(screen, section, report.period)


def _show_section(screen: Screen, section: Section, period: Period) -> None:
    screen.line()
    screen.line(screen.session.say(section.heading), style="bold")
    for line in section.lines:
        _show_line(screen, line)
    legend = {"agents": LEGEND, "runs": RUN_LEGEND}.get(section.name)
    if legend is None or not any(line.letters for line in section.lines) or screen.width < TOO_NARROW:
        return
    screen.line(_scale(period), style="dim", indent=2 * INDENT)
    screen.line(screen.session.say(legend), style="dim", indent=2 * INDENT)


def _show_line(screen: Screen, line: Line) -> None:
    head = Styled(" " * INDENT * (line.level + 1) + MARKS.get(line.tone, ""), style=STYLES[line.tone])
    screen.hanging(head, Styled(" ".join(screen.session.say(line.text).split()), style=STYLES[line.tone]))
    if line.letters and screen.width >= TOO_NARROW:
        screen.line(line.letters, indent=INDENT * (line.level + 2))


def _scale(period: Period) -> str:
    """What stands below the strips: the hours of a day, the days of a week, each where it begins."""
    letters = [" "] * (CELLS + 2)
    if period.kind == "day":
        marks = [(period.start.replace(hour=hour, minute=0), f"{hour:02}") for hour in HOURS]
    else:
        days = days_up_to(period.last, WEEK)
        marks = [(start_of(day, period.zone), f"{day:%d}") for day in days]
    for instant, mark in marks:
        place = int(period.share(instant) * CELLS)
        letters[place : place + 2] = mark
    return "".join(letters).rstrip()
