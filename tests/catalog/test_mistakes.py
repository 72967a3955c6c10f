"""Every mistake that the catalog check knows: where it is said to be, and in which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from folders import action, request, write

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import find_problems, parse
from schedctl.catalog.problems import CatalogInvalid

if TYPE_CHECKING:
    from pathlib import Path

UNIT = 'pattern = "^[a-z]+$"'
ARGV = '["systemctl", "restart", "{unit}"]'


def unit(lines: str) -> str:
    """An action with the parameter `unit`."""
    return action(argv=ARGV, parameters=f"{{ unit = {{ {lines} }} }}")


NODES = [
    ("", "nodes", "no node"),
    ("[nodes.a]\n", "nodes.a.transport", "missing"),
    ('[nodes.a]\ntransport = "telnet"\n', "nodes.a.transport", "telnet"),
    ('[nodes.a]\ntransport = "local"\nadress = "x"\n', "nodes.a.adress", "no key"),
    ('[nodes.a]\ntransport = "local"\naddress = "x"\n', "nodes.a.address", "local node has no"),
    ('[nodes.a]\ntransport = "local"\nuser = "x"\n', "nodes.a.user", "local node has no"),
    ('[nodes.a]\ntransport = "local"\nport = 22\n', "nodes.a.port", "local node has no"),
    ('[nodes.a]\ntransport = "ssh"\naddress = "-oProxyCommand=id"\n', "nodes.a.address", "host name"),
    ('[nodes.a]\ntransport = "ssh"\naddress = "root@a"\n', "nodes.a.address", "host name"),
    ('[nodes.a]\ntransport = "ssh"\nuser = "-l root"\n', "nodes.a.user", "login name"),
    ('[nodes.a]\ntransport = "ssh"\nport = 0\n', "nodes.a.port", "1 to 65535"),
    ('[nodes.a]\ntransport = "ssh"\nport = "22"\n', "nodes.a.port", "1 to 65535"),
    ('[nodes.a]\ntransport = "ssh"\nport = true\n', "nodes.a.port", "1 to 65535"),
    ('[nodes.a]\ntransport = "http"\n', "nodes.a.address", "missing"),
    ('[nodes.a]\ntransport = "http"\naddress = "https://me:pw@a.example"\n', "nodes.a.address", "without user"),
    ('[nodes.a]\ntransport = "ssh"\ngroups = ["gpv"]\n[groups.gpu]\n', "nodes.a.groups", "gpv"),
    ('[nodes.a]\ntransport = "ssh"\ngroups = "gpu"\n[groups.gpu]\n', "nodes.a.groups", "list of"),
    ('[nodes.a]\ntransport = "ssh"\naliases = [1]\n', "nodes.a.aliases", "list of"),
    ('[nodes.a]\ntransport = "ssh"\naliases = [""]\n', "nodes.a.aliases", "non-empty"),
    ('[nodes.a]\ntransport = "ssh"\naliases = ["b\\u0000c"]\n', "nodes.a.aliases", "U+0000"),
    ('[nodes.a]\ntransport = "ssh"\nlabel = { ja = "あ" }\n', "nodes.a.label.en", "both languages"),
    ('[nodes.a]\ntransport = "ssh"\nlabel = { ja = "あ", en = "a", fr = "a" }\n', "nodes.a.label.fr", "no key"),
    ('[nodes.a]\ntransport = "ssh"\nlabel = 3\n', "nodes.a.label", "ja and en"),
    ('[nodes.Mars]\ntransport = "ssh"\n', "nodes.Mars", "small letters"),
    ('[nodes."a b"]\ntransport = "ssh"\n', "nodes.a b", "small letters"),
    ('[nodes.a]\ntransport = "ssh"\n[nodes.b]\ntransport = "ssh"\naliases = ["A"]\n', "nodes.b.aliases", "told apart"),
    ('[nodes.a]\ntransport = "ssh"\n[groups.b]\naliases = ["a"]\n', "groups.b.aliases", "told apart"),
    ('[nodes.a]\ntransport = "ssh"\naliases = ["、"]\n', "nodes.a.aliases", "cannot be used as a word"),
    ('[nodes.a]\ntransport = "ssh"\naliases = ["a{unit}"]\n', "nodes.a.aliases", "cannot be used as a word"),
    ('[nodes.a]\ntransport = "ssh"\n[groups.all]\n', "groups.all", "every node"),
    ('[nodes]\na = "ssh"\n', "nodes.a", "table"),
    ('[node.a]\ntransport = "ssh"\n', "node", "no key"),
]

ACTIONS = [
    (action(label=""), "x.y.label", "missing"),
    (action(risk=""), "x.y.risk", "missing"),
    (action(timeout=""), "x.y.timeout", "missing"),
    (action(argv=""), "x.y.argv", "Either argv or request"),
    (action(risk='"safe"'), "x.y.risk", "safe"),
    (action(timeout='"5 minutes"'), "x.y.timeout", "a time from"),
    (action(timeout="0"), "x.y.timeout", "a time from"),
    (action(timeout="true"), "x.y.timeout", "a time from"),
    (action(timeout='"999h"'), "x.y.timeout", "a time from"),
    (action(argv='"df -h"'), "x.y.argv", "list of"),
    (action(argv="[]"), "x.y.argv", "not empty"),
    (action(argv='["df", 1]'), "x.y.argv", "list of"),
    (action(argv='["df", ""]'), "x.y.argv", "non-empty"),
    (action(argv='["a\\nb"]'), "x.y.argv", "U+000A"),
    (action(argv='["sh", "-c", "id"]'), "x.y.argv", "No shell"),
    (action(argv='["/bin/bash", "x"]'), "x.y.argv", "No shell"),
    (action(argv='["sudo", "id"]'), "x.y.argv", 'as = "root"'),
    (action(argv='["-x"]'), "x.y.argv", "always the same"),
    (action(as_='"admin"'), "x.y.as", "admin"),
    (action(as_="true"), "x.y.as", "True"),
    (action(final='"yes"'), "x.y.final", "true or false"),
    (action(retries="2"), "x.y.retries", "not declared repeatable"),
    (action(retries="-1"), "x.y.retries", "0 to 10"),
    (action(success_exit_codes="[256]"), "x.y.success_exit_codes", "0 to 255"),
    (action(success_exit_codes="0"), "x.y.success_exit_codes", "list of whole numbers"),
    (action(success_exit_codes="[]"), "x.y.success_exit_codes", "list of whole numbers"),
    (action(environment='{ "A-B" = "x" }'), "x.y.environment.A-B", "no name of a variable"),
    (action(environment="{ A = 1 }"), "x.y.environment.A", "a string"),
    (action(environment='"A=1"'), "x.y.environment", "table"),
    (action(stdin="1"), "x.y.stdin", "a string"),
    (action(stdn='"x"'), "x.y.stdn", "no key"),
    (action(groups='["gpv"]'), "x.y.groups", "gpv"),
    (action(prerequisites='["x.z"]'), "x.y.prerequisites", "x.z"),
    (action(conflicts='["x.z"]'), "x.y.conflicts", "x.z"),
    (action(conflicts='["x.y"]'), "x.y.conflicts", "cannot conflict"),
    (action(prerequisites='["x.y"]'), "x.y.prerequisites", "circle"),
    (action(aliases='["mars"]'), "x.y.aliases", "the node “mars”"),
    (action(aliases='["火星"]'), "x.y.aliases", "the node “mars”"),
    (action(aliases='["GPUのノード"]'), "x.y.aliases", "the group “gpu”"),
    (action(aliases='["{unit}を再起動"]'), "x.y.aliases", "cannot be used as a word"),
    (action(argv=ARGV), "x.y.argv", "{unit} has no parameter"),
    (action(parameters=f"{{ unit = {{ {UNIT} }} }}"), "x.y.parameters.unit", "stands nowhere"),
    (action(argv='["{unit}"]', parameters=f"{{ unit = {{ {UNIT} }} }}"), "x.y.argv", "always the same"),
    (action(argv='["a", "{Unit}"]', parameters=f"{{ Unit = {{ {UNIT} }} }}"), "x.y.parameters.Unit", "small letters"),
    (unit(""), "x.y.parameters.unit.values", "Either values or pattern"),
    (unit('values = ["a"], ' + UNIT), "x.y.parameters.unit.values", "not both"),
    (unit('values = ["-H"]'), "x.y.parameters.unit.values", "option"),
    (unit('values = ["a\\n"]'), "x.y.parameters.unit.values", "U+000A"),
    (unit('values = ["mars"]'), "x.y.parameters.unit", "the node “mars”"),
    (unit('values = ["a"], default = "b"'), "x.y.parameters.unit.default", "not a value"),
    (unit('values = ["a"], aliases = { "エー" = "b" }'), "x.y.parameters.unit.aliases.エー", "not a value"),
    (unit(UNIT + ', default = "A"'), "x.y.parameters.unit.default", "not a value"),
    (unit(UNIT + ", colour = 1"), "x.y.parameters.unit.colour", "no key"),
    (unit('pattern = "[a-z]+"'), "x.y.parameters.unit.pattern", "does not start with ^"),
    (unit('pattern = "^[a-z-]+$"'), "x.y.parameters.unit.pattern", "leading dash"),
    (unit('pattern = "^[a-z ]+$"'), "x.y.parameters.unit.pattern", "space"),
    (unit('pattern = "^[a-z]*$"'), "x.y.parameters.unit.pattern", "empty value"),
    (unit('pattern = "^.+$"'), "x.y.parameters.unit.pattern", "cannot be told"),
    (unit('pattern = "^[^/]+$"'), "x.y.parameters.unit.pattern", "leaves open"),
    (unit('pattern = "^(a$"'), "x.y.parameters.unit.pattern", "cannot be used"),
]

REQUESTS = [
    (request(method=""), "x.y.request.method", "missing"),
    (request(url=""), "x.y.request.url", "missing"),
    (request(method='"PATCH"'), "x.y.request.method", "PATCH"),
    (request(url='"ftp://a"'), "x.y.request.url", "http(s) URL"),
    (request(url='"//evil.example/x"'), "x.y.request.url", "http(s) URL"),
    (request(url='"https://me:pw@a.example"'), "x.y.request.url", "http(s) URL"),
    (request(url='"/a?token=${secret:t}"'), "x.y.request.url", "Only headers"),
    (request(body='"${secret:t}"'), "x.y.request.body", "Only headers"),
    (request(headers='{ Authorization = "Bearer abc" }'), "x.y.request.headers.Authorization", "A secret stands"),
    (request(headers='{ X-Api-Key = "abc" }'), "x.y.request.headers.X-Api-Key", "A secret stands"),
    (request(headers='{ Authorization = "${TOKEN}" }'), "x.y.request.headers.Authorization", "${secret:NAME}"),
    (request(headers='{ X = "${secret:a b}" }'), "x.y.request.headers.X", "${secret:NAME}"),
    (request(headers='{ "a b" = "x" }'), "x.y.request.headers.a b", "no header name"),
    (request(headers='{ X = "a\\r\\nb" }'), "x.y.request.headers.X", "U+000D"),
    (request(external_id='"$.id"'), "x.y.request.external_id", "dotted path"),
    (request(tokens_used='"a..b"'), "x.y.request.tokens_used", "dotted path"),
    (request(success_statuses="[99]"), "x.y.request.success_statuses", "100 to 599"),
    (request(follow_redirects="1"), "x.y.request.follow_redirects", "true or false"),
    (request(query='"x"'), "x.y.request.query", "no key"),
    (request(url='"/v1/{name}"'), "x.y.request", "{name} has no parameter"),
    (request() + '\nas = "root"', "x.y.as", "means nothing"),
    (request() + '\nstdin = "x"', "x.y.stdin", "means nothing"),
    (request() + '\nargv = ["true"]', "x.y.argv", "not both"),
    (
        request()
        + '\nprerequisites = ["z"]\n'
        + action().replace("x.y", "z").replace("試し", "他").replace("trial", "other"),
        "x.y.prerequisites",
        "same node",
    ),
]

FROM = "start = 2026-12-28T00:00:00+09:00"
TO = "end = 2027-01-04T09:00:00+09:00"


def freeze(*lines: str) -> str:
    """A freeze of these lines, with a reason."""
    return "\n".join(["[[freezes]]", "reason = 'x'", *lines])


OTHERS = [
    ("policy", 'approval = ["everything"]', "approval", "everything"),
    ("policy", "auto_pause_after = 0", "auto_pause_after", "1 to 1000"),
    ("policy", "retention_days = 1.5", "retention_days", "whole number"),
    ("policy", "output_limit_bytes = 1", "output_limit_bytes", "1024"),
    ("policy", "second_persons = true", "second_persons", "no key"),
    ("policy", "freezes = 1", "freezes", "list of tables"),
    ("policy", freeze("start = 2026-12-28T00:00:00", TO), "freezes[1].start", "no offset"),
    ("policy", freeze("start = 2026-12-28", "end = 2027-01-04"), "freezes[1].start", "no offset"),
    ("policy", freeze("start = 'soon'", TO), "freezes[1].start", "date and time"),
    ("policy", freeze(TO), "freezes[1].start", "date and time"),
    ("policy", f"[[freezes]]\n{FROM}\n{TO}", "freezes[1].reason", "missing"),
    ("policy", freeze(FROM.replace("start", "end"), TO.replace("end", "start")), "freezes[1].end", "not after"),
    ("policy", freeze("timezone = 'Asia/Tokio'", FROM, TO), "freezes[1].timezone", "Asia/Tokio"),
    ("policy", freeze("risks = ['fun']", FROM, TO), "freezes[1].risks", "fun"),
    ("policy", "report = { at = '8:00' }", "report.at", "time of day or off"),
    ("policy", "report = { at = '24:00' }", "report.at", "time of day or off"),
    ("policy", "report = { at = 8 }", "report.at", "string"),
    ("policy", "report = { timezone = 'Asia/Tokio' }", "report.timezone", "Asia/Tokio"),
    ("policy", "report = { hour = 8 }", "report.hour", "no key"),
    ("calendar", 'country = "Japan"', "country", "Japan"),
    ("calendar", 'country = "QQ"', "country", "QQ"),
    ("calendar", 'closed = ["2026-02-30"]', "closed", "2026-02-30"),
    ("calendar", 'closed_yearly = ["02-30"]', "closed_yearly", "02-30"),
    ("calendar", 'closed_yearly = ["1/2"]', "closed_yearly", "1/2"),
    ("calendar", "closed = [2026-12-29]\nopen = [2026-12-29]", "open", "2026-12-29"),
    ("calendar", "[calendars.factory]\nclosd = []", "calendars.factory.closd", "no key"),
    ("extra.toml", "a = 1", "", "no file of this name"),
    ("actions/more.toml", '["ping"]\n', "ping", "same name"),
    ("actions/more.toml", '[disk.usage]\nlabel = "x"\n', "disk", "quotes"),
    ("actions/more.toml", "ping2 = 1\n", "ping2", "table"),
]


def problems(folder: Path, file: str) -> list[tuple[str, str]]:
    found = find_problems(read_folder(folder))
    for problem in found:
        assert problem.message.ja
        assert problem.fix.ja
        assert problem.fix.en
    return [(problem.key, problem.message.en) for problem in found if problem.file == file]


def check(folder: Path, file: str, key: str, words: str) -> None:
    found = problems(folder, file)
    assert any(at == key and words in message for at, message in found), found


@pytest.mark.parametrize(("text", "key", "words"), NODES, ids=[f"{row[1]} {row[2]}" for row in NODES])
def test_a_mistake_in_the_nodes(tmp_path: Path, text: str, key: str, words: str) -> None:
    check(write(tmp_path, nodes=text), "nodes.toml", key, words)


@pytest.mark.parametrize(
    ("text", "key", "words"), ACTIONS + REQUESTS, ids=[f"{row[1]} {row[2]}" for row in ACTIONS + REQUESTS]
)
def test_a_mistake_in_an_action(tmp_path: Path, text: str, key: str, words: str) -> None:
    check(write(tmp_path, **{"actions/x.toml": text}), "actions/x.toml", key, words)


@pytest.mark.parametrize(
    ("file", "text", "key", "words"), OTHERS, ids=[f"{row[0]} {row[2]} {row[3]}" for row in OTHERS]
)
def test_a_mistake_elsewhere(tmp_path: Path, file: str, text: str, key: str, words: str) -> None:
    name = {"policy": "policy.toml", "calendar": "calendar.toml"}.get(file, file)
    check(write(tmp_path, **{file: text}), name, key, words)


def test_the_good_folder_has_none(tmp_path: Path) -> None:
    assert find_problems(read_folder(write(tmp_path))) == ()


@pytest.mark.parametrize("text", [action(), unit(UNIT), unit('values = ["a", "b"], default = "a"'), request()])
def test_the_good_action_of_each_kind_has_none(tmp_path: Path, text: str) -> None:
    assert problems(write(tmp_path, **{"actions/x.toml": text}), "actions/x.toml") == []


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    folder = write(tmp_path, nodes="[nodes.a]\nport = 0\n", policy="approval = 1", calendar='country = "x"')
    with pytest.raises(CatalogInvalid) as invalid:
        parse(read_folder(folder))
    found = invalid.value.problems
    assert {problem.file for problem in found} == {"nodes.toml", "policy.toml", "calendar.toml"}
    assert found == find_problems(read_folder(folder))
    assert f"（ほか{len(found) - 1}件）" in invalid.value.message.ja
    assert invalid.value.type == "catalog_invalid"
    assert invalid.value.exit_code == 2


def test_a_circle_of_prerequisites_is_told_once_with_its_way(tmp_path: Path) -> None:
    names = ["x.a", "x.b", "x.c"]
    texts = [
        action(prerequisites=f'["{after}"]', label=f'"{name}"').replace("x.y", name)
        for name, after in zip(names, names[1:] + names[:1], strict=True)
    ]
    folder = write(tmp_path, **{"actions/x.toml": "\n".join(texts)})
    circles = [message for _, message in problems(folder, "actions/x.toml") if "circle" in message]
    assert circles == ["The prerequisites go round in a circle (x.a → x.b → x.c → x.a)"]


def test_a_prerequisite_that_needs_a_choice_or_ends_everything_is_a_mistake(tmp_path: Path) -> None:
    needs = unit(UNIT).replace("x.y", "x.first").replace("試し", "一").replace("trial", "first")
    ends = action(final="true").replace("x.y", "x.last").replace("試し", "末").replace("trial", "last")
    text = "\n".join([action(prerequisites='["x.first", "x.last"]'), needs, ends])
    found = dict.fromkeys(
        message for _, message in problems(write(tmp_path, **{"actions/x.toml": text}), "actions/x.toml")
    )
    assert any("Nobody chooses" in message for message in found)
    assert any("Nothing may follow" in message for message in found)
