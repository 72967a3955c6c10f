"""A command of the catalog that tells people in its own way: it reads the notice from its standard input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.notify.channel import ChannelFailed
from schedctl.plan.elevation import elevated

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.catalog.model import Action
    from schedctl.catalog.telling import CommandChannel
    from schedctl.notify.message import Message

LONGEST_S: Final = 30
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Runs the action's argv on this host, in a process group of its own, with nothing inherited."""

    channel: CommandChannel
    action: Action

    def send(self, message: Message, key: str, at: datetime) -> None:  # noqa: ARG002 - a command knows its time
        """Run it to its end; `ChannelFailed` unless it succeeds in time."""
        through_sudo = self.action.as_root and os.geteuid() != 0
        argv = elevated(self.action.argv, self.action.environment) if through_sudo else self.action.argv
        environment = {"PATH": PATH, "LC_ALL": "C.UTF-8", **dict(self.action.environment)}
        environment |= {"SCHEDCTL_EVENT": message.type, "SCHEDCTL_NOTICE": key}
        timeout = min(self.action.timeout_s, LONGEST_S)
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise self._failed(type(error).__name__) from None
        try:
            process.communicate(self._input(message), timeout=timeout)
        except subprocess.TimeoutExpired:
            raise self._failed(f"{timeout} s") from None
        finally:
            _end(process)
        if process.returncode not in self.action.success_exit_codes:
            raise self._failed(f"exit {process.returncode}")

    def _input(self, message: Message) -> bytes:
        if self.channel.input == "json":
            return json.dumps(message.payload, ensure_ascii=False).encode("utf-8") + b"\n"
        language = self.channel.language
        return f"{message.title.say(language)}\n{message.text.say(language)}\n".encode()

    def _failed(self, how: str) -> ChannelFailed:
        name = self.action.name
        return ChannelFailed(
            "channel_failed",
            Text(f"通知のコマンド「{name}」が失敗しました（{how}）", f"The command “{name}” failed to tell ({how})"),
            Text("deliver を動かすホストで、手で実行してみてください", "Try it by hand on the host that delivers"),
            passing=True,
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Nothing of the command's group stays behind; what sudo runs as root ends by itself."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)
