"""Failures that arise in the use cases themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.errors import NotFound, OperationFailed, TimingError
from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.budget import Budget, Limit
    from schedctl.when.model import Timing


def of_command(type: str, message: Text, hint: Text | None) -> OperationFailed:
    """What a transport says of a command, as an error that can be stored."""
    return OperationFailed(type, message, hint)


def plan_unreadable() -> OperationFailed:
    """A stored step that this version cannot read."""
    return OperationFailed(
        "plan_unreadable",
        Text("保存されている計画を読めません。何も実行していません", "The stored plan cannot be read; nothing was run"),
        Text(
            "schedctl register --replaces で登録し直してください", "Register it anew with schedctl register --replaces"
        ),
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


def budget_reached(limit: Limit, budget: Budget) -> OperationFailed:
    """A leg that ends because a part of its run's budget is used up."""
    what = WHAT_IS_LIMITED[limit]
    return OperationFailed(
        "budget_reached",
        Text(
            f"{what.ja}が予算（{budget.written()}）に達したので、残りの手順は実行しません",
            f"The {what.en} reached the budget ({budget.written()}); the remaining steps are not run",
        ),
        Text(
            "使われ方を schedctl logs で確かめ、足りなければ schedctl register --replaces --budget で増やしてください",
            "See with schedctl logs what it was spent on; if more is needed, register it anew with a larger --budget",
        ),
    )


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


def node_not_found(name: str, known: tuple[str, ...]) -> NotFound:
    """A node that the catalog does not have."""
    return NotFound(
        "node_not_found",
        Text(f"ノード「{name}」はカタログにありません", f"There is no node “{name}” in the catalog"),
        Text(f"あるのは: {'、'.join(known)}", f"There are: {', '.join(known)}"),
    )
