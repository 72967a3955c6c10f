"""Typed access to one TOML table: every getter notes what is wrong and goes on with something harmless."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.problems import Place, Problems

Word = TypeVar("Word", bound=str)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a catalog file, with its place and the mistakes found so far."""

    place: Place
    values: dict[str, object]
    problems: Problems

    def note(self, key: str, message: Text, fix: Text) -> None:
        """Note a mistake at `key` of this table."""
        self.problems.add(self.place.under(key), message, fix)

    def expect(self, key: str, kind: Text, example: str) -> None:
        """Note that the value at `key` is not of the kind that belongs there."""
        self.note(
            key,
            Text(f"「{key}」は{kind.ja}で書きます", f"“{key}” must be {kind.en}"),
            Text(f"例: {example}", f"For example: {example}"),
        )

    def require(self, key: str, why: Text, example: str) -> None:
        """Note that `key` is missing, unless it is there."""
        if key not in self.values:
            self.note(
                key,
                Text(f"「{key}」がありません（{why.ja}）", f"“{key}” is missing ({why.en})"),
                Text(f"書き足してください。例: {example}", f"Add it, for example: {example}"),
            )

    def string(self, key: str, default: str = "", *, lines: bool = False) -> str:
        """A string without control characters; line breaks only where `lines` allows them."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            self.expect(key, Text("文字列", "a string"), f'{key} = "…"')
            return default
        return value if self.clean(key, value, lines=lines) else default

    def optional_string(self, key: str, *, lines: bool = False) -> str | None:
        """A string, or None where the key is absent."""
        return self.string(key, lines=lines) if key in self.values else None

    def clean(self, key: str, value: str, *, lines: bool = False) -> bool:
        """Whether `value` has no control characters; notes them where it has."""
        bad = sorted({char for char in value if not char.isprintable() and not (lines and char in "\n\t")})
        if bad:
            names = ", ".join(f"U+{ord(char):04X}" for char in bad)
            self.note(
                key,
                Text(f"使えない文字（{names}）があります", f"It has characters that cannot be used ({names})"),
                Text("その文字を消してください", "Remove them"),
            )
        return not bad

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of non-empty strings; a single string is a mistake, not a list of letters."""
        value = self.values.get(key, [])
        items = cast("list[object]", value) if isinstance(value, list) else None
        if items is None or not all(isinstance(item, str) and item for item in items):
            self.expect(key, Text("空でない文字列のリスト", "a list of non-empty strings"), f'{key} = ["…", "…"]')
            return ()
        words = tuple(str(item) for item in items)
        return tuple(word for word in words if self.clean(key, word))

    def integer(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        value = self.values.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            span = Text(f"{low} から {high} までの整数", f"a whole number from {low} to {high}")
            self.expect(key, span, f"{key} = {default}")
            return default
        return value

    def integers(self, key: str, default: tuple[int, ...], low: int, high: int) -> tuple[int, ...]:
        """A non-empty list of whole numbers from `low` to `high`, sorted."""
        value = self.values.get(key)
        if value is None:
            return default
        items = cast("list[object]", value) if isinstance(value, list) else []
        numbers = [item for item in items if isinstance(item, int) and not isinstance(item, bool)]
        if not items or len(numbers) != len(items) or not all(low <= number <= high for number in numbers):
            span = Text(f"{low} から {high} までの整数のリスト", f"a list of whole numbers from {low} to {high}")
            self.expect(key, span, f"{key} = {list(default)}")
            return default
        return tuple(sorted(set(numbers)))

    def boolean(self, key: str) -> bool:
        """`true` or `false`; absent is false."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            self.expect(key, Text(" true か false ", "true or false"), f"{key} = true")
            return False
        return value

    def choice(self, key: str, options: tuple[Word, ...], default: Word) -> Word:
        """One of `options`."""
        value = self.values.get(key, default)
        for option in options:
            if value == option:
                return option
        self.refuse_word(key, value, options)
        return default

    def choices(self, key: str, options: tuple[Word, ...], default: tuple[Word, ...]) -> tuple[Word, ...]:
        """A list of `options`, in their order."""
        if key not in self.values:
            return default
        words = self.strings(key)
        for word in words:
            if word not in options:
                self.refuse_word(key, word, options)
        return tuple(option for option in options if option in words)

    def refuse_word(self, key: str, value: object, options: tuple[str, ...]) -> None:
        """Note that `value` is none of `options`, with the nearest as the fix."""
        self.note(
            key,
            Text(f"「{value}」は使えません", f"“{value}” is not known here"),
            Text(f"使えるのは {'、'.join(options)} です", f"Use one of: {', '.join(options)}")
            if len(options) <= 8
            else nearest(str(value), options),
        )

    def text(self, key: str, default: Text) -> Text:
        """A label: `{ ja = "…", en = "…" }`, or one string for both languages."""
        value = self.values.get(key, default)
        if isinstance(value, Text):
            return value
        if isinstance(value, str) and value.strip():
            return Text(value, value) if self.clean(key, value) else default
        if not isinstance(value, dict):
            self.expect(key, Text(" ja と en ", "ja and en"), f'{key} = {{ ja = "更新", en = "update" }}')
            return default
        table = self.inner(key, ("ja", "en"))
        for lang in ("ja", "en"):
            table.require(lang, Text("両方の言語が要ります", "both languages are needed"), f'{lang} = "…"')
        return Text(table.string("ja") or default.ja, table.string("en") or default.en)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A table of strings as pairs, sorted by name."""
        table = self.inner(key, None)
        return tuple((name, table.string(name)) for name in sorted(table.values))

    def inner(self, key: str, keys: tuple[str, ...] | None) -> Table:
        """The table at `key` (an empty one where it is absent); `keys` are the ones that it may have (None: any)."""
        return table_of(self.place.under(key), self.values.get(key, {}), keys, self.problems)

    def inner_tables(self, key: str, keys: tuple[str, ...]) -> tuple[tuple[str, Table], ...]:
        """The named tables at `key`, sorted by name (a database does not keep the order of keys)."""
        outer = self.inner(key, None)
        return tuple((name, outer.inner(name, keys)) for name in sorted(outer.values))

    def list_of_tables(self, key: str, keys: tuple[str, ...]) -> tuple[Table, ...]:
        """The tables of `[[key]]`, in their order."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            self.expect(key, Text("表の並び", "a list of tables"), f"[[{key}]]")
            return ()
        items = cast("list[object]", value)
        return tuple(
            table_of(self.place.under(f"{key}[{number}]"), item, keys, self.problems)
            for number, item in enumerate(items, start=1)
        )


def table_of(place: Place, value: object, keys: tuple[str, ...] | None, problems: Problems) -> Table:
    """`value` as a table; notes it where it is none, and every key that is not among `keys`."""
    if not isinstance(value, dict):
        problems.add(
            place,
            Text("ここには表（[…] か { … }）が要ります", "A table ([…] or { … }) is needed here"),
            Text("docs/catalog.md の例を見てください", "See the examples in docs/catalog.md"),
        )
        return Table(place, {}, problems)
    values = cast("dict[str, object]", value)
    for key in sorted(values):
        if keys is not None and key not in keys:
            problems.add(
                place.under(key),
                Text(f"「{key}」というキーはありません", f"There is no key “{key}” here"),
                nearest(key, keys),
            )
    return Table(place, values, problems)


def nearest(word: str, options: tuple[str, ...]) -> Text:
    """A fix that names the option most like `word`, or else all of them."""
    close = difflib.get_close_matches(word, options, n=1, cutoff=0.6)
    if close:
        return Text(f"「{close[0]}」のことですか", f"Did you mean “{close[0]}”?")
    if not options:
        return Text("まだ一つもありません", "There are none yet")
    return Text(f"使えるのは {'、'.join(options)} です", f"Known here: {', '.join(options)}")
