"""Whether a stored plan is still what the catalog would build."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from fleets import plan_for

from schedctl.language import Text
from schedctl.plan.check import still_means_the_same

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog

TASK = "marsのパッケージを更新して、venusのサービスnginxを再起動して"


def changed(catalog: Catalog, what: str, name: str, **fields: Any) -> Catalog:
    entries = tuple(
        dataclasses.replace(entry, **fields) if entry.name == name else entry for entry in getattr(catalog, what)
    )
    return dataclasses.replace(catalog, **{what: entries})


def without(catalog: Catalog, what: str, name: str) -> Catalog:
    return dataclasses.replace(
        catalog, **{what: tuple(entry for entry in getattr(catalog, what) if entry.name != name)}
    )


def test_nothing_differs_from_the_same_catalog(fleet: Catalog) -> None:
    for task in (
        TASK,
        "marsを見て".replace("を見", "のディスク使用量を見"),
        "marsとvenusを順番に再起動して",
        "バックアップ計画のレビューを開始して",
    ):
        assert still_means_the_same(plan_for(task, fleet), fleet) == ()


@pytest.mark.parametrize(
    ("what", "name", "fields"),
    [
        ("actions", "apt.upgrade", {"label": Text("別名", "another label")}),
        ("actions", "apt.upgrade", {"aliases": ()}),
        ("actions", "apt.clean", {"argv": ("true",)}),
        ("nodes", "jupiter", {"address": "elsewhere"}),
        ("nodes", "mars", {"label": Text("別名", "another label")}),
    ],
)
def test_what_changes_nothing_that_runs_is_no_difference(fleet: Catalog, what: str, name: str, fields: Any) -> None:
    assert still_means_the_same(plan_for(TASK, fleet), changed(fleet, what, name, **fields)) == ()


@pytest.mark.parametrize(
    ("what", "name", "fields", "word"),
    [
        ("actions", "apt.upgrade", {"argv": ("apt-get", "dist-upgrade")}, "argv"),
        ("actions", "apt.upgrade", {"risk": "disrupts"}, "risk"),
        ("actions", "apt.upgrade", {"timeout_s": 1}, "timeout_s"),
        ("actions", "apt.upgrade", {"as_root": False}, "as_root"),
        ("actions", "apt.upgrade", {"environment": ()}, "environment"),
        ("actions", "apt.upgrade", {"success_exit_codes": (0, 1)}, "success_exit_codes"),
        ("actions", "apt.upgrade", {"prerequisites": ("apt.update", "apt.fix")}, "apt.fix"),
        ("actions", "apt.upgrade", {"conflicts": ("unit.restart",)}, "unit.restart"),
        ("actions", "apt.update", {"final": True}, "apt.update"),
        ("actions", "apt.upgrade", {"groups": ("gpu",)}, "mars"),
        ("actions", "unit.restart", {"parameters": ()}, "unit"),
        ("nodes", "mars", {"address": "elsewhere"}, "target"),
        ("nodes", "mars", {"user": "root"}, "target"),
    ],
)
def test_what_would_run_something_else_is_a_difference(
    fleet: Catalog, what: str, name: str, fields: Any, word: str
) -> None:
    differences = still_means_the_same(plan_for(TASK, fleet), changed(fleet, what, name, **fields))
    assert differences
    assert all(word in difference.ja and word in difference.en for difference in differences)


@pytest.mark.parametrize(("what", "name"), [("actions", "apt.update"), ("nodes", "venus")])
def test_what_is_gone_is_a_difference(fleet: Catalog, what: str, name: str) -> None:
    differences = still_means_the_same(plan_for(TASK, fleet), without(fleet, what, name))
    assert any(name in difference.ja for difference in differences)


def test_a_value_that_the_pattern_no_longer_admits_is_a_difference(fleet: Catalog) -> None:
    action = next(one for one in fleet.actions if one.name == "unit.restart")
    narrow = dataclasses.replace(action.parameters[0], pattern="^[a-m]+$")
    catalog = changed(fleet, "actions", "unit.restart", parameters=(narrow,))
    assert "nginx" in still_means_the_same(plan_for(TASK, fleet), catalog)[0].en
