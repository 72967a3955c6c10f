"""The database: is it there, is it the right kind, may we use it, does its clock agree with this host's."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.store import catalogs, database, diagnosis, installation, nodes, outbox, status, watching
from schedctl.usecases.doctor_finding import Unknown
from schedctl.usecases.doctor_gathering import attempted
from schedctl.usecases.status import LOOK_BACK

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.store.catalogs import AdoptedCatalog
    from schedctl.store.database import Database
    from schedctl.store.diagnosis import Backlog, Rights, Server
    from schedctl.store.installation import Installation
    from schedctl.store.nodes import HeldUp
    from schedctl.store.outbox import OutboxState
    from schedctl.store.status import TickBeat
    from schedctl.store.watching import Silence

Fact = TypeVar("Fact")

AWAY: Final = Unknown(
    OperationFailed(
        "database_unavailable",
        Text("データベースに聞けないため、分かりません", "Not known: the database could not be asked"),
    )
)
NOT_THERE: Final = Unknown(
    OperationFailed(
        "database_unavailable",
        Text("組み込みの PostgreSQL は動かしていません", "The embedded server was not started"),
    )
)
"""Where it was never made, or where starting it would repair something in passing."""
NO_SCHEMA: Final = Unknown(
    OperationFailed("no_schema", Text("スキーマがまだないため、分かりません", "Not known: there is no schema yet"))
)


@dataclass(frozen=True, slots=True)
class Stored:
    """What the schema's tables say; each part may be hidden from our role."""

    rights: Rights | Unknown = AWAY
    installation: Installation | Unknown = AWAY
    moved: bool | Unknown = AWAY
    ticks: tuple[TickBeat, ...] | Unknown = AWAY
    silence: Silence | Unknown = AWAY
    held_up: tuple[HeldUp, ...] | Unknown = AWAY
    outbox: OutboxState | Unknown = AWAY
    adopted: AdoptedCatalog | Unknown | None = AWAY
    backlog: Backlog | Unknown = AWAY


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """A database that answered. `host_ahead_s`: by how much this host's clock is ahead of its clock."""

    server: Server
    schema_version: int
    host_ahead_s: float
    is_pooled: bool
    is_on_this_host: bool
    stored: Stored


def gather_database(dsn: str, host_clock: Callable[[], float]) -> DatabaseFacts:
    """One connection, nothing but reading; `host_clock` gives seconds since 1970."""
    with closing(database.connect(dsn)) as db:
        with diagnosis.reading(db):
            before, begun = host_clock(), time.monotonic()
            server = diagnosis.server(db)
            # The server read its clock about half-way.
            ahead = before + (time.monotonic() - begun) / 2 - server.clock.timestamp()
        with diagnosis.reading(db):
            version = diagnosis.schema_version(db) if server.may_use_schema else 0
        return DatabaseFacts(
            server,
            version,
            ahead,
            diagnosis.is_pooled(db, server),
            diagnosis.is_on_this_host(db),
            _stored(db) if version else Stored(*[NO_SCHEMA] * 9),
        )


def _stored(db: Database) -> Stored:
    def ask(question: Callable[[Database], Fact]) -> Fact | Unknown:
        def asked() -> Fact:
            with diagnosis.reading(db):
                return question(db)

        return attempted(asked)

    return Stored(
        rights=ask(diagnosis.rights),
        installation=ask(installation.read),
        moved=ask(installation.moved),
        ticks=ask(status.ticks),
        silence=ask(watching.silence),
        held_up=ask(nodes.held_up),
        outbox=ask(lambda db: outbox.state(db, LOOK_BACK)),
        adopted=ask(catalogs.current),
        backlog=ask(diagnosis.backlog),
    )
