"""Which values a parameter's pattern admits: decided from its structure, not from samples.

Only a small part of regular expressions is understood (literals, `[…]`, `(…|…)`, `\\d`, `\\w`, `?`, `*`, `+`, `{m,n}`);
whatever is not understood is refused. For what is left, the characters that a value can have, and the ones that it can
start with, are known exactly; and no pattern can take exponential time.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import Final

from schedctl.language import Text

DIGITS: Final = frozenset(string.digits)
CLASSES: Final = {"d": DIGITS, "w": frozenset(string.ascii_letters + string.digits + "_")}
SPECIAL: Final = frozenset("^$.*+?{}[]()|\\")
WIDEST_RANGE: Final = 0x6000
MOST_REPEATS: Final = 255
COUNT: Final = re.compile(r"\{(\d{1,3})(?:(,)(\d{1,3})?)?\}")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a part of a pattern matches: the characters in it, the ones that it starts with, whether it can be empty."""

    chars: frozenset[str]
    first: frozenset[str]
    empty: bool
    head: frozenset[str] | None = None
    """The one character class that it always starts with, if that is how it starts."""
    rest: frozenset[str] = frozenset()
    """The characters that stand after the head."""
    loose: int = 0
    """How many of its parts leave open how much they take (two and more: the same text may match in many ways)."""


NOTHING: Final = Shape(frozenset(), frozenset(), empty=True)


