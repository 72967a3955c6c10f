"""The design's words on a screen: each state and risk in its colour, with its Japanese meaning where that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text as Styled

from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.language import Lang

STATES: Final = {
    "pending": ("承認待ち", "yellow"),
    "active": ("有効", "green"),
    "paused": ("停止中", "yellow"),
    "finished": ("完了", ""),
    "archived": ("終了", ""),
    "queued": ("実行待ち", "cyan"),
    "running": ("実行中", "cyan"),
    "succeeded": ("成功", "green"),
    "failed": ("失敗", "bold red"),
    "timed_out": ("時間切れ", "bold red"),
    "lost": ("行方不明", "bold red"),
    "refused": ("起動不可", "bold red"),
    "cancelled": ("取り消し", "yellow"),
    "missed": ("逃した", "red"),
    "skipped": ("見送り", "yellow"),
    "rehearsed": ("予行", "cyan"),
    "not_run": ("未実行", "dim"),
}
"""Japanese meaning and style of each state of a schedule, a run, a leg or a step."""

AGENT_STATES: Final = {
    "starting": ("起動中", ""),
    "ok": ("正常", "green"),
    "late": ("遅れ", "yellow"),
    "unhealthy": ("不調", "bold red"),
    "restarting": ("再起動中", "yellow"),
    "cooling": ("様子見", "yellow"),
    "escalated": ("人の手が要る", "bold red"),
    "stopping": ("停止中", ""),
    "stopped": ("停止", ""),
}
"""The same of each state of an agent."""

RISKS: Final = {
    "reads": ("読み取り", "green"),
    "changes": ("変更", "yellow"),
    "disrupts": ("停止を伴う", "bold red"),
}

REASONS: Final = {
    "late": Text("遅すぎた", "too late"),
    "not_claimed": Text("引き受ける worker がいなかった", "no worker claimed it"),
    "not_approved": Text("未承認のまま時刻が過ぎた", "its time passed before it was approved"),
    "overlap": Text("前の回がまだ終わっていない", "the run before it had not ended"),
    "paused": Text("停止中だった", "the schedule was paused"),
    "freeze": Text("変更凍結中だった", "in a freeze"),
    "worker_silent": Text("worker からの連絡が途絶えた", "its worker fell silent"),
    "earlier_stage_failed": Text("前の段が成功しなかった", "an earlier stage did not succeed"),
    "shutdown": Text("worker が止められた", "the worker was shut down"),
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

TRIGGERS: Final = {
    "manual": Text("手動", "by hand"),
    "restart": Text("再起動", "restart"),
}


def state_styled(state: str, lang: Lang) -> Styled:
    """A state's word in its colour: `active 有効`, `active`."""
    return _glossed(state, STATES.get(state, ("", "")), lang)


def agent_state_styled(state: str, lang: Lang) -> Styled:
    """The word for an agent's state in its colour: `ok 正常`, `ok`."""
    return _glossed(state, AGENT_STATES.get(state, ("", "")), lang)


def risk_styled(risk: str, lang: Lang) -> Styled:
    """A risk's word in its colour: `changes 変更`, `changes`."""
    return _glossed(risk, RISKS.get(risk, ("", "")), lang)


def reason_said(reason: str, lang: Lang) -> str:
    """A reason in words with its own word behind it; what a person gave as a reason stays as it is."""
    known = REASONS.get(reason)
    return f"{known.say(lang)} ({reason})" if known else reason


def _glossed(word: str, known: tuple[str, str], lang: Lang) -> Styled:
    meaning, style = known
    return Styled(f"{word} {meaning}" if lang == "ja" and meaning else word, style=style)
