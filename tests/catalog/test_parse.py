"""The document as a catalog: through JSON and back, whatever the order of its keys; and its digest."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from folders import SHIPPED, action, request, write
from hypothesis import given
from hypothesis import strategies as st

from schedctl.catalog.files import read_folder
from schedctl.catalog.model import Catalog
from schedctl.catalog.parse import find_problems, parse
from schedctl.catalog.problems import CatalogInvalid
from schedctl.catalog.requests import secret_names
from schedctl.catalog.words import pieces, sound

if TYPE_CHECKING:
    from pathlib import Path


def catalog(folder: Path, **changes: str) -> Catalog:
    return parse(read_folder(write(folder, **changes)))


def reordered(value: Any, data: st.DataObject) -> Any:
    """The same JSON with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = data.draw(st.permutations(sorted(value)))
        return {key: reordered(value[key], data) for key in keys}
    return [reordered(item, data) for item in value] if isinstance(value, list) else value


def test_a_catalog_survives_json() -> None:
    document = read_folder(SHIPPED)
    assert parse(json.loads(json.dumps(document))) == parse(document)


@given(st.data())
def test_the_order_of_keys_does_not_matter(data: st.DataObject) -> None:
    document: Any = read_folder(SHIPPED)
    small: dict[str, object] = {
        "files": {name: document["files"][name] for name in ("nodes.toml", "policy.toml", "actions/docker.toml")}
    }
    assert parse(reordered(small, data)) == parse(small)


NODES_OTHERWISE = """
# a comment
[nodes.agent]
address="https://agent.example/"
transport="http"
[groups.gpu]
label={en="GPU nodes",ja="GPUノード"}
[nodes.mars]
transport="ssh"
aliases=["火星"]
address="mars.example"
groups=["gpu"]
"""
POLICY_IN_UTC = """
auto_pause_after = 3
[[freezes]]
reason = "年末年始"
start = 2026-12-27T15:00:00Z
end = 2027-01-04T00:00:00Z
"""
POLICY_IN_A_ZONE = """
approval = ["disrupts", "changes"]
[[freezes]]
reason = "年末年始"
timezone = "Asia/Tokyo"
start = 2026-12-28T00:00:00
end = 2027-01-04T09:00:00
"""


@pytest.mark.parametrize(
    "change",
    [{"nodes": NODES_OTHERWISE}, {"policy": POLICY_IN_UTC}, {"policy": POLICY_IN_A_ZONE}],
    ids=["nodes in another order", "a freeze in UTC", "a freeze in a zone"],
)
def test_the_digest_does_not_change_with_the_writing(tmp_path: Path, change: dict[str, str]) -> None:
    before = catalog(tmp_path / "a")
    assert catalog(tmp_path / "b", **change).digest == before.digest


@pytest.mark.parametrize(
    "change",
    [
        {"policy": "approval = []"},
        {"calendar": "closed = [2026-12-30]"},
        {"actions/x.toml": action()},
        {"nodes": '[nodes.mars]\ntransport = "ssh"\n'},
    ],
)
def test_the_digest_changes_with_the_meaning(tmp_path: Path, change: dict[str, str]) -> None:
    assert catalog(tmp_path / "a").digest != catalog(tmp_path / "b", **change).digest


def test_moving_an_action_to_another_file_changes_nothing(tmp_path: Path) -> None:
    one = catalog(tmp_path / "a", **{"actions/x.toml": action()})
    other = catalog(tmp_path / "b", **{"actions/y.toml": action()})
    assert one == other
    assert one.digest == other.digest


def test_defaults(tmp_path: Path) -> None:
    only_nodes = parse({"files": {"nodes.toml": {"nodes": {"a": {"transport": "ssh"}}}}})
    assert only_nodes.policy.approval == ("changes", "disrupts")
    assert only_nodes.calendars.default.country == "JP"
    assert only_nodes.nodes[0].address == "a"
    assert only_nodes.nodes[0].label.ja == "a"


