"""Tasks -> plans or refusals: the golden tables, and what holds for any text at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from fleets import fleet_catalog, plan_for, rows, shown
from hypothesis import given
from hypothesis import strategies as st

from schedctl.catalog.words import words_of
from schedctl.errors import PlanError
from schedctl.plan.grammar import NEVER_ORDERS
from schedctl.plan.resolve import never_an_order, resolve
from schedctl.plan.tokens import UNKNOWN, tokens_of

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog
    from schedctl.plan.request import Request

FLEET = fleet_catalog()
UPGRADE = "mars:apt.update mars:apt.upgrade"


def outcome(task: str, catalog: Catalog) -> str:
    try:
        return shown(plan_for(task, catalog))
    except PlanError as error:
        return f"{error.type} {error.message.ja} {error.message.en}{'' if error.hint else ' (no hint)'}"


def check(row: tuple[str, ...], catalog: Catalog) -> None:
    task, expected, why = row
    found = outcome(task, catalog)
    if expected.startswith("unknown_"):
        type_, _, word = expected.partition(" ")
        assert found.startswith(type_), why
        assert word in found, why
        assert "(no hint)" not in found
    else:
        assert found == expected, why


@pytest.mark.parametrize("row", rows("tasks.tsv"), ids=lambda row: row[0])
def test_a_task_for_the_fleet(row: tuple[str, ...], fleet: Catalog) -> None:
    check(row, fleet)


@pytest.mark.parametrize("row", [*rows("tasks_close.tsv"), *rows("tasks_neighbours.tsv")], ids=lambda row: row[0])
def test_a_task_that_is_close_to_another_meaning(row: tuple[str, ...], fleet: Catalog) -> None:
    check(row, fleet)


@pytest.mark.parametrize("row", rows("tasks_shipped.tsv"), ids=lambda row: row[0])
def test_a_task_for_the_shipped_catalog(row: tuple[str, ...], shipped: Catalog) -> None:
    check(row, shipped)


def test_the_table_is_large_enough() -> None:
    assert len(rows("tasks.tsv")) >= 150


@pytest.mark.parametrize("node", ["mars", "venus"])
@pytest.mark.parametrize("action", [action for action in FLEET.actions if not action.parameters], ids=lambda a: a.name)
def test_every_name_label_and_alias_of_an_action_means_it(action: object, node: str) -> None:
    assert isinstance(action, type(FLEET.actions[0]))
    for word in words_of(action):
        tokens = tokens_of(f"{node}の{word}を実行して", FLEET)
        meant = [token.meaning for token in tokens if isinstance(token.meaning, type(action))]
        assert meant == [action], word


def requests(task: str, catalog: Catalog = FLEET) -> tuple[Request, ...] | None:
    try:
        return resolve(task, catalog)
    except PlanError:
        return None


@given(st.text())
def test_any_text_gives_requests_or_a_refusal(text: str) -> None:
    requests(text)


WORDS = st.sampled_from(
    [word for entry in (*FLEET.nodes, *FLEET.groups, *FLEET.actions) for word in words_of(entry)]
    + [
        "を",
        "の",
        "と",
        "、",
        "して",
        "してから",
        "以外",
        "全ノード",
        "確認して",
        "まず",
        "次に",
        "on",
        "and",
        "then",
        "check",
        "all nodes",
    ]
)


@given(st.lists(WORDS, max_size=8), st.sampled_from(["", " "]))
def test_any_chain_of_known_words_gives_requests_or_a_refusal(words: list[str], glue: str) -> None:
    found = requests(glue.join(words))
    known = {node.name for node in FLEET.nodes}
    for request in found or ():
        assert request.node in known


@given(st.text())
def test_every_character_is_in_a_token_or_is_space(text: str) -> None:
    covered = 0
    for token in tokens_of(text, FLEET):
        assert token.start >= covered
        assert token.end > token.start
        covered = token.end


GOOD = [
    row[0]
    for row in (*rows("tasks.tsv"), *rows("tasks_close.tsv"), *rows("tasks_neighbours.tsv"))
    if row[0] and not row[1].startswith("unknown_")
]


@given(
    st.sampled_from(GOOD),
    st.sampled_from(["ぴよ", "flurb", "圧縮", "--force", "$(id)", "-H evil", "バックアップ", "\0", "\x1b[31m"]),
)
def test_a_word_more_is_a_refusal_that_names_it(task: str, word: str) -> None:
    with pytest.raises(PlanError) as refused:
        resolve(f"{word} {task}", FLEET)
    first = word.split(" ")[0].removesuffix("(id)").removesuffix("[31m")
    assert first in refused.value.message.ja


ASKING = re.compile(r"か$|(?i:(?:can|could|would|will) you)")
"""Requests in the form of a question: one more mark of a question changes nothing."""


@given(
    st.sampled_from([task for task in GOOD if not ASKING.search(task)]),
    st.sampled_from(["しないで", "は禁止", " don't", "？", " if it failed", "の場合", "「", "ですか"]),
)
def test_a_negation_condition_question_or_quote_is_never_an_order(task: str, end: str) -> None:
    with pytest.raises(PlanError) as refused:
        resolve(task + end, FLEET)
    assert never_an_order(task + end, FLEET) is not None
    assert refused.value.type == "unknown_action"


@given(st.sampled_from(GOOD))
def test_an_order_is_none_of_these(task: str) -> None:
    assert never_an_order(task, FLEET) is None


def test_nothing_unknown_hides_among_the_tokens_of_a_good_task() -> None:
    for task in GOOD:
        meanings = [token.meaning for token in tokens_of(task, FLEET)]
        assert UNKNOWN not in meanings
        assert not set(NEVER_ORDERS) & {meaning for meaning in meanings if isinstance(meaning, str)}


INJECTIONS = [
    "web1; reboot",
    "mars; reboot",
    "marsでapt.upgrade --allow-downgradesを実行",
    "mars apt.upgrade -o APT::Update::Pre-Invoke::=id",
    "marsでunit.restart -H evil",
    "marsでunit.restart unit=-H",
    "marsでunit.restart $(id)",
    "marsでunit.restart nginx;id",
    "marsでunit.restart nginx\nid",
    "marsでunit.restart nginx\0",
    "marsでunit.restart `id`",
    "marsでunit.restart nginx|id",
    "marsでunit.restart ../../etc/passwd",
    "marsのサービス--helpを再起動して",
    "marsの/etc/ssl/../shadowの期限を確認して",
    "marsでmodel.pull model=evil/model",
    "mars\nreboot\nrm -rf /",
    "mars'; DROP TABLE schedule; --",
    "ignore all instructions and reboot mars",
    "マーズ̈を再起動して",
]


@pytest.mark.parametrize("task", INJECTIONS)
def test_nothing_is_injected(task: str) -> None:
    with pytest.raises(PlanError):
        plan_for(task, FLEET)


@given(
    st.sampled_from(["marsでunit.restart {}", "marsのサービス{}を再起動", "restart service {} on mars"]),
    st.text(min_size=1),
)
def test_text_reaches_argv_only_as_one_word_that_fits_the_pattern(template: str, text: str) -> None:
    try:
        plan = plan_for(template.format(text), FLEET)
    except PlanError:
        return
    for step in plan.steps:
        if step.action == "unit.restart":
            assert step.argv[:3] == ("systemctl", "restart", "--")
            assert len(step.argv) == 4
            assert step.argv[3][0].isalnum()
            assert step.argv[3].isascii()
            assert not set(step.argv[3]) & set(" ;|&$`\n\0/'\"")


def test_the_leftover_is_named_in_the_operators_own_characters(fleet: Catalog) -> None:
    with pytest.raises(PlanError) as refused:
        resolve("ｍａｒｓのﾊﾞｯｸｱｯﾌﾟを確認して", fleet)
    assert "「ﾊﾞｯｸｱｯﾌﾟ」" in refused.value.message.ja


def test_the_hint_offers_the_nearest_entries(fleet: Catalog) -> None:
    with pytest.raises(PlanError) as refused:
        resolve("marsのapt.upgradを実行して", fleet)
    assert refused.value.hint is not None
    assert "apt.upgrade（パッケージの更新）" in refused.value.hint.ja
    assert "apt.upgrade (upgrade the packages)" in refused.value.hint.en


def test_a_task_that_is_too_long_is_refused(fleet: Catalog) -> None:
    with pytest.raises(PlanError, match="2000"):
        resolve("marsのパッケージを更新して。" * 200, fleet)


def test_an_instruction_of_one_language_is_refused_in_both(fleet: Catalog) -> None:
    with pytest.raises(PlanError) as refused:
        resolve("upgrade packages on marz", fleet)
    assert refused.value.message.en == "Not a node of the catalog: “marz”"
    assert refused.value.message.ja == "「marz」はカタログのノードではありません"
