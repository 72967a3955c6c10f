"""The design's words and what they mean to people: states, risks, reasons, parts of a strip. For all renderers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEDULE_STATES: Final[Mapping[str, Text]] = {
    "pending": Text("承認待ち", "pending"),
    "active": Text("有効", "active"),
    "paused": Text("停止中", "paused"),
    "finished": Text("完了", "finished"),
    "archived": Text("終了", "archived"),
}
STATES: Final[Mapping[str, Text]] = {
    "queued": Text("実行待ち", "queued"),
    "running": Text("実行中", "running"),
    "succeeded": Text("成功", "succeeded"),
    "failed": Text("失敗", "failed"),
    "timed_out": Text("時間切れ", "timed out"),
    "lost": Text("行方不明", "lost"),
    "refused": Text("起動不可", "refused"),
    "cancelled": Text("取り消し", "cancelled"),
    "missed": Text("実行漏れ", "missed"),
    "skipped": Text("見送り", "skipped"),
    "rehearsed": Text("予行", "rehearsed"),
    "not_run": Text("未実行", "not run"),
}
"""Of a run, a leg or a step."""

AGENT_STATES: Final[Mapping[str, Text]] = {
    "starting": Text("起動中", "starting"),
    "ok": Text("正常", "ok"),
    "late": Text("遅れ", "late"),
    "unhealthy": Text("不調", "unhealthy"),
    "restarting": Text("再起動中", "restarting"),
    "cooling": Text("様子見", "cooling"),
    "escalated": Text("人の手が要る", "escalated"),
    "stopping": Text("停止中", "stopping"),
    "stopped": Text("停止", "stopped"),
}
RISKS: Final[Mapping[str, Text]] = {
    "reads": Text("読み取り", "reads"),
    "changes": Text("変更", "changes"),
    "disrupts": Text("停止を伴う", "disrupts"),
}
SEGMENTS: Final[Mapping[str, Text]] = {
    "alive": Text("生きている", "alive"),
    "silent": Text("応答なし", "silent"),
    "unwell": Text("不調", "unwell"),
    "stopped": Text("予告した停止", "announced stop"),
    "unwatched": Text("見張りの前", "not watched yet"),
    "ahead": Text("これから", "still ahead"),
}
REASONS: Final[Mapping[str, Text]] = {
    "late": Text("遅すぎた", "too late"),
    "not_claimed": Text("引き受ける worker がいなかった", "no worker claimed it"),
    "not_approved": Text("未承認のまま時刻が過ぎた", "its time passed before it was approved"),
    "overlap": Text("前の回がまだ終わっていない", "the run before it had not ended"),
    "paused": Text("停止中だった", "the schedule was paused"),
    "freeze": Text("変更凍結中だった", "in a freeze"),
    "worker_silent": Text("worker からの連絡が途絶えた", "its worker fell silent"),
    "earlier_stage_failed": Text("前の段が成功しなかった", "an earlier stage did not succeed"),
    "shutdown": Text("worker が止められた", "the worker was shut down"),
    "restored": Text("データベースが復元または複製された", "the database was restored or copied"),
    "disarmed": Text("未点火になった", "the installation was disarmed"),
    "archived": Text("予定が終了された", "its schedule was archived"),
    "auto_paused": Text("失敗が続いたため、自動で止まった", "paused by itself after failures in a row"),
    "cancelled": Text("取り消された", "cancelled"),
    "catalog_changed": Text("カタログが変わり、計画の意味が変わった", "the catalog changed what its plan means"),
    "replaced": Text("別の予定に置き換えられた", "replaced by another schedule"),
    "schedule_unreadable": Text("保存されている時刻の決まりを読めない", "its stored rule cannot be read"),
    "recovered": Text("エージェントが自分で戻った", "the agent recovered by itself"),
    "lost": Text("行方不明の実行がまだ動いているかもしれない", "a lost run may still be going on"),
}


MOST_OF_A_TITLE: Final = 100
"""Letters; a name has no more. The whole instruction is in `schedctl show`."""
MOST_OF_AN_ERROR: Final = 300
"""Letters; the whole of it is in `schedctl logs`."""


def title_of(name: str | None, instruction: str) -> str:
    """What a report calls a schedule: its name, else its instruction as one line, cut where it is very long."""
    return clipped(name or " ".join(instruction.split()), MOST_OF_A_TITLE)


def clipped(text: str, letters: int) -> str:
    """At most so many letters; what is cut ends with a sign of it."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


def reason_text(reason: str) -> Text:
    """A reason in words; what a person gave as a reason stays as it is."""
    return REASONS.get(reason, Text(reason, reason))
