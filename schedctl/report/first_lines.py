"""How a report begins: what needs a person, or one sentence on how it was. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.language import Text
from schedctl.report.figures import NOT_AS_WISHED
from schedctl.report.sentences import counts_said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.report.figures import StateCount
    from schedctl.report.model import Report


def first_lines(report: Report) -> tuple[Text, ...]:
    """One sentence for each need; without any, one that says how it was."""
    if report.needs:
        return tuple(need.message for need in report.needs)
    how = _quiet(report) if report.quiet else Text("人の手が要ることはありません", "Nothing needs a person")
    said = (how, *_ran(report.counts, report.armed), *_lived(report), *_disarmed(report.armed))
    return (Text("。".join(part.ja for part in said) + "。", "; ".join(part.en for part in said) + "."),)


def _quiet(report: Report) -> Text:
    if not report.complete:
        return Text("ここまで静かです", "Quiet so far")
    if report.period.kind == "week":
        return Text("静かな一週間でした", "A quiet week")
    return Text("静かな一日でした", "A quiet day")


def _ran(counts: Sequence[StateCount], armed: bool) -> tuple[Text, ...]:
    ended = sum(one.count for one in counts)
    if not ended:
        return (Text("何も実行されませんでした", "nothing ran"),) if armed else ()
    if all(one.state == "succeeded" for one in counts):
        all_of_them = f"all {ended:,} runs succeeded" if ended > 1 else "the one run succeeded"
        return (Text(f"{ended:,} 回すべて成功" if ended > 1 else "1 回、成功", all_of_them),)
    bad = sum(one.count for one in counts if one.state in NOT_AS_WISHED)
    said = counts_said(counts)
    if bad:
        return (
            Text(
                f"{said.ja}。うまくいかなかったものも、その後は成功しています",
                f"{said.en}; what went wrong has succeeded since",
            ),
        )
    return (said,)


def _lived(report: Report) -> tuple[Text, ...]:
    watched = [agent for agent in report.agents if agent.alive_share is not None]
    if not watched or any(agent.noteworthy for agent in watched):
        return ()
    if len(watched) == 1:
        whole = "一日中" if report.period.kind == "day" else "ずっと"
        name = watched[0].name
        return (Text(f"エージェント {name} も{whole}生きていました", f"agent {name} was alive all along"),)
    return (
        Text(f"エージェント {len(watched)} つとも生きていました", f"all {len(watched)} agents were alive all along"),
    )


def _disarmed(armed: bool) -> tuple[Text, ...]:
    if armed:
        return ()
    return (Text("未点火なので、何も実行されません", "the installation is disarmed, so nothing runs"),)
