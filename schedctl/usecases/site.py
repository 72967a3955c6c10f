"""Where a use case works: settings, a connection to an up-to-date database, and who is acting.

Every command passes here, also those that the timer starts each minute: what few of them need is imported by those few.
"""

from __future__ import annotations

import getpass
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.settings import Settings, shipped
from schedctl.store import catalogs, database, schema
from schedctl.store.database import Line
from schedctl.store.events import Actor, record
from schedctl.store.schema import UpgradeInTheWay
from schedctl.usecases import failures
from schedctl.usecases.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from datetime import datetime

    from schedctl.catalog.model import Catalog
    from schedctl.store.database import Database
    from schedctl.store.schema import Standing

Answer = TypeVar("Answer")

A_MOMENT_S: Final = 5.0
"""How long a transaction that fails in passing is tried again; a database that is gone ends a tick within 10 s."""
UPGRADE_ATTEMPTS: Final = 20
PAUSE_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Site:
    """One command's view of the installation. The connection is in autocommit; work happens in `transaction()`.

    `newer_schema` is the database's schema where that is newer than this code, which may go on with it.
    """

    settings: Settings
    line: Line
    actor: Actor
    newer_schema: int | None = None

    @property
    def db(self) -> Database:
        """The connection, as it is used within a transaction."""
        return self.line.db

    @contextmanager
    def transaction(self) -> Generator[datetime]:
        """A transaction, giving its "now": the database's clock, or the rehearsal's."""
        with self.opened():
            yield database.now(self.db)

    @contextmanager
    def opened(self) -> Generator[Database]:
        """A transaction that asks for no clock, on a connection that is opened again where the last one broke."""
        db = self.line.mended()
        with database.transaction(db, self.settings.rehearsal_now):
            yield db

    def patiently(self, act: Callable[[datetime], Answer], for_s: float = A_MOMENT_S) -> Answer:
        """What `act` answers in a transaction of its own, which is tried again while it fails in passing.

        For what may be done twice: where the answer to a COMMIT was lost, the next go finds done what is done.
        """

        def in_transaction(_unsure: bool) -> Answer:
            with self.transaction() as now:
                return act(now)

        return patiently(in_transaction, for_s)


@contextmanager
def open_site(settings: Settings, *, unattended: bool = False) -> Generator[Site]:
    """Connect (starting the embedded server where there is no DSN), bring the schema up to date, adopt a catalog.

    `Refused` (`database_not_named`) where that would make another database than the one of this machine's units.

    `unattended` is a command of the timer's: in a rolling upgrade it goes on with a newer schema that admits it.
    """
    with ExitStack() as resources:
        dsn = settings.dsn
        if dsn is None:
            from schedctl.store import embedded

            if settings.installed_dsn is not None and not embedded.is_made(settings.state):
                raise failures.database_not_named(settings.installed_dsn)
            dsn = resources.enter_context(embedded.running(settings.state)).dsn
        line = Line(dsn, settings.admitted, database.connect(dsn, settings.admitted))
        resources.callback(line.close)
        site = Site(settings, line, _actor(settings))
        newer = _prepare(site, unattended)
        yield replace(site, newer_schema=newer) if newer else site


def adopted_catalog(site: Site) -> Catalog:
    """The adopted catalog, inside a transaction. `CatalogInvalid` when this version of schedctl cannot read it."""
    adopted = catalogs.current(site.db)
    if adopted is None:
        raise OperationFailed(
            "catalog_missing",
            Text("カタログがまだ採用されていません", "No catalog has been adopted yet"),
            Text("schedctl catalog adopt を実行してください", "Run schedctl catalog adopt"),
        )
    from schedctl.catalog.parse import parse

    return parse(adopted.document)


def _prepare(site: Site, unattended: bool) -> int | None:
    """Schema and catalog; the upgrade begins again where it gave way to work in progress."""
    attempts = UPGRADE_ATTEMPTS
    while True:
        standing = patiently(lambda _: _look(site, unattended), A_MOMENT_S)
        if not standing.older:
            return standing.newer
        attempts -= 1
        try:
            with site.opened() as db:
                schema.upgrade(db, shipped("sql"))
                _adopt_where_none_is(site)
        except UpgradeInTheWay:
            if not attempts:
                raise
            time.sleep(PAUSE_S)


def _look(site: Site, unattended: bool) -> Standing:
    """How the schema stands to this code; where it is not older, a catalog is there afterwards."""
    with site.opened() as db:
        standing = schema.look(db, shipped("sql"), unattended=unattended)
        if not standing.older:
            _adopt_where_none_is(site)
    return standing


def _adopt_where_none_is(site: Site) -> None:
    if not catalogs.is_adopted(site.db):
        catalogs.hold_for_adoption(site.db)
        if not catalogs.is_adopted(site.db):
            _adopt_first(site)


def _adopt_first(site: Site) -> None:
    from schedctl.catalog import files
    from schedctl.catalog.parse import parse
    from schedctl.usecases.current_catalog import make_current

    catalog = parse(files.read_folder(site.settings.catalog))
    make_current(site.db, catalog, site.actor.name, site.settings.host)
    record(site.db, "catalog_adopted", site.actor, detail={"digest": catalog.digest, "first": True})


def _actor(settings: Settings) -> Actor:
    if settings.admitted is not None:
        return Actor(settings.admitted.actor, settings.admitted.address)
    return Actor(settings.actor or _operating_system_user(), settings.host)


def _operating_system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
