"""Ask a language model what a task means: at most one question and one repair, and every failure a refusal.

Only registration calls this, and only when the literal resolver found no plan. What comes back is requests in the
catalog's own words, still to be made a plan of and approved.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from schedctl.errors import PlanError, Refused
from schedctl.language import Text
from schedctl.plan.model import Origin
from schedctl.planner import answer, call, prompt, refusals, untrusted, wire
from schedctl.planner.call import Limits, Patience, Progress, Received

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedctl.catalog.model import Catalog
    from schedctl.plan.request import Request
    from schedctl.planner.prompt import Prompt
    from schedctl.planner.wire import Dialect, Kind, Reply
    from schedctl.settings import Settings

DEFAULT_OLLAMA: Final = "http://127.0.0.1:11434"
SENT_BACK_LETTERS: Final = 4000
DEFAULT_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Planner:
    """A language model and where it is. Neither the key nor the address, which may hold a password, is ever printed."""

    kind: Kind
    url: str = field(repr=False)
    model: str
    api_key: str | None = field(default=None, repr=False)
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model asks for, all of it in the catalog, and who it was."""

    requests: tuple[Request, ...]
    origin: Origin


def configured(settings: Settings) -> Planner | None:
    """The planner that the environment names, or none; `Refused` (`bad_setting`) when it is only half said."""
    match settings.planner:
        case None:
            return None
        case "ollama" | "openai" as kind:
            url = settings.planner_url or (DEFAULT_OLLAMA if kind == "ollama" else None)
        case other:
            raise _bad_setting(
                f"SCHEDCTL_PLANNER は ollama か openai です（いまは「{untrusted.shown(other)}」）",
                f"SCHEDCTL_PLANNER is ollama or openai, not “{untrusted.shown(other)}”",
            )
    if url is None:
        raise _bad_setting("SCHEDCTL_PLANNER_URL がありません", "SCHEDCTL_PLANNER_URL is missing")
    if settings.planner_model is None:
        raise _bad_setting("SCHEDCTL_PLANNER_MODEL がありません", "SCHEDCTL_PLANNER_MODEL is missing")
    return Planner(kind, url, settings.planner_model, settings.planner_api_key)


def ask(planner: Planner, task: str, catalog: Catalog, progress: Progress) -> Answered:
    """What `task` means in the words of `catalog`; `PlanError` when the model cannot be asked or answers unusably.

    `progress` is called about once a second with the seconds so far: a model that is loaded first may take minutes.
    """
    if not prompt.doable(catalog):
        raise refusals.nothing_to_choose()
    talk = _Conversation(planner, Patience(planner.limits, progress))
    question = prompt.first(task, catalog)
    content = talk.say(question)
    unusable = None
    try:
        return talk.answered(answer.read(content, catalog), content)
    except answer.Declined:
        raise
    except PlanError as error:
        unusable = error
    # One repair only: a model that is wrong twice is wrong, and the operator waits.
    mended = talk.say(prompt.again(question, content[:SENT_BACK_LETTERS], unusable.message.en))
    return talk.answered(answer.read(mended, catalog), mended)


class _Conversation:
    """The calls of one `ask`: they share its time, its dialect and its count of tokens."""

    def __init__(self, planner: Planner, patience: Patience) -> None:
        self.planner = planner
        self.patience = patience
        self.where, self.endpoint = address_of(planner)
        self.headers = headers_for(planner)
        self.dialect: Dialect = "json_schema"
        self.tokens: int | None = None

    def say(self, question: Prompt) -> str:
        """The model's text, whole; `PlanError` when there is none."""
        received = self._post(question)
        if self.dialect == "json_schema" and wire.refuses_the_format(received.status, received.body):
            self.dialect = "json_object"
            received = self._post(question)
        if received.status != 200:
            raise self._status(received)
        reply = wire.read(self.planner.kind, received.body)
        if reply.tokens is not None:
            self.tokens = (self.tokens or 0) + reply.tokens
        _check(question, reply)
        return reply.content

    def answered(self, requests: tuple[Request, ...], content: str) -> Answered:
        """The outcome, with what it cost."""
        name = f"{self.planner.kind}/{self.planner.model}"
        seconds = round(self.patience.elapsed(), 1)
        return Answered(requests, Origin(name, untrusted.kept(content), self.tokens, seconds))

    def _post(self, question: Prompt) -> Received:
        body = wire.request(self.planner.kind, self.planner.model, question, self.dialect)
        outcome = call.post(self.endpoint, self.headers, body, self.patience)
        match outcome:
            case Received():
                return outcome
            case "unreachable":
                raise refusals.unreachable(self.where)
            case "unproven":
                raise refusals.unproven(self.where)
            case "slow":
                raise refusals.slow(self.where, self.patience.limits.overall_s)
            case "broken":
                raise refusals.broken(self.where)
            case "oversize":
                raise refusals.oversize(self.where, self.patience.limits.answer_bytes)

    def _status(self, received: Received) -> PlanError:
        if 300 <= received.status < 400:
            return refusals.redirected(self.where, received.status)
        if wire.lacks_the_model(received.status, received.body):
            return refusals.missing_model(self.where, self.planner.model, ollama=self.planner.kind == "ollama")
        return refusals.status(self.where, received.status)


def _check(question: Prompt, reply: Reply) -> None:
    """`PlanError` when the reply cannot be the whole answer to the whole question."""
    if not wire.was_read_whole(question, reply):
        raise refusals.prompt_was_cut()
    if reply.declined:
        raise refusals.withheld()
    if not answer.unwrapped(reply.content) and (reply.thought or reply.cut):
        raise refusals.thought_only()
    if reply.cut:
        raise refusals.cut()


def address_of(planner: Planner) -> tuple[str, str]:
    """How messages name the server (scheme, host and port alone), and where to post."""
    try:
        parts = urlsplit(planner.url)
        host, port = parts.hostname, parts.port
        endpoint = wire.endpoint(planner.kind, planner.url)
    except ValueError:
        raise refusals.bad_address() from None
    if parts.scheme not in ("http", "https") or not host or not planner.url.isprintable():
        raise refusals.bad_address()
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else ""), endpoint


def headers_for(planner: Planner) -> Mapping[str, str]:
    """What goes in front of each request; `PlanError` when the key cannot stand there."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "schedctl",
    }
    if not planner.api_key:
        return headers
    if not (planner.api_key.isascii() and planner.api_key.isprintable() and planner.api_key.strip() == planner.api_key):
        raise refusals.bad_key()
    return {**headers, "Authorization": f"Bearer {planner.api_key}"}


def _bad_setting(ja: str, en: str) -> Refused:
    return Refused(
        "bad_setting", Text(ja, en), Text("README の設定の表を見てください", "See the table of settings in the README")
    )
