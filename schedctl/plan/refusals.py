"""Why a task was not read as an order: which words had no home, and what the catalog has that is like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.catalog.model import Action, Node
from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.lookup import nearest_entries, nodes_for, offer
from schedctl.plan.suggestions import as_values
from schedctl.plan.tokens import UNKNOWN, Token, is_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schedctl.catalog.model import Catalog
    from schedctl.plan.grammar import Mark

NEVER: Final[dict[Mark, Text]] = {
    "negation": Text(
        "打ち消しや取りやめのある文は命令として読みません", "A sentence that negates or stops is not read as an order"
    ),
    "condition": Text("条件のある文は命令として読みません", "A sentence with a condition is not read as an order"),
    "question": Text("質問は命令として読みません", "A question is not read as an order"),
    "quote": Text("引用のある文は命令として読みません", "A sentence with a quotation is not read as an order"),
}
PLAINLY: Final = Text(
    "してほしいことだけを書いてください。例: marsのパッケージを更新して",
    "Say only what is to be done, like: upgrade packages on mars",
)
BEFORE_NODE: Final = ("on", "and")
AFTER_NODE: Final = ("の", "で", "を", "に", "上で", "には", "では", "と")


class Undecided(PlanError):
    """Known words that can be meant in more than one way: a person has to choose, and no planner may."""


def not_an_order(token: Token, mark: Mark) -> PlanError:
    """A word that no order has in it."""
    return PlanError(
        "unknown_action",
        Text(f"{NEVER[mark].ja}（「{token.said}」）", f"{NEVER[mark].en} (“{token.said}”)"),
        PLAINLY,
    )


def words_without_a_home(tokens: Sequence[Token], catalog: Catalog) -> PlanError:
    """The words that are neither in the catalog nor in the grammar, all of them, with what is nearest."""
    said = tuple(dict.fromkeys(token.said for token in tokens if token.meaning is UNKNOWN))
    listed = tuple(dict.fromkeys(_stretches(tokens)))
    listed_ja = "".join(f"「{word}」" for word in listed)
    listed_en = ", ".join(f"“{word}”" for word in listed)
    if any(_stands_for_a_node(tokens, place, catalog) for place in range(len(tokens))):
        return PlanError(
            "unknown_node",
            Text(f"{listed_ja}はカタログのノードではありません", f"Not a node of the catalog: {listed_en}"),
            offer(nearest_entries(said, (*catalog.nodes, *catalog.groups)), catalog),
        )
    return PlanError(
        "unknown_action",
        Text(f"{listed_ja}に当たるものがカタログにありません", f"Nothing in the catalog answers to {listed_en}"),
        as_values(tokens, catalog) or offer(nearest_entries(said, (*catalog.actions, *catalog.nodes)), catalog),
    )


def _stretches(tokens: Sequence[Token]) -> Iterator[str]:
    """The unknown words as an operator sees them: with the particles between two of them (仮想マシンを削除)."""
    stretch, between, end = "", "", -1
    for token in tokens:
        if token.start != end or not (token.meaning is UNKNOWN or token.meaning in ("of", "filler")):
            if stretch:
                yield stretch
            stretch, between = "", ""
        if token.meaning is UNKNOWN:
            stretch, between = stretch + between + token.said, ""
        elif stretch:
            between += token.said
        end = token.end
    if stretch:
        yield stretch


def _stands_for_a_node(tokens: Sequence[Token], place: int, catalog: Catalog) -> bool:
    """Whether an unknown word stands where a node would, or is most like the name of one."""
    token = tokens[place]
    if token.meaning is not UNKNOWN or not any(isinstance(other.meaning, Action) for other in tokens):
        return False
    nearest = nearest_entries((token.said,), (*catalog.nodes, *catalog.actions))
    if nearest and isinstance(nearest[0], Node):
        return True
    if any(is_place(other) for other in tokens):
        return False
    before = tokens[place - 1].meaning if place else None
    after = tokens[place + 1].said if place + 1 < len(tokens) else ""
    return before in BEFORE_NODE or after in AFTER_NODE


def too_long(longest: int) -> PlanError:
    """More text than any order has."""
    return PlanError(
        "unknown_action",
        Text(
            f"{longest} 文字を超える文は命令として読みません", f"A task of more than {longest} characters is not read"
        ),
        PLAINLY,
    )


def nothing_to_do(catalog: Catalog) -> PlanError:
    """No action was named."""
    some = tuple(action for action in catalog.actions if action.risk == "reads")[:5] or catalog.actions[:5]
    return PlanError(
        "unknown_action",
        Text("何をするのかが書かれていません", "The task does not say what to do"),
        offer(some, catalog),
    )


def no_node(action: Action, catalog: Catalog) -> PlanError:
    """No node was named, and more than one could be meant (or none can do it)."""
    able = nodes_for(action, catalog)
    if not able:
        return PlanError(
            "unknown_node",
            Text(f"「{action.name}」を実行できるノードがありません", f"No node can run “{action.name}”"),
            Text(
                f"nodes.toml で groups に {'、'.join(action.groups) or 'http のノード'} を書いてください",
                f"In nodes.toml, put a node into {', '.join(action.groups) or 'transport = http'}",
            ),
        )
    return PlanError(
        "unknown_node",
        Text(
            f"「{action.label.ja}」をどのノードで行うのかが書かれていません",
            f"The task does not say where to {action.name}",
        ),
        Text(f"ノード: {', '.join(node.name for node in able)}", f"Nodes: {', '.join(node.name for node in able)}"),
    )


def empty_place(token: Token, catalog: Catalog) -> PlanError:
    """A group without nodes, or all nodes but all."""
    return PlanError(
        "unknown_node",
        Text(f"「{token.said}」に当たるノードが一つもありません", f"No node belongs to “{token.said}”"),
        Text(
            f"ノード: {', '.join(node.name for node in catalog.nodes)}",
            f"Nodes: {', '.join(node.name for node in catalog.nodes)}",
        ),
    )


def misplaced(token: Token) -> PlanError:
    """A known word in a place where it can be read in no way, or in more than one."""
    return PlanError(
        "unknown_action",
        Text(f"「{token.said}」がどこに掛かるのか決まりません", f"What “{token.said}” belongs to cannot be told"),
        Text(
            "「marsのパッケージを更新してから、venusのディスク使用量を確認して」のように、ノード・動作の順に書いてください",
            "Write action and node together, like: upgrade packages on mars, then show disk usage on venus",
        ),
    )


def open_exception(token: Token) -> Undecided:
    """`mars以外とvenus`: whether a node is meant or left out cannot be told."""
    return Undecided(
        "unknown_action",
        Text(
            f"「{token.said}」を含むのか除くのか決まりません",
            f"Whether “{token.said}” is meant or left out cannot be told",
        ),
        Text(
            "ノードの名前を並べるか、「全ノード（marsとvenusを除く）」のように書いてください",
            "Name the nodes one by one, or write “all nodes except mars and venus”",
        ),
    )


def only_reads(token: Token, action: Action) -> Undecided:
    """`更新候補を適用して` asks for a change, and the action only looks."""
    return Undecided(
        "unknown_action",
        Text(
            f"「{token.said}」は変更を求める言い方ですが、「{action.name}」は見るだけです",
            f"“{token.said}” asks for a change, but “{action.name}” only looks",
        ),
        Text(
            f"見るなら「{action.label.ja}を実行して」、変えるなら変える動作の名前を書いてください",
            f"To look, write: run {action.name}; to change something, name the action that does",
        ),
    )


def only_looking(token: Token, action: Action) -> Undecided:
    """`パッケージの更新を確認して` asks to look, and the action would change something."""
    return Undecided(
        "unknown_action",
        Text(
            f"「{token.said}」は見るだけの言い方ですが、「{action.name}」は変更を加えます",
            f"“{token.said}” asks to look, but “{action.name}” changes something",
        ),
        Text(f"行うなら「{action.label.ja}を実行して」と書いてください", f"To do it, write: run {action.name}"),
    )
