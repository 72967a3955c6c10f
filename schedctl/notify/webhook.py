"""Webhooks with the Standard Webhooks signature (https://www.standardwebhooks.com, symmetric, version 1)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from schedctl.notify.channel import unusable
from schedctl.notify.post import post

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.notify.message import Message

KEY_PREFIX: Final = "whsec_"


@dataclass(frozen=True, slots=True)
class Webhook:
    """POSTs the payload. The id in its headers is the idempotency key; the time is that of the attempt."""

    url: str = field(repr=False)
    key: str = field(repr=False)

    def send(self, message: Message, key: str, at: datetime) -> None:
        """Send it signed; `ChannelFailed` otherwise."""
        body = json.dumps(message.payload, ensure_ascii=False).encode("utf-8")
        post(self.url, body, signed(self.key, key, at, body))


def signed(secret: str, key: str, at: datetime, body: bytes) -> dict[str, str]:
    """The three headers of a signed message."""
    stamp = str(int(at.timestamp()))
    mac = hmac.new(_decoded(secret), f"{key}.{stamp}.".encode() + body, hashlib.sha256)
    return {
        "webhook-id": key,
        "webhook-timestamp": stamp,
        "webhook-signature": "v1," + base64.b64encode(mac.digest()).decode(),
    }


def _decoded(secret: str) -> bytes:
    try:
        decoded = base64.b64decode(secret.removeprefix(KEY_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if not decoded:
        raise unusable(
            "key",
            "署名の鍵（whsec_ のあとに base64）",
            "a signing key: whsec_ and base64",
            how="echo whsec_$(openssl rand -base64 24)",
        )
    return decoded
