"""All Japanese words that a schedule can hold, each with its kind: tables, no logic.

`tokens.py` finds them, the `*_ja.py` modules say what they do. Days are in `words_days_ja.py`, times in
`words_times_ja.py`; here are the words that bind, limit and move, and those of the work that hold letters of others.
"""

from __future__ import annotations

from itertools import product
from typing import Final, Literal

from schedctl.when.japanese.words_days import (
    CLASSES,
    EACH,
    ENDS,
    HALVES,
    MONTHS,
    NAMED_DAYS,
    OFFSETS,
    PERIODS,
    QUARTERS,
    RELATIVES,
    REPEATS,
    SETS,
    VAGUE_DAYS,
    WEEKDAY_LETTERS,
    WEEKDAYS,
    each,
    spoken,
)
from schedctl.when.japanese.words_times import (
    ABOUT,
    AFTERS,
    DAYS_WITH_HOURS,
    EVERY,
    FIXED_TIMES,
    FROM_NOW,
    GAPS,
    HALVES_LATER,
    HEDGES,
    HOURS,
    NIGHTS,
    NOW,
    QUIET,
    VAGUE_HOURS,
    VAGUE_ZONES,
    WHOLE_DAY,
    ZONES,
)
from schedctl.when.reading.normalize import ERAS


def forms(stems: str, endings: str) -> tuple[str, ...]:
    """Each stem with each ending (`-` for none)."""
    return tuple(f"{stem.strip('-')}{end.strip('-')}" for stem, end in product(stems.split(), endings.split()))


Way = Literal["previous", "next", "skip"]
NOT_DONE: Final = "ない ないで ないでください ないで下さい ないこと ません"
SHIFTS: Final[dict[str, Way]] = {
    **each("前倒し 前倒 繰り上げ 繰上げ 繰上 くりあげ 前にずらす 前にずらして 早める", "previous"),
    **each("順延 繰り下げ 繰下げ 繰下 くりさげ 後ろ倒し 後倒し 先送り 後ろにずらす 後ろにずらして 延期", "next"),
    **dict.fromkeys(
        forms("実行し 実施し 起動し 稼働し 動作し 処理し し 動かさ 走らせ 行わ やら 回さ 流さ", NOT_DONE), "skip"
    ),
    **dict.fromkeys(forms("スキップ 休止 中止 除外 停止", "- する して してください します とする"), "skip"),
    **each(
        "飛ばす 飛ばして 飛ばしてください とばす とばして 見送る 見送り 見送って やめる やめて やめておいて", "skip"
    ),
    **each("休み お休み 休む 休んで おやすみ お休みです 実行なし なし 無し 不要 不要です 実行不要 運休 対象外", "skip"),
    **dict.fromkeys(forms("し 実行し 動かさ やら 走らせ 回さ 実施し", "なくていい なくてよい なくて良い"), "skip"),
}
"""What happens to a day that falls on a closed one."""
CONDITIONS: Final = (
    *forms("の場合 のとき の時 に当たるとき に当たる時 にあたるとき にあたる時", "- は には"),
    *forms(
        "だった場合 である場合 の際 に当たる場合 にあたる場合 に当たった場合 にあたった場合 に重なる場合 と重なる場合",
        "- は",
    ),
    *forms(
        "に重なった場合 と重なった場合 になる場合 に該当する場合 にかかる場合 に重なるとき と重なるとき に当たる日",
        "- は",
    ),
    *spoken(
        "なら ならば だったら であれば の日は に当たったら にあたったら に当たれば にあたれば に重なったら と重なったら"
    ),
    *spoken("に重なれば と重なれば になったら になれば と被ったら に該当したら"),
)
NOT_CONDITIONS: Final = (
    *forms("でない場合 ではない場合 でないとき でない時 以外の場合 以外のとき 以外の日", "- は"),
    *spoken("でなければ じゃない場合 じゃなければ 以外なら ではなければ"),
)
NO_SUCH_DAY: Final = (
    *forms(
        "ない月 無い月 のない月 がない月 が無い月 存在しない月 が存在しない月 その日がない月 該当日がない月",
        "- は なら では には",
    ),
    *forms("ない年 無い年 のない年 がない年 存在しない年 が存在しない年 その日がない年", "- は なら では には"),
    *forms("ない場合 無い場合 存在しない場合 その日がない場合 がない場合", "- は"),
    *spoken("なければ 無ければ がなければ その日がなければ 存在しなければ"),
)
EXCEPTS: Final = (
    *forms("を除 は除 除", "く いて いた き いてください 外 外して"),
    *spoken("以外 以外の日 抜き を抜かして はのぞく をのぞく をのぞいて のぞく は対象外"),
)
INCLUDING: Final = spoken(
    "を含む も含む 含む を含めて も含めて 含めて 込み であっても でも に関係なく も関係なく 関係なく を問わず 問わず "
    "にかかわらず に関わらず かかわらず も休まず"
)
ONLIES: Final = spoken("のみ だけ オンリー きり こっきり ぽっきり 限定 に限る に限って に限り 限り")
FROMS: Final = spoken("から より 以降 以後 スタート 開始")
UNTILS: Final = spoken("まで 迄 までの間 までの期間")
DASHES: Final = ["~", "-"]
DURING: Final = spoken("の間 間 の期間 にかけて")
EITHER: Final = spoken("または 又は もしくは 若しくは あるいは ないし か")
ORIGINS: Final = spoken("起点 を起点 を起点に を起点として 基準 を基準に を基準として")

