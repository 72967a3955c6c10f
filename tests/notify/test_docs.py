"""docs/channels.md says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from schedctl.catalog.channels import KINDS
from schedctl.catalog.facts import FACTS

PAGE = (Path(__file__).parents[2] / "docs" / "channels.md").read_text(encoding="utf-8")


def test_every_fact_stands_there_with_its_severity() -> None:
    rows = re.findall(r"^\| ((?:`\w+` ?)+) \| (info|warning|error) \|", PAGE, re.MULTILINE)
    said = {name: severity for names, severity in rows for name in re.findall(r"`(\w+)`", names)}
    assert said == {name: fact.severity for name, fact in FACTS.items()}


def test_every_kind_of_channel_stands_there() -> None:
    assert re.findall(r"^\*\*(\w+)\*\*:", PAGE, re.MULTILINE) == list(KINDS)
