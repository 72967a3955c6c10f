"""What the gate reads out of a client's line, and what it refuses: without a shell, for any line at all."""

from __future__ import annotations

from typing import Final

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.cli.gate_line import LONGEST_LINE, command_of
from schedctl.cli.gate_verbs import ROLES
from schedctl.cli.main import cli
from schedctl.errors import NotAllowed

SENTENCE: Final = "毎週日曜午前3時にmarsのパッケージを更新して"
READ: Final = (
    ("list", ["list"]),
    ("schedctl list", ["list"]),
    ("  list\t--json ", ["list", "--json"]),
    ("show 12 --lang en", ["show", "--lang=en", "--", "12"]),
    ("show --lang=ja 夜間バックアップ", ["show", "--lang=ja", "--", "夜間バックアップ"]),
    ("runs --state failed --state lost", ["runs", "--state=failed", "--state=lost"]),
    (f"register {SENTENCE}", ["register", "--", SENTENCE]),
    (f"register　{SENTENCE}", ["register", "--", SENTENCE]),  # an input method's blank behind the verb
    (f"register --yes --name nightly {SENTENCE}", ["register", "--yes", "--name=nightly", "--", SENTENCE]),
    ("register 毎週日曜　午前3時に  marsの…", ["register", "--", "毎週日曜　午前3時に  marsの…"]),  # blanks inside stay
    ("register every Sunday at 3am check mars's disk", ["register", "--", "every Sunday at 3am check mars's disk"]),
    (f"register '{SENTENCE}'", ["register", "--", SENTENCE]),  # quoted for a remote shell that is not there
    (f'register --json "{SENTENCE}" ', ["register", "--json", "--", SENTENCE]),
    (f"register 「{SENTENCE}」", ["register", "--", SENTENCE]),
    ("register 'a' or 'b'", ["register", "--", "'a' or 'b'"]),
    ("register -- --yes 毎日3時に", ["register", "--", "--yes 毎日3時に"]),  # somebody else's sentence, as it is
    ("register $(reboot); `id` & | > /tmp/x", ["register", "--", "$(reboot); `id` & | > /tmp/x"]),  # letters, no more
    ("pause 3 --reason disk is being replaced", ["pause", "--reason=disk is being replaced", "--", "3"]),
    ("pause 3 --json --reason=交換中　です", ["pause", "--json", "--reason=交換中　です", "--", "3"]),
    ("node hold mars --reason 'not today'", ["node", "hold", "--reason=not today", "--", "mars"]),
    ("catalog adopt --dry-run", ["catalog", "adopt", "--dry-run"]),
    ("register --budget tokens=1000,time=5m x", ["register", "--budget=tokens=1000,time=5m", "--", "x"]),
    ("explain --timezone America/New_York 3pm", ["explain", "--timezone=America/New_York", "--", "3pm"]),
    ("register --help", ["register", "--help"]),
    ("report --day today", ["report", "--day=today"]),
    ("report --week --day yesterday", ["report", "--week", "--day=yesterday"]),
    ("report --day 2026-11-30", ["report", "--day=2026-11-30"]),
)
REFUSED: Final = (
    # no command, another program, a shell
    *("", " ", "　", "sh", "bash -i", "/bin/sh", "scp -t /tmp", "/usr/lib/openssh/sftp-server", "internal-sftp"),
    *("schedctl", "schedctl schedctl list", "/usr/bin/schedctl list", "LIST", "ｌｉｓｔ", "list\u00a0--json"),
    # a shell's letters
    *("list;reboot", "list; reboot", "list && reboot", "list|sh", "list > /tmp/x", "show $(reboot)", "show `reboot`"),
    *("show ${HOME}", "show 1 2", "show 'a b'", "show ../../etc/passwd", "show *", "show ~root", "show 1\\", "show !1"),
    # lines, letters that are none
    *("list\nreboot", "list\r\nreboot", "list\x00--json", "register a\x1b[2Jb", "register \x7f", "register a\x85b"),
    *("register a\u2028b", "register a\u202eb", "register a\u200bb", "register \ufeffa", "register \udcff\udcfe"),
    *("register a\U000e0041b", "register a\u061cb", "register \ue000"),
    # options: of others, shortened, unknown, joined, in other dashes, from files
    *(
        "list --dsn postgresql://evil",
        "list --dsn=x",
        "list --js",
        "list --jso",
        "list --lan ja",
        "list -j",
        "list -hx",
    ),
    *("list --json=1", "list --", "list -- --json", "list \u2013json", "list \u2014\u2014json", "list －－json"),
    *("list --lang fr", "list --lang", "list --lang=ja;x", "list --limit -1", "list --limit 1e9", "list --after=@file"),
    *(
        "register --yes=1 x",
        "register --y x",
        "register --name $(id) x",
        "register --name a;b x",
        "register --timezone",
    ),
    *("register --timezone ../../etc/passwd x", "register --timezone /etc/localtime x", "register --catch-up 5M x"),
    *(
        "register @/etc/passwd --yes",
        "register x --yes",
        "register x --dsn y",
        "register 毎日 －－yes",
        "register -yes x",
    ),
    *("register -", "register -- -", "register --", 'register ""', "explain -"),
    *("explain - < /etc/passwd", "logs 1 -f", "logs --follow 1 2", "pause 3 --reason", "pause 3 --reason x --json"),
    *("pause 3 --reason=", "resume 1 --reason x", "archive 1 --reason 'x' --yes", "test-run 1 --step 0x1"),
    # verbs that no key may say
    *("gate --role approver --actor bob", "grant approver alice", "work", "work --drain", "tick", "deliver", "watch"),
    *(
        "demo",
        "install-units",
        "uninstall-units",
        "catalog sudoers mars",
        "catalog",
        "node",
        "notify test x",
    ),
    *("report --day tomorrow", "report --day todayx"),
    *("report --html /etc/cron.d/x", "page --out /tmp/x", "doctor", "--version", "--help list", "completion bash"),
)
ONLY_OF: Final = {
    "viewer": ("register x", "pause 1 --reason x", "arm", "disarm", "test-run 1", "cancel 1", "node hold mars"),
    "operator": ("approve 1", "catalog adopt", "catalog check"),
    "beater": ("list", "show 1", "register x", "status"),
}


