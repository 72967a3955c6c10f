"""What this host brings: Python and its packages, zone rules, holidays, room on its disks."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown
from schedctl.when import data_version
from schedctl.when.calendar import business_days_in, has_holidays

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schedctl.errors import SchedctlError
    from schedctl.when.calendar import Calendars

OLDEST_PYTHON: Final = (3, 11)
REQUIREMENT: Final = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)")
MIB: Final = 1 << 20
LITTLE_BYTES: Final = 1024 * MIB
TOO_LITTLE_BYTES: Final = 200 * MIB
LITTLE_INODES: Final = 0.02
"""Of all: below this share no new file may be made soon."""

PYTHON: Final = Topic("python", Text("Python", "Python"))
PACKAGES: Final = Topic("packages", Text("パッケージ", "packages"))
SETTINGS: Final = Topic("settings", Text("設定", "settings"))
ZONE: Final = Topic("zone", Text("タイムゾーン", "zone"))
TZDATA: Final = Topic("tzdata", Text("時差の規則", "tzdata"))

UNSET: Final = Text("この変数を消してください", "Unset it")


@dataclass(frozen=True, slots=True)
class Package:
    """A package that schedctl needs: the lowest version, and the one that is here (None: it is not)."""

    name: str
    lowest: str
    present: str | None


@dataclass(frozen=True, slots=True)
class Software:
    """The interpreter and what is installed beside it."""

    python: tuple[int, int, int]
    executable: str
    schedctl: str
    packages: tuple[Package, ...]


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system below a folder; `inodes` is the free share of them, 1.0 where it has no fixed number."""

    path: str
    free_bytes: int
    total_bytes: int
    inodes: float


def gather_software() -> Software:
    """What this process runs on."""
    wanted = [REQUIREMENT.match(line) for line in metadata.requires("schedctl") or () if "extra ==" not in line]
    packages = tuple(Package(found[1], found[2], _version(found[1])) for found in wanted if found)
    version = (sys.version_info.major, sys.version_info.minor, sys.version_info.micro)
    return Software(version, sys.executable, metadata.version("schedctl"), packages)


def check_software(found: Software | Unknown) -> Iterator[Finding]:
    """Whether all of it is new enough."""
    if isinstance(found, Unknown):
        yield PYTHON.ok(Text(platform.python_version(), platform.python_version()))
        yield PACKAGES.unknown(found)
        return
    said = ".".join(map(str, found.python))
    if found.python[:2] < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        says = Text(f"{said} は古すぎます", f"{said} is too old")
        yield PYTHON.bad(
            says,
            Fix(Text(f"Python {oldest} 以降で入れ直してください", f"Install it anew with Python {oldest} or later")),
        )
    else:
        yield PYTHON.ok(Text(f"{said}（{found.executable}）", f"{said} ({found.executable})"))
    lacking = [one for one in found.packages if one.present is None or _older(one.present, one.lowest)]
    if lacking:
        names = ", ".join(f"{one.name} {one.present or '(-)'} < {one.lowest}" for one in lacking)
        wanted = " ".join(shlex.quote(f"{one.name}>={one.lowest}") for one in lacking)
        command = f"{found.executable} -m pip install --upgrade {wanted}"
        fix = Fix(Text("新しくしてください", "Upgrade them"), command)
        yield PACKAGES.bad(Text(f"足りないか古すぎます: {names}", f"Missing or too old: {names}"), fix)
    else:
        count = len(found.packages)
        yield PACKAGES.ok(
            Text(f"schedctl {found.schedctl}、依存 {count} 個", f"schedctl {found.schedctl} and its {count} packages")
        )


def check_settings(unusable: Mapping[str, SchedctlError]) -> Iterator[Finding]:
    """A line for each variable that cannot be used; doctor itself goes on without it, other commands are refused."""
    if not unusable:
        yield SETTINGS.ok(Text("読めない変数はありません", "every variable can be read"))
    for name, refusal in unusable.items():
        topic = Topic(f"{SETTINGS.check}:{name}", SETTINGS.subject)
        yield topic.bad(refusal.message, Fix(refusal.hint or UNSET, f"unset {name}"))


def check_zone(zone: str, os_zone: str | None) -> Finding:
    """In which zone sentences are read; that the host has another one is no fault."""
    if os_zone in (None, zone):
        return ZONE.ok(Text(zone, zone))
    return ZONE.ok(
        Text(
            f"{zone}（このホストの TZ {os_zone} は使いません）", f"{zone} (this host's own TZ, {os_zone}, is not read)"
        )
    )


