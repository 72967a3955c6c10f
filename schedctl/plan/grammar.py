"""The words around the catalog's words: particles, politeness, order, and what is never read as an order. Tables only.

A mark says what a word does in the sentence:

- `and` joins (と, and), `end` ends a sentence, `of` and `filler` only hold it together
- `do` ends what was asked (して, 実行してください, お願いします, run)
- `look` ends it too, but only for actions that read (を確認して); `look_next` is the English order (check …)
- `kara` makes an order of what ends before it (して + から); `then`, `last` and `first` order by themselves
- `one_by_one` takes the nodes one after the other
- `every` is all nodes; `except_before` (mars以外) and `except_after` (except mars) leave some out
- `on` stands before a node in English
- `negation`, `condition`, `question` and `quote` are never part of an order
"""

from __future__ import annotations

from typing import Final, Literal

Mark = Literal[
    "and", "of", "end", "filler", "do", "look", "look_next", "kara", "then", "last", "first", "one_by_one", "every",
    "except_before", "except_after", "on", "negation", "condition", "question", "quote",
]  # fmt: skip

NEVER_ORDERS: Final[tuple[Mark, ...]] = ("negation", "condition", "question", "quote")

PLEASE: Final = (
    r"(?:ください(?:ませ)?|下さい|くれ|ちょうだい|頂戴|(?:ほしい|欲しい|もらいたい|貰いたい|いただきたい|頂きたい)(?:です)?)?"
    r"[ねよ]?(?:[〜~ー])?"
)
TE: Final = rf"(?:といて|ておいて|て){PLEASE}"
SURU: Final = rf"(?:し{TE}|しとけ|しとく|します|したい(?:です)?|しなさい|する(?:こと)?|しろ|せよ|し(?![ぁ-ゖー]))"
STEM: Final = r"(?:し|さ|やら|行わ|おこなわ|かけ|せ)?"
MACHINE: Final = r"(?:ノード|サーバー?|マシン|ホスト)"

JAPANESE: Final[dict[Mark, tuple[str, ...]]] = {
    "and": (
        "と", "や", "も", "、", "・", "/", "及び", "および", "並びに", "ならびに", "そして", "また", "さらに",
        "加えて", "あわせて", "併せて",
    ),
    "of": ("の",),
    "end": ("。", "\n", "!"),
    "filler": (
        "を", "に", "は", "が", "で", "へ", r"\(", r"\)", "【", "】", r":(?=\s|[^\x00-\x7f]|$)", "に対して",
        "について", "に対し", "だけ", "のみ", "それぞれ", "各々", "両方", "ともに", "共に", "同時に",
        "並行して", "一括で", "一括して", "まとめて", "念のため", "お手数ですが", "すみませんが",
        "恐れ入りますが", "忘れずに", "ちゃんと", "自動で", "自動的に", "ついでに", "上で", "側で", "にて",
        "には", "では",
    ),
    "do": (
        SURU, rf"や(?:っ{TE}|る|ります|れ)", rf"(?:行な?|おこな)(?:っ{TE}|う|います|い(?![ぁ-ゖー]))",
        rf"(?:実行|実施|適用|処理)(?:を?{SURU})?", rf"かけ{TE}", "かける", rf"当て{TE}", "当てる",
        rf"走らせ{TE}", "走らせる", rf"(?:回|流)し{TE}", "回す", "流す", rf"済ませ{TE}",
        r"(?:お願い|おねがい)(?:し(?:ます|たい(?:です)?)|いたします|致します)?ね?[〜~]?",
        r"(?:よろしく|宜しく)(?:お願い(?:します|いたします|致します)?)?ね?[〜~]?", "頼む[ねよ]?", "頼みます",
        "たのむ", "たのみます", "ください", "下さい", r"(?:を)?希望(?:します)?",
    ),
    "look": (
        rf"(?:確認|チェック|点検|調査|把握|表示|取得|参照|出力|一覧(?:表示|に)?)(?:を?{SURU})?", rf"[見み]{TE}",
        "見る", "見たい(?:です)?", rf"調べ{TE}", "調べる", rf"教え{TE}", rf"見せ{TE}", rf"出し{TE}",
        "知りたい(?:です)?",
    ),
    "kara": ("から", "から、"),
    "then": (
        r"(?:して)?その(?:後|あと)(?:で|に)?", "それから", "次に", "つぎに", "次いで", "ついで(?!に)", "続いて",
        "続けて", "つづいて", r"した(?:後|あと)(?:で|に)?", "そのうえで", "その上で", "→", "⇒", "->",
    ),
    "last": ("最後に", "仕上げに"),
    "first": ("まず(?:は)?", "最初に", "はじめに", "初めに", "先に"),
    "one_by_one": ("順番に", "順に", r"(?:1|一)台ずつ", r"(?:1|一)台づつ", "ひとつずつ", "一つずつ"),
    "every": (
        rf"(?:全(?:て|部)?|すべて|みんな)(?:の)?{MACHINE}(?:全部|すべて|全て)?", "全台",
        rf"{MACHINE}(?:は|を)?(?:全部|すべて|全て|全台)", "全機", "各ノード", "各サーバー?", "どのノードも",
    ),
    "except_before": (
        rf"以外(?:の(?:全|すべての|全ての|他の)?{MACHINE}(?:全部|すべて|全て)?|(?:の)?(?:全部|すべて|全て))?",
        rf"を(?:除く|除いた|除いて|除き)(?:(?:の)?(?:全|すべての|全ての){MACHINE})?", "(?:は|を)抜きにして",
    ),
    "negation": (
        rf"{STEM}(?:ない(?:で|ように|こと)?|ません|なくて(?:いい|良い|よい|も)?|ぬように)", "するな", "やるな",
        "せず(?:に)?", "禁止", "やめ(?:て|ろ|る)?", "止め(?:て|ろ|る)?", "中止", "取り?消", "キャンセル",
        "不要", "いらない", "要らない", "なしで", "だめ", "ダメ", "駄目", "避け", "控え",
    ),
    "condition": (
        r"(?:てい|してい|してあ|だっ|であ|し|なっ|い|っ|れ)?たら", "なら(?:ば)?", r"(?:あ|す|け|な)?れば",
        "場合(?:は|に|のみ)?", "とき(?:は|に|だけ)?", r"時(?:は|に|だけ)", "もし", "すると", "次第", "限り",
        "(?:し)?ても(?!ら)", "(?:し)?ては", "のに", "けど", "際は", "際に",
    ),
    "question": (
        r"\?", r"(?:です|ます|でしょう|ません|る|た|い|の)か(?![ぁ-ゖ])", r"か(?=[。!\s]|$)", "かな", "かしら",
        "どう(?:なって|です|かな)", "なぜ", "どの",
    ),
    "quote": ("[「」『』\"“”‘’«»`]",),
}  # fmt: skip

