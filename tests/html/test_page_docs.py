"""docs/page.md says what the command does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from schedctl.cli.page import page_command

DOCS: Final = (Path(__file__).parents[2] / "docs" / "page.md").read_text(encoding="utf-8")


def test_every_option_stands_in_its_table_and_no_other() -> None:
    table = re.findall(r"^\| (`--.*?) \|", DOCS, re.MULTILINE)
    described = {option for row in table for option in re.findall(r"--[a-z-]+", row)}
    assert described == {option for parameter in page_command.params for option in parameter.opts}


def test_nginx_gives_out_the_folder_that_the_example_writes() -> None:
    written = re.search(r"schedctl page --out (\S+)/index\.html", DOCS)
    served = re.search(r"^ {4}root (\S+);", DOCS, re.MULTILINE)
    assert written is not None
    assert served is not None
    assert written[1] == served[1]


def test_the_example_listens_on_this_machine_only() -> None:
    assert re.findall(r"listen (\S+);", DOCS) == ["127.0.0.1:8080"]
