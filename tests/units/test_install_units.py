"""`install-units` and `uninstall-units`: what they refuse, what they leave alone, and that they say all they do."""

from __future__ import annotations

import re
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from schedctl.errors import NotAllowed, Refused
from schedctl.settings import shipped
from schedctl.units import program, written
from schedctl.units.manager import require_usable, the_manager
from schedctl.usecases.install_units import CALL_FROM_CRON

if TYPE_CHECKING:
    from units.conftest import FakeSystemd

UNITS: Final = sorted(path.name for path in shipped("systemd").iterdir() if path.suffix in (".service", ".timer"))
WATCH: Final = "schedctl-watch.service"


def test_it_writes_every_unit_for_this_place_and_enables_the_timers(systemd: FakeSystemd) -> None:
    done = systemd.done()
    assert sorted(done["wrote"]) == UNITS
    assert {"schedctl-tick.timer", "schedctl-watch.timer"} <= set(done["enabled"])
    assert done["ticked"] == ["schedctl-tick.service"]
    tick = (systemd.units / "schedctl-tick.service").read_text(encoding="utf-8")
    assert f"\nExecStart={Path(sys.executable).with_name('schedctl').resolve()} tick\n" in tick
    assert f"\nLoadCredential=dsn:{systemd.dsn}\n" in tick
    assert f"\nEnvironmentFile=-{systemd.dsn.parent}/environment\n" in tick
    # What a person's systemd cannot do would keep the unit from starting.
    assert re.findall(r"^(User|CapabilityBoundingSet|ProtectSystem|PrivateTmp)=", tick, re.MULTILINE) == []
    assert stat.S_IMODE((systemd.units / "schedctl-tick.service").stat().st_mode) == 0o644
    assert systemd.calls[0] == "systemctl --user --no-ask-password daemon-reload"
    assert systemd.calls[-1] == "systemctl --user --no-ask-password start schedctl-tick.service"


def test_systemd_looks_before_anything_is_put_in_place(systemd: FakeSystemd) -> None:
    systemd.fail_at("verify", "schedctl-tick.service: Unknown key name 'Foo' in section 'Service', ignoring.")
    ran = systemd.install("--json")
    assert (ran.code, ran.json["error"]["type"]) == (1, "unit_rejected")
    assert "Unknown key name 'Foo'" in ran.json["error"]["message"]
    assert not systemd.units.exists()
    assert systemd.calls == []


def test_the_second_time_there_is_nothing_to_do(systemd: FakeSystemd) -> None:
    systemd.install()
    (systemd.folder / "shown").write_text("UnitFileState=enabled\nActiveState=active\n")
    systemd.forget()
    done = systemd.done()
    assert set(done) == {"verified", "unchanged", "ticked"}
    assert set(UNITS) <= set(done["unchanged"])
    assert systemd.calls == ["systemctl --user --no-ask-password start schedctl-tick.service"]


def test_a_dry_run_says_the_same_and_changes_nothing(systemd: FakeSystemd) -> None:
    would = systemd.done("--dry-run")
    assert not systemd.units.exists()
    assert systemd.calls == []
    assert systemd.done() == would


def test_a_unit_edited_by_hand_is_not_overwritten(systemd: FakeSystemd) -> None:
    systemd.install()
    watch = systemd.units / WATCH
    mine = watch.read_text(encoding="utf-8").replace("TimeoutStartSec=50s", "TimeoutStartSec=30s")
    watch.write_text(mine, encoding="utf-8")
    (systemd.units / "schedctl-tick.service").unlink()
    systemd.forget()
    ran = systemd.install("--json")
    assert (ran.code, ran.json["error"]["type"]) == (2, "unit_edited")
    assert str(watch) in ran.json["error"]["message"]
    assert watch.read_text(encoding="utf-8") == mine
    assert not (systemd.units / "schedctl-tick.service").exists()  # refused before anything was changed
    assert systemd.calls == []
    done = systemd.done("--replace-edited")
    assert (done["saved"], done["updated"]) == ([f"{WATCH}.saved"], [WATCH])
    assert (systemd.units / f"{WATCH}.saved").read_text(encoding="utf-8") == mine


