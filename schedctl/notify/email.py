"""Mail through an SMTP server, encrypted unless the policy says otherwise."""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.notify.channel import ChannelFailed

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.catalog.telling import EmailChannel
    from schedctl.notify.message import Message

TIMEOUT_S: Final = 10.0
LOGIN_REFUSED: Final = (530, 534, 535, 538)
"""SMTP's 5xx are for good, but a password can be put right within the day (RFC 4954, section 6)."""


@dataclass(frozen=True, slots=True)
class Email:
    """Sends one mail to all recipients. Some of them may be refused; then the others have it and it counts as sent."""

    channel: EmailChannel
    password: str | None = field(repr=False)

    def send(self, message: Message, key: str, at: datetime) -> None:
        """Send it; `ChannelFailed` otherwise."""
        try:
            with self._connected() as server:
                if self.channel.user is not None and self.password is not None:
                    server.login(self.channel.user, self.password)
                server.send_message(self._mail(message, key, at), self.channel.sender, self.channel.recipients)
        except smtplib.SMTPResponseException as error:
            raise self._answered(error.smtp_code) from None
        except smtplib.SMTPRecipientsRefused as error:
            raise self._answered(min(code for code, _ in error.recipients.values())) from None
        except (smtplib.SMTPException, OSError, UnicodeError) as error:
            raise self._unreachable(type(error).__name__) from None

    def _connected(self) -> smtplib.SMTP:
        host, port = self.channel.host.strip("[]"), self.channel.port
        trust = ssl.create_default_context(cafile=self.channel.ca_file)
        if self.channel.security == "tls":
            return smtplib.SMTP_SSL(host, port, timeout=TIMEOUT_S, context=trust)
        server = smtplib.SMTP(host, port, timeout=TIMEOUT_S)
        if self.channel.security == "starttls":
            try:
                server.starttls(context=trust)
            except BaseException:
                with suppress(smtplib.SMTPException, OSError):
                    server.close()
                raise
        return server

    def _mail(self, message: Message, key: str, at: datetime) -> EmailMessage:
        mail = EmailMessage()
        mail["From"] = self.channel.sender
        mail["To"] = ", ".join(self.channel.recipients)
        mail["Subject"] = " ".join(message.title.say(self.channel.language).split())
        mail["Date"] = format_datetime(at)
        mail["Message-ID"] = f"<{key}@{self.channel.sender.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"  # so that no holiday answer comes back (RFC 3834)
        mail["X-Schedctl-Event"] = message.type
        mail.set_content(message.text.say(self.channel.language) + "\n")
        return mail

    def _answered(self, code: int) -> ChannelFailed:
        where = f"smtp://{self.channel.host}"
        passing = not 500 <= code < 600 or code in LOGIN_REFUSED
        return ChannelFailed(
            "channel_failed" if passing else "channel_refused",
            Text(f"{where} がメールを受け取りませんでした（{code}）", f"{where} did not take the mail ({code})"),
            Text("宛先と、利用者名・パスワードを確かめてください", "Check the recipients, the user and the password"),
            passing=passing,
        )

    def _unreachable(self, kind: str) -> ChannelFailed:
        where = f"smtp://{self.channel.host}"
        return ChannelFailed(
            "channel_unreachable",
            Text(f"{where} にメールを渡せませんでした（{kind}）", f"{where} could not be given the mail ({kind})"),
            Text(
                "サーバーが動いているか、暗号化の設定が合っているかを確かめてください",
                "Check that the server is up and that the encryption settings fit",
            ),
            passing=True,
        )
