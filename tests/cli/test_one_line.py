"""Reasons and names stand in the lines of a screen: none passes for a line of its own, for an id, or for an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command

NOW = "2026-11-30T10:00:00+09:00"
DISK = "毎週日曜午前3時にmarsのディスク使用量を確認して"
REASONED = (
    ("pause", "1"),
    ("node", "hold", "mars"),
    ("archive", "1"),
    ("cancel", "1"),
    ("arm",),
    ("disarm",),
)
FORGED = ("line1\n! forged", "a\rb", "a\x1b[2Jb", "a\u2028b", "a\u202eb", "a\tb")
BAD_NAMES = ("", " ", "24", "２４", "-x", "--yes", "a" * 101, "a\nb", "a\x1bb")


def usage(schedctl: Command, *words: str) -> str:
    """The sentence of a refusal as `usage`."""
    ran = schedctl(*words, "--json", now=NOW)
    assert (ran.code, ran.json["error"]["type"]) == (2, "usage"), words
    return ran.json["error"]["message"]


@pytest.mark.parametrize("words", REASONED, ids=" ".join)
def test_a_reason_is_one_line(schedctl: Command, words: tuple[str, ...]) -> None:
    for forged in FORGED:
        assert "--reason" in usage(schedctl, *words, f"--reason={forged}")


@pytest.mark.parametrize("words", REASONED[:2], ids=" ".join)
def test_a_reason_that_is_needed_is_not_empty(schedctl: Command, words: tuple[str, ...]) -> None:
    for blank in ("", " ", "\u3000"):
        assert "--reason" in usage(schedctl, *words, "--reason", blank)


def test_an_empty_reason_that_is_not_needed_is_none(schedctl: Command) -> None:
    assert schedctl("arm", "--reason", "", now=NOW).code == 0
    assert schedctl("disarm", "--reason", "", "--json", now=NOW).json["installation"]["reason"] is None


def test_an_ordinary_reason_is_taken_as_it_stands(schedctl: Command) -> None:
    schedctl("register", DISK, now=NOW)
    paused = schedctl("pause", "1", "--reason", "点検中　—　24!", "--json", now=NOW)
    assert paused.json["schedule"]["reason"] == "点検中　—　24!"


def test_a_name_passes_for_nothing_else(schedctl: Command) -> None:
    for name in BAD_NAMES:
        assert "--name" in usage(schedctl, "register", DISK, f"--name={name}")
    assert schedctl("list", "--json", now=NOW).json["schedules"] == []


@pytest.mark.parametrize("name", ["disk", "24h", "週次　点検", "a" * 100])
def test_a_plain_name_is_taken(schedctl: Command, name: str) -> None:
    assert schedctl("register", DISK, "--name", name, "--json", now=NOW).json["schedule"]["name"] == name