def test_what_a_link_leads_to_is_never_written(systemd: FakeSystemd) -> None:
    """A masked unit is a link to /dev/null."""
    systemd.units.mkdir(parents=True)
    device = systemd.folder / "null"
    device.write_text("")
    (systemd.units / WATCH).symlink_to(device)
    assert systemd.install("--json").json["error"]["type"] == "unit_edited"
    assert systemd.done("--replace-edited")["updated"] == [WATCH]
    assert device.read_text() == ""
    assert not (systemd.units / WATCH).is_symlink()


def test_units_of_another_version_and_those_copied_by_hand_are_updated(systemd: FakeSystemd) -> None:
    systemd.units.mkdir(parents=True)
    (systemd.units / "schedctl-tick.service").write_text(written.marked("[Service]\nExecStart=/old\n"))
    (systemd.units / WATCH).write_bytes((shipped("systemd") / WATCH).read_bytes())
    done = systemd.done()
    assert sorted(done["updated"]) == ["schedctl-tick.service", WATCH]


def test_units_that_this_version_no_longer_has_are_taken_away(systemd: FakeSystemd) -> None:
    systemd.units.mkdir(parents=True)
    (systemd.units / "schedctl-deliver.service").write_text(written.marked("[Service]\nExecStart=/old\n"))
    (systemd.units / "schedctl-mine.service").write_text("[Service]\nExecStart=/mine\n")
    assert systemd.done()["removed"] == ["schedctl-deliver.service"]
    assert (systemd.units / "schedctl-mine.service").exists()


def test_a_drop_in_survives(systemd: FakeSystemd) -> None:
    mine = systemd.units / f"{WATCH}.d" / "mine.conf"
    mine.parent.mkdir(parents=True)
    mine.write_text("[Service]\nTimeoutStartSec=30s\n")
    systemd.install()
    ran = systemd.run("uninstall-units", "--user", "--json")
    assert mine.read_text() == "[Service]\nTimeoutStartSec=30s\n"
    assert f"{WATCH}.d" in [Path(deed["what"]).name for deed in ran.json["done"] if deed["kind"] == "left"]


def test_without_a_dsn_it_says_how_to_make_one(systemd: FakeSystemd) -> None:
    systemd.dsn.unlink()
    ran = systemd.install("--json")
    assert (ran.code, ran.json["error"]["type"]) == (2, "no_dsn")
    assert f"install -D -m 600 /dev/stdin {systemd.dsn}" in ran.json["error"]["hint"]
    systemd.dsn.write_text("\n")
    assert systemd.install("--json").json["error"]["type"] == "no_dsn"
    assert not systemd.units.exists()


def test_another_file_may_hold_the_dsn_and_one_that_others_may_read_is_told(systemd: FakeSystemd) -> None:
    elsewhere = systemd.folder / "elsewhere"
    elsewhere.write_text("host=db.example.org\n")
    elsewhere.chmod(0o640)
    ran = systemd.install("--json", "--dsn-credential", str(elsewhere))
    assert ran.json["warnings"][0].endswith(f"chmod 600 {elsewhere}")
    assert f"\nLoadCredential=dsn:{elsewhere}\n" in (systemd.units / WATCH).read_text(encoding="utf-8")
    elsewhere.chmod(0o600)
    again = systemd.install("--json", "--dsn-credential", str(elsewhere)).json["warnings"]
    assert [warning for warning in again if "chmod" in warning] == []


