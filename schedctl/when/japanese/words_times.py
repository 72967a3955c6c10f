"""The Japanese words for times of day, lengths and zones: tables, no logic."""

from __future__ import annotations

from typing import Final

from schedctl.when.japanese.words_days import each, spoken
from schedctl.when.reading.parts import Part, Relative, Repeat, Unit

Hours = dict[int, int]


def _same(first: int, last: int) -> Hours:
    return {hour: hour for hour in range(first, last + 1)}


def _later(first: int, last: int) -> Hours:
    """Hours of a twelve-hour clock after noon."""
    return {hour: hour + 12 for hour in range(first, last + 1)}


HOURS: Final[dict[str, Hours]] = {
    **each("午前 ごぜん ゴゼン am a.m. a.m", _same(0, 11)),
    **each("午後 ごご ゴゴ pm p.m. p.m", _later(0, 11) | _same(13, 23)),
    **each("朝 あさ アサ 朝方", _same(3, 11)),
    **each("早朝 朝早く", _same(2, 8)),
    **each("明け方 夜明け 未明", _same(0, 6)),
    **each("昼 お昼 ひる 昼過ぎ お昼過ぎ", _same(11, 16) | _later(1, 4)),
    **each("昼間 日中", _same(7, 18) | _later(1, 5)),
    **each("夕方 夕 夕刻 ゆうがた", _later(3, 7) | _same(15, 19)),
    **each("夜 よる ヨル 晩 夜間 夜分", _later(6, 11) | _same(17, 29)),
    **each("深夜 夜中 真夜中 夜遅く", _same(0, 5) | _later(10, 11) | _same(22, 29)),
}
"""What an hour means after each word, by the hour that is said; hours that are not there are refused."""
NIGHT: Final[dict[str, Hours]] = {
    **each("夜 よる ヨル 晩 夜間 夜分", {12: 0} | _same(0, 4)),
    **each("深夜 夜中 真夜中 夜遅く", {12: 0}),
}
"""Hours of the night that belong to one day or the next: clear only where every day counts."""
TONIGHT: Final = _later(6, 11) | _same(17, 29) | {12: 24} | {hour: hour + 24 for hour in range(5)}
"""今夜: its small hours are those of the coming night."""
TWO_NOONS: Final = spoken("午前 午後 ごぜん ごご ゴゼン ゴゴ")
"""With 12 these can mean noon and midnight."""
ENGLISH_NOONS: Final[dict[str, Hours]] = {**each("am a.m. a.m", {12: 0}), **each("pm p.m. p.m", {12: 12})}
DAYS_WITH_HOURS: Final[dict[str, tuple[Part, str]]] = {
    **each("毎朝 まいあさ", (Repeat("day"), "朝")),
    **each("毎晩 毎夜 まいばん", (Repeat("day"), "夜")),
    **each("毎夕 毎夕方", (Repeat("day"), "夕方")),
    **each("毎昼 毎お昼", (Repeat("day"), "昼")),
    **each("毎早朝", (Repeat("day"), "早朝")),
    **each("毎深夜", (Repeat("day"), "深夜")),
    **each("今朝 けさ", (Relative("day", 0), "朝")),
    **each("今夕", (Relative("day", 0), "夕方")),
    **each("明朝", (Relative("day", 1), "朝")),
    **each("明晩 明夜", (Relative("day", 1), "夜")),
}
NIGHTS: Final = spoken("今夜 今晩 こんや こんばん 今日の夜 今日の晩 本日の夜 今夜遅く 今晩遅く")
FIXED_TIMES: Final = {"正午": 12 * 60, "真昼": 12 * 60, "零時": 0, "noon": 12 * 60, "midnight": 0}
QUIET: Final = spoken("ちょうど 丁度 きっかり ぴったり ジャスト かっきり きっちり")
"""Words after a time that change nothing."""

UNITS: Final[dict[str, str]] = {
    **each("年 年度", "year"),
    **each("年間 か年", "years"),
    **each("月 がつ", "month"),
    **each("か月 ヶ月 ケ月 カ月 ヵ月 箇月 個月 か月間 ヶ月間 ケ月間 カ月間 ヵ月間 箇月間 個月間", "months"),
    **each("週間 週", "weeks"),
    **each("日 にち", "day"),
    **each("日間", "days"),
    **each("日目", "nth_day"),
    **each("営業日 稼働日 平日", "business_days"),
    **each("営業日目", "nth_business_day"),
    **each("時 じ ジ", "hour"),
    **each("時間 じかん", "hours"),
    **each("分 ふん ぷん フン プン", "minute"),
    **each("分間", "minutes"),
    **each("秒 秒間", "second"),
    **each("回 度", "times"),
    **each("番目 つ目 回目 度目", "nth"),
    **each("週目", "nth_week"),
}
"""What a number before each of these counts."""
EVERY: Final = spoken("ごと 毎 につき1回 につき一回 間隔 単位 周期 サイクル")
GAPS: Final = ["おき", "置き"]
AFTERS: Final = spoken("後 たったら 経ったら 経ってから たってから したら 経過後 経過したら 経過してから のち")
FROM_NOW: Final = spoken("今から これから いまから ただいまから あと 現在から")
HALVES_LATER: Final = {"半日後": 720, "半時間後": 30}
FREQUENCY_UNITS: Final[dict[str, Unit]] = {"年": "year", "月": "month", "週": "week", "日": "day"}

