"""actions/*.toml -> actions, each checked by itself. What they say of each other is checked in links.py."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from schedctl.catalog import keys
from schedctl.catalog.basics import RISKS, HttpRequest
from schedctl.catalog.durations import seconds
from schedctl.catalog.model import Action, Parameter
from schedctl.catalog.nodes import check_name
from schedctl.catalog.parameters import parse_parameters
from schedctl.catalog.placeholders import names_in
from schedctl.catalog.requests import parse_request
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.catalog.table import Table

MOST_RETRIES: Final = 10
SHELLS: Final = ("sh", "bash", "dash", "zsh", "ksh", "fish", "busybox")
RAISERS: Final = ("sudo", "su", "doas", "pkexec")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def parse_action(name: str, table: Table) -> Action:
    """One action from its table."""
    check_name(table, name, Text("アクション", "action"))
    table.require("label", Text("人に見せる名前", "the name that people see"), 'label = { ja = "更新", en = "update" }')
    table.require("risk", Text("承認の要否を決めます", "it decides about approval"), 'risk = "reads"')
    table.require("timeout", Text("いつまで待つか", "how long to wait"), 'timeout = "5m"')
    parameters = parse_parameters(table)
    request = parse_request(table.inner("request", keys.REQUEST)) if "request" in table.values else None
    action = Action(
        name=name,
        label=table.text("label", Text(name, name)),
        risk=table.choice("risk", RISKS, "disrupts"),
        timeout_s=seconds(table, "timeout", 60, "5m"),
        argv=table.strings("argv"),
        request=request,
        aliases=table.strings("aliases"),
        as_root=table.choice("as", ("root", ""), "") == "root",
        prerequisites=table.strings("prerequisites"),
        conflicts=tuple(sorted(set(table.strings("conflicts")))),
        final=table.boolean("final"),
        parameters=parameters,
        groups=tuple(sorted(set(table.strings("groups")))),
        repeatable=table.boolean("repeatable"),
        retries=table.integer("retries", 0, 0, MOST_RETRIES),
        success_exit_codes=table.integers("success_exit_codes", (0,), 0, 255),
        environment=table.pairs("environment"),
        stdin=table.string("stdin", lines=True),
    )
    _check_kind(table, action)
    _check_placeholders(table, parameters, (*action.argv, *_parts(request)))
    return action


def _check_kind(table: Table, action: Action) -> None:
    """An action is a command or a request, and says nothing that only the other one could mean."""
    if ("argv" in table.values) == (action.request is not None):
        table.note(
            "argv",
            Text(
                "argv（コマンド）か request（HTTP）のどちらか一方が要ります",
                "Either argv or request is needed, not both",
            ),
            Text('例: argv = ["df", "-h"]', 'For example: argv = ["df", "-h"]'),
        )
    elif action.request is not None:
        for key in keys.COMMAND_ONLY:
            if key in table.values:
                table.note(
                    key,
                    Text(f"request のアクションで「{key}」は意味を持ちません", f"“{key}” means nothing for a request"),
                    Text("その行を消してください", "Remove that line"),
                )
    else:
        _check_command(table, action)
    if action.retries and not action.repeatable:
        table.note(
            "retries",
            Text("繰り返してよいと宣言されていません", "It is not declared repeatable"),
            Text("repeatable = true を足すか、retries を消してください", "Add repeatable = true, or remove retries"),
        )


def _check_command(table: Table, action: Action) -> None:
    if not action.argv:
        table.expect("argv", Text("空でないリスト", "a list that is not empty"), 'argv = ["df", "-h"]')
        return
    program = PurePosixPath(action.argv[0]).name
    if program in SHELLS:
        _refuse_program(table, Text("シェルは通しません", "No shell interprets commands"))
    if program in RAISERS:
        _refuse_program(table, Text('権限は as = "root" で宣言します', 'Write as = "root" instead'))
    if names_in(action.argv[0]) or action.argv[0].startswith("-"):
        _refuse_program(table, Text("プログラム名は固定です", "The program is always the same"))
    for name, _ in action.environment:
        if not VARIABLE.fullmatch(name):
            table.note(
                f"environment.{name}",
                Text("環境変数の名前ではありません", "This is no name of a variable"),
                Text('例: environment = { LC_ALL = "C.UTF-8" }', 'For example: environment = { LC_ALL = "C.UTF-8" }'),
            )


def _refuse_program(table: Table, why: Text) -> None:
    table.note(
        "argv",
        why,
        Text("プログラムとその引数を1語ずつ並べてください", "List the program and its arguments word by word"),
    )


def _parts(request: HttpRequest | None) -> tuple[str, ...]:
    if request is None:
        return ()
    return (request.url, request.body or "", *(value for _, value in request.headers))


def _check_placeholders(table: Table, parameters: tuple[Parameter, ...], parts: Iterable[str]) -> None:
    used = {name for part in parts for name in names_in(part)}
    declared = {parameter.name for parameter in parameters}
    where = "request" if "request" in table.values else "argv"
    for name in sorted(used - declared):
        table.note(
            where,
            Text(f"{{{name}}} に当たるパラメータがありません", f"{{{name}}} has no parameter"),
            Text(f"parameters.{name} を書き足してください", f"Add parameters.{name}"),
        )
    for name in sorted(declared - used):
        table.note(
            f"parameters.{name}",
            Text(f"{where} のどこにも {{{name}}} がありません", f"{{{name}}} stands nowhere in {where}"),
            Text(
                f"{where} に {{{name}}} を書くか、パラメータを消してください",
                f"Write {{{name}}} into {where}, or remove it",
            ),
        )
