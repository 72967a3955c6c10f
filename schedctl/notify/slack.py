"""Incoming webhooks of Slack, and of what takes the same JSON (Mattermost, Rocket.Chat, Discord's /slack)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from schedctl.notify.post import post

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.language import Lang
    from schedctl.notify.message import Message

ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
"""What has a meaning of its own in Slack's text: unescaped, an instruction could notify a whole channel."""
SIGNS: Final = {"error": ":red_circle:", "warning": ":warning:", "info": ":white_check_mark:"}


@dataclass(frozen=True, slots=True)
class Slack:
    """Posts title and text as one message."""

    url: str = field(repr=False)
    language: Lang

    def send(self, message: Message, key: str, at: datetime) -> None:  # noqa: ARG002 - Slack takes neither
        """Post it; `ChannelFailed` otherwise."""
        title, text = message.title.say(self.language), message.text.say(self.language)
        said = f"{SIGNS[message.severity]} {_escaped(title)}\n{_escaped(text)}"
        post(self.url, json.dumps({"text": said}, ensure_ascii=False).encode("utf-8"), {})


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in text)
