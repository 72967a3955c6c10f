"""One exchange with the database that fails, as a real server makes it fail: a transaction is gone, or the session is.

- `deadlock`, `lock`, `cancel`: the server answers with that error, and takes the transaction back.
- `before`: the server ends the session before the message reaches it; nothing of the message is done.
- `after`: it does what the message says, ends the session, and its answer is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import psycopg
from psycopg import errors
from psycopg.pq import PGconn

if TYPE_CHECKING:
    from collections.abc import Callable

Failure = Literal["deadlock", "lock", "cancel", "before", "after"]
FAILURES: Final[tuple[Failure, ...]] = get_args(Failure)

SQLSTATES: Final = {"deadlock": b"40P01", "lock": b"55P03", "cancel": b"57014"}
FAIL: Final = b"DO $$BEGIN RAISE EXCEPTION 'as asked for' USING ERRCODE = '%b'; END$$"


def failing(connection: psycopg.Connection[Any], exchange: Any, go: Callable[[], Any], how: Failure) -> Any:
    """Make this exchange fail; `go` has it with the server. A ROLLBACK never fails with an error."""
    if how == "before":
        _end_session(connection)
        return go()
    if how == "after":
        go()
        _end_session(connection)
        connection.pgconn.finish()
        raise psycopg.OperationalError("server closed the connection unexpectedly")
    match exchange.__name__:
        case "_exit_gen" if exchange.gi_frame.f_locals["exc_val"] is not None:
            return go()
        case "_exit_gen":
            refused = connection.pgconn.exec_(FAIL % SQLSTATES[how])
            go()  # which ends the transaction that failed
        case "_enter_gen":
            go()
            refused = connection.pgconn.exec_(FAIL % SQLSTATES[how])
        case _:
            refused = connection.pgconn.exec_(FAIL % SQLSTATES[how])
    raise errors.error_from_result(refused)


def _end_session(connection: psycopg.Connection[Any]) -> None:
    """By another connection, which nobody counts; back when the session is gone, and its transaction with it."""
    elsewhere = PGconn.connect(connection.info.dsn.encode())
    elsewhere.exec_(b"SELECT pg_terminate_backend(%d, 5000)" % connection.pgconn.backend_pid)
    elsewhere.finish()
