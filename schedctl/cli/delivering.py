"""`schedctl deliver` and `notify test`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from schedctl.cli import completing
from schedctl.cli.groups import CommandGroup
from schedctl.cli.options import common, told
from schedctl.cli.terminal import lasting
from schedctl.language import Text
from schedctl.usecases.deliver import Delivery, deliver, deliver_again, send_trial
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session

SENDING: Final = Text("送っています", "Sending")
SENT_AGAIN: Final = Text(
    "中断しました。途中だった通知は、次の deliver が同じ番号で送り直します",
    "Interrupted; what was being sent is sent again by the next delivery, with the same key",
)


@click.command(
    "deliver",
    help=told(
        "たまった通知を送る（tick のたびに systemd が呼ぶ）。送れなかったものは、間をおいて24時間まで送り直す",
        "Send what people have to be told (after each tick, by systemd); what fails is tried again for 24 hours",
    ),
)
@click.option("--again", is_flag=True, help=told("送信を断念した通知も送り直す", "Send also what had been given up"))
@common
def deliver_command(session: Session, again: bool) -> None:
    """Send what is due; exit code 0 when all is recorded, whatever failed."""
    with open_site(session.settings, unattended=not again) as site:
        if again:
            deliver_again(site)
        session.interrupted = SENT_AGAIN
        with lasting(session, lambda: SENDING):
            done = deliver(site, os.environ, session.redactor)
    for warning in done.warnings:
        session.alert(session.say(warning))
    if session.as_json:
        warnings = [session.say(warning) for warning in done.warnings]
        session.document({"sent": done.sent, "failed": done.failed, "dead": done.dead, "warnings": warnings})
        return
    said = session.say(_sentence(done))
    if not ((done.sent or done.failed or done.dead) and session.happened(said)):
        session.out(said)


@click.group("notify", cls=CommandGroup, help=told("通知先を試す", "Try the channels of the policy"))
def notify_command() -> None:
    """Hold the command together."""


@notify_command.command(
    "test", help=told("通知先に試験の通知を1通、いま送る", "Send one test message through a channel, now")
)
@click.argument("channel", metavar="CHANNEL", shell_complete=completing.channels)
@common
def test_command(session: Session, channel: str) -> None:
    """Send a test message; exit code 1 when the channel did not take it."""
    with open_site(session.settings) as site, lasting(session, lambda: SENDING):
        send_trial(site, channel, os.environ, session.redactor)
    if session.as_json:
        session.document({"channel": channel, "sent": True})
    else:
        session.out(session.say(Text(f"{channel} に送りました", f"Sent to {channel}")))


def _sentence(done: Delivery) -> Text:
    counted = [
        (done.sent, "送った通知", "sent"),
        (done.failed, "あとで送り直す", "to be tried again"),
        (done.dead, "断念した", "given up"),
    ]
    ja = "、".join(f"{word} {count}" for count, word, _ in counted if count) or "送る通知はありません"
    en = ", ".join(f"{count} {word}" for count, _, word in counted if count) or "Nothing to send"
    return Text(ja, en)