def test_that_the_timers_end_at_logout_is_told(systemd: FakeSystemd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedctl.units.manager.LINGERING", systemd.folder)
    monkeypatch.setattr("getpass.getuser", lambda: "alice")
    assert systemd.install("--json").json["warnings"][0].endswith("loginctl enable-linger")
    (systemd.folder / "alice").touch()
    assert systemd.install("--json").json["warnings"] == []


def test_a_path_that_systemd_would_read_otherwise_is_refused(systemd: FakeSystemd) -> None:
    odd = systemd.folder / "100% mine"
    odd.write_text("host=db\n")
    assert systemd.install("--json", "--dsn-credential", str(odd)).json["error"]["type"] == "bad_path"


def test_a_node_gets_its_worker_and_nothing_that_ticks(systemd: FakeSystemd) -> None:
    done = systemd.done("--node", "mars", "--node", "web-1")
    assert done["enabled"] == ["schedctl-work@mars.timer", "schedctl-work@web-1.timer"]
    assert "ticked" not in done
    assert systemd.install("--node", "../mars").code == 2


def test_a_first_tick_that_fails_is_told(systemd: FakeSystemd) -> None:
    systemd.fail_at("start schedctl-tick.service")
    ran = systemd.install("--json")
    assert ran.code == 1
    assert ran.json["tick_failed"].startswith("The first tick failed: exit-code; the timer runs")
    assert (systemd.units / WATCH).exists()


def test_what_systemd_complains_of_is_told(systemd: FakeSystemd) -> None:
    systemd.fail_at("enable", "Failed to enable unit: no space left\n")
    ran = systemd.install("--json")
    assert (ran.code, ran.json["error"]["type"]) == (1, "systemd_failed")
    assert "no space left" in ran.json["error"]["message"]


def test_uninstall_takes_exactly_the_same_away(systemd: FakeSystemd) -> None:
    systemd.install()
    edited = systemd.units / WATCH
    edited.write_text(edited.read_text(encoding="utf-8") + "Nice=5\n", encoding="utf-8")
    foreign = systemd.units / "schedctl-mine.service"
    foreign.write_text("[Service]\nExecStart=/bin/true\n")
    (systemd.folder / "units").write_text("schedctl-work.service loaded activating\n")
    running = systemd.run("uninstall-units", "--user", "--json")
    assert (running.code, running.json["error"]["type"]) == (2, "work_running")
    (systemd.folder / "units").write_text("")
    ran = systemd.run("uninstall-units", "--user", "--json")
    assert ran.code == 0, ran
    assert sorted(path.name for path in systemd.units.iterdir()) == ["schedctl-mine.service", WATCH]
    assert systemd.dsn.exists()
    again = systemd.run("uninstall-units", "--user", "--lang", "en")
    assert (again.code, "There is nothing to take away" in again.out) == (0, True)


def test_without_systemd_it_says_so(systemd: FakeSystemd) -> None:
    (systemd.folder / "runtime/systemd/private").unlink()
    for command in ("install-units", "uninstall-units"):
        ran = systemd.run(command, "--user", "--json")
        assert (ran.code, ran.json["error"]["type"]) == (2, "no_systemd")


def test_an_old_systemd_is_refused(systemd: FakeSystemd) -> None:
    (systemd.folder / "version").write_text("systemd 247 (247.3-7)\n")
    assert systemd.install("--json").json["error"]["type"] == "systemd_too_old"


def test_only_root_installs_for_the_machine(systemd: FakeSystemd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{systemd.folder}/bin:/usr/bin:/bin")
    (systemd.folder / "bin/systemd-sysusers").symlink_to("systemctl")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(NotAllowed) as refused:
        require_usable(replace(the_manager("system", {}), bus=systemd.folder), CALL_FROM_CRON)
    assert refused.value.type == "needs_root"


@pytest.mark.parametrize("place", ["/home/alice/.venv", "/root/.local/pipx/venvs/schedctl", "/tmp/venv", "/run/user/7"])
def test_a_program_that_the_units_could_not_see_is_refused(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_parts", lambda: iter([Path(place, "bin/python")]))
    with pytest.raises(Refused) as refused:
        program.require_visible(Path("/usr/bin/env"))
    assert refused.value.type == "program_hidden"


def test_a_program_in_a_closed_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "HIDDEN", ())
    monkeypatch.setattr(program, "_parts", lambda: iter([]))
    (tmp_path / "closed").mkdir(mode=0o750)
    (tmp_path / "closed/schedctl").touch(mode=0o755)
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    with pytest.raises(Refused) as refused:
        program.require_visible(tmp_path / "closed/schedctl")
    assert (refused.value.type, str(tmp_path / "closed") in refused.value.message.en) == ("program_unreadable", True)
    (tmp_path / "closed").chmod(0o755)
    program.require_visible(tmp_path / "closed/schedctl")
