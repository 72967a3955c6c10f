"""Connections and transactions: typed errors, bounded waits, and the one clock."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import ClientCursor, Connection, errors

from schedctl.errors import NotAllowed, OperationFailed, SchedctlError
from schedctl.language import Text
from schedctl.store.unreachable import unreachable, unreadable

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from datetime import datetime

    from psycopg.rows import RowFactory

    from schedctl.settings import Admitted

CONNECT_TIMEOUT_S: Final = 5
SILENT_LINK_MS: Final = 8_000
"""How long sent data may stay unacknowledged: a host that fell off the network ends a command, it does not hang it."""
STATEMENT_TIMEOUT_MS: Final = 15_000
LOCK_TIMEOUT_MS: Final = 8_000
IDLE_IN_TRANSACTION_TIMEOUT_MS: Final = 15_000

Database = Connection[Any]
Row = TypeVar("Row")
Opened = TypeVar("Opened", bound=Connection[Any])

# PgBouncer refuses start-up options and shares sessions: what a transaction needs, it sets for itself.
SET_FOR_TRANSACTION: Final = """
    SELECT set_config('statement_timeout', %s, true),
           set_config('lock_timeout', %s, true),
           set_config('idle_in_transaction_session_timeout', %s, true),
           set_config('timezone', 'UTC', true),
           set_config('schedctl.now', %s, true)
"""

# The gate's login may do nothing but this: each transaction has the rights of the admitted person's role, no others.
SPEAK_FOR: Final = "SELECT set_config('role', %s, true), set_config('schedctl.gate', %s, true)"

# A worker's exchanges find rows by keys. Of a table that was empty when it was last analysed the planner believes that
# reading all of it is cheapest, and a session keeps such plans: on a fresh installation each leg would read every step.
AND_BY_KEYS: Final = ", set_config('enable_seqscan', 'off', true)"

NOW: Final = "SELECT schedctl.now()"

ENCODING: Final = "SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()"


class SpokenFor(Connection[Any]):
    """A connection whose transactions have the rights of the person for whom the gate speaks."""

    admitted: Admitted


def connect(dsn: str, admitted: Admitted | None = None) -> Database:
    """Open a connection. The caller closes it. `OperationFailed` (`database_unavailable`) when there is none."""
    if admitted is None:
        return _open(Connection, dsn)
    spoken_for = _open(SpokenFor, dsn)
    spoken_for.admitted = admitted
    return spoken_for


@dataclass(slots=True)
class Line:
    """A command's connection, opened again where it broke: for the next transaction, never within one."""

    dsn: str
    admitted: Admitted | None
    db: Database

    def mended(self) -> Database:
        """The connection; `OperationFailed` (`database_unavailable`) where it broke and there is no other."""
        if self.db.closed:
            self.db = connect(self.dsn, self.admitted)
        return self.db

    def close(self) -> None:
        """Close the connection that is open now."""
        self.db.close()


def _open(kind: type[Opened], dsn: str) -> Opened:
    try:
        return kind.connect(
            dsn,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=CONNECT_TIMEOUT_S,
            tcp_user_timeout=SILENT_LINK_MS,
            client_encoding="utf8",
            application_name="schedctl",
        )
    except psycopg.Error as error:
        raise unreadable(error) or _typed(error) from None


@contextmanager
def transaction(
    db: Database, rehearsal_now: datetime | None, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS
) -> Generator[None]:
    """One transaction with its timeouts and its clock; psycopg's errors leave it as schedctl's own."""
    with typed_errors(), db.transaction():
        db.execute(SET_FOR_TRANSACTION, _set_to(rehearsal_now, statement_timeout_ms))
        if isinstance(db, SpokenFor):
            _speak_for(db, db.admitted)
        yield


def _speak_for(db: Database, admitted: Admitted) -> None:
    """Take the role and say for whom; `NotAllowed` (`gate_not_granted`) where the login may not."""
    said = {"actor": admitted.actor, "role": admitted.role, "key": admitted.key, "from": admitted.address}
    try:
        db.execute(SPEAK_FOR, (f"schedctl_{admitted.role}", json.dumps(said, ensure_ascii=False)))
    except (errors.InsufficientPrivilege, errors.InvalidParameterValue):
        login = db.info.user
        raise NotAllowed(
            "gate_not_granted",
            Text(
                f"ゲートのデータベース利用者 {login} は、役割 {admitted.role} を名乗れません",
                f"The gate's database login {login} may not take the role {admitted.role}",
            ),
            Text(
                f"スキーマの所有者が schedctl grant gate {login} を実行してください",
                f"The owner of the schema runs: schedctl grant gate {login}",
            ),
        ) from None


