"""What becomes of a notice: delivered once, tried again, or a dead letter; over real HTTP, whatever the answer."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from standardwebhooks import Webhook
from telling import KEY, at, make_due, outbox_of, secrets, send, telling_site, told_types

from schedctl.notify import post
from schedctl.store import outbox
from schedctl.usecases import installation
from schedctl.usecases.deliver import deliver_again, wait_before

if TYPE_CHECKING:
    from pathlib import Path

    from receivers import Answer, Receiver

    from schedctl.usecases.site import Site


def arm(site: Site) -> None:
    """The simplest fact."""
    installation.arm(site, "点検のあと")


def states(site: Site) -> list[tuple[str, int]]:
    return [(row["state"], row["attempts"]) for row in outbox_of(site)]


def test_a_fact_is_told_once_with_a_signature_that_the_library_accepts(told: Site, receiver: Receiver) -> None:
    arm(told)
    assert send(told, secrets(receiver.url + "/hook")).sent == 1
    assert send(told, secrets(receiver.url + "/hook")).sent == 0
    (got,) = receiver.got
    Webhook(KEY).verify(got.body, got.headers)
    assert got.headers["webhook-id"] == str(outbox_of(told)[0]["idempotency_key"])
    assert got.json["type"] == "armed"
    assert got.json["data"]["text"]["ja"].startswith(f"{told.actor.name} が点火しました（点検のあと）。")
    assert states(told) == [("sent", 1)]


def test_a_failure_in_passing_is_tried_again_with_the_same_key(told: Site, receiver: Receiver) -> None:
    receiver.script = [502, 502, 200]
    arm(told)
    outcomes: list[tuple[int, int]] = []
    for _ in range(4):
        done = send(told, secrets(receiver.url))
        outcomes.append((done.sent, done.failed))
        make_due(told)
    assert outcomes == [(0, 1), (0, 1), (1, 0), (0, 0)]
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 1
    assert len(receiver.got) == 3
    assert states(told) == [("sent", 3)]


@pytest.mark.parametrize(
    ("answer", "state", "kind"),
    [
        (400, "dead", "channel_refused"),
        (410, "dead", "channel_refused"),
        (408, "queued", "channel_failed"),
        (429, "queued", "channel_failed"),
        (500, "queued", "channel_failed"),
        ("redirect", "queued", "channel_failed"),
        ("hang", "queued", "channel_silent"),
        ("close", "queued", "channel_unreachable"),
    ],
)
def test_each_answer_is_known_for_good_or_in_passing(
    told: Site, receiver: Receiver, answer: Answer, state: str, kind: str
) -> None:
    receiver.script = [answer]
    arm(told)
    send(told, secrets(receiver.url + "/services/T0000/very-secret-path"))
    (row,) = outbox_of(told)
    assert (row["state"], row["error"]["type"], len(receiver.got)) == (state, kind, 1)
    assert receiver.url in row["error"]["en"]
    assert "very-secret-path" not in json.dumps(row["error"])


def test_an_answer_whose_body_never_ends_is_an_answer(told: Site, receiver: Receiver) -> None:
    receiver.script = ["body never ends"]
    arm(told)
    assert send(told, secrets(receiver.url)).sent == 1


def test_a_proxy_of_the_environment_is_not_asked(
    told: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    arm(told)
    assert send(told, secrets(receiver.url)).sent == 1


def test_nobody_listens(told: Site) -> None:
    arm(told)
    assert send(told, secrets("http://127.0.0.1:1/x")).failed == 1
    (row,) = outbox_of(told)
    assert row["error"]["type"] == "channel_unreachable"
    assert "127.0.0.1:1 could not be reached" in row["error"]["en"]


def test_it_waits_as_long_as_the_receiver_asks(told: Site, receiver: Receiver) -> None:
    receiver.script, receiver.headers = [429], {"retry-after": "600"}
    arm(told)
    send(told, secrets(receiver.url))
    row = told.db.execute("SELECT next_attempt_at - clock_timestamp() FROM schedctl.outbox").fetchone()
    assert row is not None
    assert timedelta(seconds=590) < row[0] <= timedelta(seconds=600)
    assert send(told, secrets(receiver.url)).failed == 0
    assert len(receiver.got) == 1


def test_after_a_day_it_is_a_dead_letter_that_status_can_count(told: Site, receiver: Receiver) -> None:
    receiver.script = [503]
    arm(told)
    installation.disarm(told, None)
    told.db.execute("UPDATE schedctl.outbox SET queued_at = clock_timestamp() - interval '25 hours'")
    done = send(told, secrets(receiver.url))
    assert (done.sent, done.dead) == (0, 2)
    assert len(receiver.got) == 1  # what waited behind it needed no attempt of its own
    seen = outbox.state(told.db, timedelta(hours=24))
    assert (seen.waiting, seen.dead, seen.stuck_for) == (0, 2, None)
    assert deliver_again(told) == 2
    assert send(told, secrets(receiver.url)).sent == 2


def test_a_stuck_outbox_can_be_seen(told: Site, receiver: Receiver) -> None:
    arm(told)
    assert outbox.state(told.db, timedelta(hours=24)).stuck_for is None
    receiver.script = [503]
    send(told, secrets(receiver.url))
    seen = outbox.state(told.db, timedelta(hours=24))
    assert (seen.waiting, seen.failing) == (1, 1)
    assert seen.stuck_for is not None


def test_a_missing_secret_waits_for_somebody_to_add_it(told: Site, receiver: Receiver) -> None:
    arm(told)
    assert send(told, {}).failed == 1
    assert outbox_of(told)[0]["error"]["type"] == "secret_missing"
    make_due(told)
    assert send(told, secrets(receiver.url)).sent == 1


@pytest.mark.parametrize("url", ["ops.example/x", "file:///etc/passwd", "http://[::1", "https:///x"])
def test_a_secret_that_is_no_url_is_not_shown(told: Site, url: str) -> None:
    arm(told)
    assert send(told, secrets(url)).failed == 1
    (row,) = outbox_of(told)
    assert row["error"]["type"] == "secret_unusable"
    assert url not in json.dumps(row["error"])


def test_one_channel_that_hangs_delays_no_other(
    database: str, tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever comes first is answered when the other has been sent: one after the other, it would never be."""
    channel = '[channels.{0}]\ntype = "slack"\nurl = "${{secret:{0}_url}}"\n'
    policy = channel.format("slow") + channel.format("quick") + '[[routes]]\nchannels = ["slow", "quick"]\n'
    receiver.script = ["after the next one"]
    monkeypatch.setattr(post, "READ_TIMEOUT_S", 10)
    with telling_site(database, tmp_path, policy) as site:
        arm(site)
        environ = {"SCHEDCTL_SECRET_SLOW_URL": receiver.url, "SCHEDCTL_SECRET_QUICK_URL": receiver.url}
        assert send(site, environ).sent == 2


