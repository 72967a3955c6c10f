"""Patterns: which are refused, and that the accepted ones admit nothing dangerous, whatever is generated from them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.catalog.model import Parameter
from schedctl.catalog.parameters import accepts
from schedctl.catalog.pattern import NotUnderstood, admits, dangers, inner, shape_of
from schedctl.language import Text

SAFE = [
    ("^[a-z]+$", "nginx", "Nginx"),
    ("^[A-Za-z0-9][A-Za-z0-9:_.@-]*$", "getty@tty1.service", "-H"),
    ("^(?:sd[a-z]|nvme[0-9]n[0-9])$", "nvme0n1", "sda1"),
    ("^(sd[a-z]|vda)$", "vda", "vdb"),
    (r"^\d{1,3}$", "42", "1234"),
    (r"^\w+$", "a_b", "a-b"),
    (r"^[a-z]+(?:\.[a-z]+)*$", "a.b.c", "a..b"),
    ("^(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+[.](?:pem|crt)$", "/etc/ssl/a.pem", "/etc/../a.pem"),
    ("^[ぁ-んァ-ヶ一-龠]{1,10}$", "日次", "daily"),
    ("^v[0-9]+(?:-rc[0-9]+)?$", "v1-rc2", "v1-"),
    ("^[a-z]{2}(?:-[A-Z]{2})?$", "ja-JP", "ja_JP"),
    (r"^a\.b$", "a.b", "axb"),
    ("^[]a]$", "]", "b"),
    ("^x[a-]b$", "x-b", "xcb"),
]
UNSAFE = [
    ("[a-z]+", "not anchored at all"),
    ("^[a-z]+", "not anchored at its end"),
    ("[a-z]+$", "not anchored at its start"),
    (r"^[a-z]+\$", "the $ is a literal"),
    ("^-$", "a dash"),
    ("^[a-z-]+$", "a leading dash in a class"),
    ("^[!-~]+$", "a leading dash in a range"),
    ("^a?-b$", "a leading dash after something that may be absent"),
    ("^(?:a|-)b$", "a leading dash in an alternative"),
    ("^(?:a|)$", "the empty value"),
    ("^a*$", "the empty value"),
    ("^$", "the empty value"),
    ("^a b$", "a space"),
    ("^[ -~]x$", "a space in a range"),
    ("^a\nb$", "a newline"),
    (r"^a\nb$", "a newline as an escape"),
    (r"^a\x00$", "an escape that is not understood"),
    ("^a\0$", "NUL"),
    ("^a\u200b$", "an invisible character"),
    ("^a\u202e$", "a character that turns the direction"),
    ("^a\u3000$", "a wide space"),
    ("^.$", "anything"),
    (r"^\S+$", "nearly anything"),
    (r"^\D$", "nearly anything"),
    ("^[^/]+$", "nearly anything"),
    (r"^a\b$", "a boundary"),
    ("^(?=a)a$", "a look-ahead"),
    ("^(?i)a$", "a flag"),
    ("^(?P<x>a)$", "a named group"),
    (r"^(a)\1$", "a back-reference"),
    ("^(a+)+$", "exponential time"),
    ("^(a|a)*b$", "exponential time"),
    ("^(?:a*)*b$", "exponential time"),
    ("^(?:ba*a*)*c$", "exponential time"),
    ("^(?:b(?:a|a))*c$", "exponential time"),
    ("^a{1,999}$", "too many repetitions"),
    ("^a{0}$", "no repetition"),
    ("^a**$", "a repeated repetition"),
    ("^a+?$", "a lazy repetition"),
    ("^[z-a]$", "a reversed range"),
    ("^[a-\\d]$", "a range to a class"),
    ("^(a$", "an open bracket"),
    ("^a)$", "a closing bracket"),
    ("^[a$", "an open class"),
    ("^a\\$", "an open escape"),
    ("^*a$", "a repetition of nothing"),
]


@pytest.mark.parametrize(("pattern", "fits", "does_not"), SAFE, ids=[row[0] for row in SAFE])
def test_a_safe_pattern(pattern: str, fits: str, does_not: str) -> None:
    assert dangers(shape_of(pattern)) == ()
    assert admits(pattern, fits)
    assert not admits(pattern, does_not)


@pytest.mark.parametrize(("pattern", "why"), UNSAFE, ids=[row[0] for row in UNSAFE])
def test_an_unsafe_pattern(pattern: str, why: str) -> None:
    try:
        found = dangers(shape_of(pattern))
    except NotUnderstood:
        return
    assert found, why


def test_anchors_hold_for_every_alternative() -> None:
    assert admits("^a|b$", "a")
    assert admits("^a|b$", "b")
    assert not admits("^a|b$", "ax")
    assert not admits("^a|b$", "xb")


def test_a_line_break_at_the_end_is_part_of_the_value() -> None:
    assert not admits("^[a-z]+$", "nginx\n")


@given(st.data(), st.sampled_from([row[0] for row in SAFE]))
def test_nothing_generated_from_a_safe_pattern_is_dangerous(data: st.DataObject, pattern: str) -> None:
    value = data.draw(st.from_regex(re.compile(inner(pattern) or "", re.ASCII), fullmatch=True))
    assert value
    assert value[0] != "-"
    assert value.isprintable()
    assert not any(char.isspace() for char in value)
    assert set(value) <= shape_of(pattern).chars
    assert value[0] in shape_of(pattern).first


PIECES = st.recursive(
    st.sampled_from(["a", "b", "-", " ", ".", r"\d", r"\w", "[a-z]", "[a-z-]", "[^a]", r"\n", "\\.", "[.-]", "^", "$"]),
    lambda inner_: st.one_of(
        st.lists(inner_, min_size=1, max_size=3).map("".join),
        st.tuples(inner_, inner_).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner_, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
)


@given(PIECES, st.data())
def test_whatever_is_accepted_is_safe(body: str, data: st.DataObject) -> None:
    pattern = f"^{body}$"
    try:
        if dangers(shape_of(pattern)):
            return
    except NotUnderstood:
        return
    value = data.draw(st.from_regex(re.compile(inner(pattern) or "", re.ASCII), fullmatch=True))
    assert value
    assert value[0] != "-"
    assert not any(char.isspace() or not char.isprintable() for char in value)


@given(st.text())
def test_any_text_is_a_shape_or_not_understood(text: str) -> None:
    try:
        shape_of(text)
    except NotUnderstood:
        return
    re.compile(inner(text) or "")


def test_an_accepted_repeated_group_takes_no_exponential_time() -> None:
    pattern = r"^[a-z]+(?:\.[a-z]+)*$"
    assert dangers(shape_of(pattern)) == ()
    start = time.thread_time()
    assert not admits(pattern, "a." * 120 + "!")
    assert time.thread_time() - start < 1


@pytest.mark.parametrize("value", ["", "-a", "a\n", "a\0", "a" * 256, "é\u202e"])
def test_a_value_is_checked_even_where_the_catalog_was_not(value: str) -> None:
    closed = Parameter("p", Text("値", "value"), values=(value,))
    assert not accepts(closed, value)
