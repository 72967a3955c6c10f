"""What the facts of the database mean. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.usecases.doctor_database import AWAY, NOT_THERE
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown
from schedctl.usecases.installation import restored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from schedctl.usecases.doctor_database import DatabaseFacts, Stored

OLDEST_SERVER: Final = 140_000
SKEW_NOTICED_S: Final = 2
SKEW_BAD_S: Final = 60

DATABASE: Final = Topic("database", Text("データベース", "database"))
ENCODING: Final = Topic("encoding", Text("文字コード", "encoding"))
CLOCK: Final = Topic("clock", Text("時計", "clock"))
SCHEMA: Final = Topic("schema", Text("スキーマ", "schema"))
ROLE: Final = Topic("role", Text("データベースの役割", "role"))
PLACE: Final = Topic("place", Text("データベースの場所", "place"))
POOLER: Final = Topic("pooler", Text("接続プール", "pooler"))
REHEARSAL: Final = Topic("rehearsal", Text("リハーサル", "rehearsal"))

SYNCHRONISE: Final = Fix(
    Text("このホストとデータベースのホストの時刻を合わせてください", "Synchronise this host and the database's"),
    "timedatectl set-ntp true",
)


def check_database(
    found: DatabaseFacts | Unknown, asking: str, code_version: int, *, embedded: bool
) -> Iterator[Finding]:
    """Every line about the database, the same ones whether it is there or not; `asking` is typed where it is not."""
    if isinstance(found, Unknown):
        yield DATABASE.unknown(found) if found.error is NOT_THERE.error else DATABASE.failed(found, asking)
        yield from (topic.unknown(AWAY) for topic in (ENCODING, CLOCK, SCHEMA, PLACE, ROLE, POOLER))
        return
    yield _server(found)
    yield _encoding(found.server.encoding)
    yield check_clock(CLOCK, found.host_ahead_s, Text("データベース", "the database"))
    yield _schema(found.schema_version, code_version)
    yield _place(found.stored)
    yield _role(found, embedded=embedded)
    if found.is_pooled:
        yield POOLER.ok(Text("間に PgBouncer などがあります（トランザクション単位のプールで使えます）",
                             "PgBouncer or the like stands between; pooling by transaction is fine"))  # fmt: skip
    else:
        yield POOLER.unused(Text("使っていません", "none in between"))


def check_rehearsal(now: datetime | None) -> Finding:
    """A moved clock is said loudly: what is due by it is not what is due."""
    if now is None:
        return REHEARSAL.unused(Text("実際の時計で動いています", "the real clock"))
    said = now.isoformat()
    return REHEARSAL.warning(
        Text(f"リハーサル中です！ いまを {said} として扱います", f"REHEARSING: commands believe that it is {said}"),
        Fix(
            Text("本番なら、この変数を消してください", "Unset it where this is for real"),
            "unset SCHEDCTL_REHEARSAL_NOW",
        ),
    )


def check_clock(topic: Topic, ahead_s: float, of_whom: Text, fix: Fix = SYNCHRONISE) -> Finding:
    """Whether two clocks agree; only the database's decides what is due."""
    apart = abs(ahead_s)
    if apart <= SKEW_NOTICED_S:
        return topic.ok(Text(f"{of_whom.ja}との差 {apart:.1f} 秒", f"{apart:.1f} s from {of_whom.en}"))
    said = Text(
        f"{of_whom.ja}より {apart:.0f} 秒{'進んで' if ahead_s > 0 else '遅れて'}います",
        f"{apart:.0f} s {'ahead of' if ahead_s > 0 else 'behind'} {of_whom.en}",
    )
    if apart < SKEW_BAD_S:
        return topic.warning(said, fix)
    return topic.bad(said, fix)


