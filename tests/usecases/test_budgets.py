"""Budgets: what a run may use up; once it is reached its leg fails with `budget_reached`, and nothing more begins."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from installations import settings_for
from making import add

from schedctl.catalog.budget import Budget
from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.transport.http import HttpTransport
from schedctl.transport.local import LocalTransport
from schedctl.usecases import runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker
from tests.transport.http_service import says, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Command

    from schedctl.store.runs import RunRow

DAILY = "daily at 03:00 in Asia/Tokyo"
BEFORE = "2026-12-01T10:00+09:00"
SESSION = """
["session.start"]
label = { ja = "セッションを始める", en = "start a session" }
risk = "reads"
timeout = "5s"
request = { method = "POST", url = "/v1/sessions", tokens_used = "usage.tokens" }
["session.check"]
label = { ja = "セッションを見る", en = "look at the session" }
risk = "reads"
timeout = "5s"
request = { method = "GET", url = "/v1/sessions", tokens_used = "usage.tokens" }
"""
AGENT = '[nodes.agent]\ntransport = "http"\nlabel = {{ ja = "エージェント", en = "the agent" }}\naddress = "{}"\n'


def carried_out(site: Site, budget: Budget, *actions: str, node: str = "mars") -> RunRow:
    """A manual run of these actions, to its end."""
    add(site, DAILY, tuple(Request(node, action) for action in actions), budget=budget)
    run_id = runs.start(site, "1").run_id
    transports = {"local": LocalTransport(), "http": HttpTransport({})}
    drain(Worker(Ledger(site, "w1"), transports, Redactor(), None, 2, 65_536, "Asia/Tokyo", threading.Event()))
    return runs.one(site, run_id)


def ended(run: RunRow) -> tuple[str, str | None, list[str]]:
    """The run's state, its error's type, and the states of its steps."""
    return run.state, run.error["type"] if run.error else None, [step.state for step in run.steps]


@pytest.mark.parametrize(
    ("budget", "states"),
    [
        (Budget(steps=1), ["succeeded", "not_run"]),
        (Budget(output_bytes=16), ["succeeded", "not_run"]),  # こんにちは and a line end: sixteen bytes
        (Budget(output_bytes=17), ["succeeded", "succeeded"]),
        (Budget(steps=2, time_s=3600, tokens=1), ["succeeded", "succeeded"]),
    ],
)
def test_no_step_begins_when_the_budget_is_used_up(
    site_at: Callable[[str], Site], budget: Budget, states: list[str]
) -> None:
    run = carried_out(site_at(BEFORE), budget, "probe.says", "probe.ok")
    reached = "not_run" in states
    assert ended(run) == ("failed" if reached else "succeeded", "budget_reached" if reached else None, states)


def test_time_is_counted_from_the_first_step_on(site_at: Callable[[str], Site]) -> None:
    site = site_at(BEFORE)
    site.db.execute("ALTER TABLE schedctl.step ALTER started_at SET DEFAULT clock_timestamp() - interval '1 minute'")
    run = carried_out(site, Budget(time_s=60), "probe.says", "probe.ok")
    assert ended(run) == ("failed", "budget_reached", ["succeeded", "not_run"])
    assert run.error is not None
    assert "time=1m" in run.error["ja"]


@pytest.mark.parametrize(
    ("tokens", "actions", "outcome"),
    [
        (76, 2, ("failed", "budget_reached", ["succeeded", "not_run"])),  # the answer alone says 77
        (76, 1, ("failed", "budget_reached", ["succeeded"])),  # told also when nothing would follow
        (77, 1, ("succeeded", None, ["succeeded"])),  # exactly what there was
        (77, 2, ("failed", "budget_reached", ["succeeded", "not_run"])),  # nothing left for the second
        (154, 2, ("succeeded", None, ["succeeded", "succeeded"])),
    ],
)
def test_tokens_that_answers_report(
    empty_database: str, tmp_path: Path, tokens: int, actions: int, outcome: tuple[Any, ...]
) -> None:
    (tmp_path / "actions").mkdir()
    (tmp_path / "actions" / "session.toml").write_text(SESSION)
    (tmp_path / "policy.toml").write_text("approval = []\n")
    (tmp_path / "calendar.toml").write_text('country = "JP"\n')
    with serving(says(200, b'{"usage": {"tokens": 77}}')) as service:
        (tmp_path / "nodes.toml").write_text(AGENT.format(service.address))
        with open_site(settings_for(empty_database, catalog=tmp_path)) as site:
            names = ("session.start", "session.check")[:actions]
            assert ended(carried_out(site, Budget(tokens=tokens), *names, node="agent")) == outcome


def test_a_budget_counts_for_the_whole_run(site_at: Callable[[str], Site]) -> None:
    site = site_at(BEFORE)
    plan = (Request("mars", "probe.ok"), Request("venus", "probe.ok", stage=1))
    add(site, DAILY, plan, budget=Budget(steps=1))
    run_id = runs.start(site, "1").run_id
    drain(Worker(Ledger(site, "w1"), {"local": LocalTransport()}, Redactor(), None, 2, 4096, "UTC", threading.Event()))
    assert ended(runs.one(site, run_id)) == ("failed", "budget_reached", ["succeeded", "not_run"])


def test_the_command_line_stores_and_shows_it(schedctl: Command) -> None:
    said = ("register", "毎日3時にmarsのディスク使用量を確認して")
    refused = schedctl(*said, "--budget", "tokens=many")
    assert (refused.code, "tokens=many" in refused.err) == (2, True)
    registered = schedctl(*said, "--budget", "tokens=50000,time=10m,steps=5,output=10M", now=BEFORE)
    assert "tokens=50k,time=10m,steps=5,output=10M" in registered.out
    shown = schedctl("show", "1", "--json").json["schedule"]
    assert shown["budget"] == {"tokens": 50_000, "time_s": 600, "steps": 5, "output_bytes": 10_485_760}
    run = schedctl("test-run", "1", "--json").json["run"]
    assert (run["state"], run["budget"]) == ("succeeded", shown["budget"])


def test_what_fires_takes_its_budget_along(schedctl: Command) -> None:
    schedctl("arm", now=BEFORE)
    schedctl("register", "毎日3時にmarsのディスク使用量を確認して", "--budget", "steps=5", now=BEFORE)
    assert schedctl("tick", "--json", now="2026-12-02T03:00:30+09:00").json["fired"] == 1
    assert schedctl("runs", "--json").json["runs"][0]["budget"] == {"steps": 5}
