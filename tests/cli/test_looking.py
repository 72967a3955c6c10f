"""What programs read of `upcoming`, `status` and `runs`, their exit codes, and the line that the journal gets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from installations import CATALOG

from schedctl.cli.session import Session

if TYPE_CHECKING:
    from conftest import Command

ROOT = Path(__file__).parents[2]
NOW = "2026-11-30T10:00:00+09:00"
DUE = "2026-12-01T09:00:30+09:00"
LATE = "2026-12-01T12:00:00+09:00"
FAILS = "毎日9時にmarsのprobe.failsを実行して"


@pytest.fixture
def at_work(schedctl: Command) -> Command:
    """An armed installation with one schedule that fails each morning, and one that works."""
    schedctl("arm", now=NOW)
    schedctl("register", FAILS, "--name", "fails", now=NOW)
    schedctl("register", "毎日9時にvenusのprobe.saysを実行して", now=NOW)
    return schedctl


def test_upcoming_for_a_program(schedctl: Command) -> None:
    schedctl("register", "毎月6日（休日なら前営業日）の5時にmarsのパッケージを更新して", "--yes", now=NOW)
    schedctl("register", "12月4日の5時にmarsのpackages.refreshを実行して", "--yes", "--name", "once", now=NOW)
    schedctl("register", "毎日5時にvenusのpackages.refreshを実行して", now=NOW)
    answer = schedctl("upcoming", "--json", "--lang", "ja", now=NOW).json
    assert answer == {
        "upcoming": [
            {
                "schedule": 1,
                "name": None,
                "at": "2026-12-04T05:00:00+09:00",
                "nodes": ["mars"],
                "actions": ["packages.refresh", "packages.upgrade"],
                "risk": "changes",
                "frozen": None,
                "shifted": True,
                "collides_with": [2],
                "notes": ["12/06（日）から振り替え"],
            },
            {
                "schedule": 2,
                "name": "once",
                "at": "2026-12-04T05:00:00+09:00",
                "nodes": ["mars"],
                "actions": ["packages.refresh"],
                "risk": "changes",
                "frozen": None,
                "shifted": False,
                "collides_with": [1],
                "notes": [],
            },
        ],
        "until": "2026-12-07T10:00:00+09:00",
        "more": False,
        "pending": 1,
        "armed": False,
    }


@pytest.mark.parametrize(
    ("arguments", "until", "count"),
    [
        (("--days", "1"), "2026-12-01T10:00:00+09:00", 1),
        (("--until", "2026-12-02"), "2026-12-03T00:00:00+09:00", 2),  # the whole day
        (("--until", "2026-12-02T08:00"), "2026-12-02T08:00:00+09:00", 1),
        (("--until", "2026-12-02T08:00Z"), "2026-12-02T17:00:00+09:00", 2),
        (("--until", "2026-12-02", "--node", "venus"), "2026-12-03T00:00:00+09:00", 0),
    ],
)
def test_how_far_to_look(schedctl: Command, arguments: tuple[str, ...], until: str, count: int) -> None:
    schedctl("register", FAILS, now=NOW)
    answer = schedctl("upcoming", *arguments, "--json", now=NOW).json
    assert (answer["until"], len(answer["upcoming"])) == (until, count)


def test_runs_of_a_node_that_was_never_there_are_not_none(at_work: Command) -> None:
    asked = at_work("runs", "--node", "pluto", "--json", now=NOW)
    assert (asked.code, asked.json["error"]["type"]) == (3, "node_not_found")
    known = at_work("runs", "--node", "venus", "--json", now=NOW)
    assert (known.code, known.json["runs"]) == (0, [])


@pytest.mark.parametrize("arguments", [("page", "--out", ""), ("report", "--html", "")], ids=lambda words: words[0])
def test_a_file_without_a_name_is_a_variable_that_was_not_set(schedctl: Command, arguments: tuple[str, ...]) -> None:
    refused = schedctl(*arguments, "--json", now=NOW)
    assert (refused.code, refused.json["error"]["type"]) == (2, "usage")


@pytest.mark.parametrize(
    ("arguments", "code", "type"),
    [
        (("--days", "1", "--until", "2026-12-02"), 2, "usage"),
        (("--until", "2026-11-29"), 2, "usage"),
        (("--until", "soon"), 2, "usage"),
        (("--node", "pluto"), 3, "node_not_found"),
    ],
)
def test_upcoming_refuses(schedctl: Command, arguments: tuple[str, ...], code: int, type: str) -> None:
    refused = schedctl("upcoming", *arguments, "--json", now=NOW)
    assert (refused.code, refused.json["error"]["type"]) == (code, type)


def test_status_for_a_script(at_work: Command) -> None:
    at_work("tick", now=DUE)
    well = at_work("status", "--json", now=DUE)
    assert (well.code, well.json["ok"], well.json["needs"]) == (0, True, [])
    assert well.json["legs"] == {"queued": 2, "waiting": 0, "running": 0}
    assert at_work("work", "--drain", now=DUE).code == 0
    ill = at_work("status", "--json", now=DUE)
    assert (ill.code, ill.json["ok"]) == (1, False)
    assert [need["type"] for need in ill.json["needs"]] == ["went_wrong"]
    (run,) = ill.json["went_wrong"]["runs"]
    assert (ill.json["went_wrong"]["counts"], run["state"], run["schedule"]) == ({"failed": 1}, "failed", 1)
    assert run["error"]["type"] == "exit_code"
    assert at_work("status", now=DUE).code == 1


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ((), [3, 2, 1]),
        (("--state", "succeeded"), [3, 2]),
        (("--state", "succeeded", "--state", "failed"), [3, 2, 1]),
        (("--errors",), [1]),
        (("--errors", "--state", "succeeded", "--trigger", "timer"), [2, 1]),
        (("--node", "venus"), [3, 2]),
        (("--trigger", "manual"), [3]),
        (("--schedule", "fails", "--state", "succeeded"), []),
        (("--since", "2026-12-02"), []),
        (("--since", "2026-12-01"), [3, 2, 1]),
    ],
)
def test_runs_can_be_chosen(at_work: Command, arguments: tuple[str, ...], runs: list[int]) -> None:
    at_work("tick", now=DUE)
    at_work("work", "--drain", now=DUE)
    at_work("test-run", "2", now=DUE)
    found: list[dict[str, Any]] = at_work("runs", *arguments, "--json", now=DUE).json["runs"]
    assert [run["id"] for run in found] == runs


def test_what_goes_wrong_is_said_although_nobody_asked(at_work: Command) -> None:
    ticked = at_work("tick", "--json", now=DUE)
    assert ticked.err.count("\n") == 1  # that it is a rehearsal
    worked = at_work("work", "--drain", "--json", "--lang", "ja", now=DUE)
    assert [run["id"] for run in worked.json["runs"]] == [1, 2]
    assert worked.err.startswith(f"予定 1「{FAILS}」の 2026-12-01T09:00+09:00 の回（実行 1）が失敗しました: ")
    late = at_work("tick", now="2026-12-02T12:00:00+09:00", env={"SCHEDCTL_LANG": "en"})
    assert len([line for line in late.err.splitlines() if "was missed (late)" in line]) == 2


def test_a_failure_is_said_while_the_worker_goes_on(at_work: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    at_work("register", "毎日9時にmarsのprobe.sleepsを実行して", now=NOW)
    at_work("tick", now=DUE)
    said: list[str] = []

    def alert(_session: Session, sentence: str, _fields: object) -> None:
        said.append(sentence)
        os.kill(os.getpid(), signal.SIGTERM)  # else the long check would go on for half a minute

    monkeypatch.setattr(Session, "alert", alert)
    worked = at_work("work", "--drain", "--json", "--lang", "ja", now=DUE)
    assert ["失敗しました" in sentence for sentence in said] == [True]
    assert [run["state"] for run in worked.json["runs"]] == ["failed", "succeeded", "cancelled"]


@pytest.mark.parametrize("to_journal", [True, False])
def test_the_journal_gets_it_at_error_priority(
    at_work: Command, database: str, tmp_path: Path, to_journal: bool
) -> None:
    errors = tmp_path / "stderr"
    with errors.open("wb") as stderr:
        status = os.fstat(stderr.fileno())
        stream = f"{status.st_dev}:{status.st_ino}" if to_journal else "8:1"
        environment = {
            "SCHEDCTL_DSN": database,
            "SCHEDCTL_CATALOG": str(CATALOG),
            "SCHEDCTL_REHEARSAL_NOW": LATE,
            "SCHEDCTL_LANG": "en",
            "JOURNAL_STREAM": stream,
        }
        arguments = [sys.executable, "-m", "schedctl", "tick"]
        subprocess.run(arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=stderr, check=True)
    lines = errors.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("<3>Rehearsing at" if to_journal else "Rehearsing at")  # loudly, on a machine that fires
    assert (lines[-1] == "<5>2 missed") == to_journal
    missed = [line for line in lines if "was missed" in line]
    assert len(missed) == 2
    assert all(line.startswith("<3>The occurrence of schedule" if to_journal else "The occurrence") for line in missed)
