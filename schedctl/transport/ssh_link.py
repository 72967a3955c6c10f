"""One connection: a process of the system's OpenSSH client, with a text for the node and the node's answer.

The client never asks, never shares a connection, forwards nothing and has no terminal. It dies with the thread that
started it: a connection that nobody reads would only keep a session on the node open.
"""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final, cast

from schedctl.transport.enclosures import staying_home

if TYPE_CHECKING:
    from schedctl.plan.model import Target

OPTIONS: Final = {
    "BatchMode": "yes",
    "PasswordAuthentication": "no",
    "KbdInteractiveAuthentication": "no",
    "NumberOfPasswordPrompts": "0",
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",
    "VisualHostKey": "no",
    "ControlMaster": "no",
    "ControlPath": "none",
    "ControlPersist": "no",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "ClearAllForwardings": "yes",
    "Tunnel": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "SessionType": "default",
    "ForkAfterAuthentication": "no",
    "StdinNull": "no",
    "RequestTTY": "no",
    "EscapeChar": "none",
    "ConnectionAttempts": "1",
    "LogLevel": "ERROR",
}
"""What the operator's own ssh_config cannot change. It may still say how a host is reached: ProxyJump, IdentityFile, …

The text travels on standard input, which is a pipe: so StdinNull is off, and there is still nothing to answer a prompt.
"""
PASSED_ON: Final = ("HOME", "PATH", "USER", "LOGNAME", "SSH_AUTH_SOCK", "KRB5CCNAME")
DIES_WITH_US: Final = ("setpriv", "--pdeathsig", "KILL", "--")
CHUNK: Final = 65_536
DIAGNOSIS_BYTES: Final = 16_384
LAST_WORDS_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Client:
    """How the OpenSSH client is called. `config` is all the configuration it reads; None: the usual files."""

    config: str | None = None
    connect_timeout_s: int = 10
    alive_interval_s: int = 5
    alive_count: int = 3
    program: str = "ssh"

    def argv(self, target: Target, remote_command: str) -> tuple[str, ...]:
        """The client's words; the address is the node's name where the catalog gives none."""
        timing = {
            "ConnectTimeout": self.connect_timeout_s,
            "ServerAliveInterval": self.alive_interval_s,
            "ServerAliveCountMax": self.alive_count,
        }
        options = [word for name, value in {**OPTIONS, **timing}.items() for word in ("-o", f"{name}={value}")]
        user = ("-l", target.user) if target.user else ()
        port = ("-p", str(target.port)) if target.port else ()
        config = ("-F", self.config) if self.config else ()
        return (self.program, *config, *options, *user, *port, "--", target.address or target.node, remote_command)


class Link:
    """A connection from its start to its end; what ssh itself has to say is its `diagnosis`."""

    def __init__(self, argv: tuple[str, ...], text: bytes) -> None:
        """Start the client; OSError when there is none."""
        before = DIES_WITH_US if shutil.which(DIES_WITH_US[0]) else ()
        with staying_home():
            self._process = subprocess.Popen(
                (*before, *argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ}
                | {"LC_ALL": "C", "SSH_ASKPASS_REQUIRE": "never"},
                start_new_session=True,
            )
        self._input = cast("IO[bytes]", self._process.stdin)
        self._unsent = memoryview(text)
        self._diagnosis = bytearray()
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            self._selector.register(cast("IO[bytes]", pipe), selectors.EVENT_READ)
        os.set_blocking(self._input.fileno(), False)
        self._selector.register(self._input, selectors.EVENT_WRITE)

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        """End the client if it has not ended, and give everything back."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                cast("IO[bytes]", pipe).close()

    def hear(self, wait_s: float) -> bytes | None:
        """What the node says next: nothing (b"") when it is silent for `wait_s`, None when the connection is over."""
        for key, _ in self._selector.select(max(0.0, wait_s)):
            if key.fileobj is self._input:
                self._send()
            elif key.fileobj is self._process.stderr:
                self._diagnose(key.fd)
            else:
                return os.read(key.fd, CHUNK) or None
        return b""

    def exit_code(self) -> int | None:
        """The client's exit code once the connection is over; None when it would not end."""
        give_up = time.monotonic() + LAST_WORDS_S
        stderr = cast("IO[bytes]", self._process.stderr)
        while time.monotonic() < give_up and stderr in (key.fileobj for key in self._selector.get_map().values()):
            for key, _ in self._selector.select(0.1):
                if key.fileobj is stderr:
                    self._diagnose(key.fd)
                else:
                    self._selector.unregister(key.fileobj)
        try:
            return self._process.wait(LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            return None

    @property
    def diagnosis(self) -> bytes:
        """What ssh, or the node's login shell, has said beside the answer."""
        return bytes(self._diagnosis)

    def acknowledge(self, nonce: str) -> None:
        """Say that the answer has arrived, and wait a moment for the node to act on it."""
        with suppress(BrokenPipeError, BlockingIOError):
            os.write(self._input.fileno(), f"{nonce}\n".encode())
        give_up = time.monotonic() + LAST_WORDS_S
        while time.monotonic() < give_up and self.hear(0.1) is not None:
            pass

    def _send(self) -> None:
        try:
            sent = os.write(self._input.fileno(), self._unsent[:CHUNK])
        except BrokenPipeError:
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._selector.unregister(self._input)

    def _diagnose(self, descriptor: int) -> None:
        said = os.read(descriptor, CHUNK)
        if not said:
            self._selector.unregister(cast("IO[bytes]", self._process.stderr))
        self._diagnosis += said[: DIAGNOSIS_BYTES - len(self._diagnosis)]
