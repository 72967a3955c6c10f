"""What a diagnosis consists of: one finding for each thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.errors import SchedctlError

Level = Literal["ok", "warning", "bad", "unused", "unknown"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Fix:
    """What to do about it; `command` is what one would type, where one can."""

    says: Text
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing is and what that means. `check` is a stable word for programs, `subject` what a person calls it."""

    check: str
    subject: Text
    level: Level
    says: Text
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """What could not be found out, and why."""

    error: SchedctlError


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that is looked at; makes its findings."""

    check: str
    subject: Text

    @classmethod
    def of_secret(cls, name: str) -> Topic:
        """What is said of a secret, of which only its name is known here.

        Neither word may look as if a secret's value followed: the redactor would take it for one.
        """
        return cls(f"secret/{name}", Text(f"{name}（秘密）", f"{name} (secret)"))

    def ok(self, says: Text) -> Finding:
        """It is as it should be."""
        return Finding(self.check, self.subject, "ok", says)

    def warning(self, says: Text, fix: Fix) -> Finding:
        """It works, and may not go on working."""
        return Finding(self.check, self.subject, "warning", says, fix)

    def bad(self, says: Text, fix: Fix) -> Finding:
        """It does not work."""
        return Finding(self.check, self.subject, "bad", says, fix)

    def unused(self, says: Text) -> Finding:
        """Nothing here needs it."""
        return Finding(self.check, self.subject, "unused", says)

    def unknown(self, why: Unknown) -> Finding:
        """It could not be seen; that is no verdict."""
        return Finding(self.check, self.subject, "unknown", why.error.message)

    def failed(self, why: Unknown, command: str | None = None) -> Finding:
        """What kept it from being seen is the very thing that is wrong."""
        hint = why.error.hint
        return Finding(self.check, self.subject, "bad", why.error.message, Fix(hint, command) if hint else None)
