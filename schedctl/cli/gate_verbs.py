"""What each role may say through the gate: a closed table of verbs, each with every option it may have.

What is not here is refused. Left out on purpose: whatever reads or writes files that the caller names (`report --html`,
`page`, `catalog sudoers`), reads standard input (`explain -`), carries out or sends (`work`, `deliver`), changes this
machine (`install-units`) or the gate itself (`grant`, `gate`), and options that choose a database or a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

WORD: Final = re.compile(r"[\w.:@+][\w.:@+-]{0,99}")
"""An id, a name, a state: letters of any script and digits, and nothing that means anything to a shell."""
NUMBER: Final = re.compile(r"\d{1,18}")
INSTANT: Final = re.compile(r"\d[\dTZ:.+-]{0,39}")
DAY: Final = re.compile(rf"today|yesterday|{INSTANT.pattern}")
ZONE: Final = re.compile(r"[A-Za-z][\w+/-]{0,63}", re.ASCII)
SPAN: Final = re.compile(r"\d{1,6}[smhd]")
LIMITS: Final = re.compile(r"[\w=,.]{1,100}")
LANG: Final = re.compile(r"ja|en")

EVERY_FLAG: Final = frozenset({"--json", "-h", "--help"})
EVERY_VALUE: Final = {"--lang": LANG}


@dataclass(frozen=True, slots=True)
class Verb:
    """How a command may be written. `text`: what takes the rest of the line, `TEXT` being the sentence itself."""

    operand: Literal["none", "word"] = "none"
    flags: frozenset[str] = frozenset()
    values: Mapping[str, re.Pattern[str]] | None = None
    text: str | None = None

    def flag(self, name: str) -> bool:
        """Whether this is an option without a value."""
        return name in self.flags or name in EVERY_FLAG

    def pattern(self, name: str) -> re.Pattern[str] | None:
        """What a value of this option looks like; None where the verb has no such option."""
        return (self.values or {}).get(name) or EVERY_VALUE.get(name)

    def options(self) -> tuple[str, ...]:
        """Every option, for a hint."""
        texts = () if self.text in (None, TEXT) else (self.text,)
        return (*self.flags, *(self.values or ()), *texts, *EVERY_FLAG, *EVERY_VALUE)


TEXT: Final = "TEXT"
ONE: Final = Verb("word")

LOOK: Final[Mapping[str, Verb]] = {
    "list": Verb(values={"--state": WORD, "--after": NUMBER, "--limit": NUMBER}),
    "show": ONE,
    "runs": Verb(
        flags=frozenset({"--errors"}),
        values={
            **dict.fromkeys(("--schedule", "--state", "--node", "--trigger"), WORD),
            **dict.fromkeys(("--before", "--limit"), NUMBER),
            "--since": INSTANT,
        },
    ),
    "logs": Verb("word", frozenset({"--follow"})),
    "upcoming": Verb(values={"--until": INSTANT, "--days": NUMBER, "--node": WORD}),
    "status": Verb(),
    "report": Verb(flags=frozenset({"--week", "--markdown"}), values={"--day": DAY}),
    "explain": Verb(values={"--now": INSTANT, "--timezone": ZONE, "--count": NUMBER}, text=TEXT),
}
OPERATE: Final[Mapping[str, Verb]] = {
    "register": Verb(
        flags=frozenset({"--yes"}),
        values={
            **dict.fromkeys(("--name", "--replaces", "--overlap"), WORD),
            **dict.fromkeys(("--from", "--until"), INSTANT),
            **dict.fromkeys(("--catch-up", "--jitter"), SPAN),
            "--timezone": ZONE,
            "--count": NUMBER,
            "--budget": LIMITS,
        },
        text=TEXT,
    ),
    "pause": Verb("word", text="--reason"),
    "resume": ONE,
    "archive": Verb("word", text="--reason"),
    "test-run": Verb("word", frozenset({"--dry-run"}), {"--step": NUMBER}),
    "rerun": ONE,
    "cancel": Verb("word", text="--reason"),
    "arm": Verb(text="--reason"),
    "disarm": Verb(text="--reason"),
    "node hold": Verb("word", text="--reason"),
    "node release": ONE,
}
APPROVE: Final[Mapping[str, Verb]] = {
    "approve": ONE,
    "catalog check": Verb(),
    "catalog adopt": Verb(flags=frozenset({"--dry-run"})),
}
BEAT: Final[Mapping[str, Verb]] = {
    "beat": Verb("word", values={"--status": WORD, "--tokens": NUMBER, "--for": SPAN}, text="--detail"),
}
ROLES: Final[Mapping[str, Mapping[str, Verb]]] = {
    "viewer": LOOK,
    "operator": {**LOOK, **OPERATE},
    "approver": {**LOOK, **OPERATE, **APPROVE},
    "beater": BEAT,
}
