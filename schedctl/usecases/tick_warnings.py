"""What a tick says beside its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.errors import OperationFailed
from schedctl.language import Text

if TYPE_CHECKING:
    from datetime import timedelta


def unreadable(schedule_id: int) -> OperationFailed:
    """Why a schedule whose rule, zone or calendar makes no sense is paused."""
    anew = f"schedctl register --replaces {schedule_id}"
    return OperationFailed(
        "schedule_unreadable",
        Text("保存されている時刻の決まりを読めません", "Its stored rule cannot be read"),
        Text(
            f"schedctl show {schedule_id} で確かめ、{anew} で登録し直してください",
            f"Look at it with schedctl show {schedule_id}, and register it anew with {anew}",
        ),
    )


def behind(schema: int) -> Text:
    """The code is older than the schema."""
    return Text(
        f"データベースのスキーマ（{schema}）が、このマシンの schedctl より新しくなりました。"
        "いまは続けられますが、更新してください",
        f"The database's schema ({schema}) is newer than this machine's schedctl, which goes on for now; upgrade it",
    )


def clock_went_back(by: timedelta) -> Text:
    """By how much, since the last tick."""
    minutes = max(1, round(by.total_seconds() / 60))
    return Text(
        f"時計が前回の tick から {minutes} 分ほど戻っています。実行済みの回は繰り返しません",
        f"The clock went back by about {minutes} min since the last tick; what already ran is not repeated",
    )


def already_recorded(count: int) -> Text:
    """Of so many occurrences that were due."""
    return Text(
        f"{count} 件の回にはすでに記録があったので、実行しません",
        f"{count} occurrences have a record already and do not fire again",
    )
