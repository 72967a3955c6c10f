"""A channel of the catalog -> the one that sends, with its secrets in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from schedctl.catalog.telling import CommandChannel, EmailChannel, NtfyChannel, SlackChannel, WebhookChannel
from schedctl.language import Text
from schedctl.notify.channel import ChannelFailed, filled
from schedctl.notify.command import CommandLine
from schedctl.notify.email import Email
from schedctl.notify.ntfy import Ntfy
from schedctl.notify.slack import Slack
from schedctl.notify.webhook import Webhook

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedctl.catalog.model import Catalog
    from schedctl.catalog.telling import Channel
    from schedctl.notify.channel import Sender


def sender(channel: Channel, catalog: Catalog, environ: Mapping[str, str]) -> Sender:
    """The sender of a channel; `ChannelFailed` where a secret of it is missing."""
    match channel:
        case WebhookChannel():
            return Webhook(filled(channel.url, environ), filled(channel.key, environ))
        case SlackChannel():
            return Slack(filled(channel.url, environ), channel.language)
        case NtfyChannel():
            token = filled(channel.token, environ) if channel.token is not None else None
            return Ntfy(channel.server, filled(channel.topic, environ), token, channel.language)
        case EmailChannel():
            return Email(channel, filled(channel.password, environ) if channel.password is not None else None)
        case CommandChannel():
            return CommandLine(channel, next(one for one in catalog.actions if one.name == channel.action))
        case _:
            assert_never(channel)


def channel_gone(name: str) -> ChannelFailed:
    """The adopted catalog has no such channel any more."""
    return ChannelFailed(
        "channel_gone",
        Text(f"採用済みのカタログに、通知先「{name}」がありません", f"The adopted catalog has no channel “{name}”"),
        Text(
            "policy.toml に書き、schedctl catalog adopt で採用してください",
            "Add it to policy.toml and adopt the catalog",
        ),
        passing=False,
    )
