"""The two APIs: a prompt as the bytes of a request, a response's bytes as what the model said. Pure.

Ollama: `POST /api/chat` with the schema in `format`. OpenAI and the many servers that speak like it:
`POST /v1/chat/completions` with `response_format`. Some of those (llama-cpp-python 0.3, for one) refuse its type
`json_schema` and take the older `{"type": "json_object", "schema": …}` instead: the dialect `json_object`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit, urlunsplit

from schedctl.planner import refusals, untrusted

if TYPE_CHECKING:
    from schedctl.planner.prompt import Prompt

Kind = Literal["ollama", "openai"]
Dialect = Literal["json_schema", "json_object"]

ANSWER_TOKENS: Final = 4096
SMALLEST_WINDOW: Final = 8192
BYTES_PER_TOKEN_AT_LEAST: Final = 2
"""No usual tokenizer makes more than one token of two bytes of our prompts (Japanese and JSON)."""
BYTES_PER_TOKEN_AT_MOST: Final = 6
"""And none packs more than six into one on the whole: a server that read fewer tokens has cut the prompt."""

PATHS: Final[dict[Kind, str]] = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server said: the model's text, whether it was cut or held back, and the tokens used."""

    content: str
    cut: bool = False
    thought: bool = False
    """The model thought, in a field of its own."""
    declined: bool = False
    """The provider's own safety filter held the answer back."""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None

    @property
    def tokens(self) -> int | None:
        """All tokens of the call, where the server counts them."""
        known = [tokens for tokens in (self.prompt_tokens, self.answer_tokens) if tokens is not None]
        return sum(known) if known else None


def endpoint(kind: Kind, url: str) -> str:
    """The address to post to, from the server's address as an operator writes it (with or without `/v1`, or whole)."""
    parts = urlsplit(url)
    base, path = parts.path.rstrip("/"), PATHS[kind]
    head, _, tail = path[1:].partition("/")
    if base.endswith(path):
        whole = base
    elif base.endswith("/" + head):
        whole = f"{base}/{tail}"
    else:
        whole = base + path
    return urlunsplit((parts.scheme, parts.netloc, whole, parts.query, ""))


def window(prompt: Prompt) -> int:
    """The context that the model needs, in tokens: the prompt at its longest, and the answer, in steps of 2,048."""
    needed = prompt.size // BYTES_PER_TOKEN_AT_LEAST + ANSWER_TOKENS
    return max(SMALLEST_WINDOW, -(-needed // 2048) * 2048)


def request(kind: Kind, model: str, prompt: Prompt, dialect: Dialect) -> bytes:
    """The bytes to send. Temperature 0 and no streaming, so that the same question has the same answer."""
    messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
    body: dict[str, object] = {"model": model, "messages": messages, "stream": False}
    match kind:
        case "ollama":
            body |= _ollama(prompt)
        case "openai":
            body |= {"temperature": 0, "max_tokens": ANSWER_TOKENS, "response_format": _format(prompt, dialect)}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read(kind: Kind, body: bytes) -> Reply:
    """What the server said; `PlanError` (`planner_invalid`) when the bytes are not the API's."""
    envelope = _envelope(body)
    if envelope is None:
        raise refusals.not_the_api()
    match kind:
        case "ollama":
            reply = _read_ollama(envelope)
        case "openai":
            reply = _read_openai(envelope)
    if reply is None:
        raise refusals.not_the_api()
    return reply


def refuses_the_format(status: int, body: bytes) -> bool:
    """Whether the server says that it does not know `response_format` with a `json_schema`."""
    return status in (400, 422, 500) and (b"response_format" in body or b"json_schema" in body)


def lacks_the_model(status: int, body: bytes) -> bool:
    """Whether the server says in its API's own form that there is no such model, and not that there is no such page."""
    return status == 404 and b"model" in body and _envelope(body) is not None


def was_read_whole(prompt: Prompt, reply: Reply) -> bool:
    """Whether the tokens that the server says it read can be the whole prompt; silence is believed."""
    return not reply.prompt_tokens or reply.prompt_tokens >= prompt.size // BYTES_PER_TOKEN_AT_MOST


def _envelope(body: bytes) -> dict[str, object] | None:
    try:
        return untrusted.members(untrusted.parse(body.decode("utf-8")))
    except ValueError:
        return None


def _ollama(prompt: Prompt) -> dict[str, object]:
    """Ollama's own members.

    It cuts a prompt that is longer than `num_ctx` without a word, unless `truncate` and `shift` are off. `think: false`
    makes some versions ignore `format` (ollama#14850, #15260): one more reason to check every answer ourselves.
    """
    options = {"temperature": 0, "seed": 0, "num_ctx": window(prompt), "num_predict": ANSWER_TOKENS}
    return {"format": prompt.schema, "think": False, "truncate": False, "shift": False, "options": options}


def _format(prompt: Prompt, dialect: Dialect) -> dict[str, object]:
    if dialect == "json_object":
        return {"type": "json_object", "schema": prompt.schema}
    return {"type": "json_schema", "json_schema": {"name": "plan", "strict": True, "schema": prompt.schema}}


def _read_ollama(envelope: dict[str, object]) -> Reply | None:
    message = untrusted.members(envelope.get("message"))
    content = message.get("content", "") if message is not None else None
    if message is None or not isinstance(content, str):
        return None
    return Reply(
        content,
        cut=envelope.get("done_reason") == "length" or envelope.get("done") is False,
        thought=bool(message.get("thinking")),
        prompt_tokens=untrusted.count(envelope.get("prompt_eval_count")),
        answer_tokens=untrusted.count(envelope.get("eval_count")),
    )


def _read_openai(envelope: dict[str, object]) -> Reply | None:
    choices = untrusted.items(envelope.get("choices"))
    choice = untrusted.members(choices[0]) if choices else None
    message = untrusted.members(choice.get("message")) if choice is not None else None
    if choice is None or message is None or not isinstance(message.get("content"), str | None):
        return None
    usage = untrusted.members(envelope.get("usage")) or {}
    content = message.get("content")
    return Reply(
        content if isinstance(content, str) else "",
        cut=choice.get("finish_reason") == "length",
        thought=bool(message.get("reasoning_content") or message.get("reasoning")),
        declined=bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter",
        prompt_tokens=untrusted.count(usage.get("prompt_tokens")),
        answer_tokens=untrusted.count(usage.get("completion_tokens")),
    )
