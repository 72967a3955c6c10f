"""Nodes: can each be reached as a worker would, and does it let through what the catalog does there."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.plan.step import target_of
from schedctl.plan.sudo_listing import as_root_actions, lacking
from schedctl.transport import probe, ssh_errors
from schedctl.transport.ssh_errors import Trouble
from schedctl.usecases.doctor_database_checks import check_clock
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedctl.catalog.model import Catalog, Node
    from schedctl.redact import Redactor
    from schedctl.transport.probe import NodeFacts
    from schedctl.transport.ssh_errors import TroubleType
    from schedctl.transport.ssh_link import Client

PATIENCE_S: Final = 7.0
ACTIONS_SHOWN: Final = 4
UNREACHED: Final[dict[TroubleType, Text]] = {
    "host_unreachable": Text("つながりません", "it cannot be reached"),
    "could_not_start": Text("ssh で入れません", "ssh cannot get in"),
}
"""Where a command's own sentence would speak of the command."""
NO_SUCH_HOST: Final = "Could not resolve hostname"
WRONG_ADDRESS: Final = Text(
    "nodes.toml の address と、このホストの DNS を確かめてください",
    "Check its address in nodes.toml, and this host's DNS",
)
OF_THIS_HOST: Final = Text("このホスト", "this host")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a node answered, and by how much its clock is ahead of this host's."""

    facts: NodeFacts
    ahead_s: float


def gather_node(node: Node, client: Client, redactor: Redactor, host_clock: Callable[[], float]) -> Seen | Trouble:
    """Ask one node, as a worker would reach it."""
    before = host_clock()
    if node.transport == "local":
        answer = probe.ask_this_host(PATIENCE_S)
    else:
        answer = probe.ask_node(client, target_of(node, ""), redactor, PATIENCE_S)
    if isinstance(answer, Trouble):
        return answer
    after = host_clock()
    # It has whole seconds only, read at some moment between: what lies within is no difference.
    earliest, latest = answer.clock_s - after, answer.clock_s + 1 - before
    ahead = earliest if earliest > 0 else latest if latest < 0 else 0.0
    return Seen(answer, ahead)


def check_node(node: Node, found: Seen | Trouble | Unknown, catalog: Catalog) -> Iterator[Finding]:
    """A line for reaching it, and one for each thing there that is not as its actions need it."""
    topic = topic_of(node)
    if isinstance(found, Unknown):
        yield topic.unknown(found)
    elif isinstance(found, Trouble):
        yield _unreached(topic, node, found)
    else:
        facts = found.facts
        problems = list(_lacks(topic, node, facts, catalog))
        if problems:
            yield from problems
        else:
            yield topic.ok(_described(node, facts, len(as_root_actions(catalog, node))))
        if node.transport == "ssh":
            yield from _clock(topic, node, found.ahead_s)


def _clock(topic: Topic, node: Node, ahead_s: float) -> Iterator[Finding]:
    """A clock that agrees is not worth a line."""
    fix = Fix(
        Text("ノードの時刻を合わせてください", "Synchronise the node's clock"), f"ssh {_address(node)} timedatectl"
    )
    found = check_clock(Topic(f"{topic.check}:clock", _of(node, Text("時計", "clock"))), ahead_s, OF_THIS_HOST, fix)
    if found.level != "ok":
        yield found


def check_unasked(node: Node) -> Finding:
    """A node that needs no asking, or was not to be asked."""
    if node.transport == "http":
        return topic_of(node).unused(
            Text("HTTP のサービスです（試すと仕事が始まります）", "an HTTP service: asking it would start work")
        )
    return topic_of(node).unused(Text("調べていません", "not looked at"))


def topic_of(node: Node) -> Topic:
    """What its lines are called."""
    return Topic(f"node:{node.name}", Text(f"ノード {node.name}", f"node {node.name}"))


