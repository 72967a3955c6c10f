"""Failures that arise in the use cases themselves."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from schedctl.errors import NotFound, OperationFailed, Refused, TimingError
from schedctl.language import Text

if TYPE_CHECKING:
    from pathlib import Path

    from schedctl.catalog.budget import Budget, Limit
    from schedctl.store.schedules import ScheduleRow
    from schedctl.when.model import Timing


UNREADABLE: Final = (Refused, ArithmeticError, LookupError, TypeError, ValueError)
"""What is raised by a stored rule, zone or calendar that this version cannot read."""


def of_command(type: str, message: Text, hint: Text | None) -> OperationFailed:
    """What a transport says of a command, as an error that can be stored."""
    return OperationFailed(type, message, hint)


def plan_unreadable(schedule_id: int | None) -> OperationFailed:
    """A stored step that this version cannot read."""
    return OperationFailed(
        "plan_unreadable",
        Text("保存されている計画を読めません。何も実行していません", "The stored plan cannot be read; nothing was run"),
        Text(
            f"schedctl register --replaces {schedule_id} で登録し直してください",
            f"Register it anew with schedctl register --replaces {schedule_id}",
        )
        if schedule_id is not None
        else None,
    )


def no_transport(name: str) -> OperationFailed:
    """A step for which this version has no way to the node."""
    return OperationFailed(
        "transport_unavailable",
        Text(f"この schedctl には {name} で実行する手段がありません", f"This schedctl has no way to run over {name}"),
        Text("schedctl の版を確かめてください", "Check the version of schedctl"),
    )


WHAT_IS_LIMITED: Final[dict[Limit, Text]] = {
    "tokens": Text("トークン数", "tokens"),
    "time": Text("実行時間", "time"),
    "steps": Text("手順の数", "number of steps"),
    "output": Text("出力の量", "amount of output"),
}


def budget_reached(limit: Limit, budget: Budget, run_id: int, schedule_id: int | None) -> OperationFailed:
    """A leg that ends because a part of its run's budget is used up."""
    what, written = WHAT_IS_LIMITED[limit], budget.written()
    anew = f"schedctl register --replaces {schedule_id} --budget …" if schedule_id is not None else "--budget"
    return OperationFailed(
        "budget_reached",
        Text(
            f"{what.ja}が予算（{written}）に達したので、残りの手順は実行しません",
            f"The {what.en} reached the budget ({written}); the remaining steps are not run",
        ),
        Text(
            f"使われ方を schedctl logs {run_id} で確かめ、足りなければ {anew} で増やしてください",
            f"See with schedctl logs {run_id} what it was spent on; if more is needed, raise it with {anew}",
        ),
    )


def registering_anew(row: ScheduleRow) -> str:
    """The command line that makes a new plan for the same instruction, in the place of the old one."""
    return shlex.join(["schedctl", "register", "--replaces", str(row.schedule_id), row.instruction])


def passed(timing: Timing) -> TimingError:
    """The refusal of a timing of which nothing lies ahead, as it is when a model took long to answer."""
    from schedctl.when.describe import describe
    from schedctl.when.model import Once

    ja, en = describe(timing, "ja"), describe(timing, "en")
    if isinstance(timing, Once):
        return TimingError(
            "past_time",
            Text(f"その時刻（{ja}）はもう過ぎています", f"That time ({en}) has passed already"),
            Text("これからの時刻で登録し直してください", "Register it with a time that is still to come"),
        )
    return TimingError(
        "past_time",
        Text(f"これから来る回がありません（{ja}）", f"No occurrence of it lies ahead ({en})"),
        Text("いつまでかを確かめて、登録し直してください", "Check until when it is to go on, and register it anew"),
    )


def database_not_named(installed: Path) -> Refused:
    """A server's administrator who forgets the DSN must not look at an empty database of their own, and believe it."""
    return Refused(
        "database_not_named",
        Text(
            f"このマシンの schedctl は {installed} に書かれたデータベースを使いますが、"
            "このコマンドにはどのデータベースか指定がありません。別に空のデータベースを作ることはしません",
            f"The schedctl of this machine uses the database that {installed} names, and this command was not told "
            "which one to use; it does not make another, empty one",
        ),
        Text(
            f"{installed} と同じ DSN を指定してください（例: sudo -u schedctl SCHEDCTL_DSN='host=…' schedctl list）。"
            "自分用の組み込みデータベースを使うなら SCHEDCTL_STATE にそのフォルダーを指定します",
            f"Name the one in {installed} (like sudo -u schedctl SCHEDCTL_DSN='host=…' schedctl list); for an embedded "
            "one of your own, name its folder in SCHEDCTL_STATE",
        ),
    )


def node_not_found(name: str, known: tuple[str, ...]) -> NotFound:
    """A node that the catalog does not have."""
    return NotFound(
        "node_not_found",
        Text(f"ノード「{name}」はカタログにありません", f"There is no node “{name}” in the catalog"),
        Text(f"あるのは: {'、'.join(known)}", f"There are: {', '.join(known)}"),
    )
