"""What of an agent needs a person: the same words in `watch` and in `status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.store.agents import AgentRow

AgentNeed = Literal["agent_escalated", "agent_unhealthy", "cost_alarm"]


def agent_needs(agent: AgentRow) -> Iterator[tuple[AgentNeed, Text]]:
    """What is wrong with it that nothing repairs by itself; an agent that is being restarted is left alone."""
    if not agent.watched:
        return
    if agent.state == "escalated":
        yield "agent_escalated", _escalated(agent)
    elif agent.state == "unhealthy":
        yield "agent_unhealthy", _unhealthy(agent)
    if agent.cost_alarm:
        yield "cost_alarm", _burns(agent)


def _escalated(agent: AgentRow) -> Text:
    made = agent.attempts_made
    return Text(
        f"エージェント {agent.name} は {made} 回の再起動でも戻りません。もう再起動しないので、人の手が要ります",
        f"Agent {agent.name} did not come back after {made} restarts; there will be no more, it needs a person",
    )


def _unhealthy(agent: AgentRow) -> Text:
    if agent.status == "error":
        why = f": {agent.detail}" if agent.detail else ""
        return Text(
            f"エージェント {agent.name} が不調を知らせています{why}", f"Agent {agent.name} says that it is unwell{why}"
        )
    if agent.status == "starting":
        return Text(
            f"エージェント {agent.name} が起動中のまま、正常になりません",
            f"Agent {agent.name} keeps starting and does not become ok",
        )
    return Text(f"エージェント {agent.name} から応答がありません", f"Agent {agent.name} is silent")


def _burns(agent: AgentRow) -> Text:
    latest = agent.tokens[-1] if agent.tokens else 0
    return Text(
        f"エージェント {agent.name} のトークンが急に増えています（直近の beat で {latest}）",
        f"Agent {agent.name} burns far more tokens than before ({latest} at its last beat)",
    )