class NotUnderstood(ValueError):
    """The pattern uses something whose values cannot be told; `text` says what."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


def inner(pattern: str) -> str | None:
    """What stands between the anchors `^` and `$`; None where the pattern is not anchored at both ends."""
    anchored = len(pattern) >= 2 and pattern[0] == "^" and pattern[-1] == "$"
    escaped = (len(pattern) - len(pattern[:-1].rstrip("\\"))) % 2 == 0
    return pattern[1:-1] if anchored and not escaped else None


def admits(pattern: str, value: str) -> bool:
    """Whether the whole of `value` matches `pattern` (a line break at the end is part of the value)."""
    return re.fullmatch(inner(pattern) or r"(?!)", value, re.ASCII) is not None


def shape_of(pattern: str) -> Shape:
    """The shape of an anchored pattern; `NotUnderstood` where it cannot be told."""
    body = inner(pattern)
    if body is None:
        raise NotUnderstood(Text("^ で始まり $ で終わっていません", "it does not start with ^ and end with $"))
    scanner = _Scanner(body)
    shape = scanner.alternatives()
    if scanner.position < len(body):
        raise NotUnderstood(Text("括弧の対応が合っていません", "its parentheses do not match"))
    return shape


def dangers(shape: Shape) -> tuple[Text, ...]:
    """What values of this shape could do that no value may."""
    found: list[Text] = []
    if "-" in shape.first:
        found.append(Text("「-」で始まる値（オプションと取られる）を許します", "it admits a leading dash (an option)"))
    if shape.empty:
        found.append(Text("空の値を許します", "it admits the empty value"))
    hidden = sorted(char for char in shape.chars if not char.isprintable() or char.isspace())
    if hidden:
        names = ", ".join(f"U+{ord(char):04X}" for char in hidden[:5])
        found.append(
            Text(f"空白や改行や NUL などの文字（{names}）を許します", f"it admits space, newline or NUL ({names})")
        )
    return tuple(found)


class _Scanner:
    """Walks over the text of a pattern once."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.position = 0

    def peek(self) -> str:
        return self.body[self.position : self.position + 1]

    def take(self) -> str:
        char = self.peek()
        self.position += 1
        if not char:
            raise NotUnderstood(Text("途中で終わっています", "it ends too early"))
        return char

    def alternatives(self) -> Shape:
        shapes = [self.sequence()]
        while self.peek() == "|":
            self.take()
            shapes.append(self.sequence())
        if len(shapes) == 1:
            return shapes[0]
        return Shape(
            chars=frozenset[str]().union(*(shape.chars for shape in shapes)),
            first=frozenset[str]().union(*(shape.first for shape in shapes)),
            empty=any(shape.empty for shape in shapes),
            loose=2,
        )

    def sequence(self) -> Shape:
        shape = NOTHING
        while self.peek() not in ("", "|", ")"):
            shape = _joined(shape, self.repeated(self.atom()))
        return shape

    def atom(self) -> Shape:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            return _one_of(self.char_class())
        if char == "\\":
            return _one_of(self.escaped())
        if char in SPECIAL:
            raise NotUnderstood(Text(f"「{char}」が何に当たるか決まりません", f"what “{char}” matches cannot be told"))
        return _one_of(frozenset(char))

    def group(self) -> Shape:
        if self.body.startswith("?:", self.position):
            self.position += 2
        elif self.peek() == "?":
            raise NotUnderstood(Text("(?:…) 以外の (?…) は使えません", "of (?…) only (?:…) can be used"))
        shape = self.alternatives()
        if self.take() != ")":
            raise NotUnderstood(Text("括弧の対応が合っていません", "its parentheses do not match"))
        return shape

    def escaped(self) -> frozenset[str]:
        char = self.take()
        if char in CLASSES:
            return CLASSES[char]
        if char.isalnum():
            raise NotUnderstood(Text(f"「\\{char}」は使えません", f"“\\{char}” cannot be used"))
        return frozenset(char)

    def char_class(self) -> frozenset[str]:
        if self.peek() == "^":
            raise NotUnderstood(Text("[^…] は許す文字が決まりません", "[^…] leaves open which characters it admits"))
        chars: frozenset[str] = frozenset()
        while True:
            start = self.take()
            if start == "]" and chars:
                return chars
            low = self.escaped() if start == "\\" else frozenset(start)
            if self.peek() == "-" and self.body[self.position + 1 : self.position + 2] not in ("]", ""):
                self.take()
                chars |= self.span(low)
            else:
                chars |= low

    def span(self, low: frozenset[str]) -> frozenset[str]:
        end = self.take()
        high = self.escaped() if end == "\\" else frozenset(end)
        if len(low) != 1 or len(high) != 1:
            raise NotUnderstood(Text("文字の範囲の両端は1文字です", "a range of characters goes from one to another"))
        first, last = ord(next(iter(low))), ord(next(iter(high)))
        if not first <= last <= first + WIDEST_RANGE:
            raise NotUnderstood(Text("文字の範囲が逆か、広すぎます", "a range of characters is reversed or too wide"))
        return frozenset(map(chr, range(first, last + 1)))

    def repeated(self, shape: Shape) -> Shape:
        least, most = self.quantifier()
        if (least, most) == (1, 1):
            return shape
        if most != 1 and (shape.head is None or shape.head & shape.rest or shape.loose > 1):
            raise NotUnderstood(
                Text(
                    "繰り返す括弧は、後に出てこない1文字で始まる必要があります（例: (?:\\.[a-z0-9]+)*）",
                    "a repeated group must start with a character that its rest cannot have, like (?:\\.[a-z0-9]+)*",
                )
            )
        loose = shape.loose * 2 + (least != most)
        return Shape(shape.chars, shape.first, shape.empty or least == 0, rest=shape.chars, loose=loose)

    def quantifier(self) -> tuple[int, int | None]:
        counted = COUNT.match(self.body, self.position)
        if self.peek() in ("*", "+", "?"):
            found = {"*": (0, None), "+": (1, None), "?": (0, 1)}[self.take()]
        elif counted:
            self.position = counted.end()
            least = int(counted[1])
            found = (least, int(counted[3]) if counted[3] else None if counted[2] else least)
        else:
            return 1, 1
        if self.peek() and self.peek() in "*+?{":
            raise NotUnderstood(Text("繰り返しの記号が続いています", "one repetition follows another"))
        if found[1] == 0 or max(found[0], found[1] or 0) > MOST_REPEATS:
            raise NotUnderstood(Text(f"繰り返しは 1 から {MOST_REPEATS} 回です", f"repeat 1 to {MOST_REPEATS} times"))
        return found


def _one_of(chars: frozenset[str]) -> Shape:
    return Shape(chars, chars, empty=False, head=chars)


def _joined(left: Shape, right: Shape) -> Shape:
    if left is NOTHING:
        return right
    return Shape(
        chars=left.chars | right.chars,
        first=left.first | right.first if left.empty else left.first,
        empty=left.empty and right.empty,
        head=left.head,
        rest=left.rest | right.chars,
        loose=left.loose + right.loose,
    )
