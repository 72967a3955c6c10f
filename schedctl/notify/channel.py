"""What every channel promises: take a message, or say in one sentence why not and whether trying again can help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from schedctl.catalog.requests import SECRET
from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.secrets import named_secret, variable_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from schedctl.notify.message import Message


class ChannelFailed(OperationFailed):
    """A channel did not take a message. `passing`: trying again can help; `wait`: not before so long, as it asked for.

    Its sentences name a scheme and a host at most: the rest of a webhook's URL is a credential.
    """

    def __init__(
        self, type: str, message: Text, hint: Text | None = None, *, passing: bool, wait: timedelta | None = None
    ) -> None:
        super().__init__(type, message, hint, passing=passing)
        self.wait = wait


class Sender(Protocol):
    """One channel, ready to send."""

    def send(self, message: Message, key: str, at: datetime) -> None:
        """Hand it over, bounded in time; `ChannelFailed` otherwise. `key` stays the same for every attempt."""
        ...


def filled(text: str, environ: Mapping[str, str]) -> str:
    """`text` with each `${secret:NAME}` replaced; `ChannelFailed` (`secret_missing`) where one is nowhere."""
    for name in dict.fromkeys(SECRET.findall(text)):
        value = named_secret(name, environ)
        if value is None:
            raise _missing(name)
        text = text.replace(f"${{secret:{name}}}", value)
    return text


def unusable(key: str, ja: str, en: str, how: str = "") -> ChannelFailed:
    """The secret that `key` of a channel names is there and cannot be what it should be; its value is not shown.

    `how` is a command that makes one.
    """
    return ChannelFailed(
        "secret_unusable",
        Text(f"「{key}」の秘密の値は{ja}ではありません", f"The secret value of “{key}” is not {en}"),
        Text(
            f"値を確かめてください（表示はしません）{f'。作るには: {how}' if how else ''}",
            f"Look at its value (which is not shown here){f'; to make one: {how}' if how else ''}",
        ),
        passing=True,
    )


def _missing(name: str) -> ChannelFailed:
    return ChannelFailed(
        "secret_missing",
        Text(f"秘密「{name}」がありません", f"There is no secret “{name}”"),
        Text(
            f"schedctl-deliver@.service に資格情報 {name} を足すか（LoadCredential=、docs/channels.md）、"
            f"{variable_of(name)} を設定してください",
            f"Add the credential {name} to schedctl-deliver@.service (LoadCredential=, docs/channels.md), "
            f"or set {variable_of(name)}",
        ),
        passing=True,
    )
