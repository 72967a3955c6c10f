"""What the answer to a request means, or its absence. Pure but for the digest of what was heard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from schedctl.language import Text
from schedctl.transport.base import Outcome
from schedctl.transport.capture import NOTHING, Capture

if TYPE_CHECKING:
    from requests.exceptions import RequestException

    from schedctl.catalog.basics import HttpRequest
    from schedctl.redact import Redactor
    from schedctl.transport.base import Captured

Silence: TypeAlias = Literal["unreachable", "untrusted", "unsendable", "late", "broken"]
"""`unreachable`, `untrusted` (TLS) and `unsendable`: it was not sent. `late` and `broken`: it may have arrived."""
LONGEST_ID: Final = 200


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer. `location` is where a redirect points."""

    status: int
    reason: str
    location: str | None
    retry_after: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Unheard:
    """No answer, and why."""

    why: Silence


@dataclass(frozen=True, slots=True)
class Reading:
    """How an answer is read: by what its action declares, redacted, and kept in part."""

    request: HttpRequest
    redactor: Redactor
    limit_bytes: int

    def capture(self, data: bytes) -> Captured:
        """The part of `data` that is kept."""
        capture = Capture(self.redactor, self.limit_bytes)
        capture.feed(data)
        return capture.finish()


def unheard(error: RequestException) -> Unheard:
    """Why there is no answer, from what requests raised; nothing of its text is kept, for URLs may stand in it."""
    from requests import exceptions
    from urllib3.exceptions import NewConnectionError

    reason = getattr(error.args[0], "reason", None) if error.args else None
    match error:
        case exceptions.SSLError():
            return Unheard("untrusted")
        case exceptions.ConnectTimeout() | exceptions.ProxyError():
            return Unheard("unreachable")
        case exceptions.Timeout():
            return Unheard("late")
        case exceptions.ConnectionError() if isinstance(reason, NewConnectionError):
            return Unheard("unreachable")
        case exceptions.ConnectionError() if "timed out" in str(reason or error):  # while the body was read
            return Unheard("late")
        case exceptions.ConnectionError() | exceptions.ChunkedEncodingError() | exceptions.ContentDecodingError():
            return Unheard("broken")
        case _:
            return Unheard("unsendable")


def outcome(answer: Heard | Unheard, node: str, timeout_s: int, reading: Reading) -> Outcome:
    """The outcome of a request."""
    if isinstance(answer, Heard):
        return _heard(answer, node, reading)
    match answer.why:
        case "late":
            return _nothing_heard("timed_out", "timed_out", *_late(node, timeout_s))
        case "broken" if reading.request.method == "GET":
            return _nothing_heard("failed", "connection_broken", *_broken(node))
        case "broken":
            return _nothing_heard("lost", "remote_state_unknown", *_broken(node))
        case _:
            return _nothing_heard("failed", *NOT_SENT[answer.why](node))


def _heard(answer: Heard, node: str, reading: Reading) -> Outcome:
    request = reading.request
    stdout = reading.capture(answer.body)
    said = f"{request.method} {answer.status} {answer.reason}".rstrip() + "\n"
    stderr = reading.capture(said.encode("utf-8", "replace"))
    if answer.status in request.success_statuses:
        document = _json(answer.body)
        external_id, tokens = _external_id(document, request), _tokens(document, request)
        shown = reading.redactor.text(external_id) if external_id is not None else None
        return Outcome("succeeded", answer.status, None, None, None, stdout, stderr, shown, tokens)
    tokens = _tokens(_json(answer.body), request)
    error_type, message, hint = _refusal(answer, node)
    return Outcome("failed", answer.status, error_type, message, hint, stdout, stderr, None, tokens)


def _refusal(answer: Heard, node: str) -> tuple[str, Text, Text]:
    if answer.status == 429:
        return ("rate_limited", *_rate_limited(node, answer.retry_after))
    if answer.status in (401, 403):
        message = Text(
            f"{node} が認証を拒みました（HTTP {answer.status}）",
            f"{node} refused our credentials (HTTP {answer.status})",
        )
        return "auth_refused", message, CHECK_SECRET
    if answer.location is not None:
        message = Text(
            f"{node} が別の場所を示しました（HTTP {answer.status}）。たどっていません",
            f"{node} pointed elsewhere (HTTP {answer.status}), and was not followed",
        )
        return "redirect_refused", message, DECLARE_REDIRECT
    message = Text(f"{node} の答えは HTTP {answer.status} でした", f"{node} answered HTTP {answer.status}")
    return "http_status", message, SEE_BODY


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _at(document: Any, path: str | None) -> Any:
    """What stands at a dotted path; a number in it is an index where there is a list. None: nothing stands there."""
    if path is None:
        return None
    for key in path.split("."):
        try:
            document = document[int(key) if isinstance(document, list) else key]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return document


def _external_id(document: Any, request: HttpRequest) -> str | None:
    found = _at(document, request.external_id)
    known = isinstance(found, str | int) and not isinstance(found, bool)
    return str(found)[:LONGEST_ID].replace("\0", "") if known else None


