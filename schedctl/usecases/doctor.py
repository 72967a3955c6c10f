"""Doctor: look at everything that an installation depends on, and say of each how it is. Changes nothing."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Semaphore
from typing import TYPE_CHECKING, Final

from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.secrets import named_secret
from schedctl.settings import shipped, unusable
from schedctl.store import diagnosis, embedded, schema
from schedctl.transport.ssh_link import Client
from schedctl.usecases import doctor_catalog, doctor_host, doctor_nodes, doctor_traffic
from schedctl.usecases.doctor_database import AWAY, NOT_THERE, DatabaseFacts, Stored, gather_database
from schedctl.usecases.doctor_database_checks import check_database, check_rehearsal
from schedctl.usecases.doctor_embedded import check_embedded, gather_embedded
from schedctl.usecases.doctor_finding import Finding, Topic, Unknown
from schedctl.usecases.doctor_gathering import Gathering, attempted
from schedctl.usecases.doctor_planner import check_planner, gather_planner
from schedctl.usecases.doctor_units import check_units, gather_units
from schedctl.usecases.failures import node_not_found
from schedctl.when.data_version import at_hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from schedctl.catalog.model import Catalog, Node
    from schedctl.redact import Redactor
    from schedctl.settings import Settings
    from schedctl.transport.ssh_errors import Trouble
    from schedctl.usecases.doctor_catalog import FilesFacts
    from schedctl.usecases.doctor_nodes import Seen
    from schedctl.usecases.doctor_planner import PlannerFacts
    from schedctl.usecases.doctor_units import UnitsFacts

DATABASE_S: Final = 6.0
THE_REST_S: Final = 8.0
AT_A_TIME: Final = 16
"""Nodes that are asked side by side."""
CONNECT_S: Final = 5
NO_CATALOG: Final = Unknown(
    OperationFailed("catalog_missing", Text("カタログが読めないため、分かりません", "Not known: there is no catalog"))
)
STATE_DISK: Final = Topic("disk:state", Text("ディスク（状態）", "disk (state)"))
DATA_DISK: Final = Topic("disk:database", Text("ディスク（データベース）", "disk (database)"))


@dataclass(frozen=True, slots=True)
class Wish:
    """What to leave out: `quick` asks no node and no model; `nodes` are the only ones to ask."""

    quick: bool = False
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at, and from where. `host_clock` gives this host's seconds since 1970."""

    settings: Settings
    environ: Mapping[str, str]
    redactor: Redactor
    host_clock: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A node, the catalog in which it stands, and its answer; None where it was not asked."""

    node: Node
    catalog: Catalog
    answer: Seen | Trouble | Unknown | None


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Everything that was found, or why it was not."""

    software: doctor_host.Software | Unknown
    database: DatabaseFacts | Unknown
    files: FilesFacts | Unknown
    catalog: Catalog | None
    planner: PlannerFacts | Unknown | None
    units: UnitsFacts | Unknown
    nodes: tuple[Asked, ...]


def examine(patient: Patient, wish: Wish, tell: Callable[[str], None]) -> tuple[Finding, ...]:
    """Every finding, in a fixed order, within about 15 s; `tell` hears what is waited for.

    `NotFound` (`node_not_found`) for a node that the catalog does not know.
    """
    inside = gather_embedded(patient.settings)
    with ExitStack() as resources:
        dsn = _dsn(patient, inside, resources)
        found = _gather(patient, wish, dsn, tell)
    return tuple(
        finding
        for part in (
            doctor_host.check_software(found.software),
            check_database(
                found.database, _asking(patient.settings), _schema_here(), embedded=patient.settings.dsn is None
            ),
            [check_embedded(inside), check_rehearsal(patient.settings.rehearsal_now)],
            doctor_host.check_settings(unusable(patient.environ)),
            _zone(patient, found),
            _catalog(patient, found),
            check_planner(found.planner),
            _nodes(found),
            check_units(found.units),
            _traffic(found),
            _disks(patient, found),
        )
        for finding in part
    )


def _dsn(patient: Patient, inside: object, resources: ExitStack) -> str | Unknown:
    """How the database is reached. The embedded server runs meanwhile, where there is one."""
    settings = patient.settings
    if settings.dsn is not None:
        return settings.dsn
    if not getattr(inside, "may_start", False):
        return NOT_THERE
    server = attempted(lambda: resources.enter_context(embedded.running(settings.state)))
    return server if isinstance(server, Unknown) else server.dsn


def _asking(settings: Settings) -> str:
    """What one types to see why the database is away."""
    if settings.dsn is None:
        return f"tail -n 20 {settings.state.resolve() / 'postgresql' / 'server.log'}"
    place = diagnosis.place(settings.dsn)
    return f"pg_isready -h {place[0]} -p {place[1]}" if place else "pg_isready"


