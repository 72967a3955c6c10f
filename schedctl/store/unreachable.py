"""Why there is no connection, in words of ours: what libpq or the server said is recognised, and never repeated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import psycopg

from schedctl.errors import OperationFailed, Refused
from schedctl.language import Text

SETTINGS_PAGE: Final = Text(
    "postgresql://利用者@ホスト/データベース か「host=… dbname=… user=…」の形で書いてください（docs/settings.md）",
    "Write it as postgresql://USER@HOST/DATABASE or as host=… dbname=… user=… (docs/settings.md)",
)
UNREADABLE: Final = (
    r"invalid port number|Servname not supported|invalid \w+ value: |invalid integer value|definition of service"
)
"""What libpq says of a DSN whose form is right and whose values cannot be."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason: the SQLSTATEs and the message shapes by which it is known, and what the operator is told."""

    states: tuple[str, ...]
    shape: str
    """A regular expression; compiled when there is an error to look at."""
    message: Text
    hint: Text


# The order decides where several hosts failed in several ways: what a server answered says more than silence.
CAUSES: Final = (
    Cause(
        ("3D000",),
        r'database ".*" does not exist|no such database|データベース ?".*" ?は存在しません',
        Text(
            "データベースサーバーは答えましたが、その名前のデータベースがありません",
            "The database server answered, but it has no database of that name",
        ),
        Text(
            "SCHEDCTL_DSN のデータベース名を確かめるか、createdb で作ってください",
            "Check the database's name in SCHEDCTL_DSN, or make it with createdb",
        ),
    ),
    Cause(
        (),
        r'role ".*" does not exist|no such user|ロール ?".*" ?は存在しません',
        Text(
            "データベースサーバーは答えましたが、その利用者（ロール）がありません",
            "The database server answered, but it knows no user (role) of that name",
        ),
        Text(
            "SCHEDCTL_DSN の利用者名を確かめるか、createuser で作ってください",
            "Check the user in SCHEDCTL_DSN, or make it with createuser",
        ),
    ),
    Cause(
        ("28P01", "28000"),
        r"authentication failed|no password supplied|no pg_hba\.conf entry|認証に失敗しました",
        Text("データベースサーバーがログインを拒みました", "The database server refused the login"),
        Text(
            "SCHEDCTL_DSN の利用者とパスワード（~/.pgpass も）と、サーバーの pg_hba.conf を確かめてください",
            "Check the user and the password in SCHEDCTL_DSN (or ~/.pgpass), and the server's pg_hba.conf",
        ),
    ),
    Cause(
        (),
        r"failed to resolve host|could not translate host name",
        Text(
            "データベースのホスト名が分かりません（名前を引けません）",
            "The database's host name is not known (it cannot be resolved)",
        ),
        Text(
            "SCHEDCTL_DSN のホスト名と、このマシンの DNS を確かめてください",
            "Check the host in SCHEDCTL_DSN, and this machine's DNS",
        ),
    ),
    Cause(
        (),
        r"Connection refused|Is the server running locally",
        Text(
            "データベースにつながりません: そのホストとポートでは何も待ち受けていません",
            "The database cannot be reached: nothing listens at that host and port",
        ),
        Text(
            "そこで PostgreSQL が動いているか、SCHEDCTL_DSN のホストとポートが正しいかを確かめてください",
            "Check that PostgreSQL runs there, and the host and port in SCHEDCTL_DSN",
        ),
    ),
)
UNKNOWN: Final = Cause(
    (),
    "",
    Text("データベースにつながりません", "The database cannot be reached"),
    Text(
        "PostgreSQL が動いているか、SCHEDCTL_DSN が正しいかを確かめてください",
        "Check that PostgreSQL is running and that SCHEDCTL_DSN is right",
    ),
)


def unreachable(error: psycopg.Error) -> OperationFailed:
    """Why the database cannot be asked (`database_unavailable`), by its SQLSTATE or by what its message looks like."""
    said = str(error)
    found = next((one for one in CAUSES if error.sqlstate in one.states or re.search(one.shape, said)), UNKNOWN)
    return OperationFailed("database_unavailable", found.message, found.hint, passing=True)


def unreadable(error: psycopg.Error) -> Refused | None:
    """`Refused` (`bad_setting`) where the attempt to connect failed because the DSN cannot be read; else None."""
    misspelt = isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None
    if not misspelt and not re.search(UNREADABLE, str(error)):
        return None
    return Refused(
        "bad_setting",
        Text("SCHEDCTL_DSN を接続先として読めません", "SCHEDCTL_DSN cannot be read as a connection string"),
        SETTINGS_PAGE,
    )
