"""A terrible day, and a day on which everybody's text is hostile."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta
from typing import TYPE_CHECKING, Final

from report_schedules import bad_schedules
from reports import DAY, agent, at, calendar, coming, cost, quiet, segments

from schedctl.language import Text
from schedctl.report.agent_model import AgentEvent, Beside, RestartGroup
from schedctl.report.figures import Need, StateCount
from schedctl.report.model import Change, Healed, Report

if TYPE_CHECKING:
    from schedctl.report.agent_model import AgentReport
    from schedctl.report.model import Coming

NEXT: Final = DAY + timedelta(days=1)
NEEDS: Final = (
    Need(
        "node_held_by_lost_run",
        Text(
            "mars では、行方不明の実行 812 がまだ動いているかもしれません。終わったら → schedctl node release mars",
            "Lost run 812 may still be going on at mars; when you have seen that it ended → schedctl node release mars",
        ),
    ),
    Need(
        "paused_by_itself",
        Text(
            "自動で止まった予定があります（7）→ schedctl show 7", "Schedules paused by themselves (7) → schedctl show 7"
        ),
    ),
    Need(
        "agent_escalated",
        Text(
            "エージェント executor は 3 回の再起動でも戻りません。もう再起動しないので、人の手が要ります",
            "Agent executor did not come back after 3 restarts; there will be no more, it needs a person",
        ),
    ),
    Need(
        "notices_given_up",
        Text(
            "この24時間に 4 件の通知の送信を断念しました。直したら → schedctl deliver --again",
            "4 notices were given up in the last 24 hours; once repaired → schedctl deliver --again",
        ),
    ),
)
HEALED: Final = (
    Healed(
        at("04:12"),
        Text(
            "予定 9「証明書の期限」は、失敗のあと成功しました",
            "Schedule 9 “certificates” failed, then succeeded",
        ),
        None,
        9,
    ),
    Healed(
        at("13:44"),
        Text(
            "エージェント planner は自分で戻りました（3分の沈黙）",
            "Agent planner came back by itself after 3 min of silence",
        ),
        "planner",
    ),
)
COUNTS: Final = (
    StateCount("lost", 1),
    StateCount("failed", 14),
    StateCount("timed_out", 2),
    StateCount("refused", 1),
    StateCount("missed", 61),
    StateCount("cancelled", 1),
    StateCount("skipped", 5),
    StateCount("running", 1),
    StateCount("succeeded", 1204),
)
DAYS: Final = tuple(at("03:05", DAY - timedelta(days=n)) for n in range(7))
EACH_MORNING: Final = RestartGroup(
    time(3, 5),
    DAYS,
    1,
    7,
    7,
    (Beside(3, "backup", 7),),
    Text(
        "毎日 03:05 ごろ（7日のうち7日）、予定 3「backup」と同じころ",
        "every day at about 03:05 (7 of 7 days), beside schedule 3 “backup”",
    ),
)
EVENTS: Final = (
    AgentEvent(at("03:04"), "agent_unhealthy", Text("応答が途絶えた", "fell silent")),
    AgentEvent(at("03:05"), "agent_restarted", Text("再起動 1/3", "restart 1 of 3")),
    AgentEvent(
        at("03:25"),
        "agent_escalated",
        Text("3回の再起動でも戻らず、人を呼んだ", "did not come back after 3 restarts; a person was called"),
    ),
)
LIFE: Final = segments(
    ("alive", "00:00"),
    ("silent", "03:02"),
    ("alive", "03:08"),
    ("unwell", "11:00"),
    ("alive", "12:30"),
    ("silent", "20:00"),
)


def terrible() -> Report:
    """A day on which nearly everything went wrong."""
    plain = quiet()
    return replace(
        plain,
        first_lines=tuple(need.message for need in NEEDS),
        needs=NEEDS,
        healed=HEALED,
        counts=COUNTS,
        by_hand=3,
        agents=_agents(),
        schedules=(*bad_schedules(), *plain.schedules),
        more_schedules=12,
        costs=(
            cost(Text("エージェント executor", "Agent executor"), 1180, 1202, 1175, None, 1210, 1188, 14_950),
            cost(Text("エージェント planner", "Agent planner"), 800, 850, 910, 990, 1060, 1150, 1240),
            cost(
                Text("予定 11「夜の要約」", "Schedule 11 “nightly summary”"),
                None,
                None,
                None,
                None,
                None,
                None,
                5200,
                cycles=1,
            ),
            cost(
                Text("言語モデルの計画", "Plans by the language model"), 900, None, 870, None, None, 905, 880, cycles=3
            ),
        ),
        changes=_changes(),
        more_changes=7,
        ahead=replace(calendar(_ahead(), {2: "棚卸し", 3: "棚卸し"}), pending=2, more=True),
    )


def _agents() -> tuple[AgentReport, ...]:
    return (
        agent(
            "executor",
            LIFE,
            state="escalated",
            alive_share=0.76,
            alive=Text("3回、あわせて 5 時間 36 分、途絶えた", "silent 3 times, 5 h 36 min together"),
            restarts=(EACH_MORNING,),
            loops=(
                Text(
                    "03:05 から1時間に3回再起動し、長続きしなかった",
                    "Restarted 3 times within an hour from 03:05; it did not last",
                ),
            ),
            cooldowns=3,
            events=EVENTS,
            more_events=5,
            needs=(NEEDS[2],),
            cost=cost(Text("エージェント executor", "Agent executor"), 1180, 1202, 1175, None, 1210, 1188, 14_950),
        ),
        agent(
            "planner",
            segments(
                ("unwatched", "00:00"),
                ("alive", "06:00"),
                ("silent", "13:41"),
                ("alive", "13:44"),
                ("stopped", "22:00"),
            ),
            state="stopped",
            alive_share=0.997,
            alive=Text("1回、3 分、途絶えた", "silent once, for 3 min"),
        ),
    )


def _changes() -> tuple[Change, ...]:
    return (
        Change(
            at("10:02"),
            "registered",
            "tanaka",
            14,
            Text(
                "tanaka が予定 14「毎月末の集計」を登録しました。", "tanaka registered schedule 14 “month-end totals”."
            ),
        ),
        Change(
            at("10:05"), "approved", "sato", 14, Text("sato が予定 14 を承認しました。", "sato approved schedule 14.")
        ),
        Change(
            at("18:30"),
            "node_held",
            "tanaka",
            None,
            Text("tanaka が jupiter を止めました: 電源工事", "tanaka holds jupiter: power works"),
        ),
    )


def _ahead() -> dict[int, tuple[Coming, ...]]:
    found: dict[int, tuple[Coming, ...]] = {}
    for number in range(7):
        day = NEXT + timedelta(days=number)
        frozen = "棚卸し" if number in (2, 3) else None
        found[number] = (
            coming("00:00", 8, "five-minute-probe", day, last=at("23:55", day), count=288),
            coming(
                "03:00",
                3,
                "backup",
                day,
                risk="changes",
                frozen=frozen,
                collides_with=(2,) if number == 6 else (),
                notes=(
                    Text(
                        "予定 2 と同じノードで重なる: 片方は待つ",
                        "collides with schedule 2 on a node: one of them waits",
                    ),
                )
                if number == 6
                else (),
            ),
            coming("03:00", 2, "毎週日曜の更新", day, risk="disrupts", nodes=("mars", "venus"), frozen=frozen),
            *(
                coming(f"{hour:02}:30", 20 + hour, f"集計 {hour}", day, nodes=("jupiter",))
                for hour in range(9, 9 + number)
            ),
        )
    return found
