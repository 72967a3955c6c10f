"""Schedules of a terrible day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports import at, cells, schedule

from schedctl.language import Text
from schedctl.report.schedule_model import Durations, RunFact

if TYPE_CHECKING:
    from schedctl.report.schedule_model import ScheduleReport

LOST: Final = RunFact(
    812,
    at("03:00"),
    "lost",
    "worker_silent",
    1,
    False,
    (
        Text(
            "mars: worker w-mars-1、最後は手順 2 apt.upgrade、終わりは見ていない、ノードを押さえたまま",
            "mars: worker w-mars-1, last seen in step 2 apt.upgrade, not seen to have ended, node held",
        ),
        Text("venus: 終わったことを見た（成功）", "venus: seen to have ended, succeeded"),
    ),
    Text("worker からの連絡が途絶えました", "its worker fell silent"),
)
FAILURES: Final = tuple(
    RunFact(
        900 + n,
        at(f"{6 + n:02}:00"),
        "failed",
        None,
        1,
        n < 3,
        (),
        Text(
            "手順 1 が終了コード 1 で終わりました: No space left on device",
            "Step 1 ended with exit code 1: No space left on device",
        ),
    )
    for n in range(4)
)
FAILING: Final = (
    *cells("00:00", "01:00", "02:00"),
    *cells("06:00", "07:00", "08:00", "09:00", state="failed"),
    *cells("10:00", "11:00", state="skipped"),
)
MANY: Final = (
    *cells("00:15", "00:30", "00:45", "01:00"),
    *cells("01:15", state="timed_out"),
    *cells("02:00", "02:15", "02:30", state="missed"),
    *cells("12:00", state="refused"),
    *cells("15:00", state="cancelled"),
    *cells("18:00", state="rehearsed"),
    *cells("22:00", state="running"),
    *cells("23:00", state="queued"),
)
SLOW: Final = Durations(
    1930.0,
    881,
    42.0,
    12.0,
    True,
    Text(
        "最も遅い回 32 分 10 秒（実行 881）、中央値 42 秒: いつもの 12 秒より遅い",
        "slowest 32 min 10 s (run 881), median 42 s: slower than the usual 12 s",
    ),
)


def bad_schedules() -> tuple[ScheduleReport, ...]:
    """Lost, paused by itself, slow, and failed then fine."""
    return (
        schedule(
            2, "毎週日曜の更新", cells("03:00", state="lost"), risk="disrupts", nodes=("mars", "venus"), facts=(LOST,)
        ),
        schedule(
            7,
            "ログの回転",
            FAILING,
            state="paused",
            paused=Text(
                "3回続けて失敗したため、自動で止まっています", "Paused by itself after three failures in a row"
            ),
            paused_by_itself=True,
            facts=FAILURES,
            more_facts=9,
            risk="changes",
        ),
        schedule(
            8,
            "five-minute-probe",
            MANY,
            by_hand=3,
            durations=SLOW,
        ),
        schedule(
            9,
            "証明書の期限",
            (*cells("04:00", state="failed"), *cells("04:15")),
            healed=Text("失敗のあと、次の回は成功しました", "Failed, then fine"),
        ),
    )
