"""What an operator may have meant by a word without a home: a value, said without what makes it one (nginxを再起動)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.catalog.parameters import accepts
from schedctl.catalog.placeholders import names_in
from schedctl.catalog.words import pieces, plain
from schedctl.language import Text, language_of
from schedctl.plan.lexicon import lexicon
from schedctl.plan.operands import names_something
from schedctl.plan.tokens import UNKNOWN, Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schedctl.catalog.model import Action, Catalog


def as_values(tokens: Sequence[Token], catalog: Catalog) -> Text | None:
    """A hint that says an unknown name as the catalog would have it; None where nothing fits."""
    said = [token.said for token in tokens if token.meaning is UNKNOWN]
    names = [word for word in said if word.isascii() and names_something(word, lexicon(catalog))]
    if not names or len(names) > 1:
        return None
    verbs = plain("".join(token.said for token in tokens)).replace(plain(names[0]), " ")
    fitting = [form for action in catalog.actions for form in _forms(action, names[0], verbs)]
    ja, en = (next((form for form in fitting if language_of(form) == lang), None) for lang in ("ja", "en"))
    first = ja or en
    if first is None:
        return None
    return Text(f"「{ja or first}」のように書いてください", f"Write it like “{en or first}”")


def _forms(action: Action, name: str, verbs: str) -> Iterator[str]:
    """The aliases of an action whose verb was said, with the name in the place of their one parameter."""
    for parameter in action.parameters:
        if parameter.pattern is None or not accepts(parameter, name):
            continue
        for alias in action.aliases:
            if names_in(alias) == (parameter.name,) and _verb(alias) in verbs:
                yield alias.replace(f"{{{parameter.name}}}", name)


def _verb(alias: str) -> str:
    """What an alias asks for: its last piece, or in English the first one."""
    words = [piece.text for piece in pieces(alias)]
    return words[0] if alias.isascii() and not words[0].startswith("{") else words[-1]
