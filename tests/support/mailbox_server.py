"""A real SMTP server that keeps what it is given: with STARTTLS, a login, and a refusal where one is asked for."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from typing import TYPE_CHECKING, Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

if TYPE_CHECKING:
    from collections.abc import Generator
    from email.message import EmailMessage
    from pathlib import Path

PASSWORD = "correct horse battery"


@dataclass(slots=True)
class Mailbox:
    """What arrived, and the answers to give instead of taking a mail."""

    port: int
    ca_file: Path
    refusals: list[str] = field(default_factory=list[str])
    mails: list[EmailMessage] = field(default_factory=list[Any])
    encrypted: list[bool] = field(default_factory=list[bool])

    async def handle_DATA(self, _server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        """Take a mail, or answer what the script says."""
        if self.refusals:
            return self.refusals.pop(0)
        self.encrypted.append(session.ssl is not None)
        mail: Any = message_from_bytes(envelope.content, policy=default)
        self.mails.append(mail)
        return "250 OK"


@contextmanager
def mailbox(folder: Path) -> Generator[Mailbox]:
    """An SMTP server on a loopback port, for as long as the block lasts."""
    certificate, key = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    box = Mailbox(_free_port(), certificate)

    def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        right = isinstance(data, LoginPassword) and data.password == PASSWORD.encode()
        return AuthResult(success=right, handled=False)

    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=box.port,
        tls_context=context,
        require_starttls=True,
        authenticator=authenticate,
        auth_required=True,
    )
    controller.start()
    try:
        yield box
    finally:
        controller.stop()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _certificate(folder: Path) -> tuple[Path, Path]:
    if not shutil.which("openssl"):
        pytest.skip("needs the openssl command to make a certificate")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key
