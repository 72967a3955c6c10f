"""Every command has an end, and the end is told as it was."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from schedctl.transport import processes
from tests.transport.local_world import QUICK, Start, eventually

if TYPE_CHECKING:
    from schedctl.transport.base import Heartbeat


def test_exit_codes() -> None:
    assert Start().run("true").state == "succeeded"
    failed = Start().shell("exit 100")
    assert (failed.state, failed.exit_code, failed.error_type) == ("failed", 100, "exit_code")
    assert failed.error_message
    assert failed.error_message.ja == "コマンドは終了コード 100 で終わりました"
    assert Start().run("sh", "-c", "exit 3", success=(0, 3)).state == "succeeded"


@pytest.mark.parametrize(("number", "name"), [(9, "SIGKILL"), (11, "SIGSEGV"), (40, "40")])
def test_a_signal_from_elsewhere_is_a_failure_by_its_name(number: int, name: str) -> None:
    outcome = Start().run("sh", "-c", f"kill -{number} $$", success=(0, 128 + number))
    assert (outcome.state, outcome.exit_code, outcome.error_type) == ("failed", 128 + number, "killed_by_signal")
    assert outcome.error_message
    assert name in outcome.error_message.en


def test_a_timeout_ends_the_command() -> None:
    start = Start()
    outcome = start.run("sleep", "100", timeout_s=1)
    assert (outcome.state, outcome.error_type, outcome.exit_code) == ("timed_out", "timed_out", 128 + signal.SIGTERM)
    assert outcome.error_message
    assert outcome.error_message.ja == "1秒以内に終わらなかったため、コマンドを止めました"
    assert not start.still_running()


def test_a_command_may_tidy_up_within_its_grace() -> None:
    start = Start()
    outcome = start.shell("trap 'sleep 0.2; echo tidied; exit 0' TERM; echo begun; sleep 100 & wait", timeout_s=1)
    assert outcome.stdout.head == b"begun\ntidied\n"
    assert outcome.state == "timed_out", "whatever exit code it chose"


TRAP = "trap '' TERM; while :; do sleep 0.1; done"
STUBBORN = {
    "ignores TERM": TRAP,
    "its child ignores TERM": f"({TRAP}) & wait",
    "a child in a session of its own": "setsid sleep 100 & wait",
    "such a child without output": f"setsid sh -c '{TRAP.replace(chr(39), chr(34))}' >/dev/null 2>&1 & sleep 100",
    "an orphan of such a child": "setsid sh -c 'sleep 100 & exit' >/dev/null 2>&1; sleep 100",
    "an orphan without the marker": "env -i sh -c 'sleep 100 & exit' >/dev/null 2>&1; sleep 100",
    "prints without end": "yes",
    "closed its output": "exec >&- 2>&-; sleep 100",
    "stopped": "kill -STOP $$",
}


def after(seconds: float) -> Heartbeat:
    """A heartbeat that says `stop` once the command has come so far."""
    begun = time.monotonic()
    return lambda: "stop" if time.monotonic() > begun + seconds else "go_on"


@pytest.mark.parametrize("script", STUBBORN.values(), ids=STUBBORN.keys())
def test_nothing_outlives_a_cancellation(script: str) -> None:
    start = Start()
    begun = time.monotonic()
    assert start.shell(script, heartbeat=after(0.3)).state == "cancelled"
    assert not start.still_running()
    assert time.monotonic() - begun < 15


def test_a_child_that_sheds_its_session_and_its_mark_is_still_somebodys_child() -> None:
    outcome = Start().shell("setsid env -i sleep 100 & echo $!; wait", heartbeat=after(0.3))
    child = Path("/proc", outcome.stdout.head.decode().strip())
    assert eventually(lambda: not child.exists())


def test_such_a_child_that_ignores_term_is_not_lost_with_its_parent() -> None:
    stubborn = "env -i setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & wait"
    outcome = Start().shell(stubborn, heartbeat=after(0.5))
    assert int(outcome.stdout.head) not in dict(processes._living())


def test_a_flood_of_output_hides_neither_the_timeout_nor_the_beats() -> None:
    beats: list[None] = []
    outcome = Start().shell("yes", timeout_s=1, heartbeat=lambda: beats.append(None) or "go_on")
    assert outcome.state == "timed_out"
    assert len(beats) > 5


def test_a_cancelled_command_says_so() -> None:
    outcome = Start().run("sleep", "100", heartbeat=lambda: "stop")
    assert (outcome.state, outcome.error_type) == ("cancelled", "cancelled")
    assert outcome.error_message
    assert outcome.hint


@pytest.mark.parametrize("script", ["{wait}", "yes & {wait}; kill $!", "exec >&- 2>&-; {wait}"])
def test_the_lease_is_renewed_whether_the_command_prints_or_not(script: str, tmp_path: Path) -> None:
    """The command ends after its sixth renewal, which comes no sooner than six times the pause between two."""
    beats: list[float] = []

    def beat() -> Literal["go_on"]:
        beats.append(time.monotonic())
        if len(beats) == 6:
            (tmp_path / "go").touch()
        return "go_on"

    begun = time.monotonic()
    wait = f"while [ ! -e {tmp_path / 'go'} ]; do sleep 0.02; done"
    assert Start().shell(script.format(wait=wait), heartbeat=beat).state == "succeeded"
    assert beats[5] - begun >= 6 * QUICK.beat_every_s


def test_a_child_that_holds_the_output_does_not_hold_the_run() -> None:
    start = Start()
    begun = time.monotonic()
    outcome = start.shell("sleep 100 & echo done")
    assert (outcome.state, outcome.stdout.head) == ("succeeded", b"done\n")
    assert time.monotonic() - begun < 15
    assert eventually(lambda: not start.still_running()), "the rest of the group is killed"


def test_what_such_a_child_still_says_in_time_is_kept() -> None:
    assert Start().shell("(sleep 0.1; echo late) & echo first").stdout.head == b"first\nlate\n"


def test_a_daemon_that_left_the_group_stays() -> None:
    start = Start()
    try:
        assert start.shell("setsid sleep 30 >/dev/null 2>&1 & echo started").state == "succeeded"
        assert start.still_running()
    finally:
        processes.end(f"{processes.LEG}{start.label}", grace_s=1)
    assert not start.still_running()


def test_another_start_of_the_same_name_is_left_alone() -> None:
    mine, other = Start(label="run1-leg1-step0-attempt1"), Start(label="run1-leg1-step0-attempt1")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(other.run, "sleep", "1.5")
        assert mine.run("sleep", "100", heartbeat=after(0.3)).state == "cancelled"
        assert running.result().state == "succeeded"


def test_a_defect_in_the_heartbeat_leaves_nothing_behind() -> None:
    start = Start()

    def breaks() -> Literal["go_on"]:
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        start.run("sleep", "100", heartbeat=breaks)
    assert not start.still_running()


def test_a_stop_after_the_end_changes_nothing() -> None:
    outcome = Start().shell("sleep 100 & sleep 0.1", heartbeat=after(0.3))
    assert outcome.state == "succeeded"
