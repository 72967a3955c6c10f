"""The Japanese words for days: tables, no logic.

Words are as `normalize` leaves them; a line lists those of one meaning.
"""

from __future__ import annotations

from typing import Final, TypeVar

from schedctl.when.model import DayClass, NamedHoliday, Offset
from schedctl.when.reading.parts import (
    Coming,
    DaysOfMonth,
    InMonth,
    NthBusinessDays,
    Part,
    Period,
    Relative,
    Repeat,
    ShortMonths,
    TimesPerUnit,
    Weekdays,
)

T = TypeVar("T")


def each(words: str, meaning: T) -> dict[str, T]:
    """All of these words (with spaces between) with one meaning."""
    return dict.fromkeys(words.split(), meaning)


def spoken(words: str) -> tuple[str, ...]:
    """These words (with spaces between)."""
    return tuple(words.split())


WEEKDAY_LETTERS: Final = {"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6}
WEEKDAYS: Final = {
    **{f"{letter}{suffix}": day for letter, day in WEEKDAY_LETTERS.items() for suffix in ("曜日", "曜")},
    **each("げつようび げつよう", 0),
    **each("かようび", 1),
    **each("すいようび すいよう", 2),
    **each("もくようび もくよう", 3),
    **each("きんようび きんよう", 4),
    **each("どようび", 5),
    **each("にちようび にちよう", 6),
}
ENGLISH_WEEKDAYS: Final = {
    **each("monday mondays mon", 0),
    **each("tuesday tuesdays tue tues", 1),
    **each("wednesday wednesdays wed", 2),
    **each("thursday thursdays thu thur thurs", 3),
    **each("friday fridays fri", 4),
    **each("saturday saturdays sat", 5),
    **each("sunday sundays sun", 6),
}

BUSINESS: Final = DayClass("business")
CLOSED: Final = DayClass("closed")
HOLIDAY: Final = DayClass("holiday")
CLASSES: Final[dict[str, DayClass]] = {
    **each("平日 営業日 稼働日 業務日 ウィークデー ウイークデー", BUSINESS),
    **each("休日 休業日 非営業日 非稼働日 定休日 公休日 お休みの日 休みの日 土日祝日 土日祝", CLOSED),
    **each("土・日・祝日 土・日・祝 土日・祝日 土日、祝日 土日と祝日", CLOSED),
    **each("土日および祝日 土日及び祝日 土曜日曜祝日", CLOSED),
    **each("祝日 祝祭日 国民の祝日 祭日", HOLIDAY),
}
BUSINESS_DAYS: Final = ("営業日", "平日", "稼働日")
"""Classes that are counted: 第3営業日."""
SETS: Final[dict[str, Weekdays]] = each("土日 週末 土曜日曜 毎週末 毎土日", Weekdays((5, 6), each=True))
EACH: Final[dict[str, Part]] = {
    **{f"毎{word}": Weekdays((day,), each=True) for word, day in WEEKDAYS.items()},
    **each("毎平日 毎営業日 全営業日 各営業日", BUSINESS),
    **each("毎休日", CLOSED),
    **each("毎祝日", HOLIDAY),
}

HOLIDAYS: Final = spoken(
    "成人の日 建国記念の日 天皇誕生日 春分の日 昭和の日 憲法記念日 みどりの日 こどもの日 海の日 山の日 敬老の日 "
    "秋分の日 スポーツの日 文化の日 勤労感謝の日 振替休日"
)
NEW_YEAR: Final = (InMonth((1,)), DaysOfMonth((1,)))
NEW_YEARS_EVE: Final = (InMonth((12,)), DaysOfMonth((31,)))
NAMED_DAYS: Final[dict[str, tuple[Part, ...]]] = {
    **{name: (NamedHoliday(name),) for name in HOLIDAYS},
    **each("建国記念日", (NamedHoliday("建国記念の日"),)),
    **each("子供の日 子どもの日", (NamedHoliday("こどもの日"),)),
    **each("緑の日", (NamedHoliday("みどりの日"),)),
    **each("日祝 日祝日 日曜祝日 日・祝 日・祝日", (Weekdays((6,), each=True), HOLIDAY)),
    **each("祝前日 祝日前日", (HOLIDAY, Offset(-1))),
    **each("奇数日", (DaysOfMonth(tuple(range(1, 32, 2)), each=True), ShortMonths("leave_out"))),
    **each("偶数日", (DaysOfMonth(tuple(range(2, 31, 2)), each=True), ShortMonths("leave_out"))),
    **each("元日 元旦", NEW_YEAR),
    **each("大晦日 大みそか おおみそか", NEW_YEARS_EVE),
    **each("クリスマスイブ", (InMonth((12,)), DaysOfMonth((24,)))),
    **each("クリスマス", (InMonth((12,)), DaysOfMonth((25,)))),
}

REPEATS: Final[dict[str, Part]] = {
    **each("週一で 週1で 週一ペースで 週1ペースで", TimesPerUnit("week", 1)),
    **each("月一で 月1で 月一ペースで 月1ペースで", TimesPerUnit("month", 1)),
    **each("毎日 まいにち マイニチ 日々 連日 日次で デイリーで", Repeat("day")),
    **each("毎週 まいしゅう 各週 週ごと 週毎 週次で", Repeat("week")),
    **each("毎月 まいつき 各月 月ごと 月毎 月々 月次で", Repeat("month")),
    **each("毎年 まいとし まいねん 各年 年ごと 年毎 年次で 例年 毎年度", Repeat("year")),
    **each("隔日", Repeat("day", 2)),
    **each("隔週", Repeat("week", 2)),
    **each("隔月", Repeat("month", 2)),
    **each("隔年", Repeat("year", 2)),
    **each("半年ごと 半年毎 半年に1回 半年に一回 半年に1度 半年に一度", Repeat("month", 6)),
}
RELATIVES: Final[dict[str, Part]] = {
    **each("今日 本日 きょう", Relative("day", 0)),
    **each("明日 あした あす みょうにち", Relative("day", 1)),
    **each("明後日 あさって みょうごにち", Relative("day", 2)),
    **each("明々後日 明明後日 しあさって", Relative("day", 3)),
    **each("昨日 きのう さくじつ 前夜 昨夜 昨晩 ゆうべ 一昨日 おととい 一昨夜", Relative("day", -1)),
    **each("今週", Relative("week", 0)),
    **each("来週 翌週 次週", Relative("week", 1)),
    **each("再来週 さ来週 翌々週", Relative("week", 2)),
    **each("先週 前週 先々週 昨週", Relative("week", -1)),
    **each("今月 当月", Relative("month", 0)),
    **each("来月 翌月 次月", Relative("month", 1)),
    **each("再来月 さ来月 翌々月", Relative("month", 2)),
    **each("先月 前月 先々月 昨月", Relative("month", -1)),
    **each("半年後", Relative("month", 6, later=True)),
    **each("今年 本年 ことし", Relative("year", 0)),
    **each("来年 翌年 明年", Relative("year", 1)),
    **each("再来年 さ来年", Relative("year", 2)),
    **each("昨年 去年 前年 一昨年 おととし 前年度 昨年度", Relative("year", -1)),
    **each("今度 次 次回 来たる きたる", Coming()),
}

LAST_DAY: Final = DaysOfMonth((-1,), each=True)
FIRST_DAY: Final = DaysOfMonth((1,), each=True)
QUARTER_END: Final = InMonth((3, 6, 9, 12), each=True)
QUARTER_START: Final = InMonth((1, 4, 7, 10), each=True)
HALF_END: Final = InMonth((3, 9), each=True)
HALF_START: Final = InMonth((4, 10), each=True)
YEAR_END: Final = InMonth((3,), each=True)
YEAR_START: Final = InMonth((4,), each=True)
ENDS: Final[dict[str, tuple[Part, ...]]] = {
    **each("末日 月末日 月末 月の末日 月の最終日 月の最後の日 月の終わり 晦日 最終日 月末最終日", (LAST_DAY,)),
    **each("月初 月初め 月はじめ 月始め 月頭 月初日 月の初日 月の最初の日 初日 朔日 ついたち", (FIRST_DAY,)),
    **each(
        "四半期末 四半期末日 四半期の末日 四半期最終日 四半期の最終日 四半期の終わり 毎四半期末 各四半期末 "
        "毎四半期末日 各四半期末日 四半期の末 四半期の最後の日",
        (QUARTER_END, LAST_DAY),
    ),
    **each(
        "四半期初 四半期初め 四半期の初日 四半期初日 四半期始め 四半期の最初の日 四半期頭 毎四半期初め 各四半期初め "
        "四半期の初め 四半期のはじめ 四半期の始め 四半期の頭",
        (QUARTER_START, FIRST_DAY),
    ),
    **each("半期末 半期末日 半期の末日 半期の最終日 毎半期末 各半期末 毎半期末日 各半期末日", (HALF_END, LAST_DAY)),
    **each("半期初 半期初め 半期の初日 半期初日 毎半期初め 各半期初め", (HALF_START, FIRST_DAY)),
    **each("上期末 上半期末 上期の末日", (InMonth((9,), each=True), LAST_DAY)),
    **each(
        "下期末 下半期末 下期の末日 年度末 年度末日 年度の末日 年度の最終日 年度最終日 毎年度末 毎年度末日 "
        "毎年度の末日 毎年度最終日 毎年度の最終日 年度の終わり 年度の最後の日",
        (YEAR_END, LAST_DAY),
    ),
    **each("下期初 下期初め 下期の初日", (InMonth((10,), each=True), FIRST_DAY)),
    **each(
        "年度初 年度初め 年度はじめ 年度始め 年度頭 年度の初日 年度初日 毎年度初め 毎年度の初日 年度の初め "
        "年度のはじめ 年度の始め 年度の最初の日",
        (YEAR_START, FIRST_DAY),
    ),
    **each("上期初 上期初め 上期の初日", (YEAR_START, FIRST_DAY)),
    **each("月初営業日 月の最初の営業日", (NthBusinessDays((1,)),)),
    **each("月末営業日 月の最後の営業日 月の最終営業日", (NthBusinessDays((-1,)),)),
    **each("週初営業日 週の最初の営業日 週初めの営業日 週明け営業日 週明けの営業日", (NthBusinessDays((1,), "week"),)),
    **each("週末営業日 週の最後の営業日 週の最終営業日 週末の営業日", (NthBusinessDays((-1,), "week"),)),
}
MONTHS: Final[dict[str, Part]] = {
    **each("奇数月 毎奇数月", InMonth((1, 3, 5, 7, 9, 11), each=True)),
    **each("偶数月 毎偶数月", InMonth((2, 4, 6, 8, 10, 12), each=True)),
}
QUARTERS: Final = spoken(
    "毎四半期 各四半期 四半期ごと 四半期毎 四半期 四半期に1回 四半期に一度 四半期に1度 四半期に一回"
)
HALVES: Final = spoken("毎半期 各半期 半期ごと 半期毎 半期")
VAGUE_DAYS: Final = spoken(
    "上旬 中旬 下旬 月央 半ば 中頃 年末年始 年末 年始 お盆 ゴールデンウィーク 週明け 週初め 週初 週はじめ 週半ば "
    "連休 連休明け 連休中 今年度 来年度 大型連休 五十日 ゴトー日 前半 後半 決算日 休み明け 休日明け 祝日明け 休前日 "
    "新年度 "
    "連休前 連休初日 連休最終日 給料日 締め日 締日 夏休み 冬休み 春休み 期末 期初 うるう年 閏年 大の月 小の月 "
    "奇数週 偶数週 今期 来期 翌期 次期 仕事納め 仕事始め 御用納め 御用始め gw明け gw中 gw前 ゴールデンウイーク "
    "シルバーウィーク 大安 仏滅 友引 満月 新月"
)

THIS_YEAR: Final = Relative("year", 0)
THIS_MONTH: Final = Relative("month", 0)
THIS_WEEK: Final = Relative("week", 0)
NEXT_YEAR: Final = Relative("year", 1)
NEXT_MONTH: Final = Relative("month", 1)
NEXT_WEEK: Final = Relative("week", 1)
TODAY: Final = Relative("day", 0)
PERIODS: Final[dict[str, Part]] = {
    **each("年内 年内いっぱい 今年中 今年いっぱい 年末まで 本年中", Period(until=(THIS_YEAR,))),
    **each(
        "今年度中 今年度内 年度内 今年度いっぱい 本年度中 本年度内",
        Period(until=(InMonth((3,)), DaysOfMonth((-1,)))),
    ),
    **each("今月中 今月いっぱい 当月中 月内 月内いっぱい", Period(until=(THIS_MONTH,))),
    **each("今週中 今週いっぱい 週内 週内いっぱい", Period(until=(THIS_WEEK,))),
    **each("来年中 来年いっぱい", Period((NEXT_YEAR,), (NEXT_YEAR,))),
    **each("来月中 来月いっぱい", Period((NEXT_MONTH,), (NEXT_MONTH,))),
    **each("来週中 来週いっぱい", Period((NEXT_WEEK,), (NEXT_WEEK,))),
    **each("半年間", Period(months=6)),
    **each("今日中 本日中", Period((TODAY,), (TODAY,))),
}

OFFSETS: Final[dict[str, tuple[int, bool]]] = {
    **each("前日 前の日", (-1, False)),
    **each("翌日 次の日", (1, False)),
    **each("前々日", (-2, False)),
    **each("翌々日", (2, False)),
    **each("前営業日 前の営業日 直前の営業日 直前営業日 一つ前の営業日 前の平日 直前の平日 前平日", (-1, True)),
    **each("翌営業日 次の営業日 次営業日 直後の営業日 直後営業日 後営業日 次の平日 翌平日 直後の平日", (1, True)),
    **each("前々営業日", (-2, True)),
    **each("翌々営業日", (2, True)),
}
"""Days counted from another, and whether in business days."""
