"""The units on a real systemd with a real PostgreSQL, installed by `install-units`: a box, so root is needed."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pytest
from installed_box import DSN, PASSWORD, PROGRAM, ROOT, serve_installed_box
from installed_catalog import FOLDER, TOLD, furnish, write
from machine_under_test import WORK, Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

TICK: Final = "schedctl-tick.service"
WATCH: Final = "schedctl-watch.service"
HARDENED: Final = (TICK, WATCH, *(f"schedctl-{name}.service" for name in ("deliver@hand", "report", "page")))
SELDOM: Final = "every year on January 2 at 3am"
"""So that nothing falls due by itself while the tests run."""
ACTIONS: Final = ("sleeps", "root", "environment", "mounts")
UNITS_PAGE: Final = ROOT / "docs" / "units.md"
DSN_FILE: Final = "/etc/schedctl/dsn"
ENVIRONMENT: Final = f"SCHEDCTL_CATALOG={FOLDER}\nSCHEDCTL_LANG=en\n"
BY_NETWORK: Final = f"host=db.box.test dbname=schedctl user=schedctl password={PASSWORD}\n"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """PostgreSQL, schedctl in /opt, and the units as `install-units` installs them; armed, with some schedules."""
    for made in serve_installed_box(tmp_path_factory.mktemp("machine")):
        machine = Machine(made.box)
        furnish(machine.box)
        write(machine.box, DSN_FILE, DSN + "\n", "600")
        write(machine.box, "/etc/schedctl/environment", ENVIRONMENT)
        machine.each(
            "catalog adopt",
            "arm --reason test",
            *(f"register '{SELDOM} run probe.{action} on local' --name {action}" for action in ACTIONS),
            f"register '{SELDOM} run probe.ok on far' --name far",
        )
        sudoers = machine.schedctl("catalog", "sudoers", "local").stdout
        write(machine.box, "/etc/sudoers.d/schedctl", sudoers, "440")
        machine.install()
        yield machine


@pytest.mark.parametrize("minutes", [1, pytest.param(3, marks=pytest.mark.long)])
def test_each_minute_has_its_tick_and_the_chain_carries_out(machine: Machine, minutes: int) -> None:
    """Real minutes: the timer, tick, worker and delivery; and what the journal says of them."""
    name = f"each-minute-{minutes}"
    machine.each(f"register '1分ごとにlocalでprobe.okを実行して' --name {name}")
    marks = [machine.next_tick() for _ in range(minutes)]
    for at in marks:
        # Persistent, a random delay or the usual accuracy of a minute would show here.
        assert at - at.replace(second=0, microsecond=0) < timedelta(seconds=10), marks
    schedule = machine.sql("SELECT max(schedule_id) FROM schedctl.schedule")
    entries = machine.wait_for(
        lambda: machine.journal(f"SCHEDCTL_SCHEDULE={schedule}"), lambda entries: len(entries) >= minutes
    )
    machine.schedctl("archive", name)
    for entry in entries[:minutes]:
        assert entry["_SYSTEMD_UNIT"] == WORK
        assert (entry["PRIORITY"], entry["SCHEDCTL_STATE"]) == ("5", "succeeded")
        assert re.fullmatch(rf"Run \d+ of schedule {schedule} “1分ごとに.*を実行して” succeeded", entry["MESSAGE"])
    runs = [entry["SCHEDCTL_RUN"] for entry in entries]
    assert len(runs) == len(set(runs))
    told = machine.wait_for(lambda: machine.box.run("cat", TOLD).stdout, lambda told: name in told)
    assert told.count(name) >= 1
    said = [entry["MESSAGE"] for entry in machine.journal("-u", TICK, f"--since=@{marks[0].timestamp():.0f}")]
    assert set(said) == {"1 fired"}  # one line a tick, and none of systemd's own about its start and end


def test_the_second_installation_changes_nothing(machine: Machine) -> None:
    done = machine.install()["done"]
    assert {deed["kind"] for deed in done} == {"verified", "unchanged", "ticked"}
    # systemd looked at the very program, not at a guess of where it is.
    assert f"ExecStart={PROGRAM} tick\n" in machine.box.do(f"systemctl cat {TICK}")


def test_a_hanging_database_is_ended_by_the_start_timeout_and_the_next_tick_comes(machine: Machine) -> None:
    machine.drop_in(TICK, "TimeoutStartSec=2s")
    server = machine.box.do("head -1 /var/lib/pg/data/postmaster.pid").strip()
    machine.box.do(f"kill -STOP {server}")
    try:
        started = machine.box.run("systemctl", "start", TICK)
        result = machine.show(TICK, "Result", "ActiveState")
    finally:
        machine.box.do(f"kill -CONT {server}")
        machine.drop_in(TICK, "")
    assert (started.returncode, result) == (1, ["timeout", "failed"])
    machine.box.do(f"systemctl start {TICK}")
    assert machine.show("schedctl-tick.timer", "ActiveState") == ["active"]


def test_a_stopped_tick_is_ended_too(machine: Machine) -> None:
    machine.drop_in(TICK, "TimeoutStartSec=3s\nExecStartPre=/bin/sh -c 'kill -STOP $$$$'")
    try:
        assert machine.box.run("systemctl", "start", TICK).returncode == 1
        assert machine.show(TICK, "Result") == ["timeout"]
    finally:
        machine.drop_in(TICK, "")
    machine.box.do(f"systemctl start {TICK}")


def test_reports_stay_closed_and_the_page_may_be_read(machine: Machine) -> None:
    machine.box.do("systemctl start schedctl-report.service schedctl-page.service")
    machine.box.do("ls /var/lib/schedctl/reports/report-????-??-??.html /var/lib/schedctl-page/index.html")
    seen = machine.box.run("runuser", "-u", "nobody", "--", "cat", "/var/lib/schedctl-page/index.html")
    assert seen.stdout.startswith("<!DOCTYPE html>")
    assert machine.box.run("runuser", "-u", "nobody", "--", "ls", "/var/lib/schedctl/reports").returncode != 0


def test_stopping_the_worker_records_what_it_stopped(machine: Machine) -> None:
    number = machine.queue("sleeps")
    machine.box.do(f"systemctl start --no-block {WORK}")
    machine.wait_for(lambda: machine.box.run("pgrep", "-f", "^sleep 7793").stdout, bool)
    refused = machine.as_root("uninstall-units", "--json")
    assert (refused.returncode, "work_running" in refused.stdout) == (2, True)
    machine.box.do(f"systemctl stop {WORK}")
    run = machine.run_of(number)
    assert (run["state"], run["reason"]) == ("cancelled", "shutdown")
    assert machine.show(WORK, "Result", "ActiveState") == ["success", "inactive"]
    assert machine.box.run("pgrep", "-f", "^sleep 7793").returncode == 1
    (entry,) = machine.journal(f"SCHEDCTL_RUN={number}")
    assert entry["SCHEDCTL_STATE"] == "cancelled"


def test_only_the_worker_can_use_sudo(machine: Machine) -> None:
    assert machine.said_by(machine.queue("root")) == "0\n"
    for unit in HARDENED:
        machine.drop_in(unit, "LogLevelMax=info\nExecStartPre=/usr/bin/sudo -n -- /usr/bin/env id -u")
        try:
            assert machine.box.run("systemctl", "start", unit).returncode == 1, unit
            said = " ".join(entry["MESSAGE"] for entry in machine.journal("-u", unit, "_COMM=sudo"))
            assert "no new privileges" in said, unit
        finally:
            machine.drop_in(unit, "")


def test_what_the_worker_mounts_counts_for_the_machine(machine: Machine) -> None:
    assert machine.said_by(machine.queue("mounts")) == machine.box.do("readlink /proc/1/ns/mnt")


def test_the_worker_reaches_a_node_by_its_name_and_ssh(machine: Machine) -> None:
    machine.said_by(machine.queue("far"))
    assert "far" in machine.box.do("journalctl -u names -o cat")


def test_a_worker_without_root_may_be_closed_as_the_page_says(machine: Machine) -> None:
    (*_, closed) = re.findall(r"^```ini\n\[Service\]\n(.*?)^```$", UNITS_PAGE.read_text(encoding="utf-8"), re.M | re.S)
    machine.drop_in(WORK, closed)
    try:
        machine.said_by(machine.queue("far"))
        assert machine.said_by(machine.queue("mounts")) != machine.box.do("readlink /proc/1/ns/mnt")
    finally:
        machine.drop_in(WORK, "")


def test_a_secret_dsn_arrives_by_the_network_and_is_seen_nowhere(machine: Machine) -> None:
    """A tick's sandbox lets name server, TCP and password through; no environment, argv or journal has it."""
    write(machine.box, DSN_FILE, BY_NETWORK, "600")
    try:
        machine.box.do(f"systemctl start {TICK}")
        number, other = machine.queue("sleeps"), machine.queue("environment")
        machine.box.do(f"systemctl start --no-block {WORK}")
        machine.wait_for(lambda: machine.box.run("pgrep", "-f", "^sleep 7793").stdout, bool)
        worker = machine.show(WORK, "MainPID")[0]
        seen = machine.box.do(f"cat /proc/{worker}/environ /proc/{worker}/cmdline")
        run = machine.wait_for(lambda: machine.run_of(other), lambda run: run["state"] == "succeeded")
    finally:
        machine.box.do(f"systemctl stop {WORK}")
        write(machine.box, DSN_FILE, DSN + "\n", "600")
    assert "CREDENTIALS_DIRECTORY=" in seen
    assert "db" in machine.box.do("journalctl -u names -o cat")
    environment = run["steps"][0]["stdout"]
    assert "PATH=" in environment
    assert "CREDENTIALS_DIRECTORY" not in environment
    everything = seen + environment + machine.box.do("journalctl -o verbose; systemctl show 'schedctl-*'")
    assert PASSWORD not in everything
    assert machine.run_of(number)["state"] == "cancelled"


