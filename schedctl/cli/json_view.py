"""What `--json` gives: the keys of the contract. They do not change once released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from zoneinfo import ZoneInfo

from schedctl.cli.output import stderr_of, stdout_of
from schedctl.when import rule
from schedctl.when.describe import describe
from schedctl.when.model import Once, Timing

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.cli.session import Session
    from schedctl.language import Text
    from schedctl.plan.model import Plan, Step
    from schedctl.store.nodes import Hold
    from schedctl.store.runs import RunRow, StepRow
    from schedctl.usecases.views import ScheduleView

Json: TypeAlias = dict[str, Any]


def instant(at: datetime | None, zone: str | None) -> str | None:
    """ISO 8601 with offset, in the schedule's zone."""
    return at.astimezone(ZoneInfo(zone or "UTC")).isoformat(timespec="seconds") if at is not None else None


def when(session: Session, timing: Timing, notes: tuple[Text, ...]) -> Json:
    """A timing: its kind, its canonical sentence, its rule, its zone and the notes on it."""
    return {
        "kind": "once" if isinstance(timing, Once) else "recurring",
        "says": describe(timing, session.lang, session.settings.timezone),
        "rule": rule.write(timing),
        "timezone": timing.zone,
        "notes": [session.say(note) for note in notes],
    }


def plan(session: Session, shown: Plan) -> Json:
    """A plan: who planned it, and its steps in order."""
    origin = shown.origin
    return {
        "planner": origin.planner,
        "tokens": origin.tokens,
        "seconds": origin.seconds,
        "steps": [step(session, one) for one in shown.steps],
    }


def step(session: Session, shown: Step) -> Json:
    """One step as planned."""
    return {
        "node": shown.target.node,
        "action": shown.action,
        "argv": list(shown.argv),
        "risk": shown.risk,
        "label": session.say(shown.label),
        "as_root": shown.as_root,
        "environment": dict(shown.environment),
        "timeout_s": shown.timeout_s,
        "stage": shown.stage,
    }


def schedule(session: Session, shown: ScheduleView) -> Json:
    """A schedule."""
    row = shown.row
    zone = row.timezone
    return {
        "id": row.schedule_id,
        "name": row.name,
        "state": row.state,
        "reason": row.reason,
        "instruction": row.instruction,
        "when": when(session, shown.timing, shown.notes),
        "next": [instant(at, zone) for at in shown.next],
        "task": row.task,
        "budget": row.budget,
        "risk": row.risk,
        "plan": plan(session, shown.plan),
        "plan_digest": row.plan_digest,
        "failures_in_a_row": row.failures_in_a_row,
        "created_at": instant(row.created_at, zone),
        "created_by": row.created_by,
        "approved_at": instant(row.approved_at, zone),
        "approved_by": row.approved_by,
        "replaces": row.replaces,
    }


def run(session: Session, shown: RunRow, *, with_output: bool = False) -> Json:
    """A run, or the summary of several."""
    zone = shown.timezone or session.settings.timezone
    return {
        "id": shown.run_id,
        "schedule": shown.schedule_id,
        "trigger": shown.trigger,
        "scheduled_for": instant(shown.scheduled_for, zone),
        "state": shown.state,
        "reason": shown.reason,
        "error": stored_error(session, shown.error, shown.run_id),
        "first": instant(shown.first_at, zone),
        "last": instant(shown.last_at, zone),
        "count": shown.count,
        "budget": shown.budget,
        "created_at": instant(shown.created_at, zone),
        "created_by": shown.created_by,
        "started_at": instant(shown.started_at, zone),
        "finished_at": instant(shown.finished_at, zone),
        "held_up_by": [hold(one, zone) for one in shown.held_up_by],
        "steps": [_ran(session, one, zone, with_output) for one in shown.steps],
    }


def hold(shown: Hold, zone: str) -> Json:
    """What keeps a node from taking changing work; `run` is None where a person holds it."""
    return {
        "node": shown.node,
        "since": instant(shown.held_at, zone),
        "by": shown.held_by,
        "reason": shown.reason,
        "run": shown.run_id,
    }


def stored_error(session: Session, document: Json | None, run_id: int | None = None) -> Json | None:
    """An error as a run keeps it, in the session's language; `schedctl logs` in its hint gets the run's number."""
    if document is None:
        return None
    lang = session.lang
    hint = document.get(f"hint_{lang}")
    if hint and run_id is not None:
        hint = hint.replace("`schedctl logs`", f"`schedctl logs {run_id}`")
    return {"type": document["type"], "message": document[lang], "hint": hint}


def _ran(session: Session, shown: StepRow, zone: str, with_output: bool) -> Json:
    defined = shown.definition
    document: Json = {
        "node": shown.node,
        "action": defined["action"],
        "label": defined["label"][session.lang],
        "argv": defined.get("argv", []),
        "risk": defined["risk"],
        "state": shown.state,
        "attempt": shown.attempt,
        "exit_code": shown.exit_code,
        "error": stored_error(session, shown.error, shown.run_id),
        "external_id": shown.external_id,
        "tokens_used": shown.tokens,
        "started_at": instant(shown.started_at, zone),
        "finished_at": instant(shown.finished_at, zone),
        "stdout_length": shown.stdout_length,
        "stderr_length": shown.stderr_length,
    }
    if with_output:
        document["stdout"] = stdout_of(shown)
        document["stderr"] = stderr_of(shown)
    return document
