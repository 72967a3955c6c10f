"""ntfy (https://docs.ntfy.sh/publish/#publish-as-json): the topic goes into the body, where no proxy logs it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from schedctl.notify.post import post

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.language import Lang
    from schedctl.notify.message import Message

PRIORITIES: Final = {"error": 5, "warning": 4, "info": 3}


@dataclass(frozen=True, slots=True)
class Ntfy:
    """Publishes to a topic."""

    server: str
    topic: str = field(repr=False)
    token: str | None = field(repr=False)
    language: Lang

    def send(self, message: Message, key: str, at: datetime) -> None:  # noqa: ARG002 - ntfy takes neither
        """Publish it; `ChannelFailed` otherwise."""
        body = {
            "topic": self.topic,
            "title": message.title.say(self.language),
            "message": message.text.say(self.language),
            "priority": PRIORITIES[message.severity],
            "tags": [message.type],
        }
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        post(self.server + "/", json.dumps(body, ensure_ascii=False).encode("utf-8"), headers)
