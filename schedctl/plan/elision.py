"""Verbs without an object of their own: `再起動` after `nginxサービスの状態を確認して` may mean nginx, or the machine.

What was left out is never filled with something that reaches further than what was named last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.catalog.words import plain, words_of
from schedctl.language import Text
from schedctl.plan.refusals import Undecided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.catalog.model import Action, Catalog
    from schedctl.plan.uses import Use

IF_NEEDED: Final = re.compile(
    r"必要(?:なら|な場合は|であれば|に応じて)\s*|\s*(?:if|when)\s+(?:required|needed|necessary)$"
)
VERB: Final = re.compile(
    r"(?:全部|すべて|全て)?\s*(?:再起動|リブート|リスタート|再始動|停止|起動|シャットダウン|更新|アップデート|アップグレード)"
    r"|restart|reboot|stop|start|shut\s?down|upgrade|update"
)
MACHINE_PARTS: Final = re.compile(
    r"^(?:全部)?(?:更新|アップデート|アップグレード)|^(?:再|最後に)?起動|^リブート|セキュリティ|中断した更新|脆弱性"
    r"|OS|パッケージ|カーネル|ディスク|容量|空き|inode|iノード|マウント|SSD|TRIM|メモリ|負荷|ログ|ジャーナル|アップタイム"
    r"|稼働|到達|疎通|死活|生存|マシン"
    r"|\b(?:apt|dpkg|disks?|mem|memory|load|ping|host|reboot|journal|packages?|kernel|mounts?|inodes?|logs?|uptime"
    r"|updates?|upgrades?|patches|system|machine|server)\b",
    re.IGNORECASE,
)
"""What belongs to the machine and is not started again without it: after these, a bare verb means the machine."""


def is_bare(said: str, action: Action) -> bool:
    """Whether an action that does something was named by its verb alone."""
    return action.risk != "reads" and VERB.fullmatch(IF_NEEDED.sub("", plain(said))) is not None


def check_objects(uses: Sequence[Use], catalog: Catalog) -> None:
    """`Undecided` where a verb stands alone after something that it may be meant for instead of the machine."""
    for number, use in enumerate(uses):
        for before in uses[:number] if use.bare else ():
            if not _is_of_the_machine(before, use.action, catalog):
                named = [each.places for each in reversed(uses[: number + 1]) if each.places]
                raise _open_object(use, before, named[0].nodes if named else (), catalog)


def _is_of_the_machine(before: Use, meant: Action, catalog: Catalog) -> bool:
    """Whether what was named is the machine, or a part of it that neither it nor the catalog restarts by itself."""
    if before.action.groups or _rivals(before.action, meant, catalog):
        return False
    return any(MACHINE_PARTS.search(word) for word in (plain(before.token.said), before.action.name))


def _rivals(action: Action, meant: Action, catalog: Catalog) -> tuple[Action, ...]:
    """What disrupts the subject of an action (docker.ps: docker.restart), unless that is what was meant."""
    subject = _subject(action)
    if subject == _subject(meant):
        return ()
    return tuple(other for other in catalog.actions if other.risk == "disrupts" and _subject(other) == subject)


def _subject(action: Action) -> str:
    return action.name.partition(".")[0]


def _open_object(use: Use, before: Use, nodes: Sequence[str], catalog: Catalog) -> Undecided:
    """The refusal that offers both readings."""
    verb = use.token.said
    node = nodes[0] if nodes else catalog.nodes[0].name
    rivals = [
        other
        for other in _rivals(before.action, use.action, catalog)
        if any(plain(verb) in plain(word) for word in words_of(other))
    ]
    values = dict(before.parameters)
    verb_ja, verb_en = (use.action.label.ja, verb) if verb.isascii() else (verb, use.action.label.en)
    ja = [*(_filled(other, values, japanese=True) for other in rivals), f"{node}を{verb_ja}"]
    en = [*(_filled(other, values, japanese=False) for other in rivals), f"{verb_en} {node}"]
    return Undecided(
        "unknown_action",
        Text(
            f"「{verb}」が何を指すのか決まりません（「{before.token.said}」の対象か、マシンか）",
            f"What “{verb}” is for cannot be told: the machine, or what “{before.token.said}” is about",
        ),
        Text(
            f"{'か'.join(f'「{word}」' for word in ja)}のように書いてください",
            f"Write {' or '.join(f'“{word}”' for word in en)}",
        ),
    )


def _filled(action: Action, values: dict[str, str], *, japanese: bool) -> str:
    """How an action is said in one language, with the values that are known in their places."""
    words = [word for word in words_of(action) if word.isascii() != japanese and word != action.name]
    word = next((word for word in words if "{" in word), words[0]) if words else action.name
    for parameter in action.parameters:
        word = word.replace(f"{{{parameter.name}}}", values.get(parameter.name, "…"))
    return word
