"""Whatever a database error carries, what is raised instead has its kind alone; what a session prints, no secret."""

from __future__ import annotations

import io
import json
import sys
from base64 import b64encode
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import psycopg
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo

from schedctl.cli.session import Session
from schedctl.errors import SchedctlError
from schedctl.redact import SHORTEST_SECRET
from schedctl.store.database import connect, typed_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.usecases.site import Site

SECRET: Final = "hunter2-of-a-customer"
TWICE: Final = """
    INSERT INTO schedctl.node_hold (node, held_by, reason) VALUES (%(node)s, 'x', 'x'), (%(node)s, 'x', 'x')
"""


def every_kind(kind: type[psycopg.Error] = psycopg.Error) -> Iterator[type[psycopg.Error]]:
    yield kind
    for one in kind.__subclasses__():
        yield from every_kind(one)


def told(error: SchedctlError) -> str:
    hint = (error.hint.ja, error.hint.en) if error.hint else ()
    return " ".join((*hint, error.message.ja, error.message.en, str(error), repr(error.__cause__)))


def test_no_kind_of_database_error_passes_its_words_on() -> None:
    kinds = set(every_kind())
    assert len(kinds) > 250
    for kind in kinds:
        with pytest.raises(SchedctlError) as raised, typed_errors():
            raise kind(f"failed for {SECRET}\nDETAIL:  Key (x)=({SECRET})")
        assert SECRET not in told(raised.value), kind


def test_a_real_detail_line_and_a_real_refused_connection_are_not_passed_on(site: Site) -> None:
    with pytest.raises(SchedctlError) as raised, site.transaction():
        site.db.execute(TWICE, {"node": SECRET})
    assert ("node_hold_pkey" in told(raised.value), SECRET in told(raised.value)) == (True, False)
    for broken in (make_conninfo("", host="127.0.0.1", port=1, password=SECRET), f"postgresql//x:{SECRET}@h/x"):
        with pytest.raises(SchedctlError) as refused:
            connect(broken)
        assert SECRET not in told(refused.value)


SECRETS: Final = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40)


@given(secret=SECRETS, before=st.text(max_size=5), after=st.text(max_size=5))
def test_a_session_prints_no_secret_in_any_spelling(secret: str, before: str, after: str) -> None:
    """A secret of any letters, in a variable, in the DSN and in what is printed: raw, %-encoded, base64, JSON."""
    secret = secret.strip()
    assume(len(secret) >= SHORTEST_SECRET + 4)
    environ = {
        "SCHEDCTL_DSN": make_conninfo("", host="h", password=secret),
        "SCHEDCTL_SECRET_X": secret,
        "SCHEDCTL_STATE": "/nonexistent",
    }
    raw = secret.encode()
    spellings = (secret, quote(secret), quote(secret, safe=""), b64encode(raw).decode(), json.dumps(secret)[1:-1])
    session = Session.start(environ, "en", False)
    out, err = io.StringIO(), io.StringIO()
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        for spelling in spellings:
            session.out(before + spelling + after)
            session.err(before + spelling + after)
            session.document({"a": [before + secret + after], "b": {"c": spelling}})
    finally:
        sys.stdout, sys.stderr = kept
    surrounding = before + after + "[redacted]"
    for spelling in spellings:
        if spelling not in surrounding:
            assert spelling not in out.getvalue() + err.getvalue()
