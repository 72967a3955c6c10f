"""The light way of `beat`: what is plainly written is recorded through libpq; all else is left to the whole command.

An agent may call it every second, so it imports nothing that takes longer than the beat itself.
"""

STATUSES = ("ok", "starting", "stopping", "error")
OPTIONS = ("--status", "--tokens", "--detail", "--for")
LONGEST_NUMBER = 18
"""Digits of a number of tokens that surely is a bigint."""


def beat(arguments: list[str], dsn: str) -> bool:
    """Record the beat of this command line; False where the whole command has to look (and to complain)."""
    read = _read(arguments)
    if read is None:
        return False
    from schedctl.store import probe

    name, status, tokens, detail, length = read
    return probe.beat(dsn, name, status, tokens, _harmless(detail, dsn) if detail else None, length)


def _harmless(detail: str, dsn: str) -> str:
    """The words of an agent without the secrets that this host knows: who reads them on another one does not."""
    import os

    from schedctl.redact import Redactor, secrets_of
    from schedctl.secrets import known_secrets

    return Redactor.of((*secrets_of(os.environ, dsn), *known_secrets(os.environ))).text(detail)


def _read(arguments: list[str]) -> "tuple[str, str, str | None, str | None, str | None] | None":
    """Name, status, tokens, detail and length of a stop; None unless each is plainly what it should be."""
    names: list[str] = []
    given: dict[str, str] = {}
    words = iter(arguments)
    for word in words:
        if not word.startswith("-"):
            names.append(word)
            continue
        value = next(words, None)
        if word not in OPTIONS or word in given or value is None:
            return None
        given[word] = value
    status, tokens, length = given.get("--status", "ok"), given.get("--tokens"), given.get("--for")
    if len(names) != 1 or not names[0].strip() or not "".join(arguments).isprintable() or status not in STATUSES:
        return None
    if tokens is not None and not (tokens.isascii() and tokens.isdecimal() and len(tokens) <= LONGEST_NUMBER):
        return None
    if length is not None and not (status == "stopping" and _is_length(length)):
        return None
    return names[0], status, tokens, given.get("--detail"), length


def _is_length(text: str) -> bool:
    """Whether it is written as every length of the command line is: `90s`, `15m`, `2h`."""
    number, unit = text[:-1], text[-1:]
    return unit in ("s", "m", "h") and number.isascii() and number.isdecimal() and len(number) <= 6 and number[0] != "0"