def test_the_watch_speaks_up_and_sends_where_ticks_have_stopped(machine: Machine) -> None:
    machine.box.do(f"systemctl stop schedctl-tick.timer schedctl-watch.timer {TICK} {WATCH}")
    try:
        machine.sql("UPDATE schedctl.tick_beat SET at = at - interval '10 min', beat_at = beat_at - interval '10 min'")
        assert machine.box.run("systemctl", "start", WATCH).returncode == 1
        errors = [entry["MESSAGE"] for entry in machine.journal("-u", WATCH, "-p", "3")]
        assert any(re.fullmatch(r"Ticks stopped \d+ min ago; check schedctl-tick.timer", line) for line in errors)
        machine.wait_for(lambda: machine.box.run("cat", TOLD).stdout, lambda told: "tick" in told.lower())
    finally:
        machine.box.do(f"systemctl start schedctl-tick.timer schedctl-watch.timer {TICK}")


def test_a_worker_of_one_node_with_a_role_of_its_own(machine: Machine) -> None:
    """Pull mode: the DSN names a role that may execute seven functions for its node, and nothing else."""
    machine.sql("ALTER ROLE schedctl CREATEROLE")
    host = machine.box.do("hostname").strip()
    machine.each(f"grant worker box_worker --create --node local --host {host}")
    machine.sql(f"ALTER ROLE box_worker PASSWORD '{PASSWORD}'")
    machine.box.do(f"systemctl stop schedctl-tick.timer schedctl-watch.timer {TICK} {WORK}")
    far, number = machine.queue("far"), machine.queue("root")
    write(machine.box, DSN_FILE, BY_NETWORK.replace("user=schedctl", "user=box_worker"), "600")
    try:
        done = machine.install("--node", "local")["done"]
        assert ("enabled", "schedctl-work@local.timer") in [(deed["kind"], deed["what"]) for deed in done]
        machine.box.do("systemctl start schedctl-work@local.service")
        assert (machine.run_of(number)["state"], machine.run_of(far)["state"]) == ("succeeded", "queued")
        (entry,) = machine.journal(f"SCHEDCTL_RUN={number}")
        assert entry["_SYSTEMD_UNIT"] == "schedctl-work@local.service"
        assert machine.box.run("systemctl", "start", TICK).returncode == 1
    finally:
        write(machine.box, DSN_FILE, DSN + "\n", "600")
        machine.box.do("systemctl disable --now schedctl-work@local.timer")
        machine.box.do("systemctl start schedctl-tick.timer schedctl-watch.timer")