def _server(found: DatabaseFacts) -> Finding:
    server = found.server
    said = Text(f"PostgreSQL {server.version}", f"PostgreSQL {server.version}")
    if server.version_number < OLDEST_SERVER:
        says = Text(f"{said.ja} は古すぎます（14 以上が必要）", f"{said.en} is too old; 14 is needed")
        upgrade = Text("PostgreSQL を新しくしてください", "Upgrade PostgreSQL")
        return DATABASE.bad(says, Fix(upgrade, 'psql "$SCHEDCTL_DSN" -c "SELECT version()"'))
    if server.is_standby:
        says = Text(f"{said.ja} の読み取り専用のスタンバイです", f"{said.en}, a read-only standby")
        hint = Text(
            "DSN に target_session_attrs=read-write を加え、プライマリのホストも書いてください",
            "Add target_session_attrs=read-write to the DSN and list the primary host in it",
        )
        return DATABASE.bad(says, Fix(hint, 'psql "$SCHEDCTL_DSN" -c "SELECT pg_is_in_recovery()"'))
    size = f"{server.size_bytes / (1 << 20):.0f} MiB"
    return DATABASE.ok(Text(f"{said.ja}、{size}", f"{said.en}, {size}"))


def _encoding(encoding: str) -> Finding:
    if encoding == "UTF8":
        return ENCODING.ok(Text("UTF-8", "UTF-8"))
    return ENCODING.bad(
        Text(f"{encoding} です。UTF-8 が必要です", f"{encoding}; UTF-8 is needed"),
        Fix(
            Text("作り直してください", "Create another database"),
            "createdb --encoding=UTF8 --template=template0 schedctl",
        ),
    )


def _schema(present: int, mine: int) -> Finding:
    if present == mine:
        return SCHEMA.ok(Text(f"版 {present}（この schedctl と同じ）", f"version {present}, the one of this schedctl"))
    if present == 0:
        says = Text("まだありません。最初のコマンドが作ります", "none yet; the first command makes it")
        return SCHEMA.warning(says, Fix(Text("作ってください", "Make it"), "schedctl list"))
    if present < mine:
        says = Text(
            f"版 {present}。次のコマンドが {mine} に上げます",
            f"version {present}; the next command upgrades it to {mine}",
        )
        return SCHEMA.warning(says, Fix(Text("上げてください", "Upgrade it"), "schedctl list"))
    says = Text(
        f"版 {present} は、この schedctl の {mine} より新しいです",
        f"version {present} is newer than this schedctl's {mine}",
    )
    upgrade = Text("このマシンの schedctl を更新してください", "Upgrade schedctl on this machine")
    return SCHEMA.bad(says, Fix(upgrade, "pip install --upgrade schedctl"))


def _place(stored: Stored) -> Finding:
    found, moved = stored.installation, stored.moved
    if isinstance(found, Unknown):
        return PLACE.unknown(found)
    if isinstance(moved, Unknown):
        return PLACE.unknown(moved)
    if (said := restored(found, moved=moved)) is not None:
        return PLACE.bad(said, Fix(Text("何が実行されたかを確かめてください", "See what ran"), "schedctl runs"))
    return PLACE.ok(Text("前回の tick のときと同じです", "where it was at the last tick"))


def _role(found: DatabaseFacts, *, embedded: bool) -> Finding:
    server, rights = found.server, found.stored.rights
    role = server.role
    if not server.may_use_schema:
        says = Text(f"{role} は schedctl のスキーマを使えません", f"{role} may not use the schema schedctl")
        grant = Text("所有者が役割を与えてください", "Its owner has to grant a role")
        return ROLE.bad(says, Fix(grant, f"schedctl grant operator {role}"))
    if server.is_superuser and not embedded:
        says = Text(
            f"{role} はスーパーユーザーです。要る以上のことができます",
            f"{role} is a superuser, which is more than is needed",
        )
        fix = Fix(Text("専用の役割でつないでください（docs/roles.md）", "Connect as a role of its own (docs/roles.md)"))
        return ROLE.warning(says, fix)
    if isinstance(rights, Unknown):
        return ROLE.unknown(rights)
    if rights.is_owner:
        return ROLE.ok(Text(f"{role}（所有者: すべてできます）", f"{role}, the owner: may do everything"))
    if rights.roles:
        listed = ", ".join(rights.roles)
        return ROLE.ok(Text(f"{role}（{listed}）", f"{role}, a member of {listed}"))
    says = Text(f"{role} はどの役割にも入っていません", f"{role} is a member of none of the roles")
    return ROLE.bad(
        says, Fix(Text("所有者が役割を与えてください", "Its owner has to grant one"), f"schedctl grant viewer {role}")
    )
