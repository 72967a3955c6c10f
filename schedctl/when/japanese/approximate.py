"""Lengths of which only about how long is said: `2、3日後`, `1~2時間おき`, `二三日ごと`."""

from __future__ import annotations

import re
from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.scan import LIST_GLUE, Match, Scan
from schedctl.when.japanese.words_days import spoken
from schedctl.when.reading.normalize import DIGITS
from schedctl.when.reading.parts import Unclear

MEASURES: Final = frozenset(spoken("day days weeks months years year minute minutes hours second business_days"))
COUNTED: Final = frozenset(spoken("after every gap"))
"""What makes a distance or an interval of a length before it."""
DIGITS_IN_A_ROW: Final = re.compile("[一二三四五六七八九]{2}")


def about(scan: Scan, first: int) -> Match | None:
    """A number, a joint, and a length that is a distance or an interval; or two neighbouring digits (`二三日後`)."""
    last = first if _is_two_digits(scan, first) else _second(scan, first)
    if last is None or scan.kind(last + 1) not in COUNTED:
        return None
    said, exact = scan.letters(first, last + 2), scan.letters(last, last + 2)
    message = Text(
        f"「{said}」では、どれだけの長さなのか1つに決まりません", f"“{said}” does not settle on one length of time"
    )
    return Match(last + 2, (Unclear("ambiguous_time", message, (exact,) if last > first else ()),))


def _second(scan: Scan, first: int) -> int | None:
    """The token of the second length of two: `2、|3日`, `2日か|3日`; None where there is none."""
    token = scan.token(first)
    if token.kind != "number" and token.kind not in MEASURES:
        return None
    joint = scan.kind(first + 1) in {"dash", "from", "either"}
    second = scan.token(first + 1 + joint)
    if second.kind not in MEASURES or token.kind not in {"number", second.kind}:
        return None
    joined = second.glue == "" if joint else second.glue in LIST_GLUE
    return first + 1 + joint if joined else None


def _is_two_digits(scan: Scan, first: int) -> bool:
    """`二三日`, `五六分`: two digits of which the second follows the first, said of a length."""
    token = scan.token(first)
    digits = DIGITS_IN_A_ROW.match(token.word)
    return (
        digits is not None
        and token.kind in MEASURES
        and token.number < 100
        and DIGITS[token.word[1]] - DIGITS[token.word[0]] == 1
    )
