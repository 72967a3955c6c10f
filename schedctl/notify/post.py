"""One HTTP request to a channel: 3 s to connect, 10 s to answer, no redirects, no proxy of the environment."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from schedctl.language import Text
from schedctl.notify.channel import ChannelFailed, unusable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import requests

CONNECT_TIMEOUT_S: Final = 3.0
READ_TIMEOUT_S: Final = 10.0
SYSTEM_TRUST: Final = Path("/etc/ssl/certs/ca-certificates.crt")
"""The authorities that this machine's administrator trusts; where there is no such file, certifi's."""
LONGEST_WAIT: Final = timedelta(hours=1)
PASSING_REFUSALS: Final = (408, 429)


def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Send `body`; `ChannelFailed` unless the answer is a 2xx."""
    _request("POST", url, body, {"content-type": "application/json", **headers})


def get(url: str) -> None:
    """Call a URL; `ChannelFailed` unless the answer is a 2xx."""
    _request("GET", url, None, {})


def origin_of(url: str) -> str:
    """Scheme and host: all that may be shown of a URL. `ChannelFailed` (`secret_unusable`) where it is none."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("http", "https") or not host:
        raise unusable("url", " http(s) の URL ", "an http(s) URL")
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" + (f":{port}" if port else "")


def _request(method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> None:
    import requests  # here, because it takes 110 ms that a delivery without HTTP need not pay

    origin = origin_of(url)
    try:
        with requests.Session() as session:
            session.trust_env = False
            session.verify = str(SYSTEM_TRUST) if SYSTEM_TRUST.is_file() else True
            with session.request(
                method,
                url,
                data=body,
                headers={"user-agent": "schedctl", "connection": "close", **headers},
                timeout=(CONNECT_TIMEOUT_S, READ_TIMEOUT_S),
                allow_redirects=False,
                stream=True,  # the answer's body says nothing that we need, and may never end
            ) as response:
                _judge(response, origin)
    except requests.exceptions.Timeout:
        raise _silent(origin) from None
    except (requests.exceptions.RequestException, ValueError, OSError) as error:
        raise _unreachable(origin, type(error).__name__) from None


def _judge(response: requests.Response, origin: str) -> None:
    status = response.status_code
    if 200 <= status < 300:
        return
    passing = not 400 <= status < 500 or status in PASSING_REFUSALS
    kind = "channel_failed" if passing else "channel_refused"
    tail = (
        Text("（リダイレクトには従いません）", " (redirects are not followed)") if 300 <= status < 400 else Text("", "")
    )
    raise ChannelFailed(
        kind,
        Text(f"{origin} が {status} を返しました{tail.ja}", f"{origin} answered {status}{tail.en}"),
        _hint(status),
        passing=passing,
        wait=_wait(response.headers.get("retry-after")),
    )


def _hint(status: int) -> Text:
    """Whose turn it is: a server's own trouble is nothing that the settings would cure."""
    if status >= 500:
        return Text(
            "通知先のサーバーの側の問題です。続くなら、その状態や記録を確かめてください",
            "It is the receiving server that fails; if it goes on, look at its state and its log",
        )
    if status in PASSING_REFUSALS:
        return Text("通知先が混んでいます。あとでもう一度送ります", "It is busy; the notice is sent again later")
    return Text("通知先の URL と設定を確かめてください", "Check the channel's URL and settings")


def _wait(retry_after: str | None) -> timedelta | None:
    """What `Retry-After` asks for in seconds (RFC 9110, 10.2.3); a date is left to our own patience."""
    if retry_after is None or not retry_after.strip().isdecimal():
        return None
    return min(timedelta(seconds=min(int(retry_after), 86_400)), LONGEST_WAIT)


def _silent(origin: str) -> ChannelFailed:
    return ChannelFailed(
        "channel_silent",
        Text(f"{origin} が時間内に答えませんでした", f"{origin} did not answer in time"),
        Text("通知先が動いているか確かめてください", "Check that it is up"),
        passing=True,
    )


def _unreachable(origin: str, kind: str) -> ChannelFailed:
    return ChannelFailed(
        "channel_unreachable",
        Text(f"{origin} に届きませんでした（{kind}）", f"{origin} could not be reached ({kind})"),
        Text("通知先と、そこまでの経路を確かめてください", "Check that it is up, and the way to it"),
        passing=True,
    )
