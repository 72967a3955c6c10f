"""Mail, to a real SMTP server: encrypted, logged in, told apart by its answers."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from mailbox_server import PASSWORD, Mailbox, mailbox

from schedctl.catalog.telling import EmailChannel
from schedctl.notify.about import Notice
from schedctl.notify.channel import ChannelFailed
from schedctl.notify.email import Email
from schedctl.notify.message import Message, compose
from schedctl.store.stored_error import error_document

if TYPE_CHECKING:
    from collections.abc import Generator

AT = datetime.fromisoformat("2026-12-06T03:41:00+09:00")
KEY = "5f0c9f5e-7f0b-4c55-9d0e-0f2a4c1d2e3f"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Mailbox]:
    """One SMTP server for all."""
    with mailbox(tmp_path_factory.mktemp("smtp")) as box:
        yield box


@pytest.fixture
def box(server: Mailbox) -> Mailbox:
    """The server, empty."""
    server.mails.clear()
    server.encrypted.clear()
    return server


@pytest.fixture
def channel(box: Mailbox) -> EmailChannel:
    """A channel to that server."""
    return EmailChannel(
        name="mail",
        host="127.0.0.1",
        sender="schedctl@example.com",
        recipients=("ops@example.com", "on-call@example.com"),
        port=box.port,
        user="schedctl",
        ca_file=str(box.ca_file),
    )


def failed() -> Message:
    detail = {"trigger": "timer", "scheduled_for": "2026-12-05T18:00:00+00:00", "error": {"ja": "だめ", "en": "no"}}
    told = Notice(7, "failed", "error", AT, "schedctl", "", detail, 3, None, "毎週日曜に更新", "Asia/Tokyo", 12)
    return compose(told, "Asia/Tokyo")


def refusal(channel: EmailChannel, password: str = PASSWORD) -> ChannelFailed:
    with pytest.raises(ChannelFailed) as raised:
        Email(channel, password).send(failed(), KEY, AT)
    return raised.value


def test_a_mail_arrives_encrypted_and_whole(box: Mailbox, channel: EmailChannel) -> None:
    Email(channel, PASSWORD).send(failed(), KEY, AT)
    (mail,) = box.mails
    assert box.encrypted == [True]
    assert mail["subject"] == "[schedctl] 失敗: 予定 3「毎週日曜に更新」"
    assert mail["to"] == "ops@example.com, on-call@example.com"
    assert mail["message-id"] == f"<{KEY}@example.com>"
    assert mail["auto-submitted"] == "auto-generated"
    assert mail["date"].datetime == AT
    said = (
        "予定 3「毎週日曜に更新」の 2026-12-06 03:00+09:00 の回が失敗しました（実行 12）: だめ。\n→ schedctl logs 12\n"
    )
    assert mail.get_content() == said


def test_a_title_cannot_add_a_header(box: Mailbox, channel: EmailChannel) -> None:
    evil = failed()
    evil = replace(evil, title=replace(evil.title, ja="x\r\nBcc: all@example.com"))
    Email(channel, PASSWORD).send(evil, KEY, AT)
    assert box.mails[0]["bcc"] is None
    assert box.mails[0]["subject"] == "x Bcc: all@example.com"


@pytest.mark.parametrize(
    ("answer", "passing"), [("451 try later", True), ("552 full", False), ("550 never", False), ("421 closing", True)]
)
def test_its_answers_are_known_for_good_or_in_passing(
    box: Mailbox, channel: EmailChannel, answer: str, passing: bool
) -> None:
    box.refusals.append(answer)
    failure = refusal(channel)
    assert (failure.passing, failure.type) == (passing, "channel_failed" if passing else "channel_refused")
    assert answer[:3] in failure.message.en


def test_a_wrong_password_can_be_put_right_and_is_not_shown(channel: EmailChannel) -> None:
    failure = refusal(channel, "a-wrong-password")
    assert failure.passing
    assert "535" in failure.message.en
    assert "a-wrong-password" not in json.dumps(error_document(failure))
    assert "a-wrong-password" not in repr(Email(channel, "a-wrong-password"))


def test_a_certificate_that_nobody_vouches_for_is_refused(box: Mailbox, channel: EmailChannel) -> None:
    failure = refusal(replace(channel, ca_file=None))
    assert (failure.type, failure.passing) == ("channel_unreachable", True)
    assert "SSL" in failure.message.en
    assert box.mails == []


def test_nobody_listens(channel: EmailChannel) -> None:
    assert refusal(replace(channel, port=1)).message.en == (
        "smtp://127.0.0.1 could not be given the mail (ConnectionRefusedError)"
    )


def test_a_file_of_authorities_that_is_not_there(channel: EmailChannel) -> None:
    assert refusal(replace(channel, ca_file="/nowhere.pem")).passing
