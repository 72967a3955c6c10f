"""How a report begins: what needs a person, or one sentence on how it was. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.language import Text
from schedctl.report.figures import NOT_AS_WISHED
from schedctl.report.sentences import counts_said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.report.agent_model import AgentReport
    from schedctl.report.figures import StateCount
    from schedctl.report.model import Report


def first_lines(report: Report) -> tuple[Text, ...]:
    """One sentence for each need; without any, one that says how it was."""
    if report.needs:
        return tuple(need.message for need in report.needs)
    how = _quiet(report.complete) if report.quiet else Text("人の手が要ることはありません", "Nothing needs a person")
    said = (how, *_ran(report.counts), *_lived(report.agents), *_disarmed(report.armed))
    return (Text("。".join(part.ja for part in said) + "。", "; ".join(part.en for part in said) + "."),)


def _quiet(complete: bool) -> Text:
    return Text("静かな一日でした", "A quiet day") if complete else Text("ここまで静かです", "Quiet so far")


def _ran(counts: Sequence[StateCount]) -> tuple[Text, ...]:
    ended = sum(one.count for one in counts)
    if not ended:
        return (Text("時刻の来た予定はありませんでした", "nothing was due"),)
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


def _lived(agents: Sequence[AgentReport]) -> tuple[Text, ...]:
    watched = [agent for agent in agents if agent.alive_share is not None]
    if not watched or any(agent.noteworthy for agent in watched):
        return ()
    if len(watched) == 1:
        return (
            Text(
                f"エージェント {watched[0].name} も一日中生きていました", f"agent {watched[0].name} was alive all along"
            ),
        )
    return (
        Text(f"エージェント {len(watched)} つとも生きていました", f"all {len(watched)} agents were alive all along"),
    )


def _disarmed(armed: bool) -> tuple[Text, ...]:
    if armed:
        return ()
    return (Text("未点火なので、何も実行されません", "the installation is disarmed, so nothing runs"),)
