"""What is said to a node over ssh, and what the node answers: texts for `sh -s`, and a stream of frames. Pure.

The text is the envelope's (envelope.sh, envelope_asked.sh) with one call behind it. Every word of it that is not ours
is quoted, so that no shell interprets a value; and it arrives on standard input, so that the node's login shell and
`ps` never see one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from schedctl.plan.elevation import SUDO, inside_sudo
from schedctl.transport.local import SYSTEM_PATH, environment_of
from schedctl.transport.processes import LEG, START

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.transport.base import Command

REMOTE_COMMAND: Final = "exec /bin/sh -s"
"""All that the login shell of the node sees; it is the same in sh, csh and fish."""
ENVELOPE: Final = "\n".join(
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("envelope.sh", "envelope_asked.sh")
)
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
OF_THE_NODE: Final = frozenset({"HOME", "USER", "LOGNAME"})
"""The node sets them for its own user, unless an action declares them."""

How = Literal["exited", "timed_out", "cancelled", "not_found", "not_executable", "never", "vanished"]
"""`never`: it did not begin and never will. `vanished`: it began, and died without a word (a reboot)."""
HOWS: Final[tuple[How, ...]] = get_args(How)


@dataclass(frozen=True, slots=True)
class Piece:
    """The next bytes of a stream."""

    stream: Literal["stdout", "stderr"]
    data: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """The next bytes of a stream will never come: the node had to give them up."""

    stream: Literal["stdout", "stderr"]
    length: int


@dataclass(frozen=True, slots=True)
class End:
    """The envelope's own record of the end; `code` as a shell gives it, `left` counts processes that would not end."""

    how: How
    code: int
    left: int


@dataclass(frozen=True, slots=True)
class Word:
    """`hello` (the envelope speaks), `running`, `stopping`, `taken` (the name was used before), `unusable` with why.

    `full`, before an end: the node's disk has no space left, so a part of the output may not have been stored.
    """

    word: Literal["hello", "running", "stopping", "taken", "full", "unusable"]
    text: str = ""


Frame: TypeAlias = Piece | Gap | End | Word


def name_of(command: Command) -> str:
    """The start's name on the node, which other installations may use as well; ValueError when it cannot be one."""
    name = f"{command.label}-{command.token}" if command.token else command.label
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a start")
    return name


@dataclass(frozen=True, slots=True)
class Limits:
    """What the node keeps to: the grace after TERM, the time for output after the end, and the output it stores.

    `hold_bytes` of what was not fetched of a stream stay, half of them its end; on a small disk `least_bytes` at least.
    """

    grace_s: int = 10
    drain_s: int = 5
    hold_bytes: int = 268_435_456
    least_bytes: int = 1_048_576


def start_script(command: Command, nonce: str, limits: Limits) -> bytes:
    """Begin the command under its name, and follow it; ValueError for what no program can be given."""
    run = run_text(command, limits)
    return _script(f"start {name_of(command)} {nonce} {quote(run)} {quote(command.stdin)}")


def follow_script(name: str, nonce: str, stdout: int, stderr: int) -> bytes:
    """Go on with a start's output from these lengths, to its end."""
    return _script(f"follow {name} {nonce} {stdout} {stderr} 20")


def look_script(name: str, nonce: str) -> bytes:
    """Its end and its whole output when it has ended; else that it runs. What has not begun never will."""
    return _script(f"look {name} {nonce}")


def stop_script(name: str, nonce: str, grace_s: int) -> bytes:
    """End it: TERM, the grace, KILL. Answers before the end."""
    return _script(f"stop {name} {nonce} {grace_s}")


def _script(call: str) -> bytes:
    """A text that does nothing at all when it arrives in part: the braces close in its last line."""
    text = f"{{\n{ENVELOPE}\nenvelope {call}\nexit\n}}\n"
    if "\0" in text:
        raise ValueError("embedded null byte")
    return text.encode("utf-8", "surrogateescape")


