"""docs/catalog.md is tested like code: every key stands in it, and its examples are a catalog without mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedctl.catalog import keys
from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import find_problems, parse

PAGE = Path(__file__).parents[2] / "docs" / "catalog.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = {
    "Nodes": (*keys.NODES_FILE, *keys.NODE, *keys.GROUP),
    "Actions": (*keys.ACTION, *keys.PARAMETER, *keys.REQUEST),
    "Policy": (*keys.POLICY_FILE, *keys.FREEZE, *keys.REPORT),
    "Telling": (*keys.CHANNEL, *keys.ROUTE),
    "Agents": (*keys.AGENTS_FILE, *keys.AGENT, *keys.RESTART),
    "Calendar": keys.CALENDAR_FILE,
}


def section(name: str) -> str:
    return TEXT.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, known in SECTIONS.items() for key in dict.fromkeys(known)]
)
def test_every_key_is_explained(name: str, key: str) -> None:
    prose = re.sub(r"```.*?```", "", section(name), flags=re.DOTALL)
    assert f"`{key}`" in prose


def examples() -> dict[str, str]:
    files: dict[str, str] = {}
    for name, text in re.findall(r"```toml\n# (\S+)\n(.*?)```", TEXT, re.DOTALL):
        files[name] = files.get(name, "") + text
    return files


def test_the_examples_are_a_catalog_without_mistakes(tmp_path: Path) -> None:
    assert set(examples()) == {"nodes.toml", "actions/example.toml", "policy.toml", "agents.toml", "calendar.toml"}
    (tmp_path / "actions").mkdir()
    for name, text in examples().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert find_problems(read_folder(tmp_path)) == ()
    assert len(parse(read_folder(tmp_path)).actions) == 4


@pytest.mark.parametrize("key", [key for known in SECTIONS.values() for key in known if key != "nodes"])
def test_every_key_is_shown_in_an_example(key: str) -> None:
    not_shown = {"conflicts", "final"}
    shown = re.search(rf"(^|[\[.\"\s{{]){key}(\]|\"?[ .\]=])", "\n".join(examples().values()), re.MULTILINE)
    assert shown or key in not_shown
