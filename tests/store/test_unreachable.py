"""Why there is no connection: each cause has its own words and its own hint, and no value of the DSN is in them."""

from __future__ import annotations

from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from schedctl.errors import OperationFailed, Refused, SchedctlError
from schedctl.store.database import connect

VALUE: Final = "zz9-plural"


def refusal(dsn: str) -> SchedctlError:
    with pytest.raises(SchedctlError) as caught:
        connect(dsn)
    error = caught.value
    assert error.hint is not None
    assert VALUE not in error.message.ja + error.message.en + error.hint.ja + error.hint.en
    return error


def test_a_server_that_answers_says_what_is_wrong(database: str) -> None:
    nobase, norole = refusal(make_conninfo(database, dbname=VALUE)), refusal(make_conninfo(database, user=VALUE))
    assert "has no database of that name" in nobase.message.en
    assert any(told in norole.message.en for told in ("knows no user (role)", "refused the login"))
    for error in (nobase, norole):
        assert (error.type, error.exit_code) == ("database_unavailable", 1)


@pytest.mark.parametrize(
    ("dsn", "told"),
    [
        (f"host={VALUE}.invalid", "host name is not known"),
        (f"host=127.0.0.1 port=1 dbname={VALUE}", "nothing listens"),
        (f"host=/nonexistent dbname={VALUE}", "nothing listens"),
    ],
)
def test_a_server_that_is_not_there(dsn: str, told: str) -> None:
    error = refusal(dsn)
    assert (error.type, told in error.message.en) == ("database_unavailable", True)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f'FATAL:  password authentication failed for user "{VALUE}"', "refused the login"),
        (f'FATAL:  Peer authentication failed for user "{VALUE}"', "refused the login"),
        (f'FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "{VALUE}"', "refused the login"),
        (f'FATAL:  ユーザー"{VALUE}"のパスワード認証に失敗しました', "refused the login"),
        (f'FATAL:  データベース"{VALUE}"は存在しません', "no database of that name"),
        (f'FATAL:  role "{VALUE}" does not exist', "no user (role)"),
        ("server closed the connection unexpectedly", "The database cannot be reached"),
    ],
)
def test_what_a_server_says_is_recognised_and_not_repeated(
    said: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise psycopg.OperationalError(
            f'connection failed: connection to server at "{VALUE}", port 5432 failed: {said}'
        )

    monkeypatch.setattr(psycopg.Connection, "connect", broken)
    error = refusal("host=h")
    assert (error.type, told in error.message.en) == ("database_unavailable", True)
    assert isinstance(error, OperationFailed)
    assert error.passing


@pytest.mark.parametrize(
    "dsn",
    [
        *(f"hostt={VALUE}", VALUE, f"postgresql://u:%zz@{VALUE}/x", f"postgres://u:{VALUE}@127.0.0.1:port/x"),
        *(f"host=127.0.0.1 sslmode={VALUE}", "host=127.0.0.1 port=99999", f"service={VALUE}"),
    ],
)
def test_a_dsn_that_cannot_be_read_is_a_bad_setting(dsn: str) -> None:
    error = refusal(dsn)
    assert isinstance(error, Refused)
    assert (error.type, "SCHEDCTL_DSN" in error.message.en) == ("bad_setting", True)