def test_a_channel_that_left_the_policy_is_a_dead_letter(told: Site) -> None:
    arm(told)
    told.db.execute("UPDATE schedctl.outbox SET channel = 'gone'")
    assert send(told, {}).dead == 1
    assert outbox_of(told)[0]["error"]["type"] == "channel_gone"


def test_the_limits_are_those_of_the_design() -> None:
    assert (post.CONNECT_TIMEOUT_S, post.READ_TIMEOUT_S) == (3.0, 10.0)


def test_waits_grow_to_an_hour_and_differ() -> None:
    assert wait_before(1, 0.5) == timedelta(seconds=30)
    assert wait_before(4, 0.5) == timedelta(minutes=4)
    assert wait_before(1000, 1.0) == timedelta(minutes=90)
    assert wait_before(3, 0.0) < wait_before(3, 1.0)


def test_a_dead_man_url_is_called_as_long_as_ticks_come(database: str, tmp_path: Path, receiver: Receiver) -> None:
    with telling_site(database, tmp_path, 'dead_man_url = "${secret:dead_man}"\n') as site:
        environ = {"SCHEDCTL_SECRET_DEAD_MAN": receiver.url + "/ping"}
        send(site, environ)
        assert receiver.got == []
        with site.transaction():
            site.db.execute("SELECT schedctl.note_tick('h1')")
        assert send(site, environ).warnings == []
        assert [(got.method, got.path) for got in receiver.got] == [("GET", "/ping")]
        receiver.script = [404]
        (warning,) = send(site, environ).warnings
        assert "/ping" not in warning.en
        site.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - interval '3 minutes'")
        send(site, environ)
        assert len(receiver.got) == 2


def test_only_what_a_route_asks_for_is_told(database: str, tmp_path: Path) -> None:
    policy = (
        '[channels.ops]\ntype = "slack"\nurl = "${secret:x}"\n[[routes]]\nchannels = ["ops"]\nevents = ["disarmed"]\n'
    )
    with telling_site(database, tmp_path, policy) as site:
        arm(site)
        installation.disarm(at(site, "2026-12-01T10:00+09:00"), None)
        assert told_types(site) == ["disarmed"]