def _gather(patient: Patient, wish: Wish, dsn: str | Unknown, tell: Callable[[str], None]) -> _Gathered:
    settings = patient.settings
    software = Gathering("Python", doctor_host.gather_software)
    database = Gathering("database", lambda: _database(dsn, patient))
    files = Gathering("catalog", lambda: doctor_catalog.gather_files(settings.catalog))
    planner = Gathering("planner", lambda: gather_planner(settings, ask=not wish.quick))
    units = Gathering("systemd", lambda: gather_units(patient.environ))
    until = time.monotonic() + DATABASE_S
    tell("PostgreSQL")
    stored, at_hand_files = database.result(until), files.result(until)
    catalogs = _catalogs(stored, at_hand_files)
    until = time.monotonic() + THE_REST_S
    asked: list[Asked] = []
    for node, catalog, gathering in _ask_nodes(patient, wish, catalogs):
        tell(node.name)
        asked.append(Asked(node, catalog, gathering.result(until) if gathering is not None else None))
    tell("systemd")
    systemd = units.result(until)
    tell(settings.planner_model or "Python")
    return _Gathered(
        software.result(until),
        stored,
        at_hand_files,
        next(iter(catalogs), None),
        planner.result(until),
        systemd,
        tuple(asked),
    )


def _database(dsn: str | Unknown, patient: Patient) -> DatabaseFacts:
    if isinstance(dsn, Unknown):
        raise dsn.error
    return gather_database(dsn, patient.host_clock)


def _catalogs(stored: DatabaseFacts | Unknown, files: FilesFacts | Unknown) -> tuple[Catalog, ...]:
    """The adopted catalog, which counts, and then the one at hand, which may be adopted next."""
    adopted = doctor_catalog.adopted_of(stored.stored.adopted) if isinstance(stored, DatabaseFacts) else None
    at_hand = None if isinstance(files, Unknown) else files.catalog
    return tuple(one for one in (adopted, at_hand) if one is not None and not isinstance(one, Unknown))


def _ask_nodes(
    patient: Patient, wish: Wish, catalogs: tuple[Catalog, ...]
) -> list[tuple[Node, Catalog, Gathering[Seen | Trouble] | None]]:
    # Of a node that both know, the adopted word counts; one that only the files know is about to come.
    known = {node.name: (node, catalog) for catalog in reversed(catalogs) for node in catalog.nodes}
    for name in wish.nodes:
        if name not in known:
            raise node_not_found(name, tuple(sorted(known)))
    slots = Semaphore(AT_A_TIME)
    client = Client(patient.settings.ssh_config, connect_timeout_s=CONNECT_S)

    def asking(node: Node) -> Gathering[Seen | Trouble]:
        def ask() -> Seen | Trouble:
            with slots:
                return doctor_nodes.gather_node(node, client, patient.redactor, patient.host_clock)

        return Gathering(node.name, ask)

    return [
        (node, catalog, asking(node) if _is_asked(node, wish) else None) for _, (node, catalog) in sorted(known.items())
    ]


def _is_asked(node: Node, wish: Wish) -> bool:
    if node.transport == "http" or (wish.nodes and node.name not in wish.nodes):
        return False
    return node.transport == "local" or not wish.quick


def _stored(found: _Gathered) -> Stored:
    return found.database.stored if isinstance(found.database, DatabaseFacts) else Stored()


def _zone(patient: Patient, found: _Gathered) -> Iterator[Finding]:
    installed = _stored(found).installation
    computed_with = None if isinstance(installed, Unknown) else installed.computed_with
    yield doctor_host.check_zone(patient.settings.timezone, doctor_host.os_zone(patient.environ))
    yield doctor_host.check_tzdata(at_hand(), computed_with, sys.executable)
    calendars = found.catalog.calendars if found.catalog is not None else NO_CATALOG
    next_year = datetime.fromtimestamp(patient.host_clock(), UTC).year + 1
    yield from doctor_host.check_holidays(calendars, next_year, sys.executable)


def _catalog(patient: Patient, found: _Gathered) -> Iterator[Finding]:
    yield from doctor_catalog.check_catalog(found.files, _stored(found).adopted)
    of_units = frozenset[str]() if isinstance(found.units, Unknown) else found.units.credentials
    yield from doctor_catalog.check_secrets(
        found.catalog, lambda name: named_secret(name, patient.environ) is not None, of_units
    )


def _nodes(found: _Gathered) -> Iterator[Finding]:
    for asked in found.nodes:
        if asked.answer is None:
            yield doctor_nodes.check_unasked(asked.node)
        else:
            yield from doctor_nodes.check_node(asked.node, asked.answer, asked.catalog)


def _traffic(found: _Gathered) -> Iterator[Finding]:
    stored = _stored(found)
    armed = not isinstance(stored.installation, Unknown) and stored.installation.armed
    yield doctor_traffic.check_ticks(stored.ticks, stored.installation, found.units)
    yield doctor_traffic.check_workers(stored.silence, stored.held_up)
    yield doctor_traffic.check_outbox(stored.outbox)
    yield doctor_traffic.check_retention(stored.backlog, armed)


def _disks(patient: Patient, found: _Gathered) -> Iterator[Finding]:
    yield doctor_host.check_disk(STATE_DISK, attempted(lambda: doctor_host.gather_disk(patient.settings.state)))
    if not isinstance(found.database, DatabaseFacts):
        yield DATA_DISK.unknown(AWAY)
        return
    folder = found.database.server.data_directory
    if folder is None or not found.database.is_on_this_host:
        yield DATA_DISK.unused(
            Text("ほかのホストにあるか、役割には見えません", "on another host, or hidden from our role")
        )
        return
    yield doctor_host.check_disk(DATA_DISK, attempted(lambda: doctor_host.gather_disk(Path(folder))))


def _schema_here() -> int:
    return schema.files(shipped("sql"))[-1][0]
