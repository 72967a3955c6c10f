"""Japanese words of time that no recogniser read: beside a part they are a refusal, never silently the work's.

`毎日9時の2時間前`, `毎月15日頃の9時`, `棚卸日なら`: whoever writes them means something by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import CLOSE_GLUE, LIST_GLUE, Mark, Piece, Scan
from schedctl.when.japanese.words import SHIFTS
from schedctl.when.japanese.words_days import spoken
from schedctl.when.japanese.words_times import HOURS
from schedctl.when.reading.parts import Clock, Hourly, Later, Step, Unclear

if TYPE_CHECKING:
    from schedctl.when.japanese.tokens import Token

TIME_PARTS: Final = (Clock, Hourly, Step, Later)
Glue = frozenset[str]
NOWHERE: Final[Glue] = frozenset()
AT_ONCE: Final[Glue] = frozenset(("",))
LOOSELY: Final[Glue] = frozenset(("", "の", "、"))
AHEAD: Final[Glue] = frozenset(("", "の", "、", "に", "に、", "は", "は、"))
LENGTHS: Final = spoken("days weeks months years year business_days")
TOUCHING: Final[dict[str, tuple[Glue, Glue]]] = {
    **dict.fromkeys(spoken("half after day era"), (CLOSE_GLUE, NOWHERE)),
    **dict.fromkeys(spoken("minute minutes hours"), (CLOSE_GLUE, AT_ONCE)),
    **dict.fromkeys(LENGTHS, (CLOSE_GLUE, AHEAD)),
    **dict.fromkeys(spoken("every gap"), (CLOSE_GLUE, AHEAD)),
    **dict.fromkeys(spoken("about condition no_such_day bare_end bare_start"), (AT_ONCE, NOWHERE)),
    **dict.fromkeys(spoken("offset next nth last first"), (NOWHERE, CLOSE_GLUE)),
    "ordinal": (NOWHERE, CLOSE_GLUE | LIST_GLUE),
    "times": (NOWHERE, LOOSELY),
    "part_of_day": (CLOSE_GLUE, CLOSE_GLUE),
}
"""Kinds that could be time, each with the glue after a part and before one that makes it part of the schedule.

`9時に|第2世代のバックアップ`: an ordinal belongs to what follows it, if to anything of the schedule.
"""
UNREAD: Final = frozenset((*TOUCHING, "number", "before", "shift"))
THOUGHTS: Final = frozenset(("、", ",", "に、", "も、", ";"))
"""Glue behind which a new thought may begin: `9時、10の項目を確認`."""
COMES: Final = spoken("になったら になれば")
"""`9時になったら`: no condition, but another に."""
LONE_SHIFTS: Final = frozenset(word for word, way in SHIFTS.items() if way != "skip")


def mark_unread(scan: Scan) -> None:
    """Put an `Unclear` at each unread word of time that touches a part."""
    if not scan.unread:
        return
    starts = {piece.start for piece in scan.pieces if piece.part not in {Mark("either"), Mark("only")}}
    ends = {piece.end for piece in scan.pieces if not isinstance(piece.part, Mark)}
    timed = any(isinstance(piece.part, TIME_PARTS) for piece in scan.pieces)
    for index in scan.unread:
        token = scan.tokens[index]
        if _touches(scan, index, token, starts, ends):
            scan.pieces.append(Piece(_unread(token, timed=timed), token.start, token.end, ""))
    scan.pieces.sort(key=lambda piece: (piece.start, piece.end))


def _unread(token: Token, *, timed: bool) -> Unclear:
    if token.kind == "part_of_day" and not timed:
        message = Text(
            f"「{token.word}」だけでは、何時に実行するかが決まりません", f"“{token.word}” alone is no time of day"
        )
        return Unclear("no_time", message, tuple(f"{token.word}{hour}時に" for hour in HOURS[token.word])[:2])
    message = Text(
        f"「{token.word}」が予定のどの部分なのか読み取れません",
        f"It is not certain how “{token.word}” belongs to the schedule",
    )
    return Unclear("ambiguous_time", message, ("",) if token.kind == "about" else ())


def _touches(scan: Scan, index: int, token: Token, starts: set[int], ends: set[int]) -> bool:
    """Whether the token stands right beside a part, so that it cannot be the work's."""
    behind = index > 0 and scan.tokens[index - 1].end in ends
    letter = scan.text[token.end : token.end + 1]
    match token.kind:
        case "number":
            before, after = behind and token.glue in CLOSE_GLUE, _is_before(scan, index + 1, starts, CLOSE_GLUE)
            listed = behind and token.glue in LIST_GLUE
            if listed and (after or (token.glue not in THOUGHTS and letter in {"に", "の"})):
                return True  # `12/5と6の3時`
            return before and (after or (token.glue == "" and letter in {"に", "の", "、"}))
        case "shift":
            return _is_lone_shift(scan, index, token)
        case "condition" if token.word in COMES:
            return False
        case "before":
            return behind and token.glue in CLOSE_GLUE and _is_before(scan, index + 1, starts, CLOSE_GLUE)
        case "minute" if letter == "に" and behind and token.glue in AHEAD:
            return True
        case _:
            glue_behind, glue_ahead = TOUCHING[token.kind]
            if behind and token.glue in glue_behind:
                return True
            if index > 0 and scan.tokens[index - 1].kind == "look_back":
                return False
            cut_off = token.start == 0 or token.kind not in {"every", "gap"}  # `ノードごとに|毎日9時に…` is of the work
            return cut_off and any(_is_before(scan, at, starts, glue_ahead) for at in _next(scan, index, token))


def _is_before(scan: Scan, index: int, starts: set[int], glue: Glue) -> bool:
    following = scan.token(index)
    return following.start in starts and following.glue in glue


def _next(scan: Scan, index: int, token: Token) -> tuple[int, ...]:
    """The token after this one, or after what belongs to it: `第|2`, `3日|前`."""
    following = scan.token(index + 1)
    if token.kind == "ordinal":
        return (index + 1, index + 2) if following.glue == "" else (index + 1,)
    return (index + 1 + (token.kind in LENGTHS and following.kind in {"before", "after"}),)


def _is_lone_shift(scan: Scan, index: int, token: Token) -> bool:
    """`毎月25日の9時、前倒しで…`: the words of a shift that nothing binds; `前倒しの予定` is of the work."""
    if token.word not in LONE_SHIFTS or not index or token.glue in {None, "に", "を"}:
        return False
    return scan.text[token.end : token.end + 1] in {"", "で", ")", "、", "。", "に", " "}
