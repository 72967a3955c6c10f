"""The `request` of an action: an HTTP call instead of a command. Secrets are named in it, never written into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from schedctl.catalog.basics import METHODS, HttpRequest
from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.table import Table

SECRET: Final = re.compile(r"\$\{secret:([A-Za-z][A-Za-z0-9_-]*)\}")
SECRET_LIKE: Final = re.compile(r"\$\{")
HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
CARRIES_SECRET: Final = re.compile(r"(?i)authorization|cookie|token|secret|password|api-?key|x-.*-key")
ANSWER_PATH: Final = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
EXAMPLE: Final = 'headers = { Authorization = "Bearer ${secret:agent_token}" }'


def secret_names(request: HttpRequest) -> tuple[str, ...]:
    """The names of the secrets that the request's headers ask for, each once, sorted."""
    return tuple(sorted({name for _, value in request.headers for name in SECRET.findall(value)}))


def parse_request(table: Table) -> HttpRequest:
    """The request of one action."""
    table.require("url", Text("どこへ送るか", "where it goes"), 'url = "/v1/sessions"')
    table.require("method", Text("どう送るか", "how it is sent"), 'method = "POST"')
    request = HttpRequest(
        method=table.choice("method", METHODS, "GET"),
        url=table.string("url"),
        headers=table.pairs("headers"),
        body=table.optional_string("body", lines=True),
        success_statuses=table.integers("success_statuses", (200, 201, 202, 204), 100, 599),
        external_id=table.optional_string("external_id"),
        tokens_used=table.optional_string("tokens_used"),
        follow_redirects=table.boolean("follow_redirects"),
    )
    _check_url(table, request.url)
    for name, value in request.headers:
        _check_header(table, name, value)
    if request.body is not None and SECRET_LIKE.search(request.body):
        _only_in_headers(table, "body")
    for key, path in (("external_id", request.external_id), ("tokens_used", request.tokens_used)):
        if path is not None and not ANSWER_PATH.fullmatch(path):
            table.expect(key, Text("点でつないだパス", "a dotted path"), f'{key} = "usage.total_tokens"')
    return request


def _check_url(table: Table, url: str) -> None:
    if SECRET_LIKE.search(url):
        _only_in_headers(table, "url")
        return
    try:
        parts = urlsplit(url)
        absolute = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        absolute = False
    relative = url.startswith("/") and not url.startswith("//")
    if not (absolute or relative) or any(char.isspace() for char in url):
        table.expect(
            "url",
            Text(
                "http(s) の URL か、ノードの address に続く / からのパス（利用者名は含めない）",
                "an http(s) URL without a user, or a path from / that follows the node's address",
            ),
            'url = "/v1/sessions"',
        )


def _check_header(table: Table, name: str, value: str) -> None:
    key = f"headers.{name}"
    if not HEADER.fullmatch(name):
        table.note(
            key,
            Text("ヘッダー名ではありません", "This is no header name"),
            Text(f"例: {EXAMPLE}", f"For example: {EXAMPLE}"),
        )
    if SECRET_LIKE.search(SECRET.sub("", value)):
        table.note(
            key,
            Text(
                "秘密の参照は ${secret:名前} の形だけです", "A secret is referred to as ${secret:NAME}, in no other way"
            ),
            Text(f"例: {EXAMPLE}", f"For example: {EXAMPLE}"),
        )
    elif CARRIES_SECRET.search(name) and not SECRET.search(value):
        table.note(
            key,
            Text("秘密がカタログに直接書かれています", "A secret stands in the catalog itself"),
            Text(f"名前で参照してください。例: {EXAMPLE}", f"Refer to it by name, for example: {EXAMPLE}"),
        )


def _only_in_headers(table: Table, key: str) -> None:
    table.note(
        key,
        Text(
            "秘密の参照はヘッダーにだけ書けます（URL や本文は記録に残るため）",
            "Only headers may refer to secrets (URL and body are recorded)",
        ),
        Text(f"例: {EXAMPLE}", f"For example: {EXAMPLE}"),
    )