def _tokens(document: Any, request: HttpRequest) -> int | None:
    found = _at(document, request.tokens_used)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**63 else None


def _nothing_heard(
    state: Literal["failed", "timed_out", "lost"], error_type: str, message: Text, hint: Text
) -> Outcome:
    return Outcome(state, None, error_type, message, hint, NOTHING, NOTHING)


def given_up(node: str) -> Outcome:
    """The worker was told to stop while it waited for the answer."""
    message = Text(
        f"取り消しか、workerの停止のため、{node} の答えを待つのをやめました。要求は届いているかもしれません",
        f"The run was cancelled, or the worker shut down, before {node} answered; the request may have arrived",
    )
    return Outcome("cancelled", None, "cancelled", message, ASK_SERVICE, NOTHING, NOTHING)


def secret_missing(name: str) -> Outcome:
    """A header names a secret that this worker does not have."""
    message = Text(
        f"秘密「{name}」がこの worker にないため、要求を送っていません",
        f"This worker does not have the secret “{name}”; the request was not sent",
    )
    variable = f"SCHEDCTL_SECRET_{name.upper().replace('-', '_')}"
    hint = Text(
        f"ユニットの資格情報 {name}（LoadCredential=、docs/nodes.md）か、環境変数 {variable} で渡してください",
        f"Give it as the unit's credential {name} (LoadCredential=, docs/nodes.md), or in the variable {variable}",
    )
    return Outcome("failed", None, "secret_missing", message, hint, NOTHING, NOTHING)


def _rate_limited(node: str, retry_after: str | None) -> tuple[Text, Text]:
    wait = f"{retry_after} 秒後に " if retry_after and retry_after.isdecimal() else ""
    wait_en = f" after {retry_after} seconds" if wait else ""
    return (
        Text(
            f"{node} が回数の制限を理由に断りました（HTTP 429）", f"{node} refused because of its rate limit (HTTP 429)"
        ),
        Text(
            f"やり直していません。次の回を待つか、{wait}`schedctl rerun` で実行してください",
            f"It was not tried again: wait for the next occurrence, or say `schedctl rerun`{wait_en}",
        ),
    )


def _late(node: str, timeout_s: int) -> tuple[Text, Text]:
    return (
        Text(
            f"{node} が {timeout_s} 秒以内に答えませんでした。要求は届いているかもしれません",
            f"{node} did not answer within {timeout_s} seconds; the request may have arrived",
        ),
        ASK_SERVICE,
    )


def _broken(node: str) -> tuple[Text, Text]:
    return (
        Text(
            f"{node} との接続が答えの途中で切れました。要求は届いているかもしれません",
            f"The connection to {node} broke before its answer was complete; the request may have arrived",
        ),
        ASK_SERVICE,
    )


def _unreachable(node: str) -> tuple[str, Text, Text]:
    message = Text(
        f"{node} につながらず、要求は送っていません", f"{node} could not be reached; the request was not sent"
    )
    hint = Text(
        "サービスが動いているか、nodes.toml の address が正しいかを確かめてください",
        "Check that the service runs, and its `address` in nodes.toml",
    )
    return "host_unreachable", message, hint


def _untrusted(node: str) -> tuple[str, Text, Text]:
    message = Text(
        f"{node} の証明書を確かめられず、要求は送っていません",
        f"The certificate of {node} could not be verified; the request was not sent",
    )
    hint = Text(
        "期限と名前を確かめ、社内の認証局なら update-ca-certificates でこのホストに加えてください",
        "Check its name and its dates; add a private authority to this host with update-ca-certificates",
    )
    return "certificate_refused", message, hint


def _unsendable(node: str) -> tuple[str, Text, Text]:
    message = Text(
        f"{node} への要求が送れる形になっておらず、送っていません", f"The request to {node} cannot be sent as it is"
    )
    hint = Text(
        "カタログの url と、ヘッダーに入る秘密に改行がないかを確かめてください",
        "Check its url in the catalog, and that no secret in its headers has a line break",
    )
    return "could_not_start", message, hint


NOT_SENT: Final = {"unreachable": _unreachable, "untrusted": _untrusted, "unsendable": _unsendable}
ASK_SERVICE: Final = Text(
    "相手のサービスで、受け付けられたかどうかを確かめてください",
    "See at the service whether it took the request",
)
CHECK_SECRET: Final = Text(
    "ヘッダーが名指す秘密の値と期限を確かめてください",
    "Check the secret that the headers name: its value, and whether it expired",
)
DECLARE_REDIRECT: Final = Text(
    "正しい url をカタログに書くか、同じサービスの中なら follow_redirects = true を宣言してください",
    "Write the right url in the catalog, or declare follow_redirects = true where it stays within the service",
)
SEE_BODY: Final = Text("答えの中身は `schedctl logs` で読めます", "Read the answer with `schedctl logs`")