def test_every_key_of_an_action_arrives(tmp_path: Path) -> None:
    text = action(
        aliases='["トライ"]',
        timeout='"2m"',
        argv='["a", "{u}"]',
        as_='"root"',
        prerequisites='["ping"]',
        conflicts='["apt.update"]',
        final="true",
        groups='["gpu"]',
        parameters='{ u = { values = ["x"], default = "x", aliases = { "エックス" = "x" } } }',
        repeatable="true",
        retries="3",
        success_exit_codes="[0, 2]",
        environment='{ B = "2", A = "1" }',
        stdin='"y\\n"',
    )
    found = next(one for one in catalog(tmp_path, **{"actions/x.toml": text}).actions if one.name == "x.y")
    assert (found.timeout_s, found.as_root, found.final, found.repeatable, found.retries) == (120, True, True, True, 3)
    assert (found.aliases, found.groups, found.prerequisites) == (("トライ",), ("gpu",), ("ping",))
    assert (found.conflicts, found.success_exit_codes, found.stdin) == (("apt.update",), (0, 2), "y\n")
    assert found.environment == (("A", "1"), ("B", "2"))
    assert found.parameters[0].aliases == (("エックス", "x"),)


def test_every_key_of_a_request_arrives(tmp_path: Path) -> None:
    text = request(
        headers='{ Authorization = "Bearer ${secret:agent_token}" }',
        body='"{}"',
        success_statuses="[202]",
        external_id='"session.id"',
        tokens_used='"usage.total"',
        follow_redirects="true",
    )
    found = next(one for one in catalog(tmp_path, **{"actions/x.toml": text}).actions if one.name == "x.y").request
    assert found is not None
    assert (found.method, found.url, found.body, found.success_statuses) == ("POST", "/v1/run", "{}", (202,))
    assert (found.external_id, found.tokens_used, found.follow_redirects) == ("session.id", "usage.total", True)
    assert secret_names(found) == ("agent_token",)


def test_the_calendars_arrive(tmp_path: Path) -> None:
    text = (
        'country = ""\nopen = [2026-11-03]\n[calendars.factory]\nclosed_yearly = ["08-13", "02-29"]\ncountry = "DE"\n'
    )
    calendars = catalog(tmp_path, calendar=text).calendars
    assert calendars.default.country == ""
    assert calendars.default.open == frozenset({date(2026, 11, 3)})
    assert calendars.get("factory").closed_yearly == frozenset({(8, 13), (2, 29)})
    assert calendars.get("factory").country == "DE"


VALUES = st.sampled_from(["^[a-z]+$", "ssh", "reads", "a.b"])
KEYS = st.sampled_from(["label", "risk", "argv", "parameters", "a", "x.y", "nodes", "transport", "pattern", "request"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["nodes.toml", "policy.toml", "calendar.toml", "actions/a.toml", "b.toml"]), JSON)
)
def test_any_document_is_a_catalog_or_a_list_of_mistakes(files: dict[str, object]) -> None:
    document: dict[str, object] = {"files": files}
    try:
        assert isinstance(parse(document), Catalog)
    except CatalogInvalid as invalid:
        found = invalid.problems
        if found != find_problems(document):
            raise


@pytest.mark.parametrize("document", [{}, {"files": None}, {"files": []}])
def test_a_document_without_files_is_a_mistake(document: dict[str, object]) -> None:
    assert find_problems(document)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("パッケージの更新", "パッケージを更新"),
        ("パッケージ更新", "パッケージの更新"),
        ("apt.update", "APT-Update"),
        ("apt update", "apt_update"),
        ("ＧＰＵ使用率", "gpuの使用率"),
        ("the disk", "disk"),
        ("restart {unit}", "restart {disk}"),
    ],
)
def test_words_that_sound_the_same(one: str, other: str) -> None:
    assert sound(one) == sound(other)


@pytest.mark.parametrize(
    ("one", "other"), [("更新", "更新候補"), ("disk usage", "diskusage"), ("apt.list", "apt.lists")]
)
def test_words_that_do_not(one: str, other: str) -> None:
    assert sound(one) != sound(other)


@given(st.text())
def test_any_word_has_pieces(word: str) -> None:
    assert sound(word) == " ".join(piece.text for piece in pieces(word)) or "{" in word
