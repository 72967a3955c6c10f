"""The words around the catalog's words: particles, politeness, order, and what is never read as an order. Tables only.

A mark says what a word does in the sentence:

- `and` joins (と, and), `end` ends a sentence, `of` and `filler` only hold it together
- `do` ends what was asked (して, 実行してください, お願いします, run)
- `change` ends it too, but only for actions that do more than read (を適用して); in English it stands before (apply …)
- `look` ends it too, but only for actions that read (を確認して); `look_next` is the English order (check …)
- `kara` makes an order of what ends before it (して + から); `then`, `last` and `first` order by themselves
- `one_by_one` takes the nodes one after the other
- `every` is all nodes; `except_before` (mars以外) and `except_after` (except mars) leave some out
- `on` stands before a node in English; `after` and `before` turn the order of what stands around them
- `negation`, `condition`, `question` and `quote` are never part of an order
"""

from __future__ import annotations

import re
from typing import Final, Literal

Mark = Literal[
    "and", "of", "end", "filler", "do", "change", "look", "look_next", "kara", "then", "last", "first", "one_by_one",
    "every", "except_before", "except_after", "on", "after", "before", "negation", "condition", "question", "quote",
]  # fmt: skip

NEVER_ORDERS: Final[tuple[Mark, ...]] = ("negation", "condition", "question", "quote")

ASKED: Final = r"(?:ます(?:でしょう)?か|ません(?:でしょう)?か|ないでしょうか|ないか|る(?=\?)|ない(?=\?))"
WOULD_YOU: Final = (
    rf"(?:(?:もらえ|貰え|くれ|いただけ|頂け){ASKED}|くださ(?:います|いません)か"
    r"|(?:もらって|いただいて|頂いて)も?(?:いい|良い|よい|よろしい)(?:です|でしょう)か)\??"
)
"""A question only by its form: whether someone will do it, asked of the one who is to do it."""
PLEASE: Final = (
    rf"(?:{WOULD_YOU}|ください(?:ませ)?|下さい|くれ|ちょうだい|頂戴|(?:ほしい|欲しい|もらいたい|貰いたい|いただきたい|頂きたい)(?:です)?)?"
    r"[ねよ]?(?:[〜~ー])?"
)
TE: Final = rf"(?:といて|ておいて|て){PLEASE}"
SURU: Final = rf"(?:し{TE}|しとけ|しとく|します|したい(?:です)?|しなさい|する(?:こと)?|しろ|せよ|し(?![ぁ-ゖー]))"
STEM: Final = r"(?:し|さ|やら|行わ|おこなわ|かけ|せ)?"
MACHINE: Final = r"(?:ノード|サーバー?|マシン|ホスト)"

JAPANESE: Final[dict[Mark, tuple[str, ...]]] = {
    "and": (
        "と", "や", "も", "、", "・", r"(?<=\w)(?<![のをはがにで])/(?=\w)|(?<=\s)/(?=\s)",
        "及び", "および", "並びに", "ならびに", "そして", "また", "さらに",
        "加えて", "あわせて", "併せて",
        r"(?:(?<=[、。,!\n\s])|^)(?:あと(?:は|、)?(?![でに])|それと)",
    ),
    "of": ("の",),
    "end": ("。", "\n", "!"),
    "filler": (
        "を", "に", "は", "が", "で", "へ", r"\(", r"\)", "【", "】", r":(?=\s|[^\x00-\x7f]|$)", "に対して",
        "について", "に対し", "だけ", "のみ", "それぞれ", "各々", "両方", "ともに", "共に", "同時に",
        "並行して", "一括で", "一括して", "まとめて", "念のため", "お手数ですが", "すみませんが",
        "恐れ入りますが", r"お疲れ(?:さま|様)(?:です|でした)?",
        "忘れずに", "ちゃんと", "自動で", "自動的に", "ついでに", "上で", "側で", "にて",
        "には", "では",
    ),
    "do": (
        SURU, rf"や(?:っ{TE}|る|ります|れ)", rf"(?:行な?|おこな)(?:っ{TE}|う|います|い(?![ぁ-ゖー]))",
        rf"(?:実行|実施|処理)(?:を?{SURU})?", rf"かけ{TE}", "かける",
        rf"走らせ{TE}", "走らせる", rf"(?:回|流)し{TE}", "回す", "流す",
        r"(?:お願い|おねがい)(?:し(?:ます|たい(?:です)?)|いたします|致します|できます(?:でしょう)?か\??)?ね?[〜~ー]?",
        r"(?:よろしく|宜しく|よろ(?!し))(?:お願い(?:します|いたします|致します)?)?ね?[〜~ー]?",
        r"(?:ちょうだい|頂戴)ね?[〜~ー]?", "頼む[ねよ]?", "頼みます",
        "たのむ", "たのみます", "ください", "下さい", r"(?:を)?希望(?:します)?",
    ),
    "change": (rf"適用(?:を?{SURU})?", rf"当て{TE}", "当てる", rf"済ませ{TE}"),
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
        rf"[をは](?:除く|除いた|除いて|除き)(?:(?:の)?(?:全|すべての|全ての){MACHINE})?", "(?:は|を)抜きにして",
    ),
    "negation": (
        rf"{STEM}(?:ない(?:で|ように|こと)?|ません|なくて(?:いい|良い|よい|も)?|ぬように)", "するな", "やるな",
        "せず(?:に)?", "禁止", "やめ(?:て|ろ|る)?", "止め(?:て|ろ|る)?", "中止", "取り?消", "キャンセル",
        "不要(?!な)", "いらない", "要らない", "なしで", "だめ", "ダメ", "駄目", "避け", "控え",
    ),
    "condition": (
        r"(?:てい|してい|してあ|だっ|であ|し|なっ|い|っ|れ)?たら", "なら(?:ば)?", r"(?:あ|す|け|な)?れば",
        "場合(?:は|に|のみ)?", "とき(?:は|に|だけ)?", r"時(?:は|に|だけ)", "もし", "すると", "次第", "限り",
        "(?:し)?ても(?!ら)", "(?:し)?ては", "のに", "けど", "際は", "際に",
        "(?:の|る|い|期)間(?:は|だけ|のみ)", "期間中(?:は|だけ|のみ)?",
    ),
    "question": (
        r"\?", r"(?:です|ます|でしょう|ません|る|た|い|の)か(?![ぁ-ゖ])", r"か(?=[。!\s]|$)", "かな(?!い)", "かしら",
        "どう(?:なって|です|かな)", "なぜ", "どの",
    ),
    "quote": ("[「」『』\"“”‘’«»`]",),
}  # fmt: skip