@pytest.mark.parametrize(("line", "words"), READ)
def test_a_line_is_read(line: str, words: list[str]) -> None:
    assert command_of(line, ROLES["approver"]) == words


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_is_refused(line: str) -> None:
    with pytest.raises(NotAllowed) as refusal:
        command_of(line, ROLES["approver"])
    assert (refusal.value.type, refusal.value.exit_code) == ("gate_refused", 4)


@pytest.mark.parametrize(("role", "line"), [(role, line) for role, lines in ONLY_OF.items() for line in lines])
def test_a_role_has_its_own_verbs_only(role: str, line: str) -> None:
    with pytest.raises(NotAllowed, match="may not"):
        command_of(line, ROLES[role])


def test_a_line_of_a_megabyte_is_refused() -> None:
    for line in ("x" * 1_000_000, "register " + "あ" * LONGEST_LINE, "register " + "-- " * 300_000):
        with pytest.raises(NotAllowed, match="too long"):
            command_of(line, ROLES["operator"])


PIECES: Final = st.one_of(
    st.sampled_from([word for role in ROLES.values() for verb in role for word in verb.split()]),
    st.sampled_from(["--json", "--yes", "--lang", "--reason", "--name", "--dsn", "--", "-", "=", ";", "$(id)", "`id`"]),
    st.sampled_from(
        ["\n", "\x00", "\u3000", '"', "'", "「", "」", "－－yes", "@x", "1", "毎日3時に", "\udcff", "--yes=x"]
    ),
    st.text(max_size=8),
)


@given(st.sampled_from(sorted(ROLES)), st.lists(PIECES, max_size=8), st.sampled_from([" ", "", "　"]))
def test_whatever_is_said_is_a_command_of_the_role_or_refused(role: str, pieces: list[str], blank: str) -> None:
    words = read_or_refused(blank.join(pieces), role)
    if words is None:
        return
    name = next(verb for verb in ROLES[role] if words[: len(verb.split())] == verb.split())
    rest = words[len(name.split()) :]
    end = rest.index("--") if "--" in rest else len(rest)
    assert {option.partition("=")[0] for option in rest[:end]} <= set(ROLES[role][name].options())
    assert len(rest[end + 1 :]) <= 1
    assert not any(letter < " " or "\ud800" <= letter <= "\udfff" for letter in "".join(words).replace("\t", ""))


def read_or_refused(line: str, role: str) -> list[str] | None:
    try:
        return command_of(line, ROLES[role])
    except NotAllowed:
        return None


@pytest.mark.parametrize("name", sorted({verb for role in ROLES.values() for verb in role}))
def test_each_verb_and_option_is_one_of_the_command_line(name: str) -> None:
    command: click.Command | None = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    takes_value = {option: not parameter.is_flag for parameter in options for option in parameter.opts}
    verb = next(role[name] for role in ROLES.values() if name in role)
    wanted = {**dict.fromkeys(verb.flags, False), **dict.fromkeys(verb.values or (), True)}
    if verb.text not in (None, "TEXT"):
        wanted[verb.text] = True
    assert {option: takes_value.get(option) for option in wanted} == wanted
    paths = [o for o in options if isinstance(o.type, click.Path | click.File) and set(o.opts) & set(wanted)]
    assert paths == [], "nothing that names a file"
