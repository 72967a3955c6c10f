"""The line that a client's ssh hands over -> the words of a command. Pure: no shell, no file, no environment.

OpenSSH's client joins its arguments with blanks, so quotation marks are gone before the line arrives. A sentence (and a
reason) is therefore the rest of the line, as it stands; options come before it. `--` says that nothing but the text
follows, whatever it begins with: that is how a program passes a sentence that somebody else wrote.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from schedctl.cli.gate_verbs import TEXT, WORD, Verb
from schedctl.errors import NotAllowed
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST_LINE: Final = 4096
LONGEST_SHOWN: Final = 40
BLANKS: Final = " \t\u3000"
FIRST_WORD: Final = re.compile(rf"([^{BLANKS}]+)[{BLANKS}]*")
DASHES: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc\ufe58\ufe63\uff0d"
"""What an editor or an input method puts in the place of `-`."""
AN_OPTION: Final = re.compile(rf"(?:^|[{BLANKS}])[{DASHES}]{{2}}[A-Za-z]")
QUOTES: Final = {'"': '"', "'": "'", "“": "”", "「": "」"}
UNREADABLE: Final = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
STEERING: Final = re.compile(
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\U000e0000-\U000e007f]"
)
PROGRAM: Final = "schedctl"


def command_of(line: str, verbs: Mapping[str, Verb]) -> list[str]:
    """The words of the command that the line says, for `schedctl`; `NotAllowed` (`gate_refused`) for anything else."""
    _check_letters(line)
    name, rest = _verb(line.strip(BLANKS), verbs)
    verb = verbs[name]
    options: list[str] = []
    operands: list[str] = []
    while rest:
        word, after = _first(rest)
        if word == "--" and verb.text == TEXT:
            operands, rest = [_text(after)], ""
        elif word[0] in DASHES:
            option, rest = _option(name, verb, rest)
            options.append(option)
        elif verb.text == TEXT:
            operands, rest = [_text_without_options(rest)], ""
        else:
            operands.append(_operand(name, verb, word, operands))
            rest = after
    return [*name.split(" "), *options, *(["--", *operands] if operands else ())]


def asked_for_help(line: str) -> bool:
    """Whether the caller wants to know what this key may do."""
    return line.strip(BLANKS).removeprefix(PROGRAM).strip(BLANKS) in ("help", "--help", "-h")


def _check_letters(line: str) -> None:
    if len(line) > LONGEST_LINE:
        raise refused(
            Text(
                f"1行が長すぎます（{len(line)} 文字、{LONGEST_LINE} 文字まで）",
                f"The line is too long ({len(line)} characters, {LONGEST_LINE} at most)",
            )
        )
    for letter in line:
        if (unicodedata.category(letter) in UNREADABLE and letter != "\t") or STEERING.match(letter):
            code = "UTF-8" if 0xDC80 <= ord(letter) <= 0xDCFF else f"U+{ord(letter):04X}"
            raise refused(
                Text(
                    f"読めない文字（{code}）を含む行は受け付けません",
                    f"The line holds a letter that is not text ({code})",
                ),
                Text("1行の、ふつうの文字（UTF-8）で書いてください", "Write one line of plain text in UTF-8"),
            )


def _verb(line: str, verbs: Mapping[str, Verb]) -> tuple[str, str]:
    """The name of the verb, and what follows it."""
    name, rest = _first(line)
    if name == PROGRAM:
        name, rest = _first(rest)
    if any(known.startswith(f"{name} ") for known in verbs):
        second, rest = _first(rest)
        name = f"{name} {second}".strip()
    if name in verbs:
        return name, rest
    able = Text(f"使えるもの: {'、'.join(verbs)}", f"It may: {', '.join(verbs)}")
    if not name:
        raise refused(Text("この鍵でシェルは使えません", "This key opens no shell"), able)
    raise refused(
        Text(f"この鍵では「{_shown(name)}」は使えません", f"This key may not “{_shown(name)}”"),
        able,
    )


def _option(name: str, verb: Verb, rest: str) -> tuple[str, str]:
    """One option as `--name=value`, and what follows it."""
    word, after = _first(rest)
    option, equals, value = word.partition("=")
    if verb.flag(option) and not equals:
        return option, after
    if option == verb.text:
        return f"{option}={_text_without_options(rest.removeprefix(option).removeprefix('='))}", ""
    pattern = verb.pattern(option)
    if pattern is None:
        raise refused(
            Text(f"{name} では「{_shown(word)}」は使えません", f"{name} may not have “{_shown(word)}” here"),
            Text(f"使えるもの: {'、'.join(verb.options())}", f"It may have: {', '.join(verb.options())}"),
        )
    if not equals:
        value, after = _first(after)
    if not pattern.fullmatch(value):
        raise refused(
            Text(f"{option} の値「{_shown(value)}」は受け付けません", f"{option}: “{_shown(value)}” is not accepted")
        )
    return f"{option}={value}", after


def _operand(name: str, verb: Verb, word: str, before: Sequence[str]) -> str:
    if verb.operand == "none" or before or not WORD.fullmatch(word):
        raise refused(
            Text(f"{name} の後の「{_shown(word)}」は受け付けません", f"“{_shown(word)}” is not accepted behind {name}")
        )
    return word


def _text_without_options(rest: str) -> str:
    """The rest of the line as a text; an option in it is a mistake, or somebody's attempt."""
    if AN_OPTION.search(rest):
        raise refused(
            Text("文の中にオプションがあります", "There is an option inside the text"),
            Text(
                "オプションは文の前に書いてください。文だけを渡すには -- を前に置きます",
                "Write options before the text; put -- in front of a text that is to be taken as it is",
            ),
        )
    return _text(rest)


def _text(rest: str) -> str:
    """The text without the quotation marks around it, where there are any."""
    text = rest.strip(BLANKS)
    if len(text) > 1 and (closing := QUOTES.get(text[0])) and text.find(closing, 1) == len(text) - 1:
        text = text[1:-1].strip(BLANKS)
    if not text or text == "-":
        raise refused(
            Text("文がありません", "There is no text"),
            Text(
                "文を行の最後に書いてください（標準入力は読みません）",
                "Write it at the end of the line; standard input is not read",
            ),
        )
    return text


def _first(rest: str) -> tuple[str, str]:
    """The first word, and what follows it."""
    found = FIRST_WORD.match(rest)
    return (found[1], rest[found.end() :]) if found else ("", "")


def _shown(word: str) -> str:
    return word if len(word) <= LONGEST_SHOWN else word[:LONGEST_SHOWN] + "…"


def refused(message: Text, hint: Text | None = None) -> NotAllowed:
    """What the gate answers to everything that it does not know."""
    return NotAllowed("gate_refused", message, hint)