IMPERATIVES: Final = (
    "apply", "clean", "clear", "empty", "fix", "install", "prune", "reboot", "refresh", "remove", "renew", "repair",
    "restart", "run", "trim", "update", "upgrade", "vacuum",
)  # fmt: skip
"""How an English phrase begins that is an order by itself, also after `check … and`."""

LOOKS: Final = (
    "check", "check on", "show", "show me", "list", "display", "inspect", "look at", "view", "see", "get", "print",
    "tell me",
)  # fmt: skip

MACHINES: Final = "(?:nodes?|servers?|machines?|hosts?)"
COURTESY: Final = (
    r"(?:can|could|would|will) you(?: (?:please|pls|kindly|also))*"
    rf"(?= (?:{'|'.join((*IMPERATIVES, *LOOKS, 'execute', 'perform', 'go ahead and'))}) )"
)
"""A question only by its form: an order follows. `can you` before anything else stays a question."""
ASKS_FOR: Final = re.compile(r"(?i)(?:can|could|would|will)\s+you")

ENGLISH: Final[dict[Mark, tuple[str, ...]]] = {
    "and": ("and", "and also", "also", "as well as", "plus", ","),
    "of": (r"'s",),
    "end": (r"\.(?=\s|$)",),
    "filler": (
        "hey", "hi", "hello", "the", "a", "an", "both", "each", "kindly", "thanks", "thank you",
        "it", "its", "my", "our", "in parallel", "at the same time", "at once", "to",
    ),
    "do": (
        COURTESY, "please", "pls", "run", "execute", "perform", "do", "go ahead and", "make sure to",
        "i want to", "we need to", "let's",
    ),
    "change": ("apply",),
    "look_next": LOOKS,
    "then": (
        "then", "and then", "after that", "and after that", "afterwards", "next", "followed by", "after which",
        "subsequently",
    ),
    "last": ("finally", "lastly", "and finally"),
    "first": ("first", "first of all", "firstly", "to begin with"),
    "one_by_one": ("one by one", "one after another", "one at a time", "in turn", "in order", "sequentially"),
    "every": (
        rf"(?:all|every|each)(?:\s+of)?(?:\s+the|\s+our|\s+my)?\s+{MACHINES}",
        "everywhere", "every one of them",
    ),
    "except_after": (
        "except", "except for", "but not", "excluding", "other than", "all but", "all except", "everything but",
        "everything except", rf"(?:all|every)\s+(?:of\s+)?(?:the\s+)?{MACHINES}\s+but(?:\s+not)?",
    ),
    "on": ("on", "in", "at", "of", "for", "on the", "for the", "of the"),
    "after": ("after",),
    "before": ("before",),
    "negation": (
        "don't", "dont", "do not", "does not", "never", "not", "no", "without", "skip", "avoid", "stop",
        "cancel", "instead of", "won't", "shouldn't", "mustn't", "refrain from",
    ),
    "condition": (
        "if", "unless", "when", "whenever", "in case", "provided", "provided that", "should", "as long as",
        "once", "while",
    ),
    "question": (
        r"\?", "can you", "could you", "would you", "will you", "can we", "should i", "should we",
        "is", "are", "does", "did", "what",
        "why", "how", "which", "whether",
    ),
    "quote": ("(?<![a-z])'", "'(?![a-z])"),
}  # fmt: skip

GERUNDS: Final = {
    word: f"{word[:-1]}ing" if word.endswith("e") else f"{word}{word[-1] if word in ('run', 'trim') else ''}ing"
    for word in IMPERATIVES
}
"""How these are said behind `after` and `before`, and nowhere else."""

OTHER_FORMS: Final = {
    "削除": "(?:削除|消去|消(?=し))", "掃除": "(?:お?掃除|清掃)",
    **{word: f"(?:{word}|{gerund})" for word, gerund in GERUNDS.items()},
}  # fmt: skip
"""Pieces of the catalog's words that are also said otherwise (不要なパッケージを消して)."""

NODE_BEFORE: Final = r"(?:(?:(?:the\s+)?(?:node|server|host|machine)\s+)|(?:ノード|サーバー?|マシン|ホスト)\s*)?"
GROUP_BEFORE: Final = r"(?:(?:(?:all|every|each)\s+(?:of\s+)?)?(?:the\s+)?|(?:全て?|すべて|各)の?\s*)?"
NODE_AFTER: Final = (
    r"(?:\s*(?:ノード|サーバー?|マシン|ホスト|グループ|側|上|機)(?:全部|すべて|全て|全台)?"
    r"|\s+(?:nodes?|servers?|hosts?|machines?|group)(?![a-z0-9_]))"
)
"""What may stand around a node's or a group's name and says nothing more."""
