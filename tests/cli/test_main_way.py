"""The main job through the command line: register, approve, arm, tick, work, look; and the contract of `--json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Command

NOW = "2026-11-30T10:00:00+09:00"
SUNDAY = "2026-12-06T03:00:30+09:00"
DISK = "毎週日曜午前3時にmarsのディスク使用量を確認して"
UPGRADE = "毎週日曜午前3時にmarsのパッケージを更新して"


def test_a_sentence_becomes_a_command_that_ran(schedctl: Command) -> None:
    registered = schedctl("register", UPGRADE, "--json", now=NOW).json["schedule"]
    assert registered["state"] == "pending"
    assert registered["when"]["says"] == "毎週日曜 03:00"
    assert registered["next"][:2] == ["2026-12-06T03:00:00+09:00", "2026-12-13T03:00:00+09:00"]
    assert registered["task"] == "marsのパッケージを更新して"
    assert [(step["node"], step["action"], step["argv"]) for step in registered["plan"]["steps"]] == [
        ("mars", "packages.refresh", ["true"]),
        ("mars", "packages.upgrade", ["true"]),
    ]
    assert schedctl("approve", "1", now=NOW).code == 0
    assert schedctl("arm", now=NOW).code == 0
    ticked = schedctl("tick", "--json", now=SUNDAY).json
    assert (ticked["fired"], ticked["armed"]) == (1, True)
    (run,) = schedctl("work", "--drain", "--json", now=SUNDAY).json["runs"]
    assert (run["state"], run["trigger"], run["scheduled_for"]) == ("succeeded", "timer", "2026-12-06T03:00:00+09:00")
    assert [(step["action"], step["state"], step["exit_code"]) for step in run["steps"]] == [
        ("packages.refresh", "succeeded", 0),
        ("packages.upgrade", "succeeded", 0),
    ]
    shown = schedctl("show", "1", "--json", now=SUNDAY).json
    assert [run["id"] for run in shown["runs"]] == [1]
    assert shown["schedule"]["next"][0] == "2026-12-13T03:00:00+09:00"


@pytest.mark.parametrize(
    ("sentence", "due", "instant"),
    [
        ("毎日午前3時半にmarsのディスク使用量を確認して", "2026-12-01T03:30:10+09:00", "2026-12-01T03:30:00+09:00"),
        ("毎週月曜の深夜1時にmarsのディスク使用量を確認して", "2026-12-07T01:00:10+09:00", "2026-12-07T01:00:00+09:00"),
        (
            "毎月１５日の２２時にmarsのディスク使用量を確認して",
            "2026-12-15T22:00:10+09:00",
            "2026-12-15T22:00:00+09:00",
        ),
        (
            "十二月二十四日の午後三時にmarsのディスク使用量を確認して",
            "2026-12-24T15:00:10+09:00",
            "2026-12-24T15:00:00+09:00",
        ),
        ("明日の朝9時にmarsのディスク使用量を確認して", "2026-12-01T09:00:10+09:00", "2026-12-01T09:00:00+09:00"),
        ("30分後にmarsのディスク使用量を確認して", "2026-11-30T10:30:10+09:00", "2026-11-30T10:30:00+09:00"),
        ("今夜11時にmarsのディスク使用量を確認して", "2026-11-30T23:00:10+09:00", "2026-11-30T23:00:00+09:00"),
    ],
)
def test_each_kind_of_timing_fires_at_its_instant(schedctl: Command, sentence: str, due: str, instant: str) -> None:
    assert schedctl("arm", now=NOW).code == 0
    assert schedctl("register", sentence, now=NOW).code == 0
    before = instant.replace(":00+09:00", ":00+09:00")
    assert schedctl("tick", "--json", now=NOW).json["fired"] == 0
    assert schedctl("tick", "--json", now=due).json["fired"] == 1
    (run,) = schedctl("work", "--json", now=due).json["runs"]
    assert (run["scheduled_for"], run["state"]) == (before, "succeeded")


@pytest.mark.parametrize(
    ("sentence", "type"),
    [
        ("毎日ログを見て", "no_time"),
        ("毎週9時にmarsを確認して", "no_day"),
        ("3日おきの午前2時にmarsのディスク使用量を確認して", "ambiguous_time"),
        ("2月30日の9時にmarsのディスク使用量を確認して", "impossible_time"),
        ("今日の9時にmarsのディスク使用量を確認して", "past_time"),
        ("12月10日（金）の9時にmarsのディスク使用量を確認して", "conflicting_time"),
        ("明日の午前10時", "no_task"),
        ("毎日9時にmarsで踊って", "unknown_action"),
        ("毎日9時にplutoのディスク使用量を確認して", "unknown_node"),
    ],
)
def test_every_refusal_is_typed_has_a_hint_and_stores_nothing(schedctl: Command, sentence: str, type: str) -> None:
    refused = schedctl("register", sentence, "--json", now=NOW)
    assert refused.code == 2
    error = refused.json["error"]
    assert error["type"] == type
    assert error["hint"]
    spoken = schedctl("register", sentence, now=NOW)
    assert spoken.err.startswith(f"schedctl: {error['message']} [{type}]\n")
    assert error["hint"] in spoken.err
    assert spoken.out == ""
    assert schedctl("list", "--json", now=NOW).json["schedules"] == []


@pytest.mark.parametrize(
    ("options", "type", "message"),
    [
        (
            ("--from", "2026-12-10", "--until", "2026-12-05"),
            "conflicting_time",
            "The first day (2026-12-10) comes after",
        ),
        (("--until", "2026-12-02"), "past_time", "No occurrence of it lies ahead (every Sunday at 03:00, until 2 Dec"),
    ],
)
def test_a_period_in_which_nothing_fires_is_refused_in_words(
    schedctl: Command, options: tuple[str, ...], type: str, message: str
) -> None:
    refused = schedctl("register", "毎週日曜の3時にmarsのディスク使用量を確認して", *options, "--lang", "en", now=NOW)
    assert refused.code == 2
    assert refused.err.startswith(f"schedctl: {message}")
    assert f"[{type}]" in refused.err


def test_a_new_installation_is_disarmed_and_says_so_everywhere(schedctl: Command) -> None:
    for arguments in (("register", DISK), ("list",), ("tick",)):
        assert "schedctl arm" in schedctl(*arguments, now=NOW).out
    assert schedctl("tick", "--json", now=SUNDAY).json == {
        "fired": 0,
        "missed": 0,
        "skipped": 0,
        "rehearsed": 1,
        "refused": 0,
        "lost": 0,
        "armed": False,
        "warnings": [],
    }


def test_the_same_instruction_twice_is_refused_by_name(schedctl: Command) -> None:
    assert schedctl("register", DISK, now=NOW).code == 0
    again = schedctl("register", f"  {DISK} ", "--json", now="2026-11-30T10:05:00+09:00")
    assert (again.code, again.json["error"]["type"]) == (2, "duplicate")
    assert "1" in again.json["error"]["message"]


def test_a_replacement_takes_the_name_and_archives_the_old(schedctl: Command) -> None:
    assert schedctl("register", DISK, "--name", "disk", now=NOW).code == 0
    taken = schedctl("register", DISK.replace("3時", "4時"), "--name", "disk", "--json", now=NOW)
    assert taken.json["error"]["type"] == "name_taken"
    new = schedctl("register", DISK.replace("3時", "4時"), "--replaces", "disk", "--json", now=NOW).json["schedule"]
    assert (new["name"], new["replaces"], new["state"]) == ("disk", 1, "active")
    states = schedctl("list", "--state", "archived", "--json", now=NOW).json["schedules"]
    assert [(one["id"], one["reason"]) for one in states] == [(1, "replaced")]
    assert schedctl("register", "毎日9時に踊って", "--replaces", "disk", now=NOW).code == 2
    assert schedctl("show", "disk", "--json", now=NOW).json["schedule"]["state"] == "active"


def test_yes_approves_at_registration(schedctl: Command) -> None:
    shown = schedctl("register", UPGRADE, "--yes", "--json", now=NOW, env={"SCHEDCTL_ACTOR": "alice"}).json["schedule"]
    assert (shown["state"], shown["created_by"], shown["approved_by"]) == ("active", "alice", "alice")


def test_a_test_run_shows_the_output_and_fails_with_its_run(schedctl: Command) -> None:
    schedctl("register", "毎日9時にmarsのprobe.saysを実行して", now=NOW)
    schedctl("register", "毎日9時にmarsのprobe.failsを実行して", now=NOW)
    said = schedctl("test-run", "1", now=NOW)
    assert said.code == 0
    assert "こんにちは" in said.out
    failed = schedctl("test-run", "2", "--json", now=NOW)
    assert failed.code == 1
    assert failed.json["run"]["steps"][0]["exit_code"] == 1
    assert schedctl("runs", "--errors", "--json", now=NOW).json["runs"][0]["id"] == 2
    assert "こんにちは" in schedctl("logs", "1", now=NOW).out


@pytest.mark.parametrize(
    ("arguments", "code", "type"),
    [
        (("show", "7"), 3, "schedule_not_found"),
        (("logs", "7"), 3, "run_not_found"),
        (("approve", "nightly"), 3, "schedule_not_found"),
        (("logs", "x"), 2, "usage"),
        (("fly",), 2, "usage"),
        (("register",), 2, "usage"),
        (("register", "毎日9時にディスク使用量", "--timezone", "Mars/Olympus"), 2, "unknown_timezone"),
        (("runs", "--since", "yesterday"), 2, "usage"),
    ],
)
def test_exit_codes_tell_the_kinds_of_failure_apart(
    schedctl: Command, arguments: tuple[str, ...], code: int, type: str
) -> None:
    ended = schedctl(*arguments, "--json", now=NOW)
    assert (ended.code, ended.json["error"]["type"]) == (code, type)


def test_a_database_that_is_not_there_is_one_typed_line(schedctl: Command) -> None:
    dsn = "host=127.0.0.1 port=1 dbname=x user=x password=hunter22secret"
    for arguments in (("tick",), ("list",), ("register", DISK)):
        ended = schedctl(*arguments, env={"SCHEDCTL_DSN": dsn})
        assert ended.code == 1
        assert "[database_unavailable]" in ended.err
        assert "hunter22" not in ended.out + ended.err
        assert len(ended.err.splitlines()) == 2


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Tokyo"])
def test_the_hosts_time_zone_changes_nothing(schedctl: Command, zone: str) -> None:
    answer = schedctl("register", "毎週月曜の深夜1時にmarsのディスク使用量", "--json", now=NOW, env={"TZ": zone}).json
    assert answer["schedule"]["next"][0] == "2026-12-07T01:00:00+09:00"
    schedctl("arm", now=NOW, env={"TZ": zone})
    assert schedctl("tick", "--json", now="2026-12-14T01:00:00+00:00", env={"TZ": zone}).json["fired"] == 0


def test_explain_answers_line_by_line_and_never_stops(schedctl: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    lines = [DISK, "毎日ログを見て", "", "\x00\x1b[31m", "every Monday at 1am check the disk usage", "９時"]
    data = io.TextIOWrapper(io.BytesIO("".join(line + "\n" for line in lines).encode()))
    monkeypatch.setattr("sys.stdin", data)
    ended = schedctl("explain", "-", now=NOW)
    answers: list[dict[str, Any]] = [json.loads(line) for line in ended.out.splitlines()]
    assert ended.code == 0
    assert [answer["text"] for answer in answers] == lines
    assert ["error" in answer for answer in answers] == [False, True, True, True, False, True]


def test_explain_needs_no_database(schedctl: Command) -> None:
    ended = schedctl(
        "explain", DISK, "--json", "--now", NOW, "--count", "2", env={"SCHEDCTL_DSN": "host=127.0.0.1 port=1"}
    )
    assert ended.json == {
        "text": DISK,
        "when": {
            "kind": "recurring",
            "says": "毎週日曜 03:00",
            "rule": "weekly sun at 03:00 in Asia/Tokyo",
            "timezone": "Asia/Tokyo",
            "notes": ["日曜の午前3時、土曜の夜が明ける前"],
        },
        "next": ["2026-12-06T03:00:00+09:00", "2026-12-13T03:00:00+09:00"],
        "task": "marsのディスク使用量を確認して",
    }


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_every_command_has_help(schedctl: Command, lang: str) -> None:
    from schedctl.cli.main import COMMANDS

    for command in COMMANDS:
        ended = schedctl(command, "--help", env={"SCHEDCTL_LANG": lang})
        assert ended.code == 0


def test_the_catalog_is_adopted_only_when_said(schedctl: Command, tmp_path: Any) -> None:
    import shutil

    from installations import CATALOG

    mine = tmp_path / "catalog"
    shutil.copytree(CATALOG, mine)
    env = {"SCHEDCTL_CATALOG": str(mine)}
    schedctl("register", UPGRADE, "--yes", now=NOW)
    schedctl("register", DISK, now=NOW)
    schedctl("register", "毎週月曜午前3時にmarsのパッケージを更新して", now=NOW)
    probe = mine / "actions" / "probe.toml"
    text = probe.read_text().replace('argv = ["true"]\nprerequisites', 'argv = ["true", "--now"]\nprerequisites')
    probe.write_text(text)
    differs = schedctl("register", "毎日9時にmarsのディスク使用量", "--json", now=NOW, env=env)
    assert (differs.code, differs.json["error"]["type"]) == (2, "catalog_differs")
    dry = schedctl("catalog", "adopt", "--dry-run", "--json", now=NOW, env=env).json
    stops = [(one["schedule"], one["becomes"]) for one in dry["paused"]]
    assert (dry["adopted"], stops) == (False, [(1, "paused"), (3, "archived")])
    assert (
        "Ends the pending schedule 3: "
        in schedctl("catalog", "adopt", "--dry-run", now=NOW, env=env | {"SCHEDCTL_LANG": "en"}).out
    )
    assert schedctl("show", "1", "--json", now=NOW).json["schedule"]["state"] == "active"
    done = schedctl("catalog", "adopt", "--json", now=NOW, env=env).json
    assert (done["adopted"], [change["name"] for change in done["changes"]]) == (True, ["packages.upgrade"])
    shown = schedctl("show", "1", "--json", now=NOW).json["schedule"]
    assert (shown["state"], shown["reason"]) == ("paused", "catalog_changed")
    assert schedctl("show", "3", "--json", now=NOW).json["schedule"]["state"] == "archived"
    assert schedctl("show", "2", "--json", now=NOW).json["schedule"]["state"] == "active"
    resumed = schedctl("resume", "1", "--json", now=NOW)
    assert (resumed.code, resumed.json["error"]["type"]) == (2, "catalog_changed")


def test_one_step_can_be_tried_and_a_dry_run_only_shows(schedctl: Command) -> None:
    schedctl("register", "毎日9時にmarsのprobe.okを実行して、その後venusのprobe.saysを実行して", now=NOW)
    shown = schedctl("test-run", "1", "--dry-run", "--json", now=NOW).json
    assert [step["action"] for step in shown["plan"]["steps"]] == ["probe.ok", "probe.says"]
    assert schedctl("runs", "--json", now=NOW).json["runs"] == []
    ran = schedctl("test-run", "1", "--step", "2", "--json", now=NOW).json["run"]
    assert [(step["node"], step["action"], step["state"]) for step in ran["steps"]] == [
        ("venus", "probe.says", "succeeded")
    ]
    assert ran["state"] == "succeeded"
    refused = schedctl("test-run", "1", "--step", "3", "--json", now=NOW)
    assert (refused.code, refused.json["error"]["type"]) == (3, "step_not_found")
