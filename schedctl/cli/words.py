"""The design's words on a screen: each state and risk in its colour, with its Japanese meaning where that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text as Styled

from schedctl.language import Text
from schedctl.report.words import AGENT_STATES, REASONS, RISKS, SCHEDULE_STATES, STATES

if TYPE_CHECKING:
    from schedctl.language import Lang

STYLES: Final = {
    "pending": "yellow",
    "active": "green",
    "paused": "yellow",
    "queued": "cyan",
    "running": "cyan",
    "succeeded": "green",
    "failed": "bold red",
    "timed_out": "bold red",
    "lost": "bold red",
    "refused": "bold red",
    "cancelled": "yellow",
    "missed": "red",
    "skipped": "yellow",
    "rehearsed": "cyan",
    "not_run": "dim",
}
"""Of each state of a schedule, a run, a leg or a step; none where a state has no colour."""

AGENT_STYLES: Final = {
    "ok": "green",
    "late": "yellow",
    "unhealthy": "bold red",
    "restarting": "yellow",
    "cooling": "yellow",
    "escalated": "bold red",
}
"""The same of each state of an agent."""

RISK_STYLES: Final = {"reads": "green", "changes": "yellow", "disrupts": "bold red"}

TRIGGERS: Final = {
    "manual": Text("手動", "by hand"),
    "restart": Text("再起動", "restart"),
}


def state_styled(state: str, lang: Lang) -> Styled:
    """A state's word in its colour: `active 有効`, `active`."""
    return _glossed(state, SCHEDULE_STATES.get(state) or STATES.get(state), STYLES.get(state, ""), lang)


def agent_state_styled(state: str, lang: Lang) -> Styled:
    """The word for an agent's state in its colour: `ok 正常`, `ok`."""
    return _glossed(state, AGENT_STATES.get(state), AGENT_STYLES.get(state, ""), lang)


def risk_styled(risk: str, lang: Lang) -> Styled:
    """A risk's word in its colour: `changes 変更`, `changes`."""
    return _glossed(risk, RISKS.get(risk), RISK_STYLES.get(risk, ""), lang)


def reason_said(reason: str, lang: Lang) -> str:
    """A reason in words with its own word behind it; what a person gave as a reason stays as it is."""
    known = REASONS.get(reason)
    return f"{known.say(lang)} ({reason})" if known else reason


def _glossed(word: str, meaning: Text | None, style: str, lang: Lang) -> Styled:
    return Styled(f"{word} {meaning.ja}" if lang == "ja" and meaning else word, style=style)