ZONES: Final = {
    **each("jst 日本時間 日本標準時", "Asia/Tokyo"),
    **each("utc gmt 協定世界時 世界時 世界標準時", "UTC"),
    **each("ニューヨーク時間 ny時間 米国東部時間 東部時間", "America/New_York"),
    **each("太平洋時間 米国太平洋時間 西海岸時間 ロサンゼルス時間", "America/Los_Angeles"),
    **each("ロンドン時間 英国時間 イギリス時間", "Europe/London"),
    **each("ベルリン時間 ドイツ時間", "Europe/Berlin"),
    **each("パリ時間 フランス時間", "Europe/Paris"),
    **each("シンガポール時間", "Asia/Singapore"),
    **each("インド時間", "Asia/Kolkata"),
    **each("中国時間 上海時間 北京時間", "Asia/Shanghai"),
    **each("韓国時間 ソウル時間", "Asia/Seoul"),
    **each("シドニー時間", "Australia/Sydney"),
    **each("ハワイ時間", "Pacific/Honolulu"),
}
ZONE_LETTERS: Final = spoken(
    "est edt pst pdt cst cdt mst mdt ist cet cest bst eet eest wet msk aest aedt kst hst sgt hkt"
)
"""Abbreviations that several regions share, or that do not say whether daylight saving time counts."""
VAGUE_ZONES: Final = (
    *spoken("現地時間 米国時間 アメリカ時間 欧州時間 ヨーロッパ時間 海外時間 サーバ時間 サーバー時間 中央時間"),
    *ZONE_LETTERS,
)

VAGUE_HOURS: Final = spoken(
    "営業時間 営業時間中 営業時間内 営業時間外 業務時間 業務時間中 業務時間内 業務時間外 勤務時間 勤務時間中 "
    "勤務時間内 勤務時間外 就業時間 就業時間中 就業時間内 就業時間外 時間外 深夜帯 早朝帯 日中帯 夜間帯 午前中 午後中 "
    "朝一 朝イチ 朝いち 始業時 終業時 始業前 終業後 始業後 就業前 就業後 昼休み中 夜通し 一晩中 "
    "定時後 定時前 定時 業務開始前 業務終了後 開店前 閉店後 日没後 日没前 日の出前 日の出後 夜明け前 昼休み"
)
"""Words for a stretch or a point of the day whose clock times nobody said."""
MORNING_POINTS: Final = {
    **each("朝一 朝イチ 朝いち 始業時 始業前 始業後 就業前 業務開始前 開店前 早朝帯", "朝"),
    **each("午前中", "午前"),
}
"""Those of them beside which an hour up to noon is one of the morning: `朝イチの9時`."""
WHOLE_DAY: Final = spoken("終日 一日中 1日中 丸一日 昼夜を問わず")
ABOUT: Final = spoken("ごろ 頃 ころ くらい ぐらい 位 前後 過ぎ すぎ あたり 辺り 付近 ほど 程度 台 までに 前くらい")
"""Words right after a time that blur it."""
HEDGES: Final = spoken(
    "たまに 時々 ときどき 時折 定期的に 定期で そのうち そのうちに いつか 適当に 適当な時間に 適当なタイミングで "
    "適宜 適時 随時 なるべく できるだけ できれば 可能なら 可能であれば "
    "だいたい 大体 およそ おおよそ 頻繁に こまめに ちょくちょく 不定期に 暇なとき 暇な時 空いている時間 "
    "空いてる時間 空いた時間 空いているとき 手が空いたら 手が空いた時 折を見て "
    "気が向いたら 近いうちに 近々 後で あとで 後ほど のちほど しばらくしたら しばらくして 近日中に 早めに 遅めに "
    "いい感じの時間に 数分おき 数分ごと 数時間おき 数時間ごと 数日おき 数日ごと "
    "数日に1回 数日後 数時間後 数分後 数週間後 数か月後"
)
"""Words that say when without settling it."""
LATER_ON: Final = frozenset(spoken("後で あとで 後ほど のちほど"))
"""Hedges that after a verb belong to the work: `再起動した後で`."""
NOW: Final = spoken("今すぐ いますぐ すぐに 直ちに ただちに 即時 至急")
