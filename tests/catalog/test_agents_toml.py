"""agents.toml: what it means, every mistake in it with its place, and the commented examples of the shipped one."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from folders import SHIPPED, action, write

from schedctl.catalog.files import read_folder
from schedctl.catalog.model import Agent, Restart
from schedctl.catalog.parse import find_problems, parse
from schedctl.language import Text

if TYPE_CHECKING:
    from pathlib import Path

UNIT = action(
    argv='["systemctl", "restart", "{unit}"]',
    parameters="{ unit = { pattern = '^[a-z]+$' }, how = { values = ['a'] } }",
).replace('"{unit}"', '"{unit}", "{how}"')
RESTART = 'restart = { action = "ping", node = "mars" }'


def agent(*lines: str) -> str:
    return "\n".join(["[agents.x]", *lines])


MISTAKES = [
    ("[agent.x]\n", "agent", "no key"),
    ("agents = 1", "agents", "table"),
    ("[agents]\nx = 1", "agents.x", "table"),
    (f'[agents."{"x" * 201}"]\n', "agents." + "x" * 201, "no name"),
    ('[agents."a\\tb"]\n', "agents.a\tb", "no name"),
    (agent("evry = '1m'"), "agents.x.evry", "no key"),
    (agent("every = '1d'"), "agents.x.every", "1s to 168h"),
    (agent("every = 0"), "agents.x.every", "1s to 168h"),
    (agent("missed_beats = 0"), "agents.x.missed_beats", "1 to 100"),
    (agent("cooldown = '5 minutes'"), "agents.x.cooldown", "1s to 168h"),
    (agent("attempts = true"), "agents.x.attempts", "1 to 100"),
    (agent("cost_window = 9"), "agents.x.cost_window", "10 to 1000"),
    (agent("cost_factor = 1.5"), "agents.x.cost_factor", "2 to 1000"),
    (agent("stopping_for = false"), "agents.x.stopping_for", "1s to 168h"),
    (agent("label = 3"), "agents.x.label", "ja and en"),
    (agent("tell = 'ops'"), "agents.x.tell", "list of"),
    (agent("tell = ['ops']"), "agents.x.tell", "“ops” is not in the catalog"),
    (agent("restart = 'ping'"), "agents.x.restart", "table"),
    (agent("restart = { node = 'mars' }"), "agents.x.restart.action", "missing"),
    (agent("restart = { action = 'ping' }"), "agents.x.restart.node", "missing"),
    (agent("restart = { action = 'ping', node = 'mars', how = 1 }"), "agents.x.restart.how", "no key"),
    (agent("restart = { action = 'pong', node = 'mars' }"), "agents.x.restart.action", "“pong” is not in the catalog"),
    (agent("restart = { action = 'ping', node = 'venus' }"), "agents.x.restart.node", "“venus” is not in the catalog"),
    (agent("restart = { action = 'ping', node = 'gpu' }"), "agents.x.restart.node", "“gpu” is not in the catalog"),
    (agent("restart = { action = 'x.y', node = 'mars' }"), "agents.x.restart.parameters", "unit has no usable value"),
    (
        agent("restart = { action = 'x.y', node = 'mars', parameters = { unit = 'A', how = 'a' } }"),
        "agents.x.restart.parameters",
        "unit has no usable value",
    ),
    (
        agent("restart = { action = 'ping', node = 'mars', parameters = { unit = 'a' } }"),
        "agents.x.restart.parameters.unit",
        "has no parameter unit",
    ),
    (agent(RESTART, "every = '10m'"), "agents.x.cooldown", "would restart again before the next one"),
    (agent(RESTART, "cooldown = '59s'"), "agents.x.cooldown", "less than the 60 s"),
]


def problems(folder: Path) -> list[tuple[str, str]]:
    found = find_problems(read_folder(folder))
    for problem in found:
        assert problem.file == "agents.toml"
        assert problem.message.ja != problem.message.en
        assert problem.fix.ja
        assert problem.fix.en
    return [(problem.key, problem.message.en) for problem in found]


@pytest.mark.parametrize(("text", "key", "words"), MISTAKES, ids=[f"{row[1][:40]} {row[2]}" for row in MISTAKES])
def test_a_mistake_in_the_agents(tmp_path: Path, text: str, key: str, words: str) -> None:
    found = problems(write(tmp_path, **{"agents.toml": text, "actions/x.toml": UNIT}))
    assert any(at == key and words in message for at, message in found), found


@pytest.mark.parametrize(
    "text",
    [
        "",
        agent(),
        agent(RESTART, "cooldown = '60s'"),
        agent("every = '10m'"),  # no restart, so no cooldown
        agent("restart = { action = 'x.y', node = 'mars', parameters = { unit = 'ab', how = 'a' } }"),
        '[agents."Executor 1/東京"]\n',
    ],
)
def test_what_is_no_mistake(tmp_path: Path, text: str) -> None:
    assert problems(write(tmp_path, **{"agents.toml": text, "actions/x.toml": UNIT})) == []


def test_every_key_has_a_default(tmp_path: Path) -> None:
    (found,) = parse(read_folder(write(tmp_path, **{"agents.toml": agent()}))).agents
    assert found == Agent("x", Text("x", "x"), 60, 2, None, 300, 3, 50, 10, 600, ())


def test_what_is_written_counts(tmp_path: Path) -> None:
    written = agent(RESTART, "every = 5", "missed_beats = 3", "cooldown = '1h'", "attempts = 1", "stopping_for = '1m'")
    (found,) = parse(read_folder(write(tmp_path, **{"agents.toml": written}))).agents
    assert (found.restart, found.every_s, found.missed_beats, found.cooldown_s) == (Restart("ping", "mars"), 5, 3, 3600)
    assert (found.attempts, found.stopping_for_s) == (1, 60)


def test_the_commented_examples_of_the_shipped_file_are_good() -> None:
    document = read_folder(SHIPPED)
    assert parse(document).agents == ()
    shipped = (SHIPPED / "agents.toml").read_text(encoding="utf-8")
    files = document["files"]
    assert isinstance(files, dict)
    files["agents.toml"] = tomllib.loads(re.sub(r"^# (?=\[|[a-z_]+ = )", "", shipped, flags=re.MULTILINE))
    files["policy.toml"] |= {"channels": {"oncall": {"type": "slack", "url": "${secret:oncall}"}}}
    executor, reviewer = parse(document).agents
    assert executor.every_s * executor.missed_beats == 60
    assert executor.restart == Restart("unit.restart", "local", (("unit", "executor"),))
    assert reviewer.tell == ("oncall",)
