"""Tokens -> which action on which nodes, in which order. A small machine that walks over the sentence once."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, cast

from schedctl.catalog.model import Action
from schedctl.catalog.words import sound
from schedctl.language import is_japanese
from schedctl.plan.elision import check_objects, is_bare
from schedctl.plan.grammar import IMPERATIVES, JAPANESE, Mark
from schedctl.plan.lexicon import Value
from schedctl.plan.places import Places
from schedctl.plan.refusals import empty_place, misplaced, only_looking, only_reads
from schedctl.plan.tokens import Token, meant_by
from schedctl.plan.uses import Use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.catalog.model import Catalog


ONE_BY_ONE: Final = re.compile("|".join(JAPANESE["one_by_one"]))
WHERE: Final = ("で", "では", "にて", "上で", "側で")


@dataclass(slots=True)
class Walk:
    """What is known of the sentence so far."""

    parts: Sequence[Token | Places]
    catalog: Catalog
    japanese: bool
    uses: list[Use] = field(default_factory=list[Use])
    values: list[tuple[Token, int]] = field(default_factory=list[tuple[Token, int]])
    here: Places | None = None
    """The nodes that the next actions are for (火星の…)."""
    waiting: bool = False
    """Whether `here` has no action yet."""
    around: bool = False
    """Whether `here` only says where (marsで再起動), and not what (marsを再起動)."""
    stage: int = 0
    ended: int = 0
    """How many of the uses were ended by して and the like."""
    gap: Literal["none", "and", "ended"] = "ended"
    """What stands between the last action and the next: nothing that divides, と, or the end of an order."""
    looking: Token | None = None
    """The English `check` that governs what follows."""
    answered: bool = True
    """Whether an action has followed it."""
    changing: Token | None = None
    """The English `apply` that waits for its action."""
    ordering: Token | None = None
    """A してから or `then` that still needs something after it."""
    one_by_one: bool = False


def uses_of(parts: Sequence[Token | Places], catalog: Catalog) -> Walk:
    """Walk over all parts; `PlanError` where a word can be read in no way, or in more than one."""
    text = "".join(part.said for part in parts if isinstance(part, Token))
    walk = Walk(parts, catalog, is_japanese(text))
    for place, part in enumerate(parts):
        if isinstance(part, Places):
            _nodes(walk, place, part)
        elif isinstance(part.meaning, Action):
            _action(walk, part, part.meaning)
        elif isinstance(part.meaning, Value):
            walk.values.append((part, walk.stage))
        else:
            _mark(walk, place, part, cast("Mark", part.meaning))
    _settle_values(walk)
    check_objects(walk.uses, catalog)
    leftover = _unanswered(walk)
    if leftover is not None:
        raise misplaced(leftover)
    return walk


def _unanswered(walk: Walk) -> Token | None:
    """A word that still needs something after it: してから, `check`, or nodes without an action."""
    if walk.ordering is not None:
        return walk.ordering
    if walk.looking is not None and not walk.answered:
        return walk.looking
    return walk.here.tokens[0] if walk.here is not None and walk.waiting else None


def _nodes(walk: Walk, place: int, places: Places) -> None:
    """Nodes belong to the actions before them that have none (`… on mars`, `…をmarsで`), else to those that follow."""
    if not places.nodes:
        raise empty_place(places.tokens[0], walk.catalog)
    open_uses = _open(walk)
    if open_uses and _points_back(walk, place):
        object_of = open_uses[0] if _is_object(walk, place) else None
        for number in open_uses:
            use = walk.uses[number]
            walk.uses[number] = dataclasses.replace(use, places=places, bare=use.bare and number != object_of)
        walk.here, walk.waiting = None, False
        return
    if walk.waiting or (walk.here is not None and _points_back(walk, place) and not _action_follows(walk, place)):
        raise misplaced(places.tokens[0])
    walk.here, walk.waiting, walk.around = places, True, _says_where(walk, place)


def _is_object(walk: Walk, place: int) -> bool:
    """Whether nodes stand directly behind an English verb (`restart mars`, but not `restart on mars`)."""
    return not walk.japanese and isinstance(_meaning(walk.parts[place - 1]), Action)


def _says_where(walk: Walk, place: int) -> bool:
    """Whether nodes only say where: marsで, `on mars`."""
    if walk.japanese:
        following = walk.parts[place + 1] if place + 1 < len(walk.parts) else None
        return isinstance(following, Token) and following.said in WHERE
    return place > 0 and _meaning(walk.parts[place - 1]) == "on"


def _open(walk: Walk) -> list[int]:
    """The last actions, as far as no nodes are named for them."""
    numbers: list[int] = []
    for number in range(len(walk.uses) - 1, -1, -1):
        if walk.uses[number].places is not None:
            break
        numbers.append(number)
    return numbers


def _points_back(walk: Walk, place: int) -> bool:
    """Whether nodes at this place belong to what stands before them."""
    if not walk.japanese:
        return True
    for part in walk.parts[place + 1 :]:
        if isinstance(part, Places) or isinstance(part.meaning, Action):
            return False
        if part.meaning in ("do", "change", "look", "then", "last"):
            return True
    return True


def _action_follows(walk: Walk, place: int) -> bool:
    """Whether an action stands behind this place, before any other nodes."""
    for part in walk.parts[place + 1 :]:
        if isinstance(part, Places):
            return False
        if isinstance(part.meaning, Action):
            return True
    return False


def _action(walk: Walk, token: Token, action: Action) -> None:
    if walk.looking and action.risk != "reads" and not (walk.answered and is_imperative(token)):
        raise only_looking(walk.looking, action)
    _check_gap(walk, token, action)
    walk.one_by_one = walk.one_by_one or ONE_BY_ONE.search(token.said) is not None
    if walk.changing and action.risk == "reads":
        raise only_reads(walk.changing, action)
    bare = is_bare(token.said, action) and not (walk.waiting and not walk.around)
    walk.uses.append(Use(token, action, walk.stage, walk.here, token.parameters, bare))
    walk.answered, walk.changing, walk.ordering, walk.waiting = True, None, None, False
    walk.gap = "none"


def _check_gap(walk: Walk, token: Token, action: Action) -> None:
    """Two actions need something between them: `コンテナを再起動` is no list of containers and a reboot.

    Joined by と alone, one that reads and one that changes need the name or label of the one that reads: in
    `コンテナとDockerを再起動` the containers are to be restarted as well.
    """
    if not walk.uses or walk.gap == "ended":
        return
    before = walk.uses[-1]
    reading = token if action.risk == "reads" else before.token
    mixed = (action.risk == "reads") != (before.action.risk == "reads")
    if walk.gap == "none" or (mixed and not _is_named(reading)):
        raise misplaced(reading)


def _is_named(token: Token) -> bool:
    """Whether an action was said by its name or label."""
    action = cast("Action", token.meaning)
    return sound(token.said) in {sound(word) for word in (action.name, action.label.ja, action.label.en)}


def _mark(walk: Walk, place: int, token: Token, mark: Mark) -> None:
    if _is_order_word(walk, place, mark):
        _next_stage(walk, token)
        return
    match mark:
        case "do" | "end":
            _end(walk)
        case "look":
            _look(walk, token)
        case "change":
            _change(walk, token)
        case "look_next":
            walk.looking, walk.answered, walk.gap = token, False, "ended"
        case "one_by_one":
            walk.one_by_one = True
        case "and":
            walk.gap = "and" if walk.gap == "none" else walk.gap
        case "of" | "filler" | "on":
            pass
        case "first" if not walk.uses:
            pass
        case _:
            raise misplaced(token)


def _is_order_word(walk: Walk, place: int, mark: Mark) -> bool:
    """Whether a later stage begins: から only after して, 最後に only where it is clear for which nodes."""
    if mark == "kara":
        return place > 0 and _meaning(walk.parts[place - 1]) in ("do", "change", "look")
    return mark == "then" or (mark == "last" and len({use.places for use in walk.uses}) <= 1)


def _meaning(part: Token | Places) -> object:
    return part.meaning if isinstance(part, Token) else None


def _look(walk: Walk, token: Token) -> None:
    """を確認して governs all the actions since the last して: `更新とディスク使用量を確認して` must not update."""
    governed = walk.uses[walk.ended :]
    if not governed:
        raise misplaced(token)
    for use in governed:
        if use.action.risk != "reads":
            raise only_looking(token, use.action)
    _end(walk)


def _change(walk: Walk, token: Token) -> None:
    """を適用して asks for a change by every action since the last して; `apply` by the next."""
    for use in walk.uses[walk.ended :]:
        if use.action.risk == "reads" and not token.said.isascii():
            raise only_reads(token, use.action)
    walk.changing = token if token.said.isascii() else None
    _end(walk)


def _end(walk: Walk) -> None:
    """What was asked for so far is complete; a look that was answered governs nothing more."""
    walk.ended = len(walk.uses)
    walk.gap = "ended"
    walk.looking = None if walk.answered else walk.looking


def _next_stage(walk: Walk, token: Token) -> None:
    """An order word after another (してから、次に) is one; one with nothing before it has no meaning."""
    if not walk.uses:
        raise misplaced(token)
    if walk.ordering is None:
        walk.stage += 1
    walk.ordering = token
    _end(walk)


def _settle_values(walk: Walk) -> None:
    """Each value that stands by itself belongs to the one action of its stage that has such a parameter open."""
    for token, stage in walk.values:
        fitting = [
            (number, parameter.name, value)
            for number, use in enumerate(walk.uses)
            for parameter in use.action.parameters
            if use.stage == stage
            and parameter.name not in dict(use.parameters)
            and (value := meant_by(parameter, cast("Value", token.meaning).said)) is not None
        ]
        if len(fitting) != 1:
            raise misplaced(token)
        number, name, value = fitting[0]
        use = walk.uses[number]
        walk.uses[number] = dataclasses.replace(use, parameters=tuple(sorted((*use.parameters, (name, value)))))


def is_imperative(token: Token) -> bool:
    """Whether an English phrase begins like an order of its own."""
    return token.said.lower().split(" ")[0] in IMPERATIVES
