"""A notice -> what is sent: a title and a text in both languages, and a versioned payload. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from schedctl.language import Text
from schedctl.notify.about import Detail, Notice, local, parts
from schedctl.notify.sentences import NEXT_STEPS, SENTENCES, TITLES

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.redact import Redactor

VERSION: Final = 1
"""Of the payload: keys may be added within a version, never changed or removed. See docs/events.schema.json."""


@dataclass(frozen=True, slots=True)
class Message:
    """What every channel sends, each in its own form."""

    type: str
    severity: str
    title: Text
    text: Text
    payload: dict[str, Any]

    def redacted(self, redactor: Redactor) -> Message:
        """The same without secrets, in every part of it."""
        return replace(
            self,
            title=Text(redactor.text(self.title.ja), redactor.text(self.title.en)),
            text=Text(redactor.text(self.text.ja), redactor.text(self.text.en)),
            payload=cast("dict[str, Any]", _redacted(self.payload, redactor)),
        )


def compose(notice: Notice, default_zone: str) -> Message:
    """The message that tells of an event, whatever its details hold; instants in the schedule's zone or the default."""
    words = parts(notice, default_zone)
    title, text = _title(notice, words), _text(notice, words)
    severity = _severity(notice)
    payload = _payload(replace(notice, severity=severity), title, text, default_zone)
    return Message(notice.type, severity, title, text, payload)


def _severity(notice: Notice) -> str:
    """How grave its type is; a report that asks for a person is a warning, so that no phone shows it as all well."""
    asks = notice.type == "report_written" and Detail(notice, "").number("needs") > 0
    return "warning" if asks else notice.severity


def sentence(notice: Notice, default_zone: str) -> Text:
    """What is said of an event, without the command with which one goes on."""
    return _sentence(notice, parts(notice, default_zone))


def trial(channel: str, at: datetime, actor: str, host: str) -> Notice:
    """What `notify test` tells: an event that did not happen."""
    return Notice(0, "test", "info", at, actor, host, {"channel": channel})


def _title(notice: Notice, words: dict[str, Text]) -> Text:
    kind = TITLES.get(notice.type, Text(notice.type, notice.type))
    if notice.schedule_id is None:
        day = words["day"]
        return Text(f"[schedctl] {kind.ja}{day.ja}", f"[schedctl] {kind.en}{day.en}")
    what = words["schedule"]
    return Text(f"[schedctl] {kind.ja}: {what.ja}", f"[schedctl] {kind.en}: {what.en}")


def _text(notice: Notice, words: dict[str, Text]) -> Text:
    """The sentence, and below it the command with which one goes on."""
    said, step = _sentence(notice, words), _next_step(notice, words["node"].ja)
    return Text(said.ja + step, said.en + step)


def _sentence(notice: Notice, words: dict[str, Text]) -> Text:
    said = SENTENCES.get(_variant(notice)) or Text("「{type}」が起きました。", "“{type}” happened.")
    named = {**words, "type": Text(notice.type, notice.type)}
    ja = said.ja.format_map({name: part.ja for name, part in named.items()})
    en = said.en.format_map({name: part.en for name, part in named.items()})
    begins_with_a_name = said.en.startswith("{actor}")
    return Text(ja, en if begins_with_a_name else en[:1].upper() + en[1:])


def _variant(notice: Notice) -> str:
    """The most fitting key of `SENTENCES`."""
    count = notice.detail.get("count")
    fits = [
        "many" if isinstance(count, int) and count > 1 else None,
        "no_restart" if notice.detail.get("restarts") is False else None,
        notice.detail.get("reason"),
        notice.detail.get("by"),
        notice.detail.get("status"),
    ]
    keys = (f"{notice.type}/{variant}" for variant in fits if isinstance(variant, str))
    return next((key for key in keys if key in SENTENCES), notice.type)


def _next_step(notice: Notice, node: str) -> str:
    values = {"schedule_id": notice.schedule_id, "run_id": notice.run_id, "node": node or None}
    known = {name: value for name, value in values.items() if value is not None}
    try:
        command = NEXT_STEPS.get(notice.type, "").format_map(known)
    except KeyError:
        return ""
    return f"\n→ {command}" if command else ""


def _payload(notice: Notice, title: Text, text: Text, default_zone: str) -> dict[str, Any]:
    """In the shape that Standard Webhooks recommends: type, timestamp, data."""
    schedule = notice.schedule_id is not None
    return {
        "type": notice.type,
        "timestamp": local(notice, notice.at, default_zone).isoformat(),
        "version": VERSION,
        "data": {
            "event": notice.event_id,
            "severity": notice.severity,
            "actor": notice.actor,
            "host": notice.host,
            "schedule": {"id": notice.schedule_id, "name": notice.schedule_name, "instruction": notice.instruction}
            if schedule
            else None,
            "run": {"id": notice.run_id} if notice.run_id is not None else None,
            "risk": notice.risk,
            "nodes": list(notice.nodes),
            "detail": dict(notice.detail),
            "title": {"ja": title.ja, "en": title.en},
            "text": {"ja": text.ja, "en": text.en},
        },
    }


def _redacted(value: object, redactor: Redactor) -> object:
    match value:
        case str():
            return redactor.text(value)
        case dict():
            return {name: _redacted(inner, redactor) for name, inner in cast("dict[str, object]", value).items()}
        case list():
            return [_redacted(inner, redactor) for inner in cast("list[object]", value)]
        case _:
            return value
