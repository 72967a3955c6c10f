"""Facts as a good, a bad and an unknown installation gives them, for the golden lines of `doctor`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.catalog.files import read_folder
from schedctl.catalog.model import Node
from schedctl.catalog.parse import parse
from schedctl.catalog.problems import Problem
from schedctl.catalog.telling import SlackChannel
from schedctl.errors import OperationFailed, PlanError
from schedctl.language import Text
from schedctl.settings import shipped, unusable
from schedctl.store.catalogs import AdoptedCatalog
from schedctl.store.diagnosis import Backlog, Rights, Server
from schedctl.store.installation import Installation
from schedctl.store.nodes import HeldUp, Hold
from schedctl.store.outbox import OutboxState
from schedctl.store.status import TickBeat
from schedctl.store.watching import Silence
from schedctl.transport.probe import NodeFacts
from schedctl.transport.ssh_errors import Trouble
from schedctl.usecases import doctor_catalog, doctor_database_checks, doctor_host, doctor_nodes, doctor_planner
from schedctl.usecases import doctor_traffic as traffic
from schedctl.usecases.doctor_database import AWAY, NOT_THERE, DatabaseFacts, Stored
from schedctl.usecases.doctor_embedded import EmbeddedFacts, check_embedded
from schedctl.usecases.doctor_finding import Finding, Topic, Unknown
from schedctl.usecases.doctor_units import Unit, UnitsFacts, check_units
from schedctl.when.calendar import BusinessCalendar, Calendars
from schedctl.when.data_version import DataVersion

if TYPE_CHECKING:
    from collections.abc import Iterable

NOW: Final = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
PYTHON: Final = "/opt/schedctl/bin/python"
GIB: Final = 1 << 30
UNKNOWN: Final = Unknown(OperationFailed("no_answer", Text("時間内に答えがありません", "No answer in time")))
NO_DATABASE: Final = Unknown(
    OperationFailed(
        "database_unavailable",
        Text("データベースにつながりません", "The database cannot be reached"),
        Text("PostgreSQL が動いているかを確かめてください", "Check that PostgreSQL is running"),
    )
)
NO_PLANNER: Final = Unknown(
    PlanError(
        "planner_unavailable",
        Text("言語モデルのサーバーにつながりません", "The language model server cannot be reached"),
        Text("動いているか確かめてください", "Check that it runs"),
    )
)
ASKING: Final = "pg_isready -h db.example -p 5432"
CATALOG: Final = parse(read_folder(shipped("catalog")))
SOUND: Final = doctor_catalog.FilesFacts("/etc/schedctl/catalog", CATALOG, ())
ADOPTED: Final = AdoptedCatalog(1, CATALOG.digest, CATALOG.document, NOW, "alice")
MARS: Final = Node("mars", "ssh", Text("火星", "Mars"), "mars.example", "schedctl", 2222)
LOCAL: Final = CATALOG.nodes[0]

SERVER: Final = Server(160_004, "16.4", "UTF8", NOW, "schedctl", False, False, True, 7, None, 12 << 20)
ARMED: Final = Installation(
    True, NOW, NOW, "alice", None, timedelta(hours=1), timedelta(minutes=1), 1, "2026f 0.109", NOW
)
STORED: Final = Stored(rights=Rights(True, ()), installation=ARMED, moved=False)
DATABASE: Final = DatabaseFacts(SERVER, 9, 0.1, False, True, STORED)
SOFTWARE: Final = doctor_host.Software((3, 12, 1), PYTHON, "0.1.0", (doctor_host.Package("holidays", "0.60", "0.109"),))
DISK: Final = doctor_host.Disk("/var/lib/schedctl", 40 * GIB, 100 * GIB, 0.5)
QUIET: Final = Silence(timedelta(seconds=20), True, None, None, False, False)
NOTICES: Final = OutboxState(3, 0, None, 0)
BACKLOG: Final = Backlog(400, NOW, 0, timedelta(minutes=20))
FACTS: Final = NodeFacts(1_795_000_000, 1000, "schedctl", frozenset({"setsid", "sudo", "systemd-run"}), "252", True, "")
FREE: Final = "User schedctl may run the following commands on mars:\n    (root) NOPASSWD: ALL\n"
ASKS: Final = FREE.replace("NOPASSWD: ", "")
TICK_TIMER: Final = Unit(
    "schedctl-tick.timer", "system", "enabled", "active", "success", "Mon 2026-11-30 01:00:00 UTC", (), ""
)
TICK: Final = Unit("schedctl-tick.service", "system", "static", "inactive", "success", "", ("/etc/x.conf",), "schedctl")
UNITS: Final = UnitsFacts(True, (TICK_TIMER, TICK), frozenset(), "schedctl")
QWEN: Final = doctor_planner.PlannerFacts("ollama", "qwen3:8b", True, ("qwen3:8b", "llama4"))
IN_A_DISK: Final = Topic("disk:state", Text("ディスク", "disk"))
MISTAKE: Final = Problem(
    "nodes.toml", "nodes.mars.port", Text("整数ではありません", "It is no integer"), Text("port = 22", "port = 22")
)


def beat(host: str, seconds: int) -> TickBeat:
    """A host's last tick, so many seconds ago."""
    return TickBeat(host, NOW, timedelta(seconds=seconds))


