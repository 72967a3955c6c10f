"""What keeps a command from a node, or its end from us: types, sentences and hints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from schedctl.language import Text
from schedctl.transport.base import Outcome

if TYPE_CHECKING:
    from schedctl.transport.base import Captured

TroubleType = Literal["host_unreachable", "host_key_unknown", "host_key_changed", "auth_refused", "could_not_start"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A connection that did not bring an answer. `before_anything`: the node has certainly not read our text."""

    type: TroubleType
    said: str
    before_anything: bool


SIGNS: Final[tuple[tuple[TroubleType, bool, re.Pattern[str]], ...]] = (
    ("host_key_changed", True, re.compile(r"REMOTE HOST IDENTIFICATION HAS CHANGED|REVOKED HOST KEY")),
    ("host_key_unknown", True, re.compile(r"host key is known for|Host key verification failed")),
    (
        "auth_refused",
        True,
        re.compile(r"Permission denied \(|Too many authentication failures|No supported authentication methods"),
    ),
    (
        "could_not_start",
        True,
        re.compile(r"Bad configuration option|Can't open user config|Bad owner or permissions|contains invalid char"),
    ),
    (
        "host_unreachable",
        True,
        re.compile(
            r"Could not resolve hostname|^ssh: connect to host |kex_exchange_identification|during banner exchange"
            r"|Unable to negotiate with",
            re.MULTILINE,
        ),
    ),
)
"""What OpenSSH says (9.2; the words have not changed since 7.x), whether it says so before the session begins."""


def trouble(diagnosis: bytes, exit_code: int | None, *, greeted: bool) -> Trouble:
    """What the end of a connection without an answer means; 255 is the client's own failure (ssh(1), EXIT STATUS)."""
    text = diagnosis.decode("utf-8", "replace").strip()
    said = text.splitlines()[-1].strip().removeprefix("ssh: ")[:300] if text else ""
    if greeted:
        return Trouble("host_unreachable", said, before_anything=False)
    if exit_code not in (255, None) and exit_code >= 0:
        return Trouble("could_not_start", said, before_anything=True)  # the login shell ended without our text
    for kind, before_anything, sign in SIGNS:
        if sign.search(text):
            return Trouble(kind, said, before_anything)
    return Trouble("host_unreachable", said, before_anything=False)


def not_begun(node: str, trouble: Trouble, nothing: Captured) -> Outcome:
    """A command that has not begun, and will not, because its node could not be reached as it should."""
    message, hint = SENTENCES[trouble.type]
    said = f"（ssh: {trouble.said}）" if trouble.said else ""
    said_en = f" (ssh: {trouble.said})" if trouble.said else ""
    about = Text(f"ノード {node}: {message.ja}{said}", f"Node {node}: {message.en}{said_en}")
    return Outcome("failed", None, trouble.type, about, hint, nothing, nothing)


SENTENCES: Final[dict[TroubleType, tuple[Text, Text]]] = {
    "host_unreachable": (
        Text("接続できず、コマンドは始まっていません", "it could not be reached; the command has not begun"),
        Text(
            "電源、ネットワーク、sshd を確かめてください。`ssh アドレス true` で試せます",
            "Check its power, its network and its sshd; `ssh ADDRESS true` tries it",
        ),
    ),
    "host_key_unknown": (
        Text(
            "ホスト鍵が known_hosts にないため、つないでいません",
            "its host key is not in known_hosts, so nothing was sent to it",
        ),
        Text(
            "鍵の指紋をノード側で確かめてから、known_hosts に加えてください（docs/nodes.md）",
            "Compare the key's fingerprint on the node itself, then add it to known_hosts (docs/nodes.md)",
        ),
    ),
    "host_key_changed": (
        Text(
            "ホスト鍵が known_hosts のものと違うため、つないでいません",
            "its host key is not the one in known_hosts, so nothing was sent to it",
        ),
        Text(
            "入れ直したのなら指紋を確かめて古い行を消してください。心当たりがなければ、なりすましを疑ってください",
            "If it was reinstalled, compare the fingerprint and remove the old line; if not, suspect an impostor",
        ),
    ),
    "auth_refused": (
        Text("公開鍵での接続を拒まれました", "it refused our public key"),
        Text(
            "worker の公開鍵がノードの利用者の authorized_keys にあるか確かめてください（docs/nodes.md）",
            "Check that the worker's public key is in authorized_keys of the node's user (docs/nodes.md)",
        ),
    ),
    "could_not_start": (
        Text("ssh でコマンドを始められませんでした", "ssh could not begin the command"),
        Text(
            "worker の ssh の設定と、ノードの利用者のログインシェルを確かめてください",
            "Check the worker's ssh configuration, and the login shell of the node's user",
        ),
    ),
}


def unusable(node: str, said: str, nothing: Captured) -> Outcome:
    """A node on which the record of the start cannot be kept: nothing begins without one."""
    message = Text(
        f"ノード {node} の ~/.schedctl に記録を置けないため、コマンドを始めていません（{said}）",
        f"Node {node}: nothing can be written to ~/.schedctl, so the command was not begun ({said})",
    )
    hint = Text(
        "ディスクの空きと、ホームに書き込めるかを確かめてください",
        "Check the free space, and that the home folder can be written to",
    )
    return Outcome("failed", None, "node_storage", message, hint, nothing, nothing)


def taken(node: str, label: str, nothing: Captured) -> Outcome:
    """A label under which something was started before: never started again."""
    message = Text(
        f"ノード {node} では「{label}」がもう始められています。もう一度は始めません",
        f"Node {node}: “{label}” was begun before; it is not begun again",
    )
    return Outcome("failed", None, "already_begun", message, _look_at(node), nothing, nothing)


def lost(node: str, trouble: Trouble | None, *, over_time: bool, stdout: Captured, stderr: Captured) -> Outcome:
    """A command whose end is not known: it may run on, or have ended in any way. Never to be repeated by itself."""
    late = Text("制限時間を過ぎても" if over_time else "", "its time limit has passed and " if over_time else "")
    said = trouble.said if trouble else ""
    reason, reason_en = (f"（ssh: {said}）", f" (ssh: {said})") if said else ("", "")
    message = Text(
        f"ノード {node}: {late.ja}接続が戻らず、コマンドがどうなったか分かりません{reason}",
        f"Node {node}: {late.en}the connection did not come back; how the command ended is unknown{reason_en}",
    )
    return Outcome("lost", None, "remote_state_unknown", message, _look_at(node), stdout, stderr)


def vanished(node: str, stdout: Captured, stderr: Captured) -> Outcome:
    """A command that began and is gone without a record of its end."""
    message = Text(
        f"ノード {node}: コマンドは始まりましたが、終わりの記録を残さずに消えました（再起動など）",
        f"Node {node}: the command began and is gone without a record of its end (a reboot, perhaps)",
    )
    return Outcome("lost", None, "remote_state_unknown", message, _look_at(node), stdout, stderr)


DISK_FULL: Final = Text(
    "ノードのディスクに空きがありません。出力も欠けているかもしれません。空きを作ってからやり直してください",
    "The node's disk is full, and a part of the output may be missing: make space before you run it again",
)


def _look_at(node: str) -> Text:
    return Text(
        f"まだ動いているか、どこまで進んだかをノードで確かめ、済んだら `schedctl node release {node}` としてください",
        f"See on the node whether it still runs and how far it came; then say `schedctl node release {node}`",
    )
