"""Channels and routes: what they mean, and every mistake in them with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from folders import action, write

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import find_problems, parse
from schedctl.catalog.telling import CommandChannel, EmailChannel, NtfyChannel, Route, SlackChannel, WebhookChannel

if TYPE_CHECKING:
    from pathlib import Path

HOOK = '[channels.a]\ntype = "webhook"\nurl = "${secret:u}"\nkey = "${secret:k}"\n'
MAIL = '[channels.a]\ntype = "email"\nhost = "h.example"\nsender = "a@b.example"\nrecipients = ["c@d.example"]\n'
ROUTE = HOOK + '[[routes]]\nchannels = ["a"]\n'


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[channels.a]\n", "channels.a.type", "missing"),
        ('[channels.a]\ntype = "pager"\n', "channels.a.type", "pager"),
        ('[channels.A]\ntype = "slack"\nurl = "${secret:u}"\n', "channels.A", "small letters"),
        ('[channels.a]\ntype = "webhook"\nkey = "${secret:k}"\n', "channels.a.url", "missing"),
        ('[channels.a]\ntype = "webhook"\nurl = "${secret:u}"\n', "channels.a.key", "missing"),
        (
            '[channels.a]\ntype = "slack"\nurl = "https://hooks.slack.com/services/T/B/X"\n',
            "channels.a.url",
            "Only the name",
        ),
        ('[channels.a]\ntype = "slack"\nurl = "${secret:u}/more"\n', "channels.a.url", "Only the name"),
        (HOOK.replace('"${secret:k}"', '"whsec_abc"'), "channels.a.key", "Only the name"),
        (HOOK + 'topic = "x"\n', "channels.a.topic", "webhook channel has no"),
        (HOOK + 'language = "fr"\n', "channels.a.language", "fr"),
        (HOOK + 'colour = "red"\n', "channels.a.colour", "no key"),
        ('[channels.a]\ntype = "ntfy"\n', "channels.a.topic", "missing"),
        ('[channels.a]\ntype = "ntfy"\ntopic = "a b"\n', "channels.a.topic", "topic's name"),
        ('[channels.a]\ntype = "ntfy"\ntopic = "t"\nserver = "ntfy.sh"\n', "channels.a.server", "http(s) URL"),
        (
            '[channels.a]\ntype = "ntfy"\ntopic = "t"\nserver = "https://u:p@ntfy.sh"\n',
            "channels.a.server",
            "http(s) URL",
        ),
        ('[channels.a]\ntype = "ntfy"\ntopic = "t"\ntoken = "tk_x"\n', "channels.a.token", "Only the name"),
        ('[channels.a]\ntype = "email"\nsender = "a@b"\nrecipients = ["c@d"]\n', "channels.a.host", "missing"),
        (MAIL.replace("h.example", "-oX h"), "channels.a.host", "host name"),
        (MAIL.replace("a@b.example", "a b"), "channels.a.sender", "mail address"),
        (MAIL.replace('"c@d.example"', ""), "channels.a.recipients", "mail address"),
        (MAIL.replace("c@d.example", "c@d.example, e@f.example"), "channels.a.recipients", "mail address"),
        (MAIL + 'user = "x"\n', "channels.a.user", "belong together"),
        (MAIL + 'user = "x"\npassword = "secret"\n', "channels.a.password", "Only the name"),
        (
            MAIL + 'security = "none"\nuser = "x"\npassword = "${secret:p}"\n',
            "channels.a.security",
            "never sent unencrypted",
        ),
        (MAIL + "port = 0\n", "channels.a.port", "1 to 65535"),
        ('[channels.a]\ntype = "command"\n', "channels.a.action", "missing"),
        ('[channels.a]\ntype = "command"\naction = "pong"\n', "channels.a.action", "“pong” is not defined"),
        ('[channels.a]\ntype = "command"\naction = "needs.unit"\n', "channels.a.action", "cannot tell anybody"),
        ("[[routes]]\n", "routes[1].channels", "missing"),
        ("[[routes]]\nchannels = []\n", "routes[1].channels", "not empty"),
        ('[[routes]]\nchannels = ["b"]\n', "routes[1].channels", "“b” is not defined"),
        (ROUTE + 'events = ["fail"]\n', "routes[1].events", "fail"),
        (ROUTE + 'severity = "fatal"\n', "routes[1].severity", "fatal"),
        (ROUTE + 'risks = ["writes"]\n', "routes[1].risks", "writes"),
        (ROUTE + 'nodes = ["venus"]\n', "routes[1].nodes", "“venus” is not defined"),
        (ROUTE + 'node = "mars"\n', "routes[1].node", "no key"),
        ('dead_man_url = "https://hc-ping.com/uuid"\n', "dead_man_url", "Only the name"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, key: str, words: str) -> None:
    needs = action(argv='["x", "{unit}"]', parameters='{ unit = { pattern = "^[a-z]+$" } }').replace(
        "x.y", "needs.unit"
    )
    found = find_problems(read_folder(write(tmp_path, policy=text, **{"actions/x.toml": needs})))
    said = [(problem.key, problem.message.en + " " + problem.fix.en) for problem in found]
    assert any(at == key and words in sentence for at, sentence in said), said
    assert all(problem.file == "policy.toml" and problem.message.ja for problem in found)


def test_a_secret_by_mistake_is_not_repeated(tmp_path: Path) -> None:
    text = HOOK.replace('"${secret:k}"', '"whsec_c2VjcmV0c2VjcmV0"')
    assert "c2VjcmV0" not in str(find_problems(read_folder(write(tmp_path, policy=text))))


def test_what_they_mean(tmp_path: Path) -> None:
    policy = (
        HOOK
        + """
[channels.b]
type = "slack"
url = "${secret:b}"
language = "en"
[channels.c]
type = "ntfy"
topic = "${secret:c}"
[channels.d]
type = "email"
host = "h.example"
security = "tls"
sender = "a@b.example"
recipients = ["c@d.example"]
[channels.e]
type = "command"
action = "ping"
input = "json"
[[routes]]
channels = ["a", "d"]
[[routes]]
channels = ["b"]
events = ["recovered", "failed"]
nodes = ["gpu"]
"""
    )
    parsed = parse(read_folder(write(tmp_path, policy=policy))).policy
    assert parsed.channels == (
        WebhookChannel("a", "${secret:u}", "${secret:k}"),
        SlackChannel("b", "${secret:b}", "en"),
        NtfyChannel("c", "https://ntfy.sh", "${secret:c}"),
        EmailChannel("d", "h.example", "a@b.example", ("c@d.example",), 465, "tls"),
        CommandChannel("e", "ping", "json"),
    )
    assert parsed.routes == (
        Route(("a", "d"), severity="warning"),
        Route(("b",), ("failed", "recovered"), "info", nodes=("gpu",)),
    )