ENGLISH: Final[dict[Mark, tuple[str, ...]]] = {
    "and": ("and", "and also", "also", "as well as", "plus", ","),
    "of": (r"'s",),
    "end": (r"\.(?=\s|$)",),
    "filler": (
        "the", "a", "an", "both", "each", "kindly", "thanks", "thank you", "it", "its", "my", "our",
        "in parallel", "at the same time", "at once", "to",
    ),
    "do": (
        "please", "pls", "run", "execute", "perform", "do", "apply", "go ahead and", "make sure to",
        "i want to", "we need to", "let's",
    ),
    "look_next": (
        "check", "check on", "show", "show me", "list", "display", "inspect", "look at", "view", "see", "get",
        "print", "tell me",
    ),
    "then": (
        "then", "and then", "after that", "and after that", "afterwards", "next", "followed by", "after which",
        "subsequently",
    ),
    "last": ("finally", "lastly", "and finally"),
    "first": ("first", "first of all", "firstly", "to begin with"),
    "one_by_one": ("one by one", "one after another", "one at a time", "in turn", "in order", "sequentially"),
    "every": (
        r"(?:all|every|each)(?:\s+of)?(?:\s+the|\s+our|\s+my)?\s+(?:nodes?|servers?|machines?|hosts?)",
        "everywhere", "every one of them",
    ),
    "except_after": (
        "except", "except for", "but not", "excluding", "other than", "all but", "all except", "everything but",
    ),
    "on": ("on", "in", "at", "of", "for", "on the", "for the", "of the"),
    "negation": (
        "don't", "dont", "do not", "does not", "never", "not", "no", "without", "skip", "avoid", "stop",
        "cancel", "instead of", "won't", "shouldn't", "mustn't", "refrain from",
    ),
    "condition": (
        "if", "unless", "when", "whenever", "in case", "provided", "provided that", "should", "as long as",
        "once",
    ),
    "question": (
        r"\?", "can you", "could you", "would you", "will you", "can we", "is", "are", "does", "did", "what",
        "why", "how", "which", "whether",
    ),
    "quote": ("(?<![a-z])'", "'(?![a-z])"),
}  # fmt: skip

IMPERATIVES: Final = (
    "apply", "clean", "clear", "empty", "fix", "install", "prune", "reboot", "refresh", "remove", "repair",
    "restart", "run", "trim", "update", "upgrade", "vacuum",
)  # fmt: skip
"""How an English phrase begins that is an order by itself, also after `check … and`."""

NODE_BEFORE: Final = r"(?:(?:(?:the\s+)?(?:node|server|host|machine)\s+)|(?:ノード|サーバー?|マシン|ホスト)\s*)?"
GROUP_BEFORE: Final = r"(?:(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?|(?:全て?|すべて|各)の?\s*)?"
NODE_AFTER: Final = (
    r"(?:\s*(?:ノード|サーバー?|マシン|ホスト|グループ|側|上|機)(?:全部|すべて|全て|全台)?"
    r"|\s+(?:nodes?|servers?|hosts?|machines?|group)(?![a-z0-9_]))"
)
"""What may stand around a node's or a group's name and says nothing more."""
