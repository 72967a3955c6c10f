"""nodes.toml -> nodes and groups."""

from __future__ import annotations

import re
from typing import Final, get_args

from schedctl.catalog import keys
from schedctl.catalog.basics import Transport
from schedctl.catalog.model import Group, Node
from schedctl.catalog.table import Table, nearest
from schedctl.language import Text

TRANSPORTS: Final[tuple[Transport, ...]] = get_args(Transport)
NAME: Final = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
HOST: Final = re.compile(r"[A-Za-z0-9:\[][A-Za-z0-9._:%\]-]*")
USER: Final = re.compile(r"[a-z_][a-z0-9_-]*")
BASE_URL: Final = re.compile(r"https?://[A-Za-z0-9.\[\]:-]+(?:/[A-Za-z0-9._~/-]*)?")
EVERY_NODE: Final = "all"


def parse_nodes(file: Table) -> tuple[tuple[Node, ...], tuple[Group, ...]]:
    """The nodes and groups of nodes.toml, each sorted by name."""
    groups = tuple(_group(name, table) for name, table in file.inner_tables("groups", keys.GROUP))
    names = tuple(group.name for group in groups)
    nodes = tuple(_node(name, table, names) for name, table in file.inner_tables("nodes", keys.NODE))
    if not nodes:
        file.note(
            "nodes",
            Text("ノードが一つもありません", "There is no node"),
            Text(
                '[nodes.local] に transport = "local" と書いてください', 'Write [nodes.local] with transport = "local"'
            ),
        )
    return nodes, groups


def check_name(table: Table, name: str, what: Text) -> None:
    """Note a name that cannot be typed or told apart: small letters and digits, joined by `.`, `_` or `-`."""
    if not NAME.fullmatch(name):
        table.problems.add(
            table.place,
            Text(
                f"{what.ja}名「{name}」は、英小文字と数字を . _ - でつないで書きます",
                f"The {what.en} name “{name}” must be small letters and digits, joined by . _ or -",
            ),
            Text("日本語の呼び名は aliases に書いてください", "Put other names into aliases"),
        )


def _group(name: str, table: Table) -> Group:
    check_name(table, name, Text("グループ", "group"))
    if name == EVERY_NODE:
        table.problems.add(
            table.place,
            Text("「all」は全ノードを指す決まった名前です", "“all” already means every node"),
            Text("別の名前にしてください", "Choose another name"),
        )
    return Group(name, table.text("label", Text(name, name)), table.strings("aliases"))


def _node(name: str, table: Table, group_names: tuple[str, ...]) -> Node:
    check_name(table, name, Text("ノード", "node"))
    table.require("transport", Text("どう届くか", "how it is reached"), 'transport = "ssh"')
    transport: Transport = table.choice("transport", TRANSPORTS, "local")
    groups = table.strings("groups")
    for group in groups:
        if group not in group_names:
            table.note(
                "groups",
                Text(f"グループ「{group}」は定義されていません", f"There is no group “{group}”"),
                nearest(group, group_names),
            )
    return Node(
        name=name,
        transport=transport,
        label=table.text("label", Text(name, name)),
        address=_address(name, transport, table),
        user=_user(transport, table),
        port=_port(transport, table),
        groups=tuple(sorted(set(groups))),
        aliases=table.strings("aliases"),
    )


def _address(name: str, transport: Transport, table: Table) -> str | None:
    address = table.optional_string("address")
    if transport == "local":
        _refuse_for(table, "address", transport)
        return None
    if transport == "http":
        table.require("address", Text("サービスの URL", "the service's URL"), 'address = "https://agent.example"')
        if address is not None and not BASE_URL.fullmatch(address):
            table.expect(
                "address",
                Text("利用者名も ? も含まない http(s) の URL ", "an http(s) URL without user and query"),
                'address = "https://agent.example"',
            )
        return address.rstrip("/") if address else None
    if address is not None and not HOST.fullmatch(address):
        table.expect(
            "address",
            Text(
                "ホスト名か IP アドレス（利用者は user、ポートは port に）",
                "a host name or IP address (user and port apart)",
            ),
            'address = "mars.example"',
        )
    return address or name


def _user(transport: Transport, table: Table) -> str | None:
    user = table.optional_string("user")
    if transport != "ssh":
        _refuse_for(table, "user", transport)
    elif user is not None and not USER.fullmatch(user):
        table.expect("user", Text("ログイン名", "a login name"), 'user = "schedctl"')
    return user


def _port(transport: Transport, table: Table) -> int | None:
    if transport != "ssh":
        _refuse_for(table, "port", transport)
        return None
    return table.integer("port", 22, 1, 65535) if "port" in table.values else None


def _refuse_for(table: Table, key: str, transport: Transport) -> None:
    if key in table.values:
        table.note(
            key,
            Text(f'transport = "{transport}" のノードに「{key}」は要りません', f"A {transport} node has no “{key}”"),
            Text("その行を消してください", "Remove that line"),
        )
