"""The values of the catalog that outlive it: a stored plan has them, and the database.

They stand apart from the others because every tick and every worker needs them, and none of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from datetime import datetime

Risk = Literal["reads", "changes", "disrupts"]
RISKS: Final[tuple[Risk, ...]] = ("reads", "changes", "disrupts")

Transport = Literal["local", "ssh", "http"]

Method = Literal["GET", "POST", "PUT", "DELETE"]
METHODS: Final[tuple[Method, ...]] = ("GET", "POST", "PUT", "DELETE")


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request instead of a command. Headers name secrets (`${secret:NAME}`), never carry them."""

    method: Method
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    success_statuses: tuple[int, ...] = (200, 201, 202, 204)
    external_id: str | None = None
    """Dotted path in the JSON answer where the started thing's id stands."""
    tokens_used: str | None = None
    """Dotted path in the JSON answer where the token usage stands."""
    follow_redirects: bool = False


@dataclass(frozen=True, slots=True)
class Freeze:
    """A span in which actions of the named risks do not fire (変更凍結)."""

    start: datetime
    end: datetime
    risks: tuple[Risk, ...]
    reason: str

    def stops(self, instant: datetime, risk: str) -> bool:
        """Whether it keeps an action of this risk from firing at this instant (`end` is the first free one)."""
        return self.start <= instant < self.end and risk in self.risks
