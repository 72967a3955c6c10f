"""A schema newer than the code: every command refuses it, and the timer's go on where that schema admits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
import psycopg
import pytest

from schedctl.cli.main import cli
from schedctl.cli.start import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Command

    from schedctl.language import Lang

DATABASE_IS_NOT_ASKED: Final = {
    "explain", "demo", "doctor", "catalog check", "catalog sudoers", "install-units", "uninstall-units",
    "completion", "gate",
}  # fmt: skip
"""These work without a database; the gate lets another command do it, and doctor says it among other things."""

SAID: Final = {
    "ja": (
        f"データベースのスキーマ（1000）が、この schedctl（{SCHEMA_VERSION}）より新しいです",
        "このマシンの schedctl を更新してください",
    ),
    "en": (
        f"The database's schema (1000) is newer than this schedctl ({SCHEMA_VERSION})",
        "Upgrade schedctl on this machine",
    ),
}
WORDS: Final = {"TEXT": "毎日9時にmarsのディスク使用量を確認して"}
UNATTENDED: Final = (
    ("tick",),
    ("work", "--drain"),
    ("work",),
    ("deliver",),
    ("watch", "--quiet"),
    ("beat", "executor"),
)


def command_lines(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command with something for each argument that it needs."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from command_lines(command, (*before, name))
        elif command is not None and " ".join((*before, name)) not in DATABASE_IS_NOT_ASKED:
            yield (*before, name, *_needed(command))


def _needed(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        word = WORDS.get(str(parameter.metavar), "1")
        if isinstance(parameter, click.Argument) and parameter.required:
            yield word
        elif isinstance(parameter, click.Option) and parameter.required:
            yield from (parameter.opts[-1], word)


def newer(database: str, version: int, oldest_code: int | None) -> None:
    with psycopg.connect(database) as db:
        db.execute("INSERT INTO schedctl.schema_version (version, oldest_code) VALUES (%s, %s)", (version, oldest_code))


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_every_command_refuses_it(lang: Lang, schedctl: Command, database: str) -> None:
    newer(database, 1000, None)
    message, hint = SAID[lang]
    for line in command_lines(cli):
        ran = schedctl(*line, "--json", "--lang", lang)
        error = {"type": "schema_newer", "message": message, "hint": hint}
        assert (ran.code, ran.json) == (1, {"error": error}), line
        plain = schedctl(*line, "--lang", lang)
        assert (plain.code, plain.out) == (1, ""), line
        assert plain.err.startswith(f"schedctl: {message} [schema_newer]"), line


def test_doctor_says_it_among_other_things(schedctl: Command, database: str) -> None:
    newer(database, 1000, None)
    ran = schedctl("doctor", "--quick", "--json", "--lang", "en")
    (found,) = [one for one in ran.json["findings"] if one["check"] == "schema"]
    assert (ran.code, found["level"]) == (1, "bad"), found
    assert "1000" in found["message"]


def test_what_nobody_watches_goes_on_where_the_schema_admits_it(
    schedctl: Command, database: str, tmp_path: Path
) -> None:
    newer(database, 999, 1)
    newer(database, 1000, SCHEMA_VERSION)
    for line in (*UNATTENDED, ("page", "--out", str(tmp_path / "page.html"))):
        ran = schedctl(*line, "--lang", "en")
        assert "schema_newer" not in ran.err
        assert ran.code == 0 or line[0] == "watch", (line, ran)
    assert schedctl("list", "--json").json["error"]["type"] == "schema_newer"


@pytest.mark.parametrize("admitted", [SCHEMA_VERSION + 1, None])
def test_one_schema_in_between_that_does_not_admit_it_is_enough(
    admitted: int | None, schedctl: Command, database: str
) -> None:
    newer(database, 999, admitted)
    newer(database, 1000, SCHEMA_VERSION)
    assert schedctl("tick", "--json").json["error"]["type"] == "schema_newer"


@pytest.mark.parametrize(
    ("lang", "warning"),
    [
        (
            "ja",
            "データベースのスキーマ（1000）が、このマシンの schedctl より新しくなりました。"
            "いまは続けられますが、更新してください",
        ),
        ("en", "The database's schema (1000) is newer than this machine's schedctl, which goes on for now; upgrade it"),
    ],
    ids=["ja", "en"],
)
def test_an_older_host_fires_and_says_that_it_is_older(
    lang: Lang, warning: str, schedctl: Command, database: str
) -> None:
    schedctl("arm", now="2026-12-01T08:00:00+09:00")
    schedctl("register", "毎日9時にmarsのディスク使用量を確認して", now="2026-12-01T08:00:00+09:00")
    newer(database, 1000, SCHEMA_VERSION)
    ticked = schedctl("tick", "--json", "--lang", lang, now="2026-12-01T09:00:10+09:00")
    assert (ticked.code, ticked.json["fired"], ticked.json["warnings"]) == (0, 1, [warning])
    assert schedctl("work", "--json", now="2026-12-01T09:00:20+09:00").json["runs"][0]["state"] == "succeeded"


def test_a_role_that_may_not_upgrade_says_who_may(schedctl: Command, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("DELETE FROM schedctl.schema_version WHERE version = %s", (SCHEMA_VERSION,))
        db.execute("DROP ROLE IF EXISTS only_ticks")
        db.execute("CREATE ROLE only_ticks LOGIN")
        db.execute("GRANT USAGE ON SCHEMA schedctl TO only_ticks")
        db.execute("GRANT SELECT ON schedctl.schema_version TO only_ticks")
    ran = schedctl("tick", "--json", "--lang", "en", env={"SCHEDCTL_DSN": f"{database} user=only_ticks"})
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("DROP OWNED BY only_ticks")
        db.execute("DROP ROLE only_ticks")
    assert (ran.code, ran.json["error"]["type"]) == (4, "schema_older")
    assert ran.json["error"]["message"] == (
        f"The database's schema ({SCHEMA_VERSION - 1}) is older than this schedctl (which needs {SCHEMA_VERSION}), "
        "and this role may not upgrade it"
    )