def _described(node: Node, facts: NodeFacts, as_root: int) -> Text:
    parts = [Text(f"{facts.user} として実行", f"as {facts.user}")]
    if as_root:
        parts.append(
            Text(f"root の操作 {as_root} 件に sudo は不要", f"its {as_root} root actions need no sudo")
            if facts.uid == 0
            else Text(f"root の操作 {as_root} 件は sudo で通ります", f"sudo lets its {as_root} root actions through")
        )
    if node.transport == "ssh":
        said = Text(f"systemd {facts.systemd}", f"systemd {facts.systemd}")
        parts.append(said if facts.systemd else Text("systemd なし", "no systemd"))
    return Text("、".join(part.ja for part in parts), ", ".join(part.en for part in parts))


def _lacks(topic: Topic, node: Node, facts: NodeFacts, catalog: Catalog) -> Iterator[Finding]:
    ssh = f"ssh {_address(node)}"
    if node.transport == "ssh" and "setsid" not in facts.programs:
        says = Text("setsid（util-linux）がありません", "it has no setsid (util-linux)")
        yield topic.bad(says, Fix(Text("入れてください", "Install it"), f"{ssh} apt-get install util-linux"))
    if node.transport == "ssh" and not facts.home_is_writable:
        says = Text(
            "ホームに書き込めず、始まりを記録できません", "its home cannot be written to: no start can be recorded"
        )
        fix = Text("ホームと空きを確かめてください", "Look at its home folder and its free space")
        yield topic.bad(says, Fix(fix, f"{ssh} 'ls -ld ~; df ~'"))
    needed = as_root_actions(catalog, node)
    if facts.uid == 0 or not needed:
        return
    if "sudo" not in facts.programs:
        says = Text("sudo がありません", "it has no sudo")
        yield topic.bad(says, Fix(Text("入れてください", "Install it"), f"{ssh} apt-get install sudo"))
        return
    missing = lacking(catalog, node, facts.sudo)
    if missing:
        names = ", ".join(action.name for action in missing[:ACTIONS_SHOWN])
        more = len(missing) - ACTIONS_SHOWN
        says = Text(
            f"{facts.user} は sudo をパスワードなしで使えません: {names}" + (f"、ほか {more}" if more > 0 else ""),
            f"sudo would ask {facts.user} for a password; for {names}" + (f" and {more} more" if more > 0 else ""),
        )
        hint = Text("次の行をノードの sudoers に加えてください", "Add these lines to sudoers on the node")
        yield topic.bad(says, Fix(hint, f"schedctl catalog sudoers {node.name} --user {facts.user}"))


def _unreached(topic: Topic, node: Node, trouble: Trouble) -> Finding:
    message, hint = ssh_errors.SENTENCES[trouble.type]
    message = UNREACHED.get(trouble.type, message)
    said, said_en = (f"（{trouble.said}）", f" ({trouble.said})") if trouble.said else ("", "")
    says = Text(f"{message.ja}{said}", f"{message.en}{said_en}")
    if NO_SUCH_HOST in trouble.said:
        return topic.bad(says, Fix(WRONG_ADDRESS, f"getent hosts {shlex.quote(node.address or node.name)}"))
    return topic.bad(says, Fix(hint, _command(node, trouble)))


def _command(node: Node, trouble: Trouble) -> str:
    host = shlex.quote(node.address or node.name)
    port = f"-p {node.port} " if node.port else ""
    match trouble.type:
        case "host_key_unknown":
            return f"ssh-keyscan {port}{host} | ssh-keygen -lf -"
        case "host_key_changed":
            return f"ssh-keygen -R {f'[{host}]:{node.port}' if node.port else host}"
        case "auth_refused":
            return f"ssh-copy-id {port}{_address(node)}"
        case "host_unreachable" | "could_not_start":
            return f"ssh -v -o BatchMode=yes {port}{_address(node)} true"


def _address(node: Node) -> str:
    return shlex.quote(f"{node.user}@{node.address or node.name}" if node.user else node.address or node.name)


def _of(node: Node, what: Text) -> Text:
    subject = topic_of(node).subject
    return Text(f"{subject.ja} の{what.ja}", f"{subject.en} {what.en}")