def os_zone(environ: Mapping[str, str], localtime: Path = Path("/etc/localtime")) -> str | None:
    """What the operating system takes for its zone; None where it does not say."""
    if environ.get("TZ"):
        return environ["TZ"].removeprefix(":")
    try:
        _, found, name = str(localtime.readlink()).partition("zoneinfo/")
    except OSError:
        return None
    return name if found else None


def check_tzdata(mine: data_version.DataVersion, stored: str | None, python: str) -> Finding:
    """Whether instants are computed here by the newest rules that the installation knows; `stored`: None if unknown."""
    said = Text(f"tzdata {mine.zones}、holidays {mine.holidays}", f"tzdata {mine.zones}, holidays {mine.holidays}")
    theirs = data_version.parse(stored) if stored else None
    if theirs is None or not theirs.newer_than(mine):
        return TZDATA.ok(said)
    newer = Text(
        f"{said.ja}。ほかのホストはもっと新しい規則（{theirs}）で計算しています",
        f"{said.en}; another host computes with newer rules ({theirs})",
    )
    command = f"{python} -m pip install --upgrade tzdata holidays"
    return TZDATA.warning(newer, Fix(Text("新しくしてください", "Upgrade them"), command))


def check_holidays(calendars: Calendars | Unknown, year: int, python: str) -> Iterator[Finding]:
    """Whether each calendar knows the public holidays of `year`, the next one."""
    if isinstance(calendars, Unknown):
        yield Topic("holidays", Text("祝日", "holidays")).unknown(calendars)
        return
    for name, calendar in (("", calendars.default), *calendars.named):
        shown = Text(f"祝日 {name}".strip(), f"holidays {name}".strip())
        topic = Topic(f"holidays:{name}" if name else "holidays", shown)
        if not calendar.country:
            days = sum(business_days_in(calendar, year, month).bit_count() for month in range(1, 13))
            yield topic.ok(
                Text(
                    f"国の祝日は使いません（{year} 年は {days} 営業日）",
                    f"no country's ({days} business days in {year})",
                )
            )
        elif has_holidays(calendar, year):
            yield topic.ok(
                Text(f"{calendar.country} の {year} 年の祝日が分かります", f"{calendar.country}: {year} is known")
            )
        else:
            says = Text(
                f"{calendar.country} の {year} 年の祝日がありません。平日がすべて営業日になります",
                f"{calendar.country}: the holidays of {year} are not known; every weekday would count",
            )
            command = f"{python} -m pip install --upgrade holidays"
            yield topic.bad(says, Fix(Text("パッケージを新しくしてください", "Upgrade the package"), command))


def gather_disk(folder: Path) -> Disk:
    """The file system on which the folder lies, or will lie."""
    there = next(place for place in (folder.resolve(), *folder.resolve().parents) if place.exists())
    found = os.statvfs(there)
    inodes = found.f_favail / found.f_files if found.f_files else 1.0
    return Disk(str(folder), found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize, inodes)


def check_disk(topic: Topic, found: Disk | Unknown) -> Finding:
    """Whether there is room."""
    if isinstance(found, Unknown):
        return topic.unknown(found)
    if not found.total_bytes:
        elsewhere = Fix(
            Text(
                "SCHEDCTL_STATE に、ディスクの上のフォルダを書いてください", "Set SCHEDCTL_STATE to a folder on a disk"
            ),
            f"findmnt --target {shlex.quote(found.path)}",
        )
        none = Text(f"{found.path}: ここにはディスクがありません", f"{found.path}: no disk is mounted there")
        return topic.bad(none, elsewhere)
    free, of = _size(found.free_bytes), _size(found.total_bytes)
    says = Text(f"{found.path}: 空き {free}（全体 {of}）", f"{found.path}: {free} of {of} free")
    fix = Fix(Text("空きを増やしてください", "Make room"), f"df -h {shlex.quote(found.path)}")
    if found.inodes < LITTLE_INODES:
        few = Text(
            f"{found.path}: inode の空きが {found.inodes:.1%} です", f"{found.path}: {found.inodes:.1%} inodes left"
        )
        return topic.bad(few, Fix(fix.says, f"df -i {shlex.quote(found.path)}"))
    if found.free_bytes < TOO_LITTLE_BYTES:
        return topic.bad(says, fix)
    return topic.warning(says, fix) if found.free_bytes < LITTLE_BYTES else topic.ok(says)


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count // MIB} MiB"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _older(present: str, lowest: str) -> bool:
    return _numbers(present) < _numbers(lowest)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0]))
