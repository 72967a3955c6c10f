"""A notice, and the words for its parts. Pure; nothing that an event's writer kept can be relied on to be there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Mapping

REASONS: Final = {
    "late": Text("遅れの限度を過ぎたため", "past the catch-up limit"),
    "not_claimed": Text("引き受ける worker がいなかったため", "no worker claimed it"),
    "not_approved": Text("承認されないまま時刻が過ぎたため", "its time passed before it was approved"),
    "overlap": Text("前の回がまだ終わっていないため", "the run before it had not ended"),
    "paused": Text("予定が止まっていたため", "its schedule was paused"),
    "freeze": Text("変更凍結中のため", "it fell into a freeze"),
    "worker_silent": Text("worker からの連絡が途絶えたため", "its worker fell silent"),
    "node_silent": Text("ノードからの連絡が途絶えたため", "its node fell silent"),
    "restored": Text("データベースが復元または複製されたため", "the database was restored or copied"),
    "shutdown": Text("worker が止められたため", "its worker was shut down"),
}
LONGEST_INSTRUCTION: Final = 60
LISTED_CHANGES: Final = 5
NOTHING: Final = Text("", "")


@dataclass(frozen=True, slots=True)
class Notice:
    """One event that somebody is told of."""

    event_id: int
    type: str
    severity: str
    at: datetime
    actor: str
    host: str
    detail: Mapping[str, Any]
    schedule_id: int | None = None
    schedule_name: str | None = None
    instruction: str | None = None
    timezone: str | None = None
    run_id: int | None = None
    risk: str | None = None
    nodes: tuple[str, ...] = ()


def parts(notice: Notice, default_zone: str) -> dict[str, Text]:
    """Every part that a sentence may name, in both languages."""
    detail = Detail(notice, default_zone)
    schedule = _schedule(notice)
    planned = detail.moment("scheduled_for")
    agent = detail.word("agent")
    run, why = _with(notice.run_id, "実行 {}", "run {}"), _why(detail.word("reason"))
    return {
        "actor": _same(notice.actor),
        "schedule": schedule,
        "occurrence": _occurrence(schedule, detail.instant("scheduled_for")),
        "occurrences": _occurrences(detail, schedule),
        "whose": Text(f"エージェント {agent} ", f"agent {agent}") if agent else _whose(notice, schedule),
        "run": _bracketed(run),
        "why": _bracketed(why),
        "run_why": _bracketed(run, why),
        "error": _error(notice.detail.get("error")),
        "minutes_late": _same(str(round((notice.at - planned).total_seconds() / 60)) if planned else "?"),
        "failures": _with(detail.number("failures_in_a_row") or None, " {} 回", "{} "),
        "changes": _changes(detail.words("changes"), detail.words("changes_ja")),
        "user": _same(detail.word("user")),
        "role": _same(detail.word("role")),
        "nodes": _with(", ".join(detail.words("nodes")) or None, "（ノード {}）", " (for {})"),
        "moved_from": _same(detail.instant("from") or "?"),
        "moved_to": _same(detail.instant("to") or "?"),
        "node": _same(detail.word("node")),
        "agent": _same(agent),
        "agent_says": _with(detail.word("detail") or None, "（{}）", " ({})"),
        "attempt": _bracketed(_with(detail.number("attempt") or None, "{} 回目", "attempt {}"), run),
        "attempts": _with(detail.number("attempts") or None, "（{} 回試みました）", " ({} attempts)"),
        "silent_since": _with(detail.instant("silent_since"), "（最後の連絡は {}）", " (last heard of at {})"),
        "minutes": _bracketed(_with((detail.number("seconds") + 30) // 60 or None, "{} 分", "{} min")),
        "limit": _with(detail.number("limit") or None, "（上限 {} トークン）", " ({} tokens)"),
        "tokens": _tokens(detail),
        "start": _same(detail.instant("start") or "?"),
        "end": _same(detail.instant("end") or "?"),
        "day": _with(detail.word("day") or None, " {}", " {}"),
        "report": _stored(notice.detail.get("report")) or Text("日報を書きました。", "the daily report was written."),
    }


@dataclass(frozen=True, slots=True)
class Detail:
    """Typed access to what an event's writer kept."""

    notice: Notice
    default_zone: str

    def word(self, key: str) -> str:
        """A plain value as text; empty where there is none."""
        value = self.notice.detail.get(key)
        return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""

    def number(self, key: str) -> int:
        """A whole number; 0 where there is none."""
        value = self.notice.detail.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def words(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.notice.detail.get(key)
        return tuple(map(str, cast("list[object]", value))) if isinstance(value, list) else ()

    def moment(self, key: str) -> datetime | None:
        """An instant."""
        try:
            moment = datetime.fromisoformat(self.word(key))
        except ValueError:
            return None
        return moment if moment.tzinfo is not None else None

    def instant(self, key: str) -> str | None:
        """An instant as the schedule's own clock shows it: `2026-12-06 03:00+09:00`."""
        moment = self.moment(key)
        return local(self.notice, moment, self.default_zone).isoformat(" ", "minutes") if moment is not None else None


def local(notice: Notice, moment: datetime, default_zone: str) -> datetime:
    """An instant in the schedule's zone, or in the default one where it has none that can be used."""
    for name in (notice.timezone, default_zone):
        try:
            return moment.astimezone(zone_named(name or ""))
        except (Refused, OverflowError):
            continue
    return moment


def _schedule(notice: Notice) -> Text:
    """`予定 3「毎日9時に…」`; by its name where it has one."""
    if notice.schedule_id is None:
        return Text("予定", "a schedule")
    said = notice.schedule_name or " ".join((notice.instruction or "").split())
    said = said if len(said) <= LONGEST_INSTRUCTION else said[: LONGEST_INSTRUCTION - 1] + "…"
    ja, en = (f"「{said}」", f" “{said}”") if said else ("", "")
    return Text(f"予定 {notice.schedule_id}{ja}", f"schedule {notice.schedule_id}{en}")


def _whose(notice: Notice, schedule: Text) -> Text:
    """What spends tokens and is no agent: a schedule's requests, or the planner."""
    return schedule if notice.schedule_id is not None else Text("言語モデル", "the planner")


def _occurrence(schedule: Text, at: str | None) -> Text:
    """`予定 3「…」の 2026-12-06 03:00+09:00 の回`."""
    if at is None:
        return Text(f"{schedule.ja}の実行", f"a run of {schedule.en}")
    return Text(f"{schedule.ja}の {at} の回", f"the occurrence of {schedule.en} at {at}")


def _occurrences(detail: Detail, schedule: Text) -> Text:
    count, first, last = detail.number("count"), detail.instant("first") or "?", detail.instant("scheduled_for") or "?"
    return Text(
        f"{schedule.ja}の {first} から {last} までの {count} 回",
        f"{count} occurrences of {schedule.en} from {first} to {last}",
    )


def _why(reason: str) -> Text:
    """A reason in words, or as a person wrote it."""
    return REASONS.get(reason, _same(reason))


def _bracketed(*notes: Text) -> Text:
    """Those that say something, in one pair of brackets."""
    said = [note for note in notes if note.ja]
    if not said:
        return NOTHING
    return Text(f"（{'、'.join(note.ja for note in said)}）", f" ({', '.join(note.en for note in said)})")


def _error(error: object) -> Text:
    """The sentence of an error as it is stored; nothing where none was kept."""
    stored = _stored(error)
    return Text(f": {stored.ja}", f": {stored.en}") if stored is not None else NOTHING


def _stored(said: object) -> Text | None:
    """A text as it is stored, in both languages; None where there is none."""
    if not isinstance(said, dict):
        return None
    ja, en = (cast("dict[str, object]", said).get(lang) for lang in ("ja", "en"))
    return Text(str(ja), str(en)) if ja and en else None


def _changes(changes: tuple[str, ...], in_japanese: tuple[str, ...]) -> Text:
    """How many, and the first of them; an older event does not hold them in Japanese."""
    if not changes:
        return NOTHING
    ja, en = _listed(in_japanese, "、"), _listed(changes, "; ")
    count = len(changes)
    return Text(f"（変更 {count} 件{': ' if ja else ''}{ja}）", f" ({count} change{'' if count == 1 else 's'}: {en})")


def _listed(changes: tuple[str, ...], joint: str) -> str:
    return joint.join((*changes[:LISTED_CHANGES], *(("…",) if len(changes) > LISTED_CHANGES else ())))


def _tokens(detail: Detail) -> Text:
    used, mean = detail.word("tokens"), detail.word("mean")
    if not used or not mean:
        return NOTHING
    return Text(f"（今回 {used}、これまでの平均 {mean}）", f" ({used} now, {mean} on average before)")


def _with(value: object, ja: str, en: str) -> Text:
    return NOTHING if value is None else Text(ja.format(value), en.format(value))


def _same(word: str) -> Text:
    return Text(word, word)
