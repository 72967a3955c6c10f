"""The unconditional notices: a sentence for each run that failed, was lost, missed or refused, and for each pause."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.store import trouble
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.store.runs import RunRow
    from schedctl.store.trouble import Trouble
    from schedctl.usecases.site import Site

MOST: Final = 100
"""Sentences of one transaction; of more, only that there are."""
ENDED_WELL: Final = {
    "succeeded": Text("成功しました", "succeeded"),
    "cancelled": Text("取り消されました", "was cancelled"),
}


@dataclass(frozen=True, slots=True)
class OfRun(Text):
    """A sentence about one run, for logs in which one looks for it."""

    run_id: int
    schedule_id: int | None
    state: str


def found_now(site: Site) -> tuple[Text, ...]:
    """The notices of what the caller's transaction has recorded as missed or lost."""
    return notices(trouble.found_now(site.db, MOST + 1))


def notices(troubles: Iterable[Trouble]) -> tuple[Text, ...]:
    """One sentence a run, one more for each schedule that failures paused; at most `MOST`, then that there are more."""
    said: dict[Text, None] = {}
    for one in troubles:
        sentence = _of_run(one)
        said[OfRun(sentence.ja, sentence.en, one.run_id, one.schedule_id, one.state)] = None
        if one.pause_reason == "auto_paused" and one.trigger == "timer":
            said[_of_pause(one)] = None
    if len(said) <= MOST:
        return tuple(said)
    return (
        *islice(said, MOST),
        Text("ほかにもあります → schedctl runs --errors", "There are more → schedctl runs --errors"),
    )


def of_end(run: RunRow) -> OfRun | None:
    """One sentence for a run that ended without trouble; None for any other."""
    how = ENDED_WELL.get(run.state)
    if how is None:
        return None
    ja = f"予定 {run.schedule_id}「{run.instruction}」の" if run.schedule_id else ""
    en = f" of schedule {run.schedule_id} “{run.instruction}”" if run.schedule_id else ""
    why = f"（{run.reason}）" if run.reason else "", f" ({run.reason})" if run.reason else ""
    text = Text(f"{ja}実行 {run.run_id} が{how.ja}{why[0]}", f"Run {run.run_id}{en} {how.en}{why[1]}")
    return OfRun(text.ja, text.en, run.run_id, run.schedule_id, run.state)


def fields_of(sentence: Text) -> dict[str, str]:
    """What a sentence about a run is looked for by in a journal: names and values of fields."""
    match sentence:
        case OfRun(run_id=run_id, schedule_id=schedule_id, state=state):
            fields = {"SCHEDCTL_RUN": str(run_id), "SCHEDCTL_STATE": state}
            return fields if schedule_id is None else fields | {"SCHEDCTL_SCHEDULE": str(schedule_id)}
        case _:
            return {}


def _of_run(one: Trouble) -> Text:
    what = _occurrence(one)
    match one.state:
        case "failed":
            return _with_error(one, Text(f"{what.ja}が失敗しました", f"{what.en} failed"))
        case "timed_out":
            return _with_error(one, Text(f"{what.ja}が時間切れになりました", f"{what.en} ran out of time"))
        case "lost":
            return Text(
                f"{what.ja}が行方不明になりました（worker からの連絡が途絶えました）。再実行はしません",
                f"{what.en} was lost (its worker fell silent); it is not repeated",
            )
        case "missed" if one.count > 1:
            return _missed_several(one)
        case "missed":
            return Text(
                f"{what.ja}が実行漏れになりました（{one.reason}）。あとから実行することはありません",
                f"{what.en} was missed ({one.reason}); it will not run later",
            )
        case "refused":
            return _with_error(
                one, Text(f"{what.ja}は起動できず、止まりました", f"{what.en} could not fire and paused")
            )


def _missed_several(one: Trouble) -> Text:
    ja, en = f"予定 {one.schedule_id}「{one.instruction}」", f"schedule {one.schedule_id} “{one.instruction}”"
    return Text(
        f"{ja}の {_due(one)} までの {one.count} 回（実行 {one.run_id}）が実行漏れになりました（{one.reason}）。"
        "あとから実行することはありません",
        f"{one.count} occurrences of {en} up to {_due(one)} (run {one.run_id}) were missed ({one.reason}); "
        "they will not run later",
    )


def _of_pause(one: Trouble) -> Text:
    return Text(
        f"予定 {one.schedule_id}「{one.instruction}」は、失敗が続いたため自動で止まりました"
        f" → schedctl resume {one.schedule_id}",
        f"Schedule {one.schedule_id} “{one.instruction}” paused by itself after failures in a row"
        f" → schedctl resume {one.schedule_id}",
    )


def _occurrence(one: Trouble) -> Text:
    """`予定 3「…」の 2026-12-06T03:00+09:00 の回（実行 12）`."""
    if one.trigger == "restart":
        return Text(f"エージェントの再起動（実行 {one.run_id}）", f"An agent's restart (run {one.run_id})")
    ja = f"予定 {one.schedule_id}「{one.instruction}」の" if one.schedule_id else ""
    en = f" of schedule {one.schedule_id} “{one.instruction}”" if one.schedule_id else ""
    if one.scheduled_for is None:
        return Text(f"{ja}手動の実行（実行 {one.run_id}）", f"A run by hand{en} (run {one.run_id})")
    return Text(f"{ja} {_due(one)} の回（実行 {one.run_id}）", f"The occurrence{en} at {_due(one)} (run {one.run_id})")


def _due(one: Trouble) -> str:
    at = (one.scheduled_for or one.finished_at).astimezone(zone_named(one.timezone or "UTC"))
    return at.isoformat(timespec="minutes")


def _with_error(one: Trouble, said: Text) -> Text:
    """The sentence with the stored error behind it, where there is one."""
    if one.error is None:
        return said
    kind = one.error["type"]
    return Text(f"{said.ja}: {one.error['ja']} [{kind}]", f"{said.en}: {one.error['en']} [{kind}]")
