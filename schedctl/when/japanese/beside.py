"""Words right beside a timing that weaken it: `たぶん|明日9時に`, `9時|前に`, `日曜の|どれか`, `…、しばらく`.

They stand in no list of words of time, since elsewhere they belong to the work (`9時に、おおむね正常か確認`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import Mark, Piece, Scan
from schedctl.when.reading.parts import Clock, DaysOfMonth, Hourly, InZone, OnCalendar, Step, Unclear, Window

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES: Final = (Clock, Step, Hourly, Window)
BEFORE: Final = re.compile(
    r"(?:早ければ|早くて(?:も)?|遅くと(?:も)?|遅くて(?:も)?|遅ければ|最短で?|最速で?|最遅で?|たぶん|多分|おそらく|恐らく|おおむね|概ね"
    r"|ざっくり|きっと|できたら|出来たら|もしかしたら|もしかすると|ひょっとしたら|おおかた|ほぼ|ざっと|なんとなく|何となく|理想は|希望は"
    r"|(?:都合|調子|タイミング)(?:の|が)(?:よい|良い|いい|つく)|空いて(?:い)?る|暇な|好きな|適当な|任意の|いずれかの|どれかの|どこかの"
    r"|(?:これから|今から|いまから|向こう|この先|今後|この後)[0-9一二三四五六七八九十]+(?:時間|分)間?(?:は|の間は?|だけ)?"
    r"|[^、。\s0-9]{1,12}[るむうくすつぬぶぐ]まで(?:は|ずっと|の間は?)?"
    r"|(?:当面|当分|しばらく|暫く)(?:の)?(?:間)?は?|(?<![^、。\s])毎[^\s、。回度次秒]?)[、,\s]*$"
)
"""What stands before a time or a day and says that it is none for certain."""
ALTERNATING: Final = re.compile(r"(?:^|[、。\s])中$")
"""`中|2日で`: two days between."""
TENTATIVE: Final = re.compile(
    r"\s*\((?:仮|予定|暫定|未定|案|要[^)]{0,6}|たぶん|多分|目安|前後|[^)]{0,4}頃|\?)\)"
    r"|\s*\(?\?+\)?(?=[にの、はで0-9])"
    r"|\s*(?:開始)?(?:予定|希望)(?=[にでのだ、]|$)"
)
"""What stands behind a day or a time and says that it is not settled yet."""
BLURS: Final = re.compile(
    r"\s*の?(?:(?:ちょい|ちょっと|少し|すこし|少々|やや|若干|ちょいと)(?:前|まえ|過ぎ|すぎ|後|あと)?|直[前後]|前|まえ|後|あと|近く|近辺|周辺|手前|[弱強])(?=[に、はでのくぐ)]|$)"
    r"|\s*[をが]?(?:(?:目安|目処|目途|めど|メド|目標|中心|期限|締め?切り?|〆切?|必着|限度|上限|ピーク)(?=[にではとだ、)]|$)|めがけ|目がけ|目掛け|目指し|めざし)"
    r"|(?:とか|なりに?|でもいい)|より(?:も)?(?:あと|まえ)|(?:遅くと?も|たぶん|多分|おそらく|恐らく|おおむね|概ね)"
    r"|以前に?|±|を避け|(?:まで)?に(?:は)?(?:終わ|終え|完了|間に合|済ま|済む|済ん|仕上)[^、。]{0,8}?(?:よう|こと)"
    r"|\s*\(?(?:±|\+/?-)\s*[0-9]+(?:分|時間)?"
)
"""What stands behind a time of day and blurs it."""
UNKNOWN_CLOCK: Final = re.compile(
    r"(?:\s*\([^\s()、。0-9に]{2,10}(?:時間|標準時)\)|[^\s()、。0-9に]{2,10}(?:時間|標準時)(?=[に、はで]|$))"
)
"""`9時|（火星時間）に`: what names a clock that nobody here knows."""
SINCE: Final = re.compile(r"[^\s、。()0-9]{1,8}から[、,\s]*$")
"""`始業|から|1時間おきに`: a step that begins at no time of the clock."""
AFTER_DAYS: Final = re.compile(
    r"(?:を|で|に)?(?:交互|順番に|順繰り|交代|代わる代わる|持ち回り)|の?(?:うちの?)?(?:どこか|どれか|いずれか|どちらか|どっちか|いつか|何日か|何回か)"
)
LEADING_CLOCK: Final = re.compile(r"^[ァ-ヶー一-龠a-z]{2,10}(?:時間|標準時)(?:では|で|の|は)?[、:\s]*$")
AT_END: Final = re.compile(
    r"(?:[、。,(\s]|して|する)(?P<said>(?:とりあえず|取り敢えず|ひとまず|まずは?|一旦|いったん)?"
    r"(?:(?:しばらく|暫く|当面|当分)(?:の)?間?|[0-9一二三四五六七八九十]+(?:日間?|週間?|[かヶケカ]月間?|年間?|回)(?:ほど|程度|くらい|ぐらい)?(?:だけ)?))"
    r"(?:は|です|で|お願いします)?[)。\s]*$"
)
"""A limit that ends the sentence: for how long, or how many times?"""


def mark_beside(scan: Scan) -> None:
    """Put an `Unclear` at each such word beside a timing, and at a limit that ends the sentence."""
    found = [*_beside(scan), *_limits(scan)]
    if found:
        scan.pieces.extend(found)
        scan.pieces.sort(key=lambda piece: (piece.start, piece.end))


def _beside(scan: Scan) -> Iterator[Piece]:
    behind = 0
    for piece in scan.pieces:
        if not isinstance(piece.part, Mark | InZone | OnCalendar | Unclear):
            for doubt in (_ahead(scan.text, behind, piece), _after(scan.text, piece)):
                if doubt is not None and not _is_read(scan, doubt.start, doubt.end):
                    yield doubt
            behind = max(behind, piece.end)


def _ahead(text: str, behind: int, piece: Piece) -> Piece | None:
    """The doubt in the words right before a part."""
    hedge = BEFORE.search(text, behind, piece.start)
    if hedge is not None:
        return _doubt(text, hedge.start(), piece.start, ("",))
    clock = LEADING_CLOCK.search(text, behind, piece.start)
    if clock is not None:
        return _whose_clock(text, clock.start(), clock.end())
    since = SINCE.search(text, behind, piece.start) if isinstance(piece.part, Step) else None
    if since is not None:
        return _doubt(text, since.start(), piece.start)
    if isinstance(piece.part, DaysOfMonth) and text.startswith("で", piece.end):
        between = ALTERNATING.search(text, behind, piece.start)
        return None if between is None else _doubt(text, piece.start - 1, piece.start)
    return None


def _after(text: str, piece: Piece) -> Piece | None:
    """The doubt in the words right behind a part."""
    open_ = TENTATIVE.match(text, piece.end)
    if open_ is not None:
        return _doubt(text, open_.start(), open_.end(), ("",))
    if not isinstance(piece.part, TIMES):
        one = AFTER_DAYS.match(text, piece.end)
        return None if one is None else _doubt(text, one.start(), one.end())
    blur = BLURS.match(text, piece.end)
    if blur is not None:
        return _doubt(text, blur.start(), blur.end(), ("",))
    clock = UNKNOWN_CLOCK.match(text, piece.end)
    return None if clock is None else _whose_clock(text, clock.start(), clock.end())


def _limits(scan: Scan) -> Iterator[Piece]:
    ends = AT_END.search(scan.text)
    if ends is not None and scan.pieces and not _is_read(scan, ends.start("said"), ends.end("said")):
        yield _limit(scan.text, ends.start("said"), ends.end("said"))


def _is_read(scan: Scan, start: int, end: int) -> bool:
    parts = (piece for piece in scan.pieces if not isinstance(piece.part, Mark))
    return any(piece.start < end and start < piece.end for piece in parts)


def _doubt(text: str, start: int, end: int, choices: tuple[str, ...] = ()) -> Piece:
    said = text[start:end].strip(" 、,")
    message = Text(
        f"「{said}」が付いていると、いつ実行するかが1つに決まりません",
        f"With “{said}” beside it the time is not settled",
    )
    advice = Text(
        "確かな日時だけを書いてください（作業のことなら、日時から離して書いてください）",
        "Write the exact time (or, if the word is of the work, write it apart from the time)",
    )
    return Piece(Unclear("ambiguous_time", message, choices, advice), start, end, None)


def _whose_clock(text: str, start: int, end: int) -> Piece:
    said = text[start:end].strip(" 、:()のでは")
    message = Text(f"「{said}」がどの地域の時計なのか分かりません", f"It is not known which clock “{said}” is")
    advice = Text("Asia/Tokyo のような IANA の名前で書いてください", "Write an IANA name such as Asia/Tokyo")
    return Piece(Unclear("ambiguous_time", message, advice=advice), start, end, None)


def _limit(text: str, start: int, end: int) -> Piece:
    said = text[start:end]
    number = re.search(r"[0-9]+回", said)
    message = Text(
        f"文の終わりの「{said}」が予定の期限や回数なのか、作業のことなのか決められません",
        f"It is not certain whether “{said}” at the end limits the schedule or belongs to the work",
    )
    advice = Text(
        "期限なら 12月31日まで、回数なら 全10回 のように書いてください",
        "Write a limit as 12月31日まで (a last day) or 全10回 (a number of runs)",
    )
    choices = (f"全{number.group()}",) if number else ()
    return Piece(Unclear("ambiguous_time", message, choices, advice), start, end, None)
