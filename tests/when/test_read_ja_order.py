"""The parts of a sentence may come in any order: each means the same, or is refused; none means something else."""

from __future__ import annotations

from datetime import datetime
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from schedctl.errors import TimingError
from schedctl.when.read import read

if TYPE_CHECKING:
    from schedctl.when.model import Reading

NOW = datetime.fromisoformat("2026-11-30T10:00:00+09:00")
ALWAYS_READ = [
    "毎週月曜に|9時に|marsを点検して、|祝日を除いて、|年内は",
    "毎月25日、|10時に、|marsを点検、|休日なら翌営業日、|全5回、",
    "毎月第2火曜の|午前3時に|marsを更新して、|来年3月まで、",
    "毎年4月1日、|0時に|ログを切り替えて、",
    "毎日|9時と18時に|marsのログを集めて、|土日は除いて、|12月1日から31日まで、",
    "来週の水曜|10時に|証明書を更新、",
    "30分後に|marsを再起動、",
]
SOMETIMES_REFUSED = [
    "平日の|9時に|marsを点検、|水曜は除いて、",
    "15分おきに|平日の|9時から18時まで|marsを点検して、",
    "明日の|朝9時に|marsを再起動して、|一度だけ、",
    "隔週で|金曜の|17時に|marsを再起動、",
]
"""`平日の` or `金曜の` before the work says whose the work is, so when to run may be open."""


def outcomes(pieces: str) -> dict[str, Reading | TimingError]:
    found: dict[str, Reading | TimingError] = {}
    for order in permutations(pieces.split("|")):
        text = "".join(order)
        try:
            found[text] = read(text, NOW, "Asia/Tokyo")
        except TimingError as error:
            found[text] = error
    return found


@pytest.mark.parametrize("pieces", [*ALWAYS_READ, *SOMETIMES_REFUSED])
def test_no_order_of_the_parts_means_anything_else(pieces: str) -> None:
    meant = read(pieces.replace("|", ""), NOW, "Asia/Tokyo")
    for text, outcome in outcomes(pieces).items():
        assert isinstance(outcome, TimingError) or outcome == meant, text


@pytest.mark.parametrize("pieces", ALWAYS_READ)
def test_every_order_of_clear_parts_is_read(pieces: str) -> None:
    refused = [text for text, outcome in outcomes(pieces).items() if isinstance(outcome, TimingError)]
    assert refused == []
