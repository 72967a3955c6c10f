"""What an error says about a secret survives the redactor: it names the secret, and looks like none itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from schedctl.notify.channel import ChannelFailed, filled
from schedctl.notify.webhook import signed
from schedctl.redact import Redactor
from schedctl.transport.http_outcome import secret_missing

NAMES = ["api_token", "db-password", "ops_url", "signing_key", "secret"]


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_secret_of_an_action_is_named(name: str) -> None:
    outcome = secret_missing(name)
    for said in (outcome.error_message, outcome.hint):
        assert said is not None
        assert [Redactor().text(text) for text in (said.ja, said.en)] == [said.ja, said.en]


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_secret_of_a_channel_is_named(name: str) -> None:
    with pytest.raises(ChannelFailed) as failed:
        filled(f"${{secret:{name}}}", {})
    unharmed(failed.value)


def test_an_unusable_key_says_how_to_make_one() -> None:
    with pytest.raises(ChannelFailed) as failed:
        signed("whsec_!!!", "1", datetime(2026, 12, 1, tzinfo=UTC), b"{}")
    unharmed(failed.value)
    assert failed.value.hint is not None
    assert "openssl rand -base64 24" in failed.value.hint.en


def unharmed(failure: ChannelFailed) -> None:
    for said in (failure.message, failure.hint):
        assert said is not None
        assert [Redactor().text(text) for text in (said.ja, said.en)] == [said.ja, said.en]
