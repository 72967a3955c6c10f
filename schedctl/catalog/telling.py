"""Who is told of what, as values: channels, and the routes that lead to them. Secrets are named, never carried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from schedctl.catalog.facts import Severity
    from schedctl.language import Lang

Security = Literal["starttls", "tls", "none"]
Input = Literal["text", "json"]


@dataclass(frozen=True, slots=True)
class WebhookChannel:
    """A POST with the Standard Webhooks signature. `url` and `key` are references such as `${secret:ops_url}`."""

    name: str
    url: str
    key: str
    language: Lang = "ja"


@dataclass(frozen=True, slots=True)
class SlackChannel:
    """An incoming webhook of Slack, or of what speaks like it. `url` is a reference."""

    name: str
    url: str
    language: Lang = "ja"


@dataclass(frozen=True, slots=True)
class NtfyChannel:
    """A topic of an ntfy server. `topic` may be a reference, `token` is one."""

    name: str
    server: str
    topic: str
    token: str | None = None
    language: Lang = "ja"


@dataclass(frozen=True, slots=True)
class EmailChannel:
    """A mail to people, through an SMTP server. `password` is a reference."""

    name: str
    host: str
    sender: str
    recipients: tuple[str, ...]
    port: int = 587
    security: Security = "starttls"
    user: str | None = None
    password: str | None = None
    ca_file: str | None = None
    """Certificate authorities to trust instead of the system's."""
    language: Lang = "ja"


@dataclass(frozen=True, slots=True)
class CommandChannel:
    """An action's command on the host that delivers; it reads the notice from its standard input."""

    name: str
    action: str
    input: Input = "text"
    language: Lang = "ja"


Channel: TypeAlias = WebhookChannel | SlackChannel | NtfyChannel | EmailChannel | CommandChannel


@dataclass(frozen=True, slots=True)
class Route:
    """Which events go to which channels; every condition has to hold, and an empty one always does."""

    channels: tuple[str, ...]
    events: tuple[str, ...] = ()
    severity: Severity = "info"
    """The least severity that it lets through."""
    risks: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    """Names of nodes or groups."""
