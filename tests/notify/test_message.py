"""What is said of each event, in both languages; and what holds for any event at all."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from names_in_code import event_kinds

from schedctl.catalog.facts import FACTS, SEVERITIES
from schedctl.language import Text
from schedctl.notify import about
from schedctl.notify.about import Notice
from schedctl.notify.message import Message, compose
from schedctl.notify.sentences import NEXT_STEPS, SENTENCES, TITLES
from schedctl.redact import Redactor

if TYPE_CHECKING:
    from schedctl.usecases.site import Site

DOCUMENT: dict[str, Any] = json.loads((Path(__file__).parents[2] / "docs/events.schema.json").read_text())
SCHEMA = Draft202012Validator(DOCUMENT)
ROWS = [line.split("\t") for line in (Path(__file__).parent / "sentences.tsv").read_text().splitlines()[1:]]
WITH_RUN = ("cancelled", "agent_restarted", "started", "leg_lost", "lost_leg_ended", "late_result")
AT = datetime.fromisoformat("2026-12-06T03:41:00+09:00")
NO_SCHEDULE = (
    "armed",
    "disarmed",
    "catalog_adopted",
    "node_held",
    "node_released",
    "role_granted",
    "role_revoked",
    "tick_silent",
    "queue_stuck",
    "freeze_ahead",
    "report_written",
    "test",
)


def notice(kind: str, detail: dict[str, Any], **changes: Any) -> Notice:
    """An event as its writer keeps it: of a schedule, unless its type or its details say otherwise."""
    alone = kind in NO_SCHEDULE or kind.startswith("agent_") or "agent" in detail or "subject" in detail
    of_schedule: dict[str, Any] = {
        "schedule_id": 3,
        "instruction": "毎週日曜午前3時にmarsのパッケージを更新して",
        "timezone": "Asia/Tokyo",
    }
    with_run = "scheduled_for" in detail or kind in WITH_RUN
    values: dict[str, Any] = {} if alone else of_schedule
    if with_run:
        values["run_id"] = 12
    severity = FACTS[kind].severity if kind in FACTS else "info"
    return Notice(7, kind, severity, AT, "hanako", "h1", detail, **(values | changes))


@pytest.mark.parametrize(("kind", "detail", "ja", "en"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_sentences(kind: str, detail: str, ja: str, en: str) -> None:
    message = compose(notice(kind, json.loads(detail)), "Asia/Tokyo")
    assert message.text == Text(ja.replace(" ⏎ ", "\n"), en.replace(" ⏎ ", "\n"))


def test_every_fact_has_a_title_a_sentence_and_a_row() -> None:
    assert set(TITLES) == {*FACTS, "test"}
    assert {key.partition("/")[0] for key in NEXT_STEPS} <= set(TITLES)


def test_every_kind_of_event_in_the_code_has_a_sentence_and_a_row() -> None:
    """The report tells also of those that no route can ask for."""
    kinds = {*event_kinds(), "test"}
    assert {key.partition("/")[0] for key in SENTENCES} == kinds == {row[0] for row in ROWS}
    assert kinds <= set(SENTENCES)


def test_the_database_knows_the_same_facts(site: Site) -> None:
    rows = site.db.execute("SELECT type, severity, weight FROM schedctl.event_type").fetchall()
    assert {row[0]: row[1:] for row in rows} == {
        name: (fact.severity, SEVERITIES.index(fact.routed_as)) for name, fact in FACTS.items()
    }


def test_the_title_is_one_short_line() -> None:
    message = compose(notice("failed", {}, instruction="毎日9時に\nmarsの" + "とても長い作業を" * 20), "Asia/Tokyo")
    assert message.title.ja.startswith("[schedctl] 失敗: 予定 3「毎日9時に marsの")
    assert len(message.title.ja) < 100
    assert "\n" not in message.title.ja
    assert (
        compose(notice("failed", {}, schedule_name="nightly"), "UTC").title.en
        == "[schedctl] failed: schedule 3 “nightly”"
    )


def test_instants_are_told_by_the_schedules_own_clock() -> None:
    detail = {"scheduled_for": "2026-12-05T18:00:00+00:00"}
    for zone, said in (("Asia/Tokyo", "2026-12-06 03:00+09:00"), ("Europe/Berlin", "2026-12-05 19:00+01:00")):
        assert said in compose(notice("succeeded", detail, timezone=zone), "UTC").text.en
    # A zone that cannot be read is what some notices are about.
    broken = compose(notice("succeeded", detail, timezone="Mars/Base"), "UTC")
    assert "2026-12-05 18:00+00:00" in broken.text.en
    assert broken.payload["timestamp"] == "2026-12-05T18:41:00+00:00"


@pytest.mark.parametrize(("kind", "detail"), [row[:2] for row in ROWS if "scheduled_for" in row[1] or row[0] == "test"])
def test_the_payload_fits_the_schema(kind: str, detail: str) -> None:
    kept = {"trigger": "timer", **json.loads(detail)}
    SCHEMA.validate(compose(notice(kind, kept, risk="reads", nodes=("mars",)), "Asia/Tokyo").payload)


def test_the_schema_refuses_what_is_not_said() -> None:
    payload = compose(notice("failed", {"trigger": "timer"}), "UTC").payload
    assert [error.message for error in SCHEMA.iter_errors(payload)] == ["'scheduled_for' is a required property"]
    assert DOCUMENT["properties"]["type"]["enum"] == [*FACTS, "test"]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.just("9999-12-31T23:59:59+00:00"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [*re.findall(r'detail\.\w+\("(\w+)"\)', Path(about.__file__).read_text()), "error", "reason", "by"]
)


@given(
    kind=st.sampled_from([*FACTS, "test", "unheard_of"]), detail=st.dictionaries(KEYS, VALUES), schedule=st.booleans()
)
def test_whatever_an_event_holds_there_is_a_message(kind: str, detail: dict[str, Any], schedule: bool) -> None:
    told = Notice(
        1, kind, "info", datetime(2026, 1, 1, tzinfo=UTC), "x", "", detail, 3 if schedule else None, None, "毎日"
    )
    message = compose(told, "Asia/Tokyo")
    assert message.title.ja
    assert message.text.en
    assert json.loads(json.dumps(message.payload))["version"] == 1


def test_secrets_are_masked_in_every_part() -> None:
    secret = "s3cr3t/päss word"
    detail = {
        "reason": f"because {secret}",
        "error": {"type": "x", "ja": secret, "en": f"said {secret}"},
        "more": [secret],
    }
    message = compose(notice("failed", detail, schedule_name=secret), "UTC").redacted(Redactor.of([secret]))
    assert "[redacted]" in message.text.en
    assert secret not in repr(message)
    assert isinstance(message, Message)