def run_text(command: Command, limits: Limits) -> str:
    """What the node keeps and runs; like every text of ours it does nothing when it is there in part."""
    environment = {name: value for name, value in environment_of(command).items() if name not in OF_THE_NODE}
    environment |= dict(command.environment)
    marks = f"{LEG}{command.label} {START}{name_of(command)}"
    words = " ".join((marks, *(quote(f"{name}={value}") for name, value in environment.items())))
    argv = inside_sudo(command.argv, command.environment) if command.as_root else command.argv
    sudo = f"$(as_root {' '.join(SUDO)}) " if command.as_root else ""
    path = environment.get("PATH", SYSTEM_PATH)
    lines = (
        f"name={name_of(command)} timeout={command.timeout_s} grace={limits.grace_s} drain={limits.drain_s}",
        f"hold={limits.hold_bytes} least={limits.least_bytes}",
        f"program={quote(command.argv[0])} path={quote(path)}",
        *(('[ -z "$(as_root sudo)" ] || program=',) if command.as_root else ()),
        f"runner {words} setsid -- {sudo}{' '.join(map(quote, argv))}",
    )
    return "\n".join((ENVELOPE, "main() {", *lines, "}", "main", ""))


PlainWord = Literal["running", "stopping", "taken", "full"]
PLAIN_WORDS: Final[tuple[PlainWord, ...]] = get_args(PlainWord)
HEADER: Final = re.compile(rb"([oe]) (\d{1,18}) (\d{1,18})")
SKIPPED: Final = re.compile(rb"skip ([oe]) (\d{1,18}) (\d{1,18})")
ENDED: Final = re.compile(rb"end ([a-z_]+) (\d{1,9}) (\d{1,9})")
UNUSABLE: Final = re.compile(rb"unusable (.*)")
LONGEST_LINE: Final = 65_536


@dataclass(slots=True)
class Answer:
    """Reads what the node answers on one connection; ValueError when it is not the envelope that speaks.

    `stdout` and `stderr` count the bytes received or skipped of each stream, over all connections of one start.
    """

    nonce: str
    stdout: int = 0
    stderr: int = 0
    greeted: bool = False
    _buffer: bytearray = field(default_factory=bytearray, repr=False)
    _stream: Literal["stdout", "stderr"] = "stdout"
    _due: int = 0

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are complete now; of a piece what has come of it."""
        self._buffer += data
        while self._buffer:
            if self._due:
                yield self._piece()
                continue
            line, complete, rest = self._buffer.partition(b"\n")
            if not complete:
                if len(line) > LONGEST_LINE:
                    raise ValueError("a line without an end")
                return
            self._buffer = rest
            frame = self._frame(bytes(line)) if self.greeted else self._greeting(bytes(line))
            if frame is not None:
                yield frame

    def _piece(self) -> Piece:
        data = bytes(self._buffer[: self._due])
        del self._buffer[: len(data)]
        self._due -= len(data)
        self._advance(len(data))
        return Piece(self._stream, data)

    def _advance(self, length: int) -> None:
        if self._stream == "stdout":
            self.stdout += length
        else:
            self.stderr += length

    def _greeting(self, line: bytes) -> Word | None:
        """The login shell may have spoken before, and without a line's end."""
        self.greeted = line.endswith(self.nonce.encode())
        return Word("hello") if self.greeted else None

    def _frame(self, line: bytes) -> Frame | None:
        """What a line says; None when it announces the piece that follows it."""
        if header := HEADER.fullmatch(line):
            self._announce("stdout" if header[1] == b"o" else "stderr", int(header[2]), int(header[3]))
            return None
        if skipped := SKIPPED.fullmatch(line):
            return self._gap("stdout" if skipped[1] == b"o" else "stderr", int(skipped[2]), int(skipped[3]))
        if ended := ENDED.fullmatch(line):
            return End(_how(ended[1].decode()), int(ended[2]), int(ended[3]))
        if unusable := UNUSABLE.fullmatch(line):
            return Word("unusable", unusable[1].decode("utf-8", "replace").strip())
        for word in PLAIN_WORDS:
            if line == word.encode():
                return Word(word)
        raise ValueError(f"not a frame: {line[:100]!r}")

    def _gap(self, stream: Literal["stdout", "stderr"], start: int, end: int) -> Gap:
        self._announce(stream, start, 0)
        if end <= start:
            raise ValueError("a gap of nothing")
        self._advance(end - start)
        return Gap(stream, end - start)

    def _announce(self, stream: Literal["stdout", "stderr"], start: int, length: int) -> None:
        if start != (self.stdout if stream == "stdout" else self.stderr):
            raise ValueError("a gap in the output")
        self._stream, self._due = stream, length


def _how(word: str) -> How:
    for how in HOWS:
        if how == word:
            return how
    raise ValueError(f"no way to end: {word}")
