"""How an ended command is judged, and the sentences about it; the same for every transport that runs commands."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.transport.base import Outcome

if TYPE_CHECKING:
    from schedctl.transport.base import Captured, Command, OutcomeState

SUDO_ASKS: Final = re.compile(
    rb"^sudo: (?:.*a password is required|a terminal is required|.*you must have a tty|\S+ is not allowed to execute)"
    rb"|\S+ is not in the sudoers file",
    re.MULTILINE,
)
SUDO_FINDS_NOTHING: Final = re.compile(
    rb"^(?:sudo: \S+: command not found|/usr/bin/env: .*: No such file or directory)$", re.MULTILINE
)
LOOK: Final = Text(
    "`schedctl logs` で出力の終わりを確かめてください", "Look at the end of its output with `schedctl logs`"
)


def ended(command: Command, exit_code: int, stdout: Captured, stderr: Captured, *, through_sudo: bool) -> Outcome:
    """A command that ended by itself: `succeeded`, or `failed` with `exit_code` or what sudo said."""
    if exit_code in command.success_exit_codes:
        return Outcome("succeeded", exit_code, None, None, None, stdout, stderr)
    if through_sudo and SUDO_ASKS.search(stderr.head):
        return _failed("sudo_password_needed", exit_code, *SUDO_PASSWORD_NEEDED, stdout, stderr)
    if through_sudo and SUDO_FINDS_NOTHING.search(stderr.head):
        return _failed("command_not_found", exit_code, *command_not_found(command.argv[0]), stdout, stderr)
    message = Text(f"コマンドは終了コード {exit_code} で終わりました", f"The command ended with exit code {exit_code}")
    return _failed("exit_code", exit_code, message, LOOK, stdout, stderr)


def killed(number: int, stdout: Captured, stderr: Captured) -> Outcome:
    """A command that a signal ended which did not come from us: always `failed` (`killed_by_signal`)."""
    name = _signal_name(number)
    message = Text(f"コマンドはシグナル {name} で終わりました", f"The command was ended by the signal {name}")
    hint = OUT_OF_MEMORY if number == signal.SIGKILL else LOOK
    return _failed("killed_by_signal", 128 + number, message, hint, stdout, stderr)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return str(number)


def timed_out(command: Command, exit_code: int | None, left: int, stdout: Captured, stderr: Captured) -> Outcome:
    """A command that was stopped at its time limit; `left` is the number of its processes that would not end."""
    limit = command.timeout_s
    message = Text(
        f"{limit}秒以内に終わらなかったため、コマンドを止めました",
        f"The command did not end within {limit} seconds and was stopped",
    )
    hint = Text(
        "入力を待っていないか出力で確かめ、足りないならカタログの timeout を長くしてください",
        "See in its output whether it waited for input; if it needs the time, raise `timeout` in the catalog",
    )
    return _stopped("timed_out", exit_code, message, hint, left, stdout, stderr)


def cancelled(exit_code: int | None, left: int, stdout: Captured, stderr: Captured) -> Outcome:
    """A command that was stopped because the heartbeat said so; the worker knows why."""
    message = Text(
        "取り消しか、workerの停止のため、コマンドを途中で止めました",
        "The command was stopped half-way: the run was cancelled, or the worker was shut down",
    )
    hint = Text("どこまで進んだかは `schedctl logs` で確かめてください", "See how far it came with `schedctl logs`")
    return _stopped("cancelled", exit_code, message, hint, left, stdout, stderr)


def not_started(error_type: str, message: Text, hint: Text, nothing: Captured) -> Outcome:
    """A command that the operating system did not start."""
    return _failed(error_type, None, message, hint, nothing, nothing)


def unseen(nothing: Captured) -> Outcome:
    """A command that is over, and whose end nobody saw."""
    message = Text(
        "コマンドはもう動いていませんが、どう終わったかは分かりません",
        "The command no longer runs; how it ended is not known",
    )
    hint = Text("どこまで進んだかをノードで確かめてください", "See on the node how far it came")
    return Outcome("lost", None, "end_unseen", message, hint, nothing, nothing)


def command_not_found(program: str) -> tuple[Text, Text]:
    """The sentence and the hint for a program that does not exist."""
    return (
        Text(f"コマンド「{program}」が見つかりません", f"There is no command “{program}”"),
        Text(
            "ノードに入っているか確かめるか、カタログの argv を絶対パスで書いてください",
            "Check that it is installed on the node, or write its absolute path in the catalog's `argv`",
        ),
    )


def not_executable(program: str) -> tuple[Text, Text]:
    """The sentence and the hint for a file that exists and cannot be run."""
    return (
        Text(f"「{program}」はありますが、実行できません", f"“{program}” exists but cannot be executed"),
        Text(
            "実行権限、1行目のインタープリター、このマシン用のプログラムかどうかを確かめてください",
            "Check its permission to execute, the interpreter in its first line, and that it is built for this machine",
        ),
    )


def could_not_start(reason: str) -> tuple[Text, Text]:
    """The sentence and the hint when the operating system refused for another reason."""
    return (
        Text(f"コマンドを起動できませんでした（{reason}）", f"The command could not be started ({reason})"),
        Text("ノードのメモリとプロセス数の余裕を確かめてください", "Check the node's free memory and process limit"),
    )


SUDO_PASSWORD_NEEDED: Final = (
    Text(
        "root で動かすコマンドですが、sudo がパスワードなしでの実行を許しませんでした",
        "The command needs root, and sudo did not allow it without a password",
    ),
    Text(
        "`schedctl catalog sudoers ノード名` が出す行を、このノードの /etc/sudoers.d に置いてください",
        "Put the lines that `schedctl catalog sudoers NODE` prints into /etc/sudoers.d on this node",
    ),
)
OUT_OF_MEMORY: Final = Text(
    "メモリ不足で OS が止めたのかもしれません。`journalctl -k` を確かめてください",
    "The system may have been out of memory: see `journalctl -k`",
)


def _failed(
    error_type: str, exit_code: int | None, message: Text, hint: Text, stdout: Captured, stderr: Captured
) -> Outcome:
    return Outcome("failed", exit_code, error_type, message, hint, stdout, stderr)


def _stopped(
    state: OutcomeState,
    exit_code: int | None,
    message: Text,
    hint: Text,
    left: int,
    stdout: Captured,
    stderr: Captured,
) -> Outcome:
    if left:
        message = Text(
            f"{message.ja}が、{left}個のプロセスがまだ動いています",
            f"{message.en}, but {left} of its processes would not end",
        )
        hint = Text(
            "ノードで `ps` を見て、残ったプロセスを手で止めてください",
            "Look at `ps` on the node and end what is left by hand",
        )
    return Outcome(state, exit_code, state, message, hint, stdout, stderr)
