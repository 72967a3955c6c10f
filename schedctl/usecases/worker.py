"""A worker as a value: what it works with, and what it was told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

    from schedctl.redact import Redactor
    from schedctl.transport.base import Transport
    from schedctl.usecases.ledger import Ledger

RETRY_PAUSE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Worker:
    """What a worker works with. `stopping` is set when it was told to end."""

    ledger: Ledger
    transports: Mapping[str, Transport]
    redactor: Redactor
    nodes: Sequence[str] | None
    slots: int
    limit_bytes: int
    timezone: str
    stopping: Event
    after_legs: Callable[[tuple[int, ...]], None] | None = None
    """Told, about once a second, the runs of the legs that were drained since."""
    retry_pause_s: float = RETRY_PAUSE_S
    """How long after the first failed attempt the second one begins; twice as long before the third, and so on."""
