"""`schedctl tick`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedctl.cli.options import common, told
from schedctl.language import Text
from schedctl.usecases.site import open_site
from schedctl.usecases.tick import TickReport, tick

if TYPE_CHECKING:
    from schedctl.cli.session import Session


@click.command(
    "tick",
    help=told(
        "時刻の来た予定を1回だけ実行待ちに入れる（systemd タイマーが毎分呼ぶ）",
        "Mark and enqueue what is due, once; the systemd timer calls it every minute",
    ),
)
@common
def tick_command(session: Session) -> None:
    """Tick once."""
    with open_site(session.settings, unattended=True) as site:
        report = tick(site, session.redactor)
    rehearsing = session.settings.rehearsal_now
    if rehearsing:
        session.alert(
            session.say(
                Text(
                    f"リハーサル時刻 {rehearsing.isoformat()} で動いています", f"Rehearsing at {rehearsing.isoformat()}"
                )
            )
        )
    if sentences := dict.fromkeys((*report.warnings, *report.notices)):
        from schedctl.usecases.notices import fields_of  # few ticks have any

        for sentence in sentences:
            session.alert(session.say(sentence), fields_of(sentence))
    said = session.say(_sentence(report))
    if session.as_json:
        session.document(_document(session, report))
    elif not (_did_something(report) and session.happened(said)):
        session.out(said)


def _did_something(report: TickReport) -> bool:
    return any((report.fired, report.missed, report.skipped, report.rehearsed, report.refused, report.lost))


def _document(session: Session, report: TickReport) -> dict[str, object]:
    return {
        "fired": report.fired,
        "missed": report.missed,
        "skipped": report.skipped,
        "rehearsed": report.rehearsed,
        "refused": report.refused,
        "lost": report.lost,
        "armed": report.armed,
        "warnings": [session.say(warning) for warning in report.warnings],
    }


def _sentence(report: TickReport) -> Text:
    """One line: the counts that are not zero, and whether anything fires at all."""
    counted = [
        (report.fired, "実行待ち", "fired"),
        (report.missed, "実行漏れ", "missed"),
        (report.skipped, "見送り", "skipped"),
        (report.rehearsed, "予行", "rehearsed"),
        (report.refused, "起動できず", "refused"),
        (report.lost, "行方不明", "lost"),
    ]
    ja = "、".join(f"{word} {count}" for count, word, _ in counted if count) or "時刻の来た予定はありません"
    en = ", ".join(f"{count} {word}" for count, _, word in counted if count) or "nothing due"
    if report.armed:
        return Text(ja, en)
    return Text(f"{ja}（未点火: 記録だけ → schedctl arm）", f"{en} (disarmed: records only → schedctl arm)")