def at_once(
    db: Database, rehearsal_now: datetime | None, query: LiteralString, values: Sequence[object], row: RowFactory[Row]
) -> tuple[Row, ...]:
    """The rows of one statement that is a transaction of its own: a single exchange with the server.

    It has its timeouts and its clock like any other. The server takes several statements in one message as one
    transaction, provided that their values stand in the text: ClientCursor writes them there, quoted by libpq.
    """
    if isinstance(db, SpokenFor):
        raise NotAllowed(
            "not_allowed",
            Text("ゲートの中ではコマンドは実行されません", "Nothing is carried out inside the gate"),
            Text("worker（schedctl work）が実行します", "A worker does that (schedctl work)"),
        )
    with typed_errors(), ClientCursor(db, row_factory=row) as cursor:
        settings = _set_to(rehearsal_now, STATEMENT_TIMEOUT_MS)
        cursor.execute(SET_FOR_TRANSACTION + AND_BY_KEYS + ";" + query, (*settings, *values))
        cursor.nextset()
        return tuple(cursor.fetchall())


def _set_to(rehearsal_now: datetime | None, statement_timeout_ms: int) -> tuple[str, ...]:
    said = rehearsal_now.isoformat() if rehearsal_now else ""
    return (str(statement_timeout_ms), str(LOCK_TIMEOUT_MS), str(IDLE_IN_TRANSACTION_TIMEOUT_MS), said)


def now(db: Database) -> datetime:
    """The database's clock (or the rehearsal's), inside a transaction."""
    row = db.execute(NOW).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM gives one row
    return row[0]


@contextmanager
def typed_errors() -> Generator[None]:
    """Turn what psycopg raises into an error for the operator: its kind and SQLSTATE, never a statement or values."""
    try:
        yield
    except psycopg.Error as error:
        raise _typed(error) from None


def _typed(error: psycopg.Error) -> SchedctlError:
    match error:
        case errors.ReadOnlySqlTransaction():
            return OperationFailed(
                "database_read_only",
                Text(
                    "データベースが読み取り専用です（スタンバイにつながっています）",
                    "The database is read-only (this is a standby)",
                ),
                Text(
                    "DSN に target_session_attrs=read-write を加え、プライマリのホストも書いてください",
                    "Add target_session_attrs=read-write to the DSN and list the primary host in it",
                ),
                passing=True,
            )
        case errors.InsufficientPrivilege():
            return _not_allowed(error.diag.constraint_name)
        case errors.QueryCanceled() | errors.LockNotAvailable() | errors.DeadlockDetected():
            return OperationFailed(
                "database_busy",
                Text(
                    "データベースが時間内に答えませんでした。何も変わっていません",
                    "The database did not answer in time; nothing was changed",
                ),
                Text("少し待って、もう一度実行してください", "Wait a little and try again"),
                passing=True,
            )
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return unreachable(error)
        case _:
            constraint = error.diag.constraint_name
            detail = f"SQLSTATE {error.sqlstate or '-'}" + (f", {constraint}" if constraint else "")
            return OperationFailed(
                "database_error",
                Text(
                    f"データベースが操作を受け付けませんでした（{detail}）",
                    f"The database refused the operation ({detail})",
                ),
            )


def _not_allowed(rule: str | None) -> NotAllowed:
    """A right that is missing; or the rule that another person approves, which the database holds under its name."""
    if rule == "another_person_approves":
        return NotAllowed(
            "second_person_needed",
            Text(
                "登録した人とは別の人の承認が必要です", "Another person than the one who registered it has to approve"
            ),
            Text(
                "別のデータベース利用者か、ゲートを通る別の人が承認してください",
                "Somebody with another database login, or another person through the gate, approves it",
            ),
        )
    return NotAllowed(
        "not_allowed",
        Text("このデータベースの役割には、その操作が許されていません", "This database role is not allowed to do that"),
        Text(
            "役割を確かめてください（schedctl grant、docs/roles.md）",
            "Check the role that you connect with (schedctl grant, docs/roles.md)",
        ),
    )


def require_utf8(db: Database) -> None:
    """`OperationFailed` (`database_not_utf8`) unless the database stores UTF-8."""
    row = db.execute(ENCODING).fetchone()
    encoding = row[0] if row else "?"
    if encoding != "UTF8":
        raise OperationFailed(
            "database_not_utf8",
            Text(
                f"データベースの文字コードが {encoding} です。UTF8 が必要です",
                f"The database's encoding is {encoding}; UTF8 is needed",
            ),
            Text(
                "createdb --encoding=UTF8 --template=template0 で作り直してください",
                "Create one with createdb --encoding=UTF8 --template=template0",
            ),
        )
