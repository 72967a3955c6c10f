"""What a report says of runs and of the whole, in sentences. Pure; every renderer takes them as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from schedctl.language import Text
from schedctl.report.figures import WORST_FIRST, StateCount
from schedctl.report.spans import share_said, span_said
from schedctl.report.words import MOST_OF_AN_ERROR, STATES, clipped, reason_text
from schedctl.when.saying.moments import day_said, moment_said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from schedctl.report.agent_model import Segment
    from schedctl.report.figures import Period
    from schedctl.report.model import Report

BY_STATE: Final[Mapping[str, Text]] = {
    "failed": Text("失敗しました", "failed"),
    "timed_out": Text("時間切れになりました", "ran out of time"),
    "lost": Text("行方不明になりました", "lost"),
    "missed": Text("実行漏れです。あとから実行することはありません", "missed; it will not run later"),
    "refused": Text("起動できず、止まりました", "could not fire and was stopped"),
    "skipped": Text("見送りました", "skipped"),
    "cancelled": Text("取り消されました", "cancelled"),
    "queued": Text("実行を待っています", "waits to be carried out"),
    "running": Text("まだ実行中です", "is still running"),
}


@dataclass(frozen=True, slots=True)
class Happened:
    """What is known of a run that was no plain success."""

    state: str
    reason: str | None
    error: Mapping[str, Any] | None
    at: datetime
    first_at: datetime | None
    count: int


def happened_said(one: Happened, zone: str) -> Text:
    """`失敗しました: …`, `12/06（日）03:00 からの 5 回分: 実行漏れです。…（遅すぎた）`; the schedule is not named."""
    said = BY_STATE.get(one.state, Text(one.state, one.state))
    reason = reason_text(one.reason) if one.reason else None
    ja, en = said.ja, said.en
    if one.count > 1:
        first = one.first_at or one.at
        ja = f"{moment_said(first, zone, 'ja')} からの {one.count} 回分: {ja}"
        en = f"{one.count} occurrences from {moment_said(first, zone, 'en')} on: {en}"
    if reason is not None:
        ja, en = f"{ja}（{reason.ja}）", f"{en} ({reason.en})"
    if one.error and one.error.get("ja") and one.error.get("en"):
        why_ja, why_en = (clipped(str(one.error[lang]), MOST_OF_AN_ERROR) for lang in ("ja", "en"))
        ja, en = f"{ja}: {why_ja}", f"{en}: {why_en}"
    return Text(ja, en)


def lost_said(node: str, worker: str | None, step: int | None, seen_to_end: str | None, holds_node: bool) -> Text:
    """What is known of the lost part of a run on one node."""
    who = worker or "?"
    ja, en = f"{node}（worker {who}）: ", f"{node} (worker {who}): "
    begun = Text(f"手順 {step} を始めたところまで", f"it had begun step {step}") if step else None
    begun = begun or Text("まだ何も始めていない", "it had begun nothing")
    if seen_to_end == "lost":
        after = Text(
            "もう動いていないことは確認済み（結果は不明）", "it is seen not to run any more; how it ended is not known"
        )
    elif seen_to_end is not None:
        end = STATES.get(seen_to_end, Text(seen_to_end, seen_to_end))
        after = Text(f"終わったことは確認済み（{end.ja}）", f"its end has been seen since ({end.en})")
    elif holds_node:
        after = Text(
            "まだ動いているかもしれないので、ノードを止めている", "it may still be going on, so the node is held"
        )
    else:
        after = Text("どう終わったかは分からない", "how it ended is not known")
    return Text(f"{ja}{begun.ja}。{after.ja}", f"{en}{begun.en}; {after.en}")


def durations_said(slowest_s: float, run_id: int, usual_s: float | None, slower: bool) -> Text:
    """`いちばん長い回は 12 分 30 秒（実行 45、いつもは 4 分 10 秒）`."""
    slowest = span_said(slowest_s)
    usual = span_said(usual_s) if usual_s is not None else None
    ja_usual, en_usual = (f"、いつもは {usual.ja}", f", usually {usual.en}") if usual else ("", "")
    said = Text(
        f"いちばん長い回は {slowest.ja}（実行 {run_id}{ja_usual}）",
        f"the longest run took {slowest.en} (run {run_id}{en_usual})",
    )
    return Text(f"いつもより遅い: {said.ja}", f"slower than usual: {said.en}") if slower else said


def alive_said(strip: Iterable[Segment], share: float | None, period: Period) -> Text:
    """`一日中生きていました`, or how often and how long it gave no sign of life."""
    if share is None:
        return Text("見張る時間はありませんでした", "there was no time in which it was watched")
    silent = [part.end.timestamp() - part.start.timestamp() for part in strip if part.kind == "silent"]
    unwell = [part.end.timestamp() - part.start.timestamp() for part in strip if part.kind == "unwell"]
    notes: list[Text] = []
    if silent:
        length = span_said(sum(silent))
        times = "once" if len(silent) == 1 else f"{len(silent)} times"
        notes.append(
            Text(f"応答が {len(silent)} 回、計 {length.ja}とだえました", f"silent {times}, {length.en} in all")
        )
    if unwell:
        length = span_said(sum(unwell))
        notes.append(Text(f"不調が計 {length.ja} ありました", f"unwell for {length.en}"))
    if not notes:
        whole = Text("一日中", "all day") if period.kind == "day" else Text("ずっと", "all the time")
        return Text(f"{whole.ja}生きていました", f"alive {whole.en}")
    ja, en = "。".join(note.ja for note in notes), ", ".join(note.en for note in notes)
    return Text(f"{ja}（正常 {share_said(share)}）", f"{en} ({share_said(share)} well)")


def counts_said(counts: Sequence[StateCount]) -> Text:
    """`失敗 2、見送り 1、成功 35`; nothing of nothing."""
    shown = [(STATES[one.state], one.count) for one in counts if one.count]
    return Text(
        "、".join(f"{word.ja} {count:,}" for word, count in shown),
        ", ".join(f"{count:,} {word.en}" for word, count in shown),
    )


def by_hand_said(runs: int, failed: int, newest: Sequence[tuple[int, int | None]]) -> Text | None:
    """`手動の実行 2 回のうち 1 回が失敗しました: 実行 7（予定 3）`; None where none failed."""
    if not failed:
        return None
    ja = [f"実行 {run}" + (f"（予定 {schedule}）" if schedule else "") for run, schedule in newest]
    en = [f"run {run}" + (f" (schedule {schedule})" if schedule else "") for run, schedule in newest]
    more = failed > len(newest)
    return Text(
        f"手動の実行 {runs:,} 回のうち {failed:,} 回が失敗しました: {'、'.join(ja)}" + ("、ほか" if more else ""),
        f"Started by hand: {runs:,} run{'' if runs == 1 else 's'}, {failed:,} failed: {', '.join(en)}"
        + (", …" if more else ""),
    )


def unwritten_said(first: date, last: date) -> Text:
    """That no report was written on these days (both included), and how each can be read."""
    ja, en, days = day_said(first, "ja"), day_said(first, "en"), (last - first).days + 1
    step = f"→ schedctl report --day {first.isoformat()}"
    if days == 1:
        return Text(
            f"{ja}の日報は書かれていません（書くはずの時刻に tick がなかったか、書けませんでした）。見るには {step}",
            f"The report on {en} was not written: no tick came when it was due, or none could write it {step}",
        )
    return Text(
        f"{ja}から{day_said(last, 'ja')}まで {days} 日分の日報は書かれていません"
        f"（書くはずの時刻に tick がなかったか、書けませんでした）。1日ずつ見るには {step}",
        f"The reports on {days} days, {en} to {day_said(last, 'en')}, were not written: no tick came when they were"
        f" due, or none could write them; to see them day by day {step}",
    )


def in_order(counts: Mapping[str, int]) -> tuple[StateCount, ...]:
    """Counts by state, the worst first; a state without any is left out."""
    return tuple(StateCount(state, counts[state]) for state in WORST_FIRST if counts.get(state))


def so_far_said(report: Report) -> Text:
    """That the period is not over yet, and up to when it is told."""
    clock = f"{report.written_at:%H:%M}"
    return Text(f"{clock} までの途中経過です", f"so far, up to {clock}")


def period_said(period: Period) -> Text:
    """`2026/11/30（月）`, `2026/11/24（火）から11/30（月）`."""
    last_ja, last_en = day_said(period.last, "ja", with_year=True), day_said(period.last, "en", with_year=True)
    if period.kind == "day":
        return Text(last_ja, last_en)
    first_ja, first_en = day_said(period.first, "ja", with_year=True), day_said(period.first, "en")
    return Text(f"{first_ja}から{day_said(period.last, 'ja')}", f"{first_en} to {last_en}")