def test_uninstall_leaves_the_state_and_nothing_else(machine: Machine) -> None:
    machine.drop_in(WATCH, "Nice=1")
    machine.rest()
    done = machine.as_root("uninstall-units", "--json")
    try:
        assert done.returncode == 0, done.stdout
        machine.drop_in(WATCH, "")
        left = machine.box.do("find /etc/systemd /run/systemd/system /etc/sysusers.d -name '*schedctl*'")
        seen = machine.box.do("systemctl list-units --all --plain --no-legend 'schedctl-*.timer' 'schedctl-*.service'")
        # The unit of a command that another test ran over ssh is forgotten when systemd finds the time.
        units = [line for line in seen.splitlines() if not line.startswith("schedctl-run")]
        assert (left, units) == ("", [])
        assert machine.sql("SELECT count(*) >= 5 FROM schedctl.schedule") == "t"
        machine.box.do(f"id schedctl; test -d /var/lib/schedctl; test -s {DSN_FILE}")
    finally:
        machine.install()


def test_the_way_by_hand_leads_to_the_same(machine: Machine) -> None:
    """The lines of docs/units.md, as they stand there; and uninstall-units knows what they installed."""
    machine.rest()
    assert machine.as_root("uninstall-units").returncode == 0
    try:
        (lines,) = re.findall(r"^## By hand$.*?^```sh\n(.*?)^```$", UNITS_PAGE.read_text(encoding="utf-8"), re.M | re.S)
        machine.box.do(f"cd {ROOT}\n{lines}")
        assert machine.show("schedctl-tick.timer", "ActiveState", "UnitFileState") == ["active", "enabled"]
        machine.rest()
        done = machine.as_root("uninstall-units", "--json")
        assert (done.returncode, machine.box.do("find /etc/systemd -name 'schedctl*'")) == (0, "")
    finally:
        machine.install()


