"""Ask the database whether there is anything to do, before anything heavy is imported.

A tick starts 1,440 times a day on every host and mostly finds nothing. Importing psycopg costs ten times what the
question costs, so it is asked through libpq itself. Whatever is unusual gives None: then the caller looks properly,
with its own errors. This module imports nothing that takes longer than the question.
"""

import ctypes
import os
import select
import sys
import time

TICK_PATIENCE_S = (3, 8.0)
"""How long it waits to be connected, and then for the answer. The statement's own limit lies below the latter.

The whole command tries to connect once more, for 5 s: a database that is gone ends the tick within 10 s."""
BEAT_PATIENCE_S = (2, 3.0)
"""An agent has better things to do than to wait for us."""
CONNECTION_OK = 0
TUPLES_OK = 2
GLANCE = "SET LOCAL statement_timeout = 5000; SELECT schedctl.glance({}, {}, {}::int)"
GLANCE_WORK = (
    "SET LOCAL statement_timeout = 5000; SELECT schedctl.glance_work({}, {}::text[], {}::int)"
    " || CASE WHEN has_table_privilege('schedctl.catalog', 'SELECT') THEN ', may read' ELSE '' END"
)
KNOWN_NODES = (
    "SET LOCAL statement_timeout = 5000; SELECT (SELECT array_agg(name) @> {}::text[]"
    " FROM jsonb_object_keys(document #> '{{files,nodes.toml,nodes}}') AS name)::text"
    " FROM schedctl.catalog JOIN schedctl.installation USING (catalog_id)"
)
BEAT = "SET LOCAL statement_timeout = 2000; SELECT schedctl.beat({}, {}, {}::bigint, {}, {}::interval)"


def glance(dsn: str, verb: str, host: str, version: int) -> str | None:
    """`idle`, `idle disarmed` or `busy`; None where it cannot be said this way."""
    return ask(dsn, GLANCE, (verb, host, str(version)), TICK_PATIENCE_S)


def glance_work(dsn: str, host: str, nodes: list[str], version: int) -> str | None:
    """`idle` or `busy` of the legs on these nodes (none named: on all); None where it cannot be said this way.

    A name that the catalog does not have is unusual, for a role that may read it.
    """
    quoted = ['"' + node.replace("\\", "\\\\").replace('"', '\\"') + '"' for node in nodes]
    named = "{" + ",".join(quoted) + "}" if nodes else None
    answer = ask(dsn, GLANCE_WORK, (host, named, str(version)), TICK_PATIENCE_S)
    if answer == "idle, may read" and nodes and ask(dsn, KNOWN_NODES, (named,), TICK_PATIENCE_S) != "true":
        return None
    return answer.partition(",")[0] if answer else None


def beat(
    dsn: str, name: str, status: str, tokens: str | None, detail: str | None, stops_for: str | None = None
) -> bool:
    """Record an agent's beat; False where it cannot be done this way."""
    return ask(dsn, BEAT, (name, status, tokens, detail, stops_for), BEAT_PATIENCE_S) is not None


def ask(dsn: str, query: str, values: tuple[str | None, ...], patience_s: tuple[int, float]) -> str | None:
    """The one value that the query gives ('' for none), with the values as literals; None on any trouble."""
    library = _library()
    if library is None:
        return None
    connection = _connect(library, dsn, patience_s[0])
    try:
        if library.PQstatus(connection) != CONNECTION_OK:
            return None
        literals = ["NULL" if value is None else _literal(library, connection, value) for value in values]
        return _answer(library, connection, query.format(*literals).encode(), patience_s[1])
    finally:
        library.PQfinish(connection)


def _library() -> ctypes.CDLL | None:
    """libpq: the system's, else the copy that comes with psycopg."""
    for name in ("libpq.so.5", *_carried()):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for function in ("PQconnectdbParams", "PQgetResult", "PQescapeLiteral", "PQgetvalue"):
            getattr(library, function).restype = ctypes.c_void_p
        return library
    return None


def _carried() -> list[str]:
    for folder in sys.path:
        libraries = os.path.join(folder, "psycopg_binary.libs")  # noqa: PTH118 - pathlib costs more than the question
        if os.path.isdir(libraries):  # noqa: PTH112
            return [os.path.join(libraries, name) for name in os.listdir(libraries) if name.startswith("libpq")]  # noqa: PTH118, PTH208
    return []


def _connect(library: ctypes.CDLL, dsn: str, patience_s: int) -> ctypes.c_void_p:
    options = {
        "dbname": dsn,
        "connect_timeout": str(patience_s),
        "client_encoding": "utf8",
        "application_name": "schedctl",
    }
    texts = ctypes.c_char_p * (len(options) + 1)
    keywords = texts(*(key.encode() for key in options), None)
    values = texts(*(value.encode() for value in options.values()), None)
    return ctypes.c_void_p(library.PQconnectdbParams(keywords, values, 1))


def _literal(library: ctypes.CDLL, connection: ctypes.c_void_p, text: str) -> str:
    raw = text.encode()
    quoted = ctypes.c_void_p(library.PQescapeLiteral(connection, raw, ctypes.c_size_t(len(raw))))
    try:
        return (ctypes.cast(quoted, ctypes.c_char_p).value or b"''").decode()
    finally:
        library.PQfreemem(quoted)


def _answer(library: ctypes.CDLL, connection: ctypes.c_void_p, query: bytes, patience_s: float) -> str | None:
    """The one value of the last result; None on an error, or when the server does not answer in time."""
    if not library.PQsendQuery(connection, query):
        return None
    ends_at = time.monotonic() + patience_s
    value: str | None = None
    while True:
        while library.PQisBusy(connection):
            ready, _, _ = select.select([library.PQsocket(connection)], [], [], max(0.0, ends_at - time.monotonic()))
            if not ready or not library.PQconsumeInput(connection):
                return None
        result = library.PQgetResult(connection)
        if not result:
            return value
        result = ctypes.c_void_p(result)
        if library.PQresultStatus(result) == TUPLES_OK:
            text = ctypes.cast(ctypes.c_void_p(library.PQgetvalue(result, 0, 0)), ctypes.c_char_p).value
            value = text.decode() if text else ""
        library.PQclear(result)
