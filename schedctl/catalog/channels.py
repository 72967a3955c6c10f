"""The `[channels.NAME]` and `[[routes]]` of policy.toml: who is told of what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, assert_never, get_args

from schedctl.catalog import keys
from schedctl.catalog.basics import RISKS
from schedctl.catalog.facts import FACTS, SEVERITIES
from schedctl.catalog.nodes import check_name
from schedctl.catalog.requests import SECRET
from schedctl.catalog.table import nearest
from schedctl.catalog.telling import (
    Channel,
    CommandChannel,
    EmailChannel,
    Input,
    NtfyChannel,
    Route,
    Security,
    SlackChannel,
    WebhookChannel,
)
from schedctl.language import Lang, Text

if TYPE_CHECKING:
    from schedctl.catalog.basics import Risk
    from schedctl.catalog.facts import Severity
    from schedctl.catalog.model import Catalog
    from schedctl.catalog.problems import Place, Problems
    from schedctl.catalog.table import Table

Kind = Literal["webhook", "slack", "ntfy", "email", "command"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
LANGUAGES: Final[tuple[Lang, ...]] = get_args(Lang)
SECURITIES: Final[tuple[Security, ...]] = get_args(Security)
INPUTS: Final[tuple[Input, ...]] = get_args(Input)
SERVER: Final = re.compile(r"https?://[A-Za-z0-9.\[\]:-]+(?:/[A-Za-z0-9._~/-]*)?")
HOST: Final = re.compile(r"[A-Za-z0-9\[][A-Za-z0-9.:\]-]*")
ADDRESS: Final = re.compile(r"[^\s<>@,;\"]+@[A-Za-z0-9.-]+")
TOPIC: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def parse_channels(file: Table) -> tuple[Channel, ...]:
    """The channels, sorted by name."""
    return tuple(_channel(name, table) for name, table in file.inner_tables("channels", keys.CHANNEL))


def parse_routes(file: Table) -> tuple[Route, ...]:
    """The routes, in their order."""
    return tuple(_route(table) for table in file.list_of_tables("routes", keys.ROUTE))


def secret_reference(table: Table, key: str) -> str:
    """A value that is exactly `${secret:NAME}`; anything else is noted, and never shown."""
    value = table.string(key)
    if key in table.values and not SECRET.fullmatch(value):
        table.note(
            key,
            Text("ここには秘密の名前だけを書きます", "Only the name of a secret belongs here"),
            Text(f'例: {key} = "${{secret:ops_{key}}}"', f'For example: {key} = "${{secret:ops_{key}}}"'),
        )
        return ""
    return value


def check_telling(catalog: Catalog, file: Place, problems: Problems) -> None:
    """Note what routes and channels name that is not in the catalog."""
    channels = catalog.policy.channels
    names = tuple(channel.name for channel in channels)
    where = (*(node.name for node in catalog.nodes), *(group.name for group in catalog.groups))
    for number, route in enumerate(catalog.policy.routes, start=1):
        place = file.under(f"routes[{number}]")
        _check_known(route.channels, names, place.under("channels"), problems)
        _check_known(route.nodes, where, place.under("nodes"), problems)
    for channel in channels:
        if isinstance(channel, CommandChannel) and channel.action:
            _check_command(channel, catalog, file.under(f"channels.{channel.name}.action"), problems)


def _check_known(named: tuple[str, ...], known: tuple[str, ...], place: Place, problems: Problems) -> None:
    for name in named:
        if name not in known:
            problems.add(
                place, Text(f"「{name}」は定義されていません", f"“{name}” is not defined"), nearest(name, known)
            )


def _check_command(channel: CommandChannel, catalog: Catalog, place: Place, problems: Problems) -> None:
    actions = {action.name: action for action in catalog.actions}
    _check_known((channel.action,), tuple(actions), place, problems)
    action = actions.get(channel.action)
    if action is not None and (not action.argv or action.parameters):
        problems.add(
            place,
            Text(
                f"「{channel.action}」は通知に使えません（パラメータのないコマンドだけ）",
                f"“{channel.action}” cannot tell anybody: only a command without parameters can",
            ),
            Text("argv だけのアクションを用意してください", "Write an action that has an argv and nothing to choose"),
        )


def _channel(name: str, table: Table) -> Channel:
    check_name(table, name, Text("通知先の", "channel"))
    table.require("type", Text("どう知らせるか", "how people are told"), 'type = "webhook"')
    kind: Kind = table.choice("type", KINDS, "webhook")
    _refuse_others(table, kind)
    language: Lang = table.choice("language", LANGUAGES, "ja")
    match kind:
        case "webhook":
            _require(table, "url", "key")
            return WebhookChannel(name, secret_reference(table, "url"), secret_reference(table, "key"), language)
        case "slack":
            _require(table, "url")
            return SlackChannel(name, secret_reference(table, "url"), language)
        case "ntfy":
            return _ntfy(name, table, language)
        case "email":
            return _email(name, table, language)
        case "command":
            table.require("action", Text("どのアクションか", "which action"), 'action = "notify.log"')
            given: Input = table.choice("input", INPUTS, "text")
            return CommandChannel(name, table.string("action"), given, language)
        case _:
            assert_never(kind)


def _require(table: Table, *names: str) -> None:
    for name in names:
        table.require(name, Text("秘密の名前", "the name of a secret"), f'{name} = "${{secret:ops_{name}}}"')


def _refuse_others(table: Table, kind: Kind) -> None:
    """A key of another kind of channel says nothing here."""
    for key in sorted(table.values):
        if key in keys.CHANNEL and key not in (*keys.EVERY_CHANNEL, *keys.CHANNEL_KINDS[kind]):
            table.note(
                key,
                Text(f'type = "{kind}" の通知先に「{key}」は要りません', f"A {kind} channel has no “{key}”"),
                Text("その行を消してください", "Remove that line"),
            )


def _ntfy(name: str, table: Table, language: Lang) -> NtfyChannel:
    table.require("topic", Text("どのトピックか", "which topic"), 'topic = "${secret:ntfy_topic}"')
    server = table.string("server", "https://ntfy.sh")
    if not SERVER.fullmatch(server):
        table.expect("server", Text("http(s) の URL", "an http(s) URL"), 'server = "https://ntfy.example"')
    topic = table.string("topic")
    if "topic" in table.values and not (SECRET.fullmatch(topic) or TOPIC.fullmatch(topic)):
        table.expect("topic", Text("トピック名", "a topic's name"), 'topic = "${secret:ntfy_topic}"')
    token = secret_reference(table, "token") if "token" in table.values else None
    return NtfyChannel(name, server.rstrip("/"), topic, token, language)


def _email(name: str, table: Table, language: Lang) -> EmailChannel:
    table.require("host", Text("SMTP サーバー", "the SMTP server"), 'host = "smtp.example"')
    table.require("sender", Text("差出人", "who sends it"), 'sender = "schedctl@example.com"')
    table.require("recipients", Text("宛先", "who gets it"), 'recipients = ["ops@example.com"]')
    security: Security = table.choice("security", SECURITIES, "starttls")
    channel = EmailChannel(
        name=name,
        host=table.string("host"),
        sender=table.string("sender"),
        recipients=table.strings("recipients"),
        port=table.integer("port", 465 if security == "tls" else 587, 1, 65535),
        security=security,
        user=table.optional_string("user"),
        password=secret_reference(table, "password") if "password" in table.values else None,
        ca_file=table.optional_string("ca_file"),
        language=language,
    )
    _check_email(table, channel)
    return channel


def _check_email(table: Table, channel: EmailChannel) -> None:
    if channel.host and not HOST.fullmatch(channel.host):
        table.expect("host", Text("ホスト名か IP アドレス", "a host name or IP address"), 'host = "smtp.example"')
    for key, addresses in (("sender", (channel.sender,)), ("recipients", channel.recipients)):
        if key in table.values and not (addresses and all(map(ADDRESS.fullmatch, addresses))):
            table.expect(key, Text("メールアドレス", "a mail address"), "ops@example.com")
    if (channel.user is None) != (channel.password is None):
        table.note(
            "user",
            Text("user と password は両方書くか、どちらも書きません", "user and password belong together"),
            Text("もう一方も書いてください", "Write the other one too"),
        )
    if channel.security == "none" and channel.user is not None:
        table.note(
            "security",
            Text("暗号化せずにパスワードを送ることはしません", "A password is never sent unencrypted"),
            Text('security = "starttls" にしてください', 'Use security = "starttls"'),
        )


def _route(table: Table) -> Route:
    table.require("channels", Text("だれに知らせるか", "who is told"), 'channels = ["ops"]')
    if "channels" in table.values and not table.strings("channels"):
        table.expect("channels", Text("空でないリスト", "a list that is not empty"), 'channels = ["ops"]')
    events = table.choices("events", tuple(FACTS), ())
    severity: Severity = table.choice("severity", SEVERITIES, "info" if events else "warning")
    risks: tuple[Risk, ...] = table.choices("risks", RISKS, ())
    return Route(
        channels=table.strings("channels"),
        events=events,
        severity=severity,
        risks=risks,
        nodes=table.strings("nodes"),
    )
