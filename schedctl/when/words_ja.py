"""The words of Japanese schedules: tables, no logic. `tokens.py` finds them, the `*_ja.py` modules say what they do.

Every word has one kind (`KINDS`); where a word is already a part, `PARTS` says which. All words are written as
`normalize` leaves them: half-width, lower case, `~` and `-` for every kind of tilde and dash.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from schedctl.when.model import DayClass, NamedHoliday
from schedctl.when.parts import (
    Coming,
    DaysOfMonth,
    InMonth,
    NthBusinessDays,
    Part,
    Period,
    Relative,
    Repeat,
    Weekdays,
)

WEEKDAY_LETTERS: Final = {"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6}
WEEKDAYS: Final = {
    **{f"{letter}{suffix}": day for letter, day in WEEKDAY_LETTERS.items() for suffix in ("曜日", "曜")},
    **{
        f"{name}曜{suffix}": day
        for day, name in enumerate(("げつ", "か", "すい", "もく", "きん", "ど", "にち"))
        for suffix in ("日", "び", "")
        if name not in ("か", "ど")
    },
}
ENGLISH_WEEKDAYS: Final = {
    name + plural: day
    for day, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tue", "tues"),
            ("wednesday", "wed"),
            ("thursday", "thu", "thur", "thurs"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in names
    for plural in (("", "s") if name.endswith("day") else ("",))
}

BUSINESS: Final = DayClass("business")
CLOSED: Final = DayClass("closed")
HOLIDAY: Final = DayClass("holiday")
CLASSES: Final[dict[str, Part]] = {
    **dict.fromkeys(("平日", "営業日", "稼働日", "業務日", "ウィークデー", "ウイークデー"), BUSINESS),
    **dict.fromkeys(
        ("休日", "休業日", "非営業日", "非稼働日", "定休日", "お休みの日", "休みの日", "土日祝日", "土日祝"), CLOSED
    ),
    **dict.fromkeys(
        (
            "土・日・祝日",
            "土・日・祝",
            "土日・祝日",
            "土日、祝日",
            "土日と祝日",
            "土日および祝日",
            "土日及び祝日",
            "土曜日曜祝日",
        ),
        CLOSED,
    ),
    **dict.fromkeys(("祝日", "祝祭日", "国民の祝日", "祭日"), HOLIDAY),
}
SETS: Final[dict[str, Part]] = {
    **dict.fromkeys(("土日", "週末", "土曜日曜"), Weekdays((5, 6), each=True)),
    **dict.fromkeys(("毎週末", "毎土日"), Weekdays((5, 6), each=True)),
}
EACH: Final[dict[str, Part]] = {
    **{f"毎{word}": Weekdays((day,), each=True) for word, day in WEEKDAYS.items()},
    **dict.fromkeys(("毎平日", "毎営業日", "全営業日", "各営業日"), BUSINESS),
    **dict.fromkeys(("毎休日",), CLOSED),
    **dict.fromkeys(("毎祝日",), HOLIDAY),
}

HOLIDAYS: Final = (
    "成人の日",
    "建国記念の日",
    "天皇誕生日",
    "春分の日",
    "昭和の日",
    "憲法記念日",
    "みどりの日",
    "こどもの日",
    "海の日",
    "山の日",
    "敬老の日",
    "秋分の日",
    "スポーツの日",
    "文化の日",
    "勤労感謝の日",
    "振替休日",
)
NAMED_DAYS: Final[dict[str, tuple[Part, ...]]] = {
    **{name: (NamedHoliday(name),) for name in HOLIDAYS},
    "元日": (InMonth((1,)), DaysOfMonth((1,))),
    "元旦": (InMonth((1,)), DaysOfMonth((1,))),
    "建国記念日": (NamedHoliday("建国記念の日"),),
    "子供の日": (NamedHoliday("こどもの日"),),
    "子どもの日": (NamedHoliday("こどもの日"),),
    "緑の日": (NamedHoliday("みどりの日"),),
    "大晦日": (InMonth((12,)), DaysOfMonth((31,))),
    "大みそか": (InMonth((12,)), DaysOfMonth((31,))),
    "おおみそか": (InMonth((12,)), DaysOfMonth((31,))),
    "クリスマスイブ": (InMonth((12,)), DaysOfMonth((24,))),
    "クリスマス": (InMonth((12,)), DaysOfMonth((25,))),
}

REPEATS: Final[dict[str, Part]] = {
    **dict.fromkeys(("毎日", "まいにち", "マイニチ", "日々", "連日", "日次で", "デイリーで"), Repeat("day")),
    **dict.fromkeys(("毎週", "まいしゅう", "各週", "週ごと", "週毎", "週次で"), Repeat("week")),
    **dict.fromkeys(("毎月", "まいつき", "各月", "月ごと", "月毎", "月々", "月次で"), Repeat("month")),
    **dict.fromkeys(
        ("毎年", "まいとし", "まいねん", "各年", "年ごと", "年毎", "年次で", "例年", "毎年度"), Repeat("year")
    ),
    "隔日": Repeat("day", 2),
    "隔週": Repeat("week", 2),
    "隔月": Repeat("month", 2),
    "隔年": Repeat("year", 2),
    **{f"半年{every}": Repeat("month", 6) for every in ("ごと", "毎", "に1回", "に一回", "に1度", "に一度", "おき")},
}
RELATIVES: Final[dict[str, Part]] = {
    **dict.fromkeys(("今日", "本日", "きょう"), Relative("day", 0)),
    **dict.fromkeys(("明日", "あした", "あす", "みょうにち"), Relative("day", 1)),
    **dict.fromkeys(("明後日", "あさって", "明後", "みょうごにち"), Relative("day", 2)),
    **dict.fromkeys(("明々後日", "明明後日", "しあさって"), Relative("day", 3)),
    **dict.fromkeys(
        ("昨日", "きのう", "さくじつ", "前夜", "昨夜", "昨晩", "ゆうべ", "一昨日", "おととい", "一昨夜"),
        Relative("day", -1),
    ),
    **dict.fromkeys(("今週",), Relative("week", 0)),
    **dict.fromkeys(("来週", "翌週", "次週"), Relative("week", 1)),
    **dict.fromkeys(("再来週", "さ来週", "翌々週"), Relative("week", 2)),
    **dict.fromkeys(("先週", "前週", "先々週", "昨週"), Relative("week", -1)),
    **dict.fromkeys(("今月", "当月"), Relative("month", 0)),
    **dict.fromkeys(("来月", "翌月", "次月"), Relative("month", 1)),
    **dict.fromkeys(("再来月", "さ来月", "翌々月"), Relative("month", 2)),
    **dict.fromkeys(("先月", "前月", "先々月", "昨月"), Relative("month", -1)),
    **dict.fromkeys(("今年", "本年", "ことし"), Relative("year", 0)),
    **dict.fromkeys(("来年", "翌年", "明年"), Relative("year", 1)),
    **dict.fromkeys(("再来年", "さ来年"), Relative("year", 2)),
    **dict.fromkeys(("昨年", "去年", "前年", "一昨年", "おととし"), Relative("year", -1)),
    **dict.fromkeys(("今度", "次"), Coming()),
}

ENDS: Final[dict[str, tuple[Part, ...]]] = {
    **dict.fromkeys(
        (
            "末日",
            "月末日",
            "月末",
            "月の末日",
            "月の最終日",
            "月の最後の日",
            "月の終わり",
            "晦日",
            "最終日",
            "月末最終日",
        ),
        (DaysOfMonth((-1,), each=True),),
    ),
    **dict.fromkeys(
        (
            "月初",
            "月初め",
            "月はじめ",
            "月始め",
            "月頭",
            "月初日",
            "月の初日",
            "月の最初の日",
            "初日",
            "朔日",
            "ついたち",
        ),
        (DaysOfMonth((1,), each=True),),
    ),
    **dict.fromkeys(
        (
            "四半期末",
            "四半期末日",
            "四半期の末日",
            "四半期最終日",
            "四半期の最終日",
            "毎四半期末",
            "各四半期末",
            "毎四半期の末日",
            "四半期ごとの末日",
            "四半期毎の末日",
            "各四半期の末日",
            "各四半期の最終日",
            "四半期ごとの最終日",
            "四半期の終わり",
            "クォーター末",
        ),
        (InMonth((3, 6, 9, 12), each=True), DaysOfMonth((-1,), each=True)),
    ),
    **dict.fromkeys(
        (
            "四半期初",
            "四半期初め",
            "四半期の初日",
            "四半期初日",
            "四半期始め",
            "各四半期の初日",
            "毎四半期の初日",
            "毎四半期初",
            "毎四半期初日",
            "四半期ごとの初日",
            "四半期の最初の日",
            "四半期の頭",
            "四半期頭",
        ),
        (InMonth((1, 4, 7, 10), each=True), DaysOfMonth((1,), each=True)),
    ),
    **dict.fromkeys(
        ("半期末", "半期末日", "半期の末日", "毎半期末", "各半期末", "半期ごとの末日", "半期の最終日", "各半期の末日"),
        (InMonth((3, 9), each=True), DaysOfMonth((-1,), each=True)),
    ),
    **dict.fromkeys(
        ("半期初", "半期初め", "半期の初日", "半期初日", "毎半期の初日", "各半期の初日", "半期ごとの初日", "毎半期初"),
        (InMonth((4, 10), each=True), DaysOfMonth((1,), each=True)),
    ),
    **dict.fromkeys(("上期末", "上半期末"), (InMonth((9,), each=True), DaysOfMonth((-1,), each=True))),
    **dict.fromkeys(
        ("下期末", "下半期末", "年度末", "年度末日", "年度の末日", "毎年度末", "年度の最終日", "年度最終日", "決算日"),
        (InMonth((3,), each=True), DaysOfMonth((-1,), each=True)),
    ),
    **dict.fromkeys(("下期初", "下期初め", "下期の初日"), (InMonth((10,), each=True), DaysOfMonth((1,), each=True))),
    **dict.fromkeys(
        (
            "年度初",
            "年度初め",
            "年度はじめ",
            "年度始め",
            "年度頭",
            "年度の初日",
            "年度初日",
            "毎年度初め",
            "上期初",
            "上期初め",
            "上期の初日",
            "新年度",
        ),
        (InMonth((4,), each=True), DaysOfMonth((1,), each=True)),
    ),
    **dict.fromkeys(("年初", "年始め", "年の初め", "年頭"), (InMonth((1,), each=True), DaysOfMonth((1,), each=True))),
    **dict.fromkeys(
        ("月初営業日", "月の最初の営業日", "月初の営業日", "月初め営業日", "月初の最初の営業日"),
        (NthBusinessDays((1,)),),
    ),
    **dict.fromkeys(
        (
            "月末営業日",
            "月の最後の営業日",
            "月末の営業日",
            "月末最終営業日",
            "月の最終営業日",
            "月末の最終営業日",
            "月末の最後の営業日",
        ),
        (NthBusinessDays((-1,)),),
    ),
    **dict.fromkeys(
        ("週初営業日", "週の最初の営業日", "週初めの営業日", "週明け営業日", "週明けの営業日"),
        (NthBusinessDays((1,), "week"),),
    ),
    **dict.fromkeys(
        ("週末営業日", "週の最後の営業日", "週の最終営業日", "週末の営業日"), (NthBusinessDays((-1,), "week"),)
    ),
}
QUARTER_END: Final = InMonth((3, 6, 9, 12), each=True)
QUARTER_START: Final = InMonth((1, 4, 7, 10), each=True)
QUARTERS: Final = (
    "毎四半期",
    "各四半期",
    "四半期ごと",
    "四半期毎",
    "四半期",
    "四半期に1回",
    "四半期に一度",
    "四半期に1度",
    "四半期に一回",
)
HALVES: Final = ("毎半期", "各半期", "半期ごと", "半期毎", "半期")

PERIODS: Final[dict[str, Part]] = {
    **dict.fromkeys(("年内", "今年中", "今年いっぱい", "年末まで", "本年中"), Period(until=(Relative("year", 0),))),
    **dict.fromkeys(("今月中", "今月いっぱい", "当月中", "月内"), Period(until=(Relative("month", 0),))),
    **dict.fromkeys(("今週中", "今週いっぱい", "週内"), Period(until=(Relative("week", 0),))),
    **dict.fromkeys(("来月中", "来月いっぱい"), Period((Relative("month", 1),), (Relative("month", 1),))),
    **dict.fromkeys(("来週中", "来週いっぱい"), Period((Relative("week", 1),), (Relative("week", 1),))),
    **dict.fromkeys(("来年中", "来年いっぱい"), Period((Relative("year", 1),), (Relative("year", 1),))),
    **dict.fromkeys(("今日中", "本日中"), Period((Relative("day", 0),), (Relative("day", 0),))),
}

Hours = dict[int, int]
SAME: Final = {hour: hour for hour in range(30)}


def _same(first: int, last: int) -> Hours:
    return {hour: SAME[hour] for hour in range(first, last + 1)}


def _later(first: int, last: int) -> Hours:
    """Hours of a twelve-hour clock after noon."""
    return {hour: hour + 12 for hour in range(first, last + 1)}


MORNING: Final = _same(0, 11)
AFTERNOON: Final = _later(0, 11) | _same(13, 23)
EVENING: Final = _later(6, 11) | _same(17, 29)
SMALL_HOURS: Final = _same(0, 5) | _later(10, 11) | _same(22, 29)
HOURS: Final[dict[str, Hours]] = {
    **dict.fromkeys(("午前", "ごぜん", "ゴゼン", "am", "a.m.", "a.m"), MORNING),
    **dict.fromkeys(("午後", "ごご", "ゴゴ", "pm", "p.m.", "p.m"), AFTERNOON),
    **dict.fromkeys(("朝", "あさ", "アサ", "朝方"), _same(3, 11)),
    **dict.fromkeys(("早朝", "朝早く"), _same(2, 8)),
    **dict.fromkeys(("明け方", "夜明け", "未明"), _same(0, 6)),
    **dict.fromkeys(("昼", "お昼", "ひる", "昼間", "日中", "昼過ぎ", "お昼過ぎ"), _same(11, 16) | _later(1, 4)),
    **dict.fromkeys(("夕方", "夕", "夕刻", "ゆうがた"), _later(3, 7) | _same(15, 19)),
    **dict.fromkeys(("夜", "よる", "ヨル", "晩", "夜間", "夜分"), EVENING),
    **dict.fromkeys(("深夜", "夜中", "真夜中", "夜遅く"), SMALL_HOURS),
}
"""What an hour means after each word, by the hour that is said; hours that are not there are refused."""
NIGHT: Final[dict[str, Hours]] = {
    **dict.fromkeys(("夜", "よる", "ヨル", "晩", "夜間", "夜分"), {12: 0} | _same(0, 4)),
    **{key: {12: 0} for key in ("深夜", "夜中", "真夜中", "夜遅く")},
}
"""Hours of the night that belong to one day or the next: clear only where every day counts."""
TONIGHT: Final = _later(6, 11) | _same(17, 29) | {12: 24} | {hour: hour + 24 for hour in range(5)}
"""今夜: its small hours are those of the coming night."""
TWO_NOONS: Final = ("午前", "午後", "ごぜん", "ごご")
"""With 12 these can mean noon and midnight."""
ENGLISH_NOONS: Final = {
    "am": {12: 0},
    "pm": {12: 12},
    "a.m.": {12: 0},
    "p.m.": {12: 12},
    "a.m": {12: 0},
    "p.m": {12: 12},
}

DAYS_WITH_HOURS: Final[dict[str, tuple[Part, str]]] = {
    **dict.fromkeys(("毎朝", "まいあさ"), (Repeat("day"), "朝")),
    **dict.fromkeys(("毎晩", "毎夜", "まいばん", "夜毎", "夜ごと"), (Repeat("day"), "夜")),
    **dict.fromkeys(("毎夕", "毎夕方"), (Repeat("day"), "夕方")),
    **dict.fromkeys(("毎昼", "毎お昼"), (Repeat("day"), "昼")),
    **dict.fromkeys(("毎早朝",), (Repeat("day"), "早朝")),
    **dict.fromkeys(("毎深夜",), (Repeat("day"), "深夜")),
    **dict.fromkeys(("毎日午前",), (Repeat("day"), "午前")),
    **dict.fromkeys(("今朝", "けさ"), (Relative("day", 0), "朝")),
    **dict.fromkeys(("今夕",), (Relative("day", 0), "夕方")),
    **dict.fromkeys(("明朝", "明日朝"), (Relative("day", 1), "朝")),
    **dict.fromkeys(("明晩", "明夜"), (Relative("day", 1), "夜")),
    **dict.fromkeys(("平日朝",), (BUSINESS, "朝")),
}
NIGHTS: Final = ("今夜", "今晩", "こんや", "こんばん", "本日夜", "今日の夜", "今日の深夜", "本日の夜", "今日の晩")
FIXED_TIMES: Final = {"正午": 12 * 60, "真昼": 12 * 60, "零時": 0, "noon": 12 * 60, "midnight": 0}

OFFSETS: Final = {
    "前日": (-1, False),
    "前の日": (-1, False),
    "翌日": (1, False),
    "次の日": (1, False),
    "前々日": (-2, False),
    "翌々日": (2, False),
    "前営業日": (-1, True),
    "前の営業日": (-1, True),
    "直前の営業日": (-1, True),
    "直前営業日": (-1, True),
    "一つ前の営業日": (-1, True),
    "翌営業日": (1, True),
    "次の営業日": (1, True),
    "次営業日": (1, True),
    "直後の営業日": (1, True),
    "直後営業日": (1, True),
    "後営業日": (1, True),
    "前々営業日": (-2, True),
    "翌々営業日": (2, True),
}
SHIFTS: Final = {
    **dict.fromkeys(
        (
            "前倒し",
            "前倒",
            "繰り上げ",
            "繰上げ",
            "繰上",
            "くりあげ",
            "前にずらす",
            "前にずらして",
            "早める",
            "前営業日振替",
        ),
        "previous",
    ),
    **dict.fromkeys(
        (
            "順延",
            "繰り下げ",
            "繰下げ",
            "繰下",
            "くりさげ",
            "後ろ倒し",
            "後倒し",
            "先送り",
            "後ろにずらす",
            "後ろにずらして",
            "翌営業日振替",
            "延期",
        ),
        "next",
    ),
    **dict.fromkeys(
        (
            *(
                f"{verb}{ending}"
                for verb, ending in product(
                    ("実行し", "実施し", "起動し", "稼働し", "動作し", "処理し", "し"),
                    ("ない", "ないで", "ません", "ないでください", "ないこと", "ないで下さい"),
                )
            ),
            *(
                f"{verb}{ending}"
                for verb, ending in product(
                    ("動かさ", "走らせ", "行わ", "やら", "回さ", "流さ"),
                    ("ない", "ないで", "ないでください", "ないこと", "ないで下さい"),
                )
            ),
            *(f"スキップ{ending}" for ending in ("", "する", "して", "してください", "します", "で", "とする")),
            *(
                f"{verb}{ending}"
                for verb, ending in product(
                    ("休止", "中止", "除外", "停止"), ("", "する", "して", "してください", "とする")
                )
            ),
            *("飛ばす", "飛ばして", "飛ばしてください", "とばす", "とばして", "見送る", "見送り", "見送って"),
            *(
                "休み",
                "お休み",
                "休む",
                "休んで",
                "おやすみ",
                "実行なし",
                "なし",
                "無し",
                "不要",
                "不要です",
                "やめる",
                "やめて",
                "やめておいて",
            ),
            *(
                "実行しなくていい",
                "実行しなくてよい",
                "しなくていい",
                "しなくてよい",
                "実行不要",
                "運休",
                "お休みです",
                "対象外",
                "動かさなくていい",
            ),
        ),
        "skip",
    ),
}
CONDITIONS: Final = tuple(
    f"{stem}{end}"
    for stem, ends in {
        "の場合": ("", "は", "には", "、"),
        "だった場合": ("", "は"),
        "である場合": ("", "は"),
        "なら": ("", "ば"),
        "だったら": ("",),
        "であれば": ("",),
        "のとき": ("", "は", "には"),
        "の時": ("", "は", "には"),
        "の際": ("", "は", "には"),
        "の日": ("は",),
        "に当たる場合": ("", "は"),
        "にあたる場合": ("", "は"),
        "に当たったら": ("",),
        "にあたったら": ("",),
        "に当たるとき": ("は", ""),
        "に当たる時": ("は", ""),
        "にあたるとき": ("は", ""),
        "に当たる日": ("は", ""),
        "に当たれば": ("",),
        "にあたれば": ("",),
        "と重なる場合": ("", "は"),
        "に重なる場合": ("", "は"),
        "と重なった場合": ("", "は"),
        "に重なった場合": ("", "は"),
        "と重なったら": ("",),
        "に重なったら": ("",),
        "と重なれば": ("",),
        "に重なれば": ("",),
        "に重なるとき": ("は", ""),
        "と重なるとき": ("は", ""),
        "になる場合": ("", "は"),
        "になったら": ("",),
        "に該当する場合": ("", "は"),
        "と被ったら": ("",),
        "にかかる場合": ("", "は"),
    }.items()
    for end in ends
)
NOT_CONDITIONS: Final = (
    "でない場合は",
    "でない場合",
    "ではない場合は",
    "ではない場合",
    "でないときは",
    "でない時は",
    "でなければ",
    "じゃない場合は",
    "じゃなければ",
    "以外の場合は",
    "以外なら",
    "以外の日は",
    "以外のときは",
)
NO_SUCH_DAY: Final = (
    *tuple(
        f"{how}{unit}{end}"
        for how in (
            "ない",
            "無い",
            "その日がない",
            "その日が無い",
            "存在しない",
            "日がない",
            "該当日がない",
            "がない",
            "が無い",
            "のない",
            "が存在しない",
        )
        for unit in ("月", "年", "場合")
        for end in ("は", "なら", "では", "には", "の場合は", "")
    ),
    "なければ",
    "無ければ",
    "がなければ",
    "その日がなければ",
    "存在しなければ",
)
EXCEPTS: Final = (
    "を除く",
    "を除いて",
    "を除いた",
    "を除き",
    "を除外",
    "を除外して",
    "は除く",
    "は除いて",
    "は除いてください",
    "は除外",
    "は除外して",
    "は除き",
    "除く",
    "除外",
    "除いて",
    "以外",
    "以外の日",
    "以外は",
    "抜き",
    "を抜かして",
    "はのぞく",
    "をのぞく",
    "をのぞいて",
    "のぞく",
    "は対象外",
)
ONLIES: Final = ("のみ", "だけ", "限定", "に限る", "に限って", "に限り")
FROMS: Final = ("から", "より", "以降", "以後", "スタート", "開始")
UNTILS: Final = ("まで", "迄", "までの間", "までの期間", "までは")
DASHES: Final = ("~", "-")
DURING: Final = ("の間", "間", "の間は", "の期間", "にかけて")
EVERY: Final = (
    "ごと",
    "毎",
    "ごとに",
    "毎に",
    "につき1回",
    "につき一回",
    "間隔",
    "間隔で",
    "単位で",
    "周期で",
    "サイクルで",
)
GAPS: Final = ("おき", "置き", "おきに", "置きに")
AFTERS: Final = (
    "後",
    "後に",
    "たったら",
    "経ったら",
    "経ってから",
    "たってから",
    "したら",
    "経過後",
    "経過したら",
    "経過してから",
    "のち",
    "あと",
    "後ぐらい",
)
BEFORES: Final = ("前",)
ABOUT: Final = (
    "ごろ",
    "頃",
    "ころ",
    "くらい",
    "ぐらい",
    "位",
    "前後",
    "過ぎ",
    "すぎ",
    "あたり",
    "辺り",
    "付近",
    "ほど",
    "程度",
    "台",
    "までに",
    "ちょい",
    "あたりに",
    "前くらい",
)
HEDGES: Final = (
    "たまに",
    "時々",
    "ときどき",
    "時折",
    "定期的に",
    "定期で",
    "そのうち",
    "そのうちに",
    "いつか",
    "適当に",
    "適当な時間に",
    "適当なタイミングで",
    "適宜",
    "随時",
    "なるべく",
    "できるだけ",
    "できれば",
    "可能なら",
    "可能であれば",
    "だいたい",
    "大体",
    "およそ",
    "おおよそ",
    "頻繁に",
    "こまめに",
    "ちょくちょく",
    "不定期に",
    "暇なとき",
    "暇な時",
    "空いている時間",
    "空いてる時間",
    "空いた時間",
    "空いているとき",
    "手が空いたら",
    "手が空いた時",
    "折を見て",
    "気が向いたら",
    "近いうちに",
    "近々",
    "後で",
    "あとで",
    "後ほど",
    "のちほど",
    "しばらくしたら",
    "しばらくして",
    "近日中に",
    "早めに",
    "遅めに",
    "いい感じの時間に",
    "数分おき",
    "数分ごと",
    "数時間おき",
    "数時間ごと",
    "数日おき",
    "数日ごと",
    "数日に1回",
    "数日後",
    "数時間後",
    "数分後",
    "数週間後",
    "数か月後",
)
NOW: Final = ("今すぐ", "いますぐ", "すぐに", "直ちに", "ただちに", "即時", "至急")
VAGUE_DAYS: Final = (
    "上旬",
    "中旬",
    "下旬",
    "月央",
    "半ば",
    "中頃",
    "年末年始",
    "年末",
    "年始",
    "お盆",
    "ゴールデンウィーク",
    "gw",
    "週明け",
    "週初め",
    "週初",
    "週はじめ",
    "週半ば",
    "週中",
    "連休",
    "連休明け",
    "連休中",
    "大型連休",
    "五十日",
    "ゴトー日",
    "月の前半",
    "月の後半",
    "前半",
    "後半",
)
EITHER: Final = ("または", "又は", "もしくは", "若しくは", "あるいは", "ないし", "か")

UNITS: Final = {
    **dict.fromkeys(("年", "年度"), "year"),
    **dict.fromkeys(("年間", "ヵ年", "か年"), "years"),
    **dict.fromkeys(("月", "がつ"), "month"),
    **dict.fromkeys(
        tuple(f"{ka}月{span}" for ka in ("か", "ヶ", "ケ", "カ", "ヵ", "箇", "個", "ヶ", "ヵ") for span in ("", "間")),
        "months",
    ),
    **dict.fromkeys(("週間", "週"), "weeks"),
    **dict.fromkeys(("日", "にち"), "day"),
    "日間": "days",
    "日目": "nth_day",
    "営業日": "business_days",
    "営業日目": "nth_business_day",
    "稼働日": "business_days",
    "平日": "business_days",
    "営業日間": "business_days_long",
    **dict.fromkeys(("時", "じ"), "hour"),
    **dict.fromkeys(("時間", "じかん"), "hours"),
    **dict.fromkeys(("分", "ふん", "ぷん"), "minute"),
    "分間": "minutes",
    **dict.fromkeys(("秒", "秒間"), "second"),
    **dict.fromkeys(("回", "度", "回目"), "times"),
    "番目": "nth",
    "つ目": "nth",
    "週目": "nth_week",
}
"""What a number before each of these counts."""

ZONES: Final = {
    **dict.fromkeys(("jst", "日本時間", "日本標準時"), "Asia/Tokyo"),
    **dict.fromkeys(("utc", "gmt", "協定世界時", "世界時", "世界標準時"), "UTC"),
    **dict.fromkeys(("ニューヨーク時間", "米国東部時間", "東部時間"), "America/New_York"),
    **dict.fromkeys(("太平洋時間", "米国太平洋時間", "西海岸時間", "ロサンゼルス時間"), "America/Los_Angeles"),
    **dict.fromkeys(("ロンドン時間", "英国時間", "イギリス時間"), "Europe/London"),
    **dict.fromkeys(("ベルリン時間", "ドイツ時間"), "Europe/Berlin"),
    **dict.fromkeys(("パリ時間", "フランス時間"), "Europe/Paris"),
    **dict.fromkeys(("シンガポール時間",), "Asia/Singapore"),
    **dict.fromkeys(("インド時間",), "Asia/Kolkata"),
    **dict.fromkeys(("中国時間", "上海時間", "北京時間"), "Asia/Shanghai"),
    **dict.fromkeys(("韓国時間", "ソウル時間"), "Asia/Seoul"),
    **dict.fromkeys(("シドニー時間",), "Australia/Sydney"),
}
VAGUE_ZONES: Final = (
    "現地時間",
    "米国時間",
    "アメリカ時間",
    "欧州時間",
    "ヨーロッパ時間",
    "海外時間",
    "サーバ時間",
    "サーバー時間",
)
ERAS: Final = ("令和", "平成", "昭和")

WORK: Final = (
    *(
        "日本",
        "月額",
        "金額",
        "時間帯",
        "時刻",
        "日時",
        "日付",
        "日報",
        "週報",
        "月報",
        "曜日",
        "日常",
        "日記",
        "日程",
        "日経",
    ),
    *(
        "毎回",
        "前回",
        "次回",
        "今回",
        "土台",
        "火災",
        "水準",
        "木構造",
        "金融",
        "金利",
        "土木",
        "水道",
        "火力",
        "月間",
        "月次",
        "日次",
        "週次",
        "年次",
    ),
    *(
        "一時停止",
        "一時的",
        "一時ファイル",
        "一時領域",
        "一時データ",
        "一時保存",
        "一時テーブル",
        "一時ディレクトリ",
        "一時フォルダ",
        "一部",
        "一覧",
        "一括",
    ),
    *("三日月", "二日酔い", "一番", "一般", "一致", "一緒", "一旦"),
    *(
        "年度",
        "年月",
        "月日",
        "時間",
        "分間",
        "秒間",
        "週間",
        "日間",
        "時点",
        "期間",
        "朝会",
        "朝礼",
        "夕会",
        "昼休み",
        "夜勤",
        "夜間バッチ",
        "日別",
        "月別",
    ),
    *(
        "年末調整",
        "年始挨拶",
        "月末処理",
        "月初処理",
        "月末締め",
        "日中稼働",
        "前日比",
        "前月比",
        "前年比",
        "翌日配送",
        "次第",
        "次世代",
        "次々",
    ),
    *(
        "明後日",
        "分析",
        "分類",
        "分割",
        "分布",
        "分散",
        "分岐",
        "分離",
        "半分",
        "半角",
        "半径",
        "後続",
        "後処理",
        "前処理",
        "前提",
        "直前",
        "直後",
        "以前",
    ),
    *(
        "祝日一覧",
        "祝日データ",
        "祝日リスト",
        "休日一覧",
        "休日リスト",
        "休日カレンダー",
        "祝日カレンダー",
        "営業日カレンダー",
        "営業日数",
        "平日数",
    ),
)
"""Words that hold the letters of others and say nothing about when."""

FROM_NOW: Final = ("今から", "これから", "いまから", "ただいまから", "あと", "現在から")
HALVES_LATER: Final = {"半日後": 720, "半時間後": 30}
FREQUENCY_UNITS: Final = {"年": "year", "月": "month", "週": "week", "日": "day"}
LOOK_BACK: Final = (
    *(
        "過去",
        "直近",
        "最近",
        "最新",
        "ここ",
        "この",
        "その",
        "今後",
        "約",
        "最大",
        "最低",
        "残り",
        "直前",
        "前回から",
        "先頭",
        "上位",
        "延べ",
        "連続",
    ),
)
"""A number after these is a length or an amount of the work."""
COMPARISONS: Final = (
    *(
        f"より{word}"
        for word in ("古", "前", "新", "長", "短", "多", "少", "大", "小", "後", "遅", "早", "も", "以前", "昔")
    ),
    *(
        "以上",
        "以内",
        "以下",
        "未満",
        "超え",
        "を超え",
        "超過",
        "を過ぎ",
        "を経過",
        "経過し",
        "経った",
        "たった",
        "分の",
        "分を",
        "分まで",
        "間の",
    ),
    *(
        "前の",
        "前から",
        "前まで",
        "前以前",
        "前に作",
        "前より",
        "ぶり",
        "遅れ",
        "連続",
        "続け",
        "保存",
        "保持",
        "目の",
        "間隔の",
        "経過した",
        "放置",
    ),
)
"""A number before these is a length or an amount of the work."""

QUIET: Final = ("ちょうど", "丁度", "きっかり", "ぴったり", "ジャスト", "かっきり", "きっちり")
"""Words after a time that change nothing."""


def _kinds() -> dict[str, str]:
    """Each word's kind; where two tables know a word, the later one is the more specific."""
    kinds: dict[str, str] = {}
    for kind, words in (
        ("work", WORK),
        ("quiet", QUIET),
        ("half", ("半",)),
        ("ordinal", ("第",)),
        ("last", ("最終", "最後", "最後の", "ラスト")),
        ("first", ("最初", "最初の")),
        ("from_last", ("最後から", "末から", "月末から", "末日から", "最終日から")),
        ("counted", ("数えて", "を数えて")),
        ("era", ERAS),
        ("letter", WEEKDAY_LETTERS),
        ("weekday", WEEKDAYS),
        ("class", CLASSES),
        ("set", SETS),
        ("each", EACH),
        ("named", NAMED_DAYS),
        ("repeat", REPEATS),
        ("relative", RELATIVES),
        ("end", ENDS),
        ("quarter", (*QUARTERS, *HALVES)),
        ("period", PERIODS),
        ("part_of_day", HOURS),
        ("day_with_hours", DAYS_WITH_HOURS),
        ("tonight", NIGHTS),
        ("fixed_time", FIXED_TIMES),
        ("hourly", ("毎時", "毎時間", "毎正時", "各時")),
        ("minutely", ("毎分",)),
        ("offset", OFFSETS),
        ("next_morning", ("翌朝",)),
        ("next", ("翌", "翌日の")),
        ("shift", SHIFTS),
        ("condition", CONDITIONS),
        ("not_condition", NOT_CONDITIONS),
        ("no_such_day", NO_SUCH_DAY),
        ("except", EXCEPTS),
        ("only", ONLIES),
        ("from", FROMS),
        ("until", UNTILS),
        ("dash", DASHES),
        ("during", DURING),
        ("every", EVERY),
        ("gap", GAPS),
        ("after", AFTERS),
        ("before", BEFORES),
        ("about", ABOUT),
        ("hedge", HEDGES),
        ("now", NOW),
        ("vague_day", VAGUE_DAYS),
        ("either", EITHER),
        ("zone", ZONES),
        ("vague_zone", VAGUE_ZONES),
        ("in_all", ("全", "計", "合計", "全部で", "合わせて")),
        ("origin", ("起点", "を起点", "を起点に", "基準", "を基準に", "を起点として", "起点の")),
        ("of_week", ("の週", "の週を")),
        ("calendar", ("カレンダー", "カレンダ")),
        ("from_now", FROM_NOW),
        ("half_later", HALVES_LATER),
        ("frequency_unit", ("週", "年")),
        ("look_back", LOOK_BACK),
        ("comparison", COMPARISONS),
        ("digit_of_day", ("の付く日", "のつく日", "が付く日", "がつく日")),
    ):
        kinds |= dict.fromkeys(words, kind)
    return kinds


KINDS: Final = _kinds()
