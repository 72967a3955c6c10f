"""`schedctl grant`: who may do what, by the login roles of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

import click

from schedctl.cli import completing
from schedctl.cli.options import common, told
from schedctl.cli.screen import Screen
from schedctl.language import Text
from schedctl.store.grants import Role
from schedctl.usecases import grants
from schedctl.usecases.grants import Wanted
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.store.grants import Held
    from schedctl.usecases.grants import Outcome

ROLES: Final[tuple[Role, ...]] = get_args(Role)
MAY: Final[dict[Role, Text]] = {
    "viewer": Text("見る: list show runs logs upcoming status", "looks: list show runs logs upcoming status"),
    "operator": Text(
        "見る、登録する、止める、試す、点火する。承認できるのは、"
        "自分が --yes で登録するものだけ（second_person なら何も承認できない）。カタログの採用はできない",
        "looks, registers, pauses, tries and arms; "
        "approves only what they register themselves with --yes (with second_person nothing); adopts no catalog",
    ),
    "approver": Text(
        "operator のすべてと、承認（approve）、カタログの採用（catalog adopt）",
        "all of an operator, and approves and adopts catalogs",
    ),
    "ticker": Text("tick deliver watch: 予定を発火し、通知を送る", "tick deliver watch: fires and sends"),
    "worker": Text("work: 決められたノードの実行だけ", "work: carries out, for its own nodes only"),
    "beater": Text("beat: 生存を知らせるだけ", "beat: says that an agent is alive, nothing else"),
    "gate": Text(
        "SSH のゲート（schedctl gate）として、入れた人の役割で働く。自分では何もできない",
        "the SSH gate (schedctl gate): acts in the role of the person whom it lets in, and may do nothing by itself",
    ),
}


@click.command(
    "grant",
    help=told(
        "データベースのログインに役割を与える（--revoke で取り上げる）。"
        "引数なしなら、だれが何を持つかの一覧（役割だけなら、その一覧）",
        "Give a login of the database a role, or take it away with --revoke. "
        "Without arguments: who holds what; with a role alone: who holds that",
    ),
    epilog=told(
        "例:\n  schedctl grant operator alice\n  schedctl grant worker mars_worker --node mars --create",
        "Examples:\n  schedctl grant operator alice\n  schedctl grant worker mars_worker --node mars --create",
    ),
)
@click.argument("role", metavar="ROLE", type=click.Choice(ROLES), required=False)
@click.argument("user", metavar="USER", required=False)
@click.option(
    "--node",
    "nodes",
    metavar="NAME",
    shell_complete=completing.nodes,
    multiple=True,
    help=told("worker が受け持つノード（重ねてよい）", "A node for the worker to work on (may be repeated)"),
)
@click.option(
    "--host",
    metavar="HOST",
    help=told(
        "local のノードなら、それがどのホストか（初期値: このマシン）",
        "For a local node: which host it is (default: this machine)",
    ),
)
@click.option(
    "--create", is_flag=True, help=told("いなければ、パスワードなしで作る", "Make the login, without a password")
)
@click.option("--revoke", is_flag=True, help=told("取り上げる", "Take it away"))
@common
def grant_command(
    session: Session,
    role: Role | None,
    user: str | None,
    nodes: tuple[str, ...],
    host: str | None,
    create: bool,
    revoke: bool,
) -> None:
    """Grant, revoke or list."""
    _check(role, user, nodes, host, create, revoke)
    with open_site(session.settings) as site:
        if role is None or user is None:
            _list(session, grants.listed(site, (role,) if role else ROLES), role)
            return
        wanted = Wanted(role, user, nodes, host, create)
        outcome = grants.revoke(site, wanted) if revoke else grants.grant(site, wanted)
    if session.as_json:
        session.document({"grant": _document(role, user, outcome)})
    else:
        _show(session, role, outcome, revoke)


def _check(
    role: Role | None, user: str | None, nodes: tuple[str, ...], host: str | None, create: bool, revoke: bool
) -> None:
    if nodes and role != "worker":
        raise click.UsageError(told("--node は worker だけのものです", "--node goes with worker only"))
    if host is not None and not nodes:
        raise click.UsageError(told("--host は --node と一緒に使います", "--host goes with --node"))
    if (create or revoke or nodes) and user is None:
        raise click.UsageError(told("ログインの名前がありません", "the name of the login is missing"))
    if create and revoke:
        raise click.UsageError(
            told("--create と --revoke は同時に使えません", "--create and --revoke exclude each other")
        )


def _show(session: Session, role: Role, outcome: Outcome, revoked: bool) -> None:
    screen, say, user = Screen(session), session.say, outcome.account.name
    if outcome.held is None:
        said = Text(f"{user} はもう {role} ではありません", f"{user} no longer has the role {role}")
        screen.line(
            say(
                said
                if outcome.changed
                else Text(f"{user} は {role} ではありません", f"{user} does not have the role {role}")
            )
        )
        screen.show()
        return
    if revoked:
        screen.line(say(Text(f"{user} は {role} のままです", f"{user} still has the role {role}")))
    elif outcome.changed:
        screen.line(say(Text(f"{user} は {role} になりました", f"{user} now has the role {role}")))
    else:
        screen.line(say(Text(f"{user} はすでに {role} です", f"{user} had the role {role} already")))
    screen.field(say(Text("できること", "May")), say(MAY[role]))
    _show_nodes(screen, outcome.held)
    if outcome.created:
        screen.next_step(
            say(
                Text(
                    f"{user} を作りました。パスワードはありません。pg_hba.conf の peer や cert で入れるか、psql の "
                    f"\\password {user} で決めてください",
                    f"{user} was created and has no password yet. Let it in by peer or cert in pg_hba.conf, or set one "
                    f"in psql with \\password {user}",
                )
            )
        )
    if outcome.account.owner:
        screen.next_step(
            say(
                Text(
                    f"{user} はスキーマの所有者（かスーパーユーザー）なので、この役割に関わらず何でもできます",
                    f"{user} is the schema's owner (or a superuser) and may do everything whatever its roles are",
                )
            )
        )
    screen.show()


def _show_nodes(screen: Screen, held: Held, indent: int = 2) -> None:
    if held.nodes:
        shown = ", ".join(f"{one.node}@{one.host}" if one.host else one.node for one in held.nodes)
        screen.field(screen.session.say(Text("ノード", "Nodes")), shown, indent=indent)


def _list(session: Session, found: tuple[Held, ...], only: Role | None) -> None:
    if session.as_json:
        session.document({"grants": [{"role": one.role, "user": one.user, "nodes": _nodes(one)} for one in found]})
        return
    screen = Screen(session)
    for role in ROLES:
        of_role = [one for one in found if one.role == role]
        if of_role:
            screen.field(role, session.say(MAY[role]), indent=0)
        for one in of_role:
            screen.line(one.user, indent=2)
            _show_nodes(screen, one, indent=4)
    if not found:
        nobody = Text(
            f"役割{f' {only} ' if only else ''}を持つログインはありません", f"No login holds {only or 'a role'}"
        )
        screen.line(session.say(nobody))
        give = f"schedctl grant {only or 'ROLE'} USER"
        screen.next_step(session.say(Text(f"与えるには: {give}", f"Give it: {give}")))
    screen.show()


def _document(role: Role, user: str, outcome: Outcome) -> dict[str, object]:
    return {
        "role": role,
        "user": user,
        "held": outcome.held is not None,
        "changed": outcome.changed,
        "created": outcome.created,
        "owner": outcome.account.owner,
        "nodes": _nodes(outcome.held) if outcome.held else [],
    }


def _nodes(held: Held) -> list[dict[str, str]]:
    return [{"node": one.node, "host": one.host} for one in held.nodes]
