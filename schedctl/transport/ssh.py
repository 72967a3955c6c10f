"""Runs commands on nodes through the system's OpenSSH client, each in an envelope on the node that outlives the link.

The envelope (envelope.sh) begins a start at most once, ends it at its time limit whether anybody is connected or not,
and keeps its output and its end until they were fetched. So a cut link is no end: we connect again and go on reading.
Only when the node does not answer again until the command must be over is the outcome `lost`.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from schedctl.transport import outcomes, ssh_errors
from schedctl.transport.capture import NOTHING, Capture
from schedctl.transport.ssh_envelope import (
    REMOTE_COMMAND,
    Answer,
    End,
    Frame,
    Gap,
    Limits,
    Piece,
    Word,
    follow_script,
    look_script,
    name_of,
    start_script,
    stop_script,
)
from schedctl.transport.ssh_errors import Trouble
from schedctl.transport.ssh_link import Client, Link
from schedctl.transport.ssh_outcome import Start, outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.plan.model import Target
    from schedctl.redact import Redactor
    from schedctl.transport.base import Captured, Command, Found, Heartbeat, Outcome, SoFar
    from schedctl.transport.ssh_outcome import Why

NONCE_BYTES: Final = 16
SLACK_S: Final = 15.0
"""How much later than the envelope we call a time limit passed: its clock starts later than ours."""
STOP_AGAIN_S: Final = 5.0
TURN_S: Final = 1.0
FIRST_PAUSE_S: Final = 0.5
KEPT_TIMES: Final = 4
"""A node that gives a part of an output up stores this many times what is kept of it here: so no edge is ever shown."""
Said: TypeAlias = End | Word | Trouble


@dataclass(frozen=True, slots=True)
class SshTransport:
    """Commands on other machines, as the node's user; `as_root` goes through `sudo -n` unless that user is root.

    `silence_s`: how long a connection may take until the envelope speaks. `reach_for_s`: how long a node that does not
    answer is still tried after its command must be over, or after a `stop`. `hold_bytes`: what a node stores of each
    stream while nobody fetches it.
    """

    client: Client = field(default_factory=Client)
    beat_every_s: float = 5.0
    grace_s: int = 10
    drain_s: int = 5
    silence_s: float = 30.0
    reach_for_s: float = 60.0
    longest_pause_s: float = 15.0
    hold_bytes: int = 268_435_456

    def run(
        self,
        target: Target,
        command: Command,
        heartbeat: Heartbeat,
        redactor: Redactor,
        limit_bytes: int,
        look_at: Callable[[SoFar], None] | None = None,
    ) -> Outcome:
        """Run it to its end, its timeout, or the first `stop`; keep at most `limit_bytes` of each stream."""
        _require_ssh(target)
        conversation = _Conversation(self, target, command, heartbeat, redactor, limit_bytes)
        if look_at is not None:
            look_at(conversation.so_far)
        return conversation.from_the_start()

    def look(self, target: Target, command: Command, redactor: Redactor, limit_bytes: int, /) -> Found:
        """What became of a start whose worker is gone: its outcome once it has ended. What had not begun never will."""
        _require_ssh(target)
        return _Conversation(self, target, command, lambda: "go_on", redactor, limit_bytes).at_a_glance()


def _require_ssh(target: Target) -> None:
    if target.transport != "ssh":
        raise ValueError(f"{target.node} is not reached over ssh")


class _Conversation:
    """All that is said with a node about one start, over as many connections as it takes."""

    def __init__(
        self,
        transport: SshTransport,
        target: Target,
        command: Command,
        heartbeat: Heartbeat,
        redactor: Redactor,
        limit_bytes: int,
    ) -> None:
        self._limits = transport
        self._target = target
        self._command = command
        self._name = name_of(command)
        self._who = secrets.token_hex(NONCE_BYTES)
        least = KEPT_TIMES * limit_bytes
        self._kept = Limits(transport.grace_s, transport.drain_s, max(transport.hold_bytes, least), least)
        self._heartbeat = heartbeat
        self._captures = {"stdout": Capture(redactor, limit_bytes), "stderr": Capture(redactor, limit_bytes)}
        self._received = {"stdout": 0, "stderr": 0}
        self._redactor = redactor
        now = time.monotonic()
        self._beat_at = now + transport.beat_every_s
        self._deadline = now + command.timeout_s + transport.grace_s + SLACK_S
        self._give_up_at = self._deadline + transport.grace_s + transport.reach_for_s
        self._why: Why | None = None
        self._stop_at = now
        self._trouble: Trouble | None = None
        self._greeted = False
        self._disk_full = False

    def so_far(self, limit_bytes: int) -> tuple[Captured, Captured]:
        """What of its output has arrived here, at most so many bytes of each stream."""
        return self._captures["stdout"].so_far(limit_bytes), self._captures["stderr"].so_far(limit_bytes)

    def from_the_start(self) -> Outcome:
        """Begin it, and stay with it to its end."""
        nonce = self._nonce()
        try:
            script = start_script(self._command, nonce, self._kept)
        except ValueError as error:
            return outcomes.not_started("could_not_start", *outcomes.could_not_start(str(error)), NOTHING)
        said = self._converse(script, nonce)
        if isinstance(said, Trouble) and said.before_anything:
            return ssh_errors.not_begun(self._target.node, said, NOTHING)
        pause = FIRST_PAUSE_S
        while isinstance(said, Trouble):
            self._trouble = said
            if not self._greeted:  # our text has probably never arrived: it is not worth the command's whole time
                self._give_up_by(self._limits.reach_for_s)
            if not self._pause(pause):
                return self._lost()
            pause = min(2 * pause, self._limits.longest_pause_s)
            nonce = self._nonce()
            received = self._received
            said = self._converse(follow_script(self._name, nonce, received["stdout"], received["stderr"]), nonce)
        return self._ended(said)

    def at_a_glance(self) -> Found:
        """One connection: how it ended, whether it runs, or nothing."""
        nonce = self._nonce()
        self._give_up_at = time.monotonic() + self._limits.silence_s
        said = self._converse(look_script(self._name, nonce), nonce)
        if isinstance(said, Trouble):
            return "unknown"
        if isinstance(said, Word):
            return "running" if said.word == "running" else "unknown"
        return self._ended(said)

    # ------------------------------------------------------------ one connection

    def _converse(self, script: bytes, nonce: str) -> Said:
        """What a connection brings at its end; its pieces go into the captures."""
        answer = Answer(nonce, self._received["stdout"], self._received["stderr"])
        speaks_by = time.monotonic() + self._limits.silence_s
        connecting = False
        try:
            with self._link(script) as link:
                connecting = True
                while (heard := link.hear(self._until_next())) is not None:
                    for frame in answer.feed(heard):
                        if (said := self._take(frame)) is not None:
                            self._let_go(link, nonce, said)
                            return said
                    self._attend(answer)
                    now = time.monotonic()
                    if now > self._give_up_at or (now > speaks_by and not answer.greeted):
                        return Trouble("host_unreachable", "no answer", before_anything=False)
                return ssh_errors.trouble(self._shown(link), link.exit_code(), greeted=answer.greeted)
        except ValueError:  # not our envelope, or a gap in what it says: as good as a cut
            return Trouble("host_unreachable", "not an answer of the envelope", before_anything=False)
        except OSError as error:
            kind = "host_unreachable" if connecting else "could_not_start"
            return Trouble(kind, error.strerror or str(error), before_anything=not connecting)

    def _shown(self, link: Link) -> bytes:
        link.exit_code()
        return self._redactor.bytes(link.diagnosis)

    def _link(self, script: bytes) -> Link:
        return Link(self._limits.client.argv(self._target, REMOTE_COMMAND), script)

    def _take(self, frame: Frame) -> End | Word | None:
        match frame:
            case Piece():
                self._captures[frame.stream].feed(frame.data)
                self._received[frame.stream] += len(frame.data)
                return None
            case Gap():
                self._captures[frame.stream].skip(frame.length)
                self._received[frame.stream] += frame.length
                return None
            case Word("hello"):
                self._greeted = True
                return None
            case Word("full"):
                self._disk_full = True
                return None
            case Word("stopping"):
                return None
            case End() | Word():
                return frame
            case _:
                assert_never(frame)

    @staticmethod
    def _let_go(link: Link, nonce: str, said: End | Word) -> None:
        """The node may forget the output of what ended; of what is in doubt it keeps all."""
        if isinstance(said, End) and said.how not in ("never", "vanished"):
            link.acknowledge(nonce)

    # ------------------------------------------------------------ time

    def _until_next(self) -> float:
        return min(TURN_S, self._beat_at - time.monotonic())

    def _attend(self, answer: Answer | None) -> None:
        """Beat when it is time to; end the command when it is told so, or when the envelope should have."""
        now = time.monotonic()
        if now >= self._beat_at:
            self._beat_at = now + self._limits.beat_every_s
            if self._heartbeat() == "stop":
                self._decide("cancelled")
        if now >= self._deadline:
            self._decide("timed_out")
        if self._why is not None and now >= self._stop_at and answer is not None and answer.greeted:
            self._ask_to_stop()
            self._stop_at = time.monotonic() + STOP_AGAIN_S

    def _decide(self, why: Why) -> None:
        if self._why is None:
            self._why = why
            self._give_up_by(self._limits.grace_s + self._limits.reach_for_s)

    def _give_up_by(self, seconds: float) -> None:
        self._give_up_at = min(self._give_up_at, time.monotonic() + seconds)

    def _ask_to_stop(self) -> None:
        """On a connection of its own; whether it was heard shows in the answer of the first one."""
        nonce = self._nonce()
        answer = Answer(nonce)
        give_up = time.monotonic() + self._limits.silence_s / 2
        try:
            with self._link(stop_script(self._name, nonce, self._limits.grace_s)) as link:
                while time.monotonic() < give_up and (heard := link.hear(TURN_S)) is not None:
                    if any(not isinstance(frame, Word) or frame.word != "hello" for frame in answer.feed(heard)):
                        return
        except (OSError, ValueError):
            return

    def _pause(self, seconds: float) -> bool:
        """Wait before the next connection, beating on; False when it is time to give up."""
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            self._attend(None)
            time.sleep(max(0.0, min(until, self._beat_at) - now))
        return time.monotonic() < self._give_up_at

    def _ended(self, said: End | Word) -> Outcome:
        start = Start(self._target.node, self._command, self._why, self._trouble, self._disk_full)
        return outcome(said, start, self._redactor, *self._output())

    def _lost(self) -> Outcome:
        over_time = time.monotonic() >= self._deadline
        stdout, stderr = self._output()
        return ssh_errors.lost(self._target.node, self._trouble, over_time=over_time, stdout=stdout, stderr=stderr)

    def _nonce(self) -> str:
        """A word for one connection; what stands before its dash says that it is ours."""
        return f"{self._who}-{secrets.token_hex(NONCE_BYTES)}"

    def _output(self) -> tuple[Captured, Captured]:
        return self._captures["stdout"].finish(), self._captures["stderr"].finish()