def test_for_oneself(machine: Machine) -> None:
    alice = machine.person("alice")
    machine.sql("CREATE ROLE alice LOGIN", "postgres")
    machine.sql("CREATE DATABASE alice OWNER alice ENCODING 'UTF8' TEMPLATE template0", "postgres")
    write(machine.box, "/home/alice/.config/schedctl/dsn", "host=/run/postgresql dbname=alice\n", "600", "alice")
    machine.box.do("chown -R alice /home/alice")
    done = machine.box.run(*alice, PROGRAM, "install-units", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert machine.sql("SELECT count(*) FROM schedctl.tick_beat", "alice") == "1"
    shown = machine.box.run(*alice, "systemctl", "--user", "is-active", "schedctl-tick.timer", "schedctl-watch.timer")
    assert shown.stdout == "active\nactive\n"
    machine.box.run(*alice, "systemctl", "--user", "start", WORK, TICK)
    uid = machine.box.do("id -u alice").strip()
    assert machine.journal(f"_UID={uid}", "-t schedctl") == []  # nothing happened
    assert machine.box.run(*alice, PROGRAM, "uninstall-units", "--json").returncode == 0
    assert machine.box.do("find /home/alice/.config/systemd -name 'schedctl*'") == ""


def test_nothing_is_installed_that_the_units_could_not_run(machine: Machine) -> None:
    machine.box.do("rm -rf /root/copy; cp -r /opt/schedctl /root/copy")
    done = machine.box.run("/root/copy/bin/schedctl", "install-units", "--json")
    assert (done.returncode, "program_hidden" in done.stdout) == (2, True)
