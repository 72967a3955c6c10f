"""What `catalog adopt` shows before it adopts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from folders import GOOD, action, write

from schedctl.catalog.difference import compare
from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse

if TYPE_CHECKING:
    from pathlib import Path

HOST = GOOD["actions/host.toml"]
NODES = GOOD["nodes.toml"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"actions/x.toml": action()}, [("added", "action", "x.y", "action x.y: added")]),
        (
            {"actions": HOST.replace("ping", "pong")},
            [("removed", "action", "ping", "action ping: removed"), ("added", "action", "pong", "action pong: added")],
        ),
        (
            {"actions": HOST.replace('"10s"', '"20s"')},
            [("changed", "action", "ping", "action ping: changed (timeout_s 10 → 20)")],
        ),
        (
            {"actions": HOST.replace('["true"]', '["echo", "a"]').replace('"reads"', '"changes"')},
            [("changed", "action", "ping", "action ping: changed (risk reads → changes; argv [true] → [echo, a])")],
        ),
        (
            {"nodes": NODES.replace("mars.example", "mars.test")},
            [("changed", "node", "mars", "node mars: changed (address mars.example → mars.test)")],
        ),
        (
            {"nodes": NODES.replace("GPU nodes", "graphics")},
            [("changed", "group", "gpu", "group gpu: changed (label GPUノード / GPU nodes → GPUノード / graphics)")],
        ),
        ({"policy": "second_person = true"}, [("changed", "policy", "policy", "second_person False → True")]),
        ({"calendar": "closed = [2026-12-30]"}, [("changed", "calendar", "default", "[2026-12-29] → [2026-12-30]")]),
        (
            {"calendar": GOOD["calendar.toml"] + "[calendars.factory]\n"},
            [("added", "calendar", "factory", "calendar factory: added")],
        ),
    ],
)
def test_a_change(tmp_path: Path, change: dict[str, str], expected: list[tuple[str, str, str, str]]) -> None:
    old = parse(read_folder(write(tmp_path / "old")))
    new = parse(read_folder(write(tmp_path / "new", **change)))
    found = compare(old, new)
    assert sorted((one.kind, one.what, one.name) for one in found) == sorted(row[:3] for row in expected)
    said = " ".join(one.text.en for one in found)
    assert all(row[3] in said for row in expected), said
    assert all(one.text.ja for one in found)
    assert (found == ()) == (old.digest == new.digest)
