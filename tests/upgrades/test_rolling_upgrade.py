"""Hosts are upgraded one after the other: older code ticks and works while newer code upgrades the schema under it."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from dumps import CODES, DUMPS, NEXT

if TYPE_CHECKING:
    from at_once import AtOnce, Ended
    from dumps import Codes, Restore, Restored

DAYS: Final = ("2026-12-07T11:00:30+09:00", "2026-12-08T11:00:30+09:00")
DUE_EACH_DAY: Final = "SELECT count(*) FROM schedctl.schedule WHERE next_fire_at <= '2026-12-07T11:00:30+09:00'"
WENT_ON: Final = "newer than this machine's schedctl, which goes on for now"

LATEST: Final = """
    SELECT schedule_id, count(*) FILTER (WHERE scheduled_for >= '2026-12-07T10:00+09:00') AS that_day
      FROM schedctl.run JOIN schedctl.schedule USING (schedule_id)
     WHERE trigger = 'timer' AND (name LIKE 'daily-%' OR name = 'ordered') GROUP BY schedule_id
"""
UNENDED: Final = """
    SELECT count(*) FROM schedctl.leg JOIN schedctl.run USING (run_id)
     WHERE scheduled_for >= '2026-12-07T10:00+09:00' AND leg.state <> 'succeeded' AND run.state <> 'missed'
"""

# An older version, the one that upgrades, the database that they share, and whether the older goes on afterwards.
PAIRS: Final = [
    pytest.param(CODES[0], None, DUMPS[0], False, id="oldest-and-ours"),
    pytest.param(None, NEXT, DUMPS[-1], True, id="ours-and-next"),
]


def at_the_same_time(
    old: AtOnce, new: AtOnce, there: Restored, *argv: str, now: str
) -> tuple[list[Ended], list[Ended]]:
    """The command line in three processes of each version."""
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(one.run, there.dsn, *argv, times=3, now=now) for one in (old, new)]
        return both[0].result(), both[1].result()


def told(one: Ended) -> str:
    """The end of what a process said, which a failure is told by, in a message that nothing shortens."""
    return f"exit code {one.code}: …{one.output[-2000:]}"


def assert_went_well(olds: list[Ended], news: list[Ended], goes_on: bool) -> None:
    for one in news:
        assert one.code == 0, told(one)
    for one in olds:
        refused = one.code == 1 and one.json.get("error", {}).get("type") == "schema_newer"
        assert one.code == 0 or (refused and not goes_on), told(one)


@pytest.mark.parametrize(("old", "new", "dump", "goes_on"), PAIRS)
def test_both_fire_and_work_while_one_upgrades(
    old: int | None, new: int | None, dump: int, goes_on: bool, restore: Restore, codes: Codes
) -> None:
    older, newer = codes(old), codes(new)
    there = armed(restore(dump), older)
    (due,) = there.query(DUE_EACH_DAY)[0]
    fired = 0
    (first,) = older.run(there.dsn, "tick", "--json", now="2026-12-06T12:03:00+09:00")
    assert (first.code, first.json["warnings"]) == (0, [])
    for day in DAYS:
        olds, news = at_the_same_time(older, newer, there, "tick", "--json", now=day)
        assert_went_well(olds, news, goes_on)
        fired += sum(one.json.get("fired", 0) for one in (*olds, *news))
        assert_went_well(*at_the_same_time(older, newer, there, "work", "--drain", "--json", now=day), goes_on)
    (last,) = older.run(there.dsn, "tick", "--json", now=DAYS[-1])
    assert (last.code, WENT_ON in str(last.json)) == ((0, True) if goes_on else (1, False))
    assert fired >= due > 24
    assert {times for _, times in there.query(LATEST)} == {len(DAYS)}
    assert there.query(UNENDED) == [(0,)]
    assert [step for step, times in Counter(there.marks()).items() if times > 1] == []
    assert len(there.marks()) >= 26 * len(DAYS)


IMPATIENT: Final = {"schedctl.usecases.site.UPGRADE_ATTEMPTS": 1}
POINTS: Final = [
    pytest.param(0.6, id="once"),
    pytest.param(None, id="everywhere", marks=pytest.mark.long),
]


@pytest.mark.parametrize("share", POINTS)
@pytest.mark.parametrize("argv", [("tick",), ("work",)], ids=" ".join)
@pytest.mark.parametrize(("old", "new", "dump", "goes_on"), PAIRS)
def test_one_upgrades_in_the_middle_of_the_other_s_work(
    old: int | None, new: int | None, dump: int, goes_on: bool, argv: tuple[str, ...], share: float | None,
    restore: Restore, codes: Codes,
) -> None:  # fmt: skip
    """What had begun before the upgrade ends well after it: the schema only gained what older code need not know."""
    (whole,) = codes(old).run(prepared(restore, dump, codes(old), argv).dsn, *argv, "--json", now=DAYS[0])
    points = range(whole.exchanges) if share is None else [round(share * whole.exchanges)]
    for point in points:
        there = prepared(restore, dump, codes(old), argv)
        codes(old).stand_still(there.dsn, *argv, "--json", at=point, now=DAYS[0])
        upgraded = other_host(codes(new)).run(there.dsn, "tick", "--json", now=DAYS[0], patches=IMPATIENT)
        ended = codes(old).go_on()
        gave_way = upgraded[0].code == 1 and upgraded[0].json["error"]["type"] == "schema_upgrade_waits"
        assert upgraded[0].code == 0 or gave_way, (point, upgraded[0].output)
        refused = ended.code == 1 and ended.json["error"]["type"] == "schema_newer" and not goes_on
        assert ended.code == 0 or refused, (point, ended.output)
        assert codes(new).run(there.dsn, "tick", "--json", now=DAYS[0])[0].code == 0
        assert codes(new).run(there.dsn, "work", "--drain", "--json", now=DAYS[0])[0].code == 0
        assert {times for _, times in there.query(LATEST)} == {1}, point
        assert there.query(UNENDED) == [(0,)], point
        assert [step for step, times in Counter(there.marks()).items() if times > 1] == [], point


def armed(there: Restored, code: AtOnce) -> Restored:
    """A restored database disarms itself, since schema 13: its operator looks, and goes on."""
    assert code.run(there.dsn, "arm", now="2026-12-06T12:02:00+09:00")[0].code == 0
    return there


def other_host(code: AtOnce) -> AtOnce:
    """Two ticks of one host wait for each other, in any version."""
    return replace(code, environment={"SCHEDCTL_HOST": "elsewhere"})


def prepared(restore: Restore, dump: int, code: AtOnce, argv: tuple[str, ...]) -> Restored:
    """A database on which this command line has something to do."""
    there = armed(restore(dump), code)
    if argv == ("work",):
        assert code.run(there.dsn, "tick", "--json", now=DAYS[0])[0].code == 0
    return there
