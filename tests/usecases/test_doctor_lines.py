"""The golden lines of `doctor`: each check, good, bad and unknown, in both languages.

Read `doctor_lines.txt` like a manual. After a change that is meant, write it anew with SCHEDCTL_WRITE_SCREENS=1.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from doctor_cases import CASES

from schedctl.language import is_japanese
from schedctl.redact import Redactor

if TYPE_CHECKING:
    from schedctl.usecases.doctor_finding import Finding

GOLDEN: Final = Path(__file__).with_name("doctor_lines.txt")
FOUND: Final = {name: tuple(findings) for name, findings in CASES.items()}
EVERY: Final = [finding for findings in FOUND.values() for finding in findings]


def shown(finding: Finding) -> str:
    lines = [
        f"{finding.level} [{finding.check}]",
        f"  {finding.subject.ja}: {finding.says.ja}",
        f"  {finding.subject.en}: {finding.says.en}",
    ]
    if finding.fix is not None:
        lines += [f"  → {finding.fix.says.ja}", f"  → {finding.fix.says.en}"]
        lines += [f"  $ {finding.fix.command}"] if finding.fix.command else []
    return "\n".join(lines)


def test_the_lines() -> None:
    told = "\n\n".join(f"# {name}\n" + "\n".join(map(shown, findings)) for name, findings in FOUND.items()) + "\n"
    if os.environ.get("SCHEDCTL_WRITE_SCREENS") == "1":
        GOLDEN.write_text(told, encoding="utf-8")
    assert told == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("level", ["bad", "warning"])
def test_a_line_that_is_not_good_says_what_to_do(level: str) -> None:
    assert [shown(one) for one in EVERY if one.level == level and one.fix is None] == []


def test_a_bad_line_has_something_to_type() -> None:
    untyped = {one.check for one in EVERY if one.level == "bad" and one.fix is not None and one.fix.command is None}
    assert untyped == {"python"}  # which Python, and where from, only its administrator knows


def test_english_lines_have_no_japanese_in_them() -> None:
    said = [text for one in EVERY for text in (one.says.en, one.subject.en, one.fix.says.en if one.fix else "")]
    assert [text for text in said if is_japanese(text)] == []


def test_the_redactor_takes_none_of_it_for_a_secret() -> None:
    """`secret ops_token: absent` would lose its last word."""
    redactor = Redactor()
    lines = [line for one in EVERY for line in shown(one).splitlines()]
    assert [line for line in lines if redactor.text(line) != line] == []


def kind(finding: Finding) -> str:
    return re.split("[:/]", finding.check)[0]


def test_each_check_has_been_seen_good_and_not_good() -> None:
    """`unused` counts as good for what nobody needs."""
    checks = {kind(one) for one in EVERY}
    for check in checks:
        levels = {one.level for one in EVERY if kind(one) == check}
        assert levels & {"ok", "unused"}, check
        assert levels & {"bad", "warning", "unknown"} or check in ("zone",), check
