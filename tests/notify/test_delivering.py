"""`deliver`, `notify test` and their words; and that no secret leaves by any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from telling import EVERYTHING, secrets, write_policy

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command
    from receivers import Receiver

    Env = dict[str, str]

SECRET_PATH = "/services/T024BE7LD/xoxb-very-secret"


@pytest.fixture
def env(schedctl: Command, tmp_path: Path, receiver: Receiver) -> Env:
    """An armed installation that tells a webhook everything; its environment."""
    environment = {
        "SCHEDCTL_CATALOG": str(write_policy(tmp_path / "catalog", EVERYTHING)),
        **secrets(receiver.url + SECRET_PATH),
    }
    assert schedctl("catalog", "adopt", env=environment).code == 0
    assert schedctl("arm", env=environment).code == 0
    return environment


def test_deliver_says_what_it_did(schedctl: Command, env: Env, receiver: Receiver) -> None:
    receiver.script = [200, 502]
    done = schedctl("deliver", "--json", env=env).json
    assert (done["sent"], done["failed"], done["dead"]) == (1, 1, 0)
    assert schedctl("deliver", env=env).out == "Nothing to send\n"
    assert schedctl("deliver", "--lang", "ja", env=env).out == "送る通知はありません\n"


def test_deliver_says_why_a_channel_took_nothing_once_however_many_wait(
    schedctl: Command, env: Env, receiver: Receiver
) -> None:
    receiver.script = [410, 410]
    (warning,) = schedctl("deliver", "--json", "--lang", "en", env=env).json["warnings"]
    assert warning.startswith("The channel ops did not take a notice: ")
    assert "410" in warning
    assert warning.endswith("(to try it: schedctl notify test ops)")
    untold = {name: value for name, value in env.items() if not name.startswith("SCHEDCTL_SECRET_")}
    schedctl("disarm", env=untold)
    ran = schedctl("deliver", "--lang", "ja", env=untold)
    assert (ran.code, "秘密「ops_url」がありません（試すには schedctl notify test ops）" in ran.err) == (0, True)


def test_what_was_given_up_can_be_sent_after_all(schedctl: Command, env: Env, receiver: Receiver) -> None:
    receiver.script = [410, 410]
    assert schedctl("deliver", env=env).out == "2 given up\n"
    assert schedctl("deliver", env=env).out == "Nothing to send\n"
    assert schedctl("deliver", "--again", env=env).out == "2 sent\n"


def test_status_says_that_somebody_was_not_told(schedctl: Command, env: Env, database: str, receiver: Receiver) -> None:
    schedctl("disarm", env=env)
    receiver.script = [410, 502]
    schedctl("deliver", env=env)
    seen = schedctl("status", "--json", env=env)
    assert [need["type"] for need in seen.json["needs"]] == ["notices_given_up"]
    assert (seen.code, seen.json["notices"]) == (1, {"waiting": 2, "failing": 1, "given_up": 1})
    assert "2 to be sent (1 of them again), 1 given up" in schedctl("status", env=env).out
    with psycopg.connect(database) as db:
        db.execute("UPDATE schedctl.outbox SET queued_at = clock_timestamp() - interval '16 minutes'")
        db.execute("UPDATE schedctl.outbox SET ended_at = clock_timestamp() - interval '25 hours' WHERE state = 'dead'")
    stuck = schedctl("status", "--json", env=env)
    assert [need["type"] for need in stuck.json["needs"]] == ["notices_stuck"]


def test_a_channel_can_be_tried(schedctl: Command, env: Env, receiver: Receiver) -> None:
    assert schedctl("notify", "test", "ops", env=env).out == "Sent to ops\n"
    assert schedctl("notify", "test", "ops", "--json", env=env).json == {"channel": "ops", "sent": True}
    assert [got.json["type"] for got in receiver.got] == ["test", "test"]
    unknown = schedctl("notify", "test", "opps", env=env)
    assert (unknown.code, "channel_not_found" in unknown.err) == (3, True)
    receiver.script = [404]
    refused = schedctl("notify", "test", "ops", env=env)
    assert (refused.code, f"{receiver.url} answered 404 [channel_refused]" in refused.err) == (1, True)


@pytest.mark.parametrize("debug", ["0", "1"])
def test_no_secret_leaves(schedctl: Command, database: str, env: Env, debug: str) -> None:
    away = {**env, **secrets("http://127.0.0.1:1" + SECRET_PATH), "SCHEDCTL_DEBUG": debug}
    said = [
        schedctl(*command, env=away)
        for command in (
            ("deliver",),
            ("deliver", "--json"),
            ("notify", "test", "ops"),
            ("notify", "test", "ops", "--json"),
        )
    ]
    with psycopg.connect(database) as db:
        stored = str(db.execute("SELECT row_to_json(outbox) FROM schedctl.outbox").fetchall())
        stored += str(db.execute("SELECT document FROM schedctl.catalog").fetchall())
    everything = stored + "".join(ran.out + ran.err for ran in said)
    assert "channel_unreachable" in everything
    for secret in (SECRET_PATH, "xoxb-very-secret", env["SCHEDCTL_SECRET_OPS_KEY"]):
        assert secret not in everything


def test_what_people_are_told_is_redacted(schedctl: Command, env: Env, receiver: Receiver) -> None:
    schedctl("deliver", env=env)
    receiver.got.clear()
    key = env["SCHEDCTL_SECRET_OPS_KEY"]
    schedctl("disarm", "--reason", f"the key {key} leaked, and password=hunter2222 too", env=env)
    assert schedctl("deliver", env=env).out == "1 sent\n"
    (got,) = receiver.got
    assert key.encode() not in got.body
    assert b"hunter2222" not in got.body
    assert "[redacted]" in got.json["data"]["text"]["en"]


def test_secrets_come_from_credentials_too(schedctl: Command, env: Env, receiver: Receiver, tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    folder.mkdir()
    for name in ("ops_url", "ops_key"):
        (folder / name).write_text(env[f"SCHEDCTL_SECRET_{name.upper()}"] + "\n", encoding="utf-8")
    plain = {"SCHEDCTL_CATALOG": env["SCHEDCTL_CATALOG"], "CREDENTIALS_DIRECTORY": str(folder)}
    assert schedctl("notify", "test", "ops", env=plain).code == 0
    missing = schedctl("notify", "test", "ops", env={"SCHEDCTL_CATALOG": env["SCHEDCTL_CATALOG"]})
    assert "There is no secret “ops_url” [secret_missing]" in missing.err
    assert "SCHEDCTL_SECRET_OPS_URL" in missing.err