def database(found: DatabaseFacts | Unknown, *, embedded: bool = False) -> Iterable[Finding]:
    """All lines about the database."""
    return doctor_database_checks.check_database(found, ASKING, 9, embedded=embedded)


def node(found: doctor_nodes.Seen | Trouble | Unknown, which: Node = MARS) -> Iterable[Finding]:
    """All lines about a node."""
    return doctor_nodes.check_node(which, found, CATALOG)


def seen(facts: NodeFacts, ahead_s: float = 0.0) -> doctor_nodes.Seen:
    """What a node answered."""
    return doctor_nodes.Seen(facts, ahead_s)


def secrets(here: tuple[str, ...], of_units: tuple[str, ...] = ()) -> Iterable[Finding]:
    """A catalog with a channel that needs a secret."""
    policy = replace(CATALOG.policy, channels=(SlackChannel("ops", "${secret:ops_token}"),))
    return doctor_catalog.check_secrets(replace(CATALOG, policy=policy), here.__contains__, frozenset(of_units))


def calendars(country: str) -> Calendars:
    """One calendar, of this country."""
    return Calendars(BusinessCalendar(country))


CASES: Final[dict[str, Iterable[Finding]]] = {
    "software good": doctor_host.check_software(SOFTWARE),
    "software bad": doctor_host.check_software(
        replace(
            SOFTWARE,
            python=(3, 10, 4),
            packages=(doctor_host.Package("tzdata", "2024.1", "2023.3"), doctor_host.Package("rich", "13.7", None)),
        )
    ),
    "database good": database(DATABASE),
    "database behind a pooler": database(replace(DATABASE, is_pooled=True)),
    "database away": database(NO_DATABASE),
    "database embedded and not started": database(NOT_THERE, embedded=True),
    "database of another kind": database(
        replace(
            DATABASE,
            server=replace(SERVER, version_number=130_002, version="13.2", encoding="SQL_ASCII", is_superuser=True),
            host_ahead_s=75.0,
            schema_version=12,
        )
    ),
    "database a standby, its schema older": database(
        replace(DATABASE, server=replace(SERVER, is_standby=True), host_ahead_s=-5.0, schema_version=5)
    ),
    "database new, its role a stranger's": database(
        replace(DATABASE, server=replace(SERVER, may_use_schema=False), schema_version=0)
    ),
    "place of a restored database, before its first tick": database(
        replace(DATABASE, stored=replace(STORED, moved=True))
    ),
    "place of a restored database that has disarmed itself": database(
        replace(
            DATABASE,
            stored=replace(
                STORED, installation=replace(ARMED, armed=False, armed_since=None, changed_reason="restored")
            ),
        )
    ),
    "role a worker's": database(replace(DATABASE, stored=Stored(rights=Rights(False, ("worker",))))),
    "role nobody's": database(replace(DATABASE, stored=Stored(rights=Rights(False, ())))),
    "role not known": database(replace(DATABASE, stored=Stored(rights=UNKNOWN))),
    **{
        f"embedded {state}": [check_embedded(EmbeddedFacts("/var/lib/schedctl/postgresql", state))]
        for state in ("not_asked_for", "none", "private", "open", "foreign")
    },
    "embedded without its programs": [check_embedded(NO_DATABASE)],
    "rehearsal none": [doctor_database_checks.check_rehearsal(None)],
    "rehearsal on": [doctor_database_checks.check_rehearsal(NOW)],
    "settings good": doctor_host.check_settings({}),
    "settings bad": doctor_host.check_settings(
        unusable({"SCHEDCTL_TIMEZONE": "Asia/Tokio", "SCHEDCTL_LANG": "de", "SCHEDCTL_REHEARSAL_NOW": "2026-12-06"})
    ),
    "zone": [doctor_host.check_zone("Asia/Tokyo", "Asia/Tokyo"), doctor_host.check_zone("Asia/Tokyo", "Etc/UTC")],
    "tzdata good": [doctor_host.check_tzdata(DataVersion("2026f", "0.109"), "2026f 0.109", PYTHON)],
    "tzdata older than stored": [doctor_host.check_tzdata(DataVersion("2026b", "0.99"), "2026f 0.109", PYTHON)],
    "tzdata stored unknown": [doctor_host.check_tzdata(DataVersion("2026f", "0.109"), None, PYTHON)],
    "holidays good": doctor_host.check_holidays(calendars("JP"), 2027, PYTHON),
    "holidays of no country": doctor_host.check_holidays(calendars(""), 2027, PYTHON),
    "holidays not known for the year": doctor_host.check_holidays(calendars("JP"), 2150, PYTHON),
    "holidays unknown": doctor_host.check_holidays(UNKNOWN, 2027, PYTHON),
    "catalog good": doctor_catalog.check_catalog(SOUND, ADOPTED),
    "catalog not adopted": doctor_catalog.check_catalog(SOUND, None),
    "catalog another one adopted": doctor_catalog.check_catalog(SOUND, replace(ADOPTED, digest="x")),
    "catalog adopted unreadable": doctor_catalog.check_catalog(
        SOUND, replace(ADOPTED, digest="x", document={"files": {"nodes.toml": {"nodes": 7}}})
    ),
    "catalog adopted unknown": doctor_catalog.check_catalog(SOUND, AWAY),
    "catalog mistaken": doctor_catalog.check_catalog(replace(SOUND, catalog=None, problems=(MISTAKE,)), ADOPTED),
    "catalog unreadable": doctor_catalog.check_catalog(NO_DATABASE, ADOPTED),
    "secret present": secrets(("ops_token",)),
    "secret of the units": secrets((), ("ops_token",)),
    "secret absent": secrets(()),
    "planner none": doctor_planner.check_planner(None),
    "planner good": doctor_planner.check_planner(QWEN),
    "planner not asked": doctor_planner.check_planner(replace(QWEN, names=None, has_key=False)),
    "planner without the model": doctor_planner.check_planner(replace(QWEN, model="qwen4")),
    "planner without the model, of OpenAI's kind": doctor_planner.check_planner(
        replace(QWEN, kind="openai", model="o")
    ),
    "planner away": doctor_planner.check_planner(NO_PLANNER),
    "node good": node(seen(replace(FACTS, sudo=FREE))),
    "node good, root, without systemd": node(seen(replace(FACTS, uid=0, user="root", systemd=None))),
    "node local good": node(seen(replace(FACTS, sudo=FREE)), LOCAL),
    "node whose sudo asks": node(seen(replace(FACTS, sudo=ASKS))),
    "node that lacks everything": node(seen(replace(FACTS, programs=frozenset(), home_is_writable=False), 90.0)),
    "node whose clock is off": node(seen(replace(FACTS, sudo=FREE), -7.0)),
    **{
        f"node {kind}": node(Trouble(kind, "ssh said so", before_anything=True))
        for kind in ("host_unreachable", "host_key_unknown", "host_key_changed", "auth_refused", "could_not_start")
    },
    "node without an address": node(
        Trouble("host_unreachable", "Could not resolve hostname mars.example: Name or service not known", True)
    ),
    "node unknown": node(UNKNOWN),
    "node not asked": [
        doctor_nodes.check_unasked(MARS),
        doctor_nodes.check_unasked(replace(MARS, name="agent", transport="http")),
    ],
    "units good": check_units(UNITS),
    "units none": check_units(replace(UNITS, units=())),
    "units without systemd": check_units(replace(UNITS, has_systemd=False, units=())),
    "units bad": check_units(
        UnitsFacts(
            True,
            (
                replace(TICK_TIMER, active="inactive"),
                replace(TICK_TIMER, name="schedctl-watch.timer", active="inactive", scope="user"),
                replace(TICK, active="failed", result="exit-code"),
                replace(TICK, name="schedctl-deliver@watch.service", active="failed", result="exit-code"),
            ),
            frozenset(),
            "root",
        )
    ),
    "units that are left unused": check_units(
        replace(UNITS, units=(replace(TICK_TIMER, name="schedctl-page.timer", enabled="disabled", active="inactive"),))
    ),
    "units not enabled": check_units(replace(UNITS, units=(replace(TICK_TIMER, enabled="disabled"),))),
    "units unknown": check_units(UNKNOWN),
    "ticks good": [traffic.check_ticks((beat("a", 20), beat("b", 7200)), ARMED, UNITS)],
    "ticks stopped": [traffic.check_ticks((beat("a", 600),), ARMED, UNITS)],
    "ticks never": [traffic.check_ticks((), ARMED, replace(UNITS, units=()))],
    "ticks without systemd": [traffic.check_ticks((), ARMED, replace(UNITS, has_systemd=False, units=()))],
    "ticks disarmed": [traffic.check_ticks((), replace(ARMED, armed=False, armed_since=None), UNITS)],
    "ticks in the future": [traffic.check_ticks((beat("a", -7200),), ARMED, UNITS)],
    "ticks unknown": [
        traffic.check_ticks(UNKNOWN, ARMED, UNITS),
        traffic.check_ticks((), UNKNOWN, UNITS),
    ],
    "workers good": [
        traffic.check_workers(QUIET, ()),
        traffic.check_workers(replace(QUIET, oldest_leg=timedelta(seconds=40)), ()),
    ],
    "workers none": [traffic.check_workers(replace(QUIET, oldest_leg=timedelta(hours=3)), ())],
    "workers held up": [
        traffic.check_workers(QUIET, (HeldUp(7, Hold("mars", NOW, "alice", "fans", None)),)),
        traffic.check_workers(QUIET, tuple(HeldUp(run, Hold("mars", NOW, "a:1", "lost", 3)) for run in (8, 9))),
        traffic.check_workers(QUIET, (HeldUp(7, Hold("mars", NOW, "a:1", "running", 3)),)),
    ],
    "workers unknown": [traffic.check_workers(UNKNOWN, ()), traffic.check_workers(QUIET, UNKNOWN)],
    "outbox good": [traffic.check_outbox(NOTICES)],
    "outbox stuck": [traffic.check_outbox(replace(NOTICES, stuck_for=timedelta(hours=2)))],
    "outbox given up": [traffic.check_outbox(replace(NOTICES, dead=2))],
    "outbox unknown": [traffic.check_outbox(UNKNOWN)],
    "retention good": [traffic.check_retention(BACKLOG, armed=True)],
    "retention behind": [traffic.check_retention(replace(BACKLOG, too_old=2000), armed=True)],
    "retention not done": [traffic.check_retention(replace(BACKLOG, since_tidied=timedelta(days=2)), armed=True)],
    "retention unknown": [traffic.check_retention(UNKNOWN, armed=True)],
    "disk good": [doctor_host.check_disk(IN_A_DISK, DISK)],
    "disk nearly full": [doctor_host.check_disk(IN_A_DISK, replace(DISK, free_bytes=GIB // 2))],
    "disk full": [doctor_host.check_disk(IN_A_DISK, replace(DISK, free_bytes=GIB // 100))],
    "disk without inodes": [doctor_host.check_disk(IN_A_DISK, replace(DISK, inodes=0.001))],
    "disk that is none": [doctor_host.check_disk(IN_A_DISK, replace(DISK, free_bytes=0, total_bytes=0))],
    "disk unknown": [doctor_host.check_disk(IN_A_DISK, UNKNOWN)],
}