LOOK_BACK: Final = spoken("過去 直近 最近 最新 ここ この その 今後 約 最大 最低 残り 直前 前回から 先頭 上位 延べ 連続")
"""A number after these is a length or an amount of the work."""
COMPARISONS: Final = (
    *forms("より", "古 前 新 長 短 多 少 大 小 後 遅 早 も 以前 昔"),
    *spoken("以上 以内 以下 未満 超え を超え 超過 を過ぎ を経過 経過し 経った たった 分の 分を 分まで 間の"),
    *spoken("前以前 前に作 前より ぶり 遅れ 連続 続け 保存 保持 目の 間隔の 経過した 放置"),
)
"""A number before these is a length or an amount of the work."""
WORK: Final = spoken(
    "日本 月額 金額 時間帯 時刻 日時 日付 日報 週報 月報 曜日 日常 日記 日程 日経 毎回 前回 今回 土台 火災 "
    "水準 木構造 金融 金利 土木 水道 火力 月間 月次 日次 週次 年次 "
    "一時停止 一時的 一時ファイル 一時領域 一時データ 一時保存 一時テーブル 一時ディレクトリ 一時フォルダ 一部 "
    "一覧 一括 三日月 二日酔い 一番 一般 一致 一緒 一旦 年度 年月 月日 時間 "
    "分間 秒間 週間 日間 時点 期間 朝会 朝礼 夕会 昼休み 夜勤 夜間バッチ 日別 月別 年末調整 年始挨拶 月末処理 "
    "月初処理 月末締め 日中稼働 前日比 前週比 前月比 前年比 前年同月比 前年同期比 前年同月 前年同期 "
    "翌日配送 次第 次世代 "
    "24時間365日 365日24時間 24時間監視 24時間対応 24時間体制 24時間稼働 24時間営業 "
    "二日市 三日市 四日市 五日市 六日市 七日市 "
    "八日市 十日市 廿日市 四日町 五日町 六日町 七日町 八日町 十日町 土浦 土佐 日立 日光 金沢 木更津 水戸 "
    "次々 分析 分類 分割 分布 分散 分岐 分離 半分 半角 半径 半田 半蔵 半導体 半自動 半額 "
    "後続 後処理 前処理 前提 以前 祝日一覧 祝日データ "
    "祝日リスト 休日一覧 休日リスト 休日カレンダー 祝日カレンダー "
    "営業日カレンダー 営業日数 平日数 時計 計画 計測 計算 全体 全部 全て 全件 間違 間接 仲間 空間 頭脳 台帳 台数"
)
"""Words that hold the letters of others and say nothing about when."""

KINDS: Final[dict[str, str]] = {
    word: kind
    for kind, words in (
        ("work", WORK),
        ("quiet", QUIET),
        ("half", ("半", "はん")),
        ("ordinal", ("第",)),
        ("last", forms("- 月の", "最終 最後 最後の")),
        ("first", forms("- 月の", "最初 最初の")),
        ("from_last", ("最後から",)),
        ("era", ERAS),
        ("letter", WEEKDAY_LETTERS),
        ("frequency_unit", ("週", "年")),
        ("weekday", WEEKDAYS),
        ("class", CLASSES),
        ("set", SETS),
        ("each", EACH),
        ("named", NAMED_DAYS),
        ("repeat", REPEATS),
        ("relative", RELATIVES),
        ("end", ENDS),
        ("bare_end", ("末",)),
        ("bare_start", ("初", "初め", "頭", "始め")),
        ("month_set", MONTHS),
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
        ("next", ("翌",)),
        ("shift", SHIFTS),
        ("condition", CONDITIONS),
        ("not_condition", NOT_CONDITIONS),
        ("no_such_day", NO_SUCH_DAY),
        ("except", EXCEPTS),
        ("only", ONLIES),
        ("including", INCLUDING),
        ("from", FROMS),
        ("until", UNTILS),
        ("dash", DASHES),
        ("during", DURING),
        ("every", EVERY),
        ("gap", GAPS),
        ("after", AFTERS),
        ("before", ("前",)),
        ("about", ABOUT),
        ("hedge", HEDGES),
        ("now", NOW),
        ("vague_day", VAGUE_DAYS),
        ("vague_hours", VAGUE_HOURS),
        ("whole_day", WHOLE_DAY),
        ("either", EITHER),
        ("zone", ZONES),
        ("vague_zone", VAGUE_ZONES),
        ("in_all", ("全", "計", "合計", "全部で", "合わせて")),
        ("origin", ORIGINS),
        ("of_week", ("の週",)),
        ("calendar", ("カレンダー", "カレンダ")),
        ("from_now", FROM_NOW),
        ("half_later", HALVES_LATER),
        ("look_back", LOOK_BACK),
        ("comparison", COMPARISONS),
        ("digit_of_day", ("の付く日", "のつく日", "が付く日", "がつく日")),
    )
    for word in words
}
"""Each word's kind; where two tables know a word, the later one is the more specific."""
