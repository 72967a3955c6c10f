"""One HTTP call that cannot hang, swell or wander: bounded in time and size, no redirects, no proxies."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Final, Literal

import requests
import urllib3

Progress = Callable[[float], None]
Trouble = Literal["unreachable", "unproven", "slow", "broken", "oversize"]

THREAD_NAME: Final = "schedctl-planner-call"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long (seconds) and how large (bytes) a conversation with a model may get."""

    connect_s: float = 3.0
    overall_s: float = 300.0
    progress_s: float = 1.0
    answer_bytes: int = 1_048_576


@dataclass(frozen=True, slots=True)
class Received:
    """What a server answered: the status, and the body as sent."""

    status: int
    body: bytes


class Patience:
    """The time that one conversation has, over all its calls, by the machine's steady clock."""

    def __init__(self, limits: Limits, progress: Progress) -> None:
        self.limits = limits
        self.progress = progress
        self._began = time.monotonic()

    def elapsed(self) -> float:
        """Seconds since the conversation began."""
        return time.monotonic() - self._began

    def left(self) -> float:
        """Seconds until it must have ended; never negative."""
        return max(0.0, self.limits.overall_s - self.elapsed())


def post(url: str, headers: Mapping[str, str], body: bytes, patience: Patience) -> Received | Trouble:
    """Send `body`; the answer, or what went wrong. Meanwhile `progress` hears the seconds, about once a second.

    The call runs in a thread of its own, because a server that is silent, or sends a byte a minute, would otherwise
    hold the command for as long as it likes. When time is up the thread is left behind; it dies with the process.
    """
    return _call(url, headers, body, patience)


def get(url: str, headers: Mapping[str, str], patience: Patience) -> Received | Trouble:
    """Ask for what is there, in the same bounds."""
    return _call(url, headers, None, patience)


def _call(url: str, headers: Mapping[str, str], body: bytes | None, patience: Patience) -> Received | Trouble:
    if patience.left() == 0:
        return "slow"
    inbox: queue.SimpleQueue[Received | Trouble] = queue.SimpleQueue()
    arguments = (inbox, url, dict(headers), body, patience.limits, patience.left())
    threading.Thread(target=_work, args=arguments, name=THREAD_NAME, daemon=True).start()
    while patience.left() > 0:
        try:
            return inbox.get(timeout=min(patience.limits.progress_s, patience.left()))
        except queue.Empty:
            patience.progress(patience.elapsed())
    return "slow"


def _work(
    inbox: queue.SimpleQueue[Received | Trouble],
    url: str,
    headers: dict[str, str],
    body: bytes | None,
    limits: Limits,
    time_left: float,
) -> None:
    """Put the outcome into `inbox`. Errors become words here: their texts carry the whole URL, and headers."""
    outcome: Received | Trouble = "broken"
    try:
        outcome = _exchange(url, headers, body, limits, time_left)
    except requests.exceptions.SSLError:
        outcome = "unproven"
    except requests.ConnectTimeout:
        outcome = "unreachable"
    except (requests.Timeout, urllib3.exceptions.ReadTimeoutError):
        outcome = "slow"
    except requests.ConnectionError as error:
        outcome = "broken" if _was_connected(error) else "unreachable"
    except (requests.RequestException, urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError):
        outcome = "broken"
    finally:
        inbox.put(outcome)


def _exchange(
    url: str, headers: dict[str, str], body: bytes | None, limits: Limits, time_left: float
) -> Received | Trouble:
    with requests.Session() as session:
        # The environment's proxies would see the task and the API key, and .netrc would add a password of its own.
        session.trust_env = False
        session.headers.clear()
        with session.request(
            "GET" if body is None else "POST",
            url,
            data=body,
            headers=headers,
            timeout=(limits.connect_s, time_left),
            allow_redirects=False,
            stream=True,
        ) as response:
            read = _whole(response, limits.answer_bytes)
            return "oversize" if read is None else Received(response.status_code, read)


def _whole(response: requests.Response, limit: int) -> bytes | None:
    """The body to its end, where a cut connection shows; None as soon as it is longer than `limit` bytes.

    It is read as it comes: we asked for no compression, so that a small packed body cannot swell past the limit.
    """
    read = bytearray()
    while len(read) <= limit:
        part = response.raw.read(limit + 1 - len(read), decode_content=False)
        if not part:
            return bytes(read)
        read += part
    return None


def _was_connected(error: requests.ConnectionError) -> bool:
    return bool(error.args) and isinstance(error.args[0], urllib3.exceptions.ProtocolError)
