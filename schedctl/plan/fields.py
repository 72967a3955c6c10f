"""Strict access to one JSON object: ValueError names the place of whatever is not as it should be."""

from __future__ import annotations

from typing import TypeVar, cast

Word = TypeVar("Word", bound=str)


class Fields:
    """One JSON object being read. `finish` refuses keys that nobody asked for."""

    def __init__(self, place: str, value: object) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{place}: an object is needed")  # noqa: TRY004 - malformed data, not a wrong call
        self.place = place
        self.values = cast("dict[str, object]", value)
        self.asked: set[str] = set()

    def finish(self) -> None:
        """Refuse what was not asked for: a newer version wrote it, and leaving it out could change the meaning."""
        unknown = sorted(set(self.values) - self.asked)
        if unknown:
            raise ValueError(f"{self.place}: unknown {', '.join(unknown)}")

    def string(self, key: str, default: str | None = None) -> str:
        """A string without NUL."""
        value = self._value(key, default)
        if not isinstance(value, str) or "\0" in value:
            raise self._wrong(key, "a string")
        return value

    def optional_string(self, key: str) -> str | None:
        """A string, or None where it is absent."""
        return self.string(key) if self._has(key) else None

    def integer(self, key: str, default: int | None = None) -> int:
        """A whole number, 0 or more."""
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key, "a whole number")
        return value

    def optional_integer(self, key: str) -> int | None:
        """A whole number, or None where it is absent."""
        return self.integer(key) if self._has(key) else None

    def optional_number(self, key: str) -> float | None:
        """A number, or None where it is absent."""
        if not self._has(key):
            return None
        value = self._value(key, None)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(key, "a number")
        return value

    def boolean(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def choice(self, key: str, options: tuple[Word, ...]) -> Word:
        """One of `options`."""
        value = self._value(key, None)
        for option in options:
            if value == option:
                return option
        raise self._wrong(key, f"one of {', '.join(options)}")

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of strings without NUL; absent is empty."""
        return tuple(self._text(key, item) for item in self._list(key))

    def integers(self, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
        """A list of whole numbers."""
        if not self._has(key):
            return default
        numbers = tuple(item for item in self._list(key) if isinstance(item, int) and not isinstance(item, bool))
        if len(numbers) != len(self._list(key)):
            raise self._wrong(key, "a list of whole numbers")
        return numbers

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A list of pairs of strings; absent is empty."""
        pairs: list[tuple[str, str]] = []
        for item in self._list(key):
            pair = cast("list[object]", item) if isinstance(item, list) else []
            if len(pair) != 2:
                raise self._wrong(key, "a list of pairs")
            pairs.append((self._text(key, pair[0]), self._text(key, pair[1])))
        return tuple(pairs)

    def object(self, key: str) -> Fields:
        """The object at `key`."""
        return Fields(f"{self.place}.{key}", self._value(key, None))

    def optional_object(self, key: str) -> Fields | None:
        """The object at `key`, or None where it is absent."""
        return self.object(key) if self._has(key) else None

    def objects(self, key: str) -> tuple[Fields, ...]:
        """The objects of a list."""
        return tuple(Fields(f"{self.place}.{key}[{place}]", item) for place, item in enumerate(self._list(key)))

    def _has(self, key: str) -> bool:
        self.asked.add(key)
        return key in self.values

    def _value(self, key: str, default: object) -> object:
        return self.values[key] if self._has(key) else default

    def _list(self, key: str) -> list[object]:
        value = self._value(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return cast("list[object]", value)

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or "\0" in value:
            raise self._wrong(key, "a string without NUL")
        return value

    def _wrong(self, key: str, wanted: str) -> ValueError:
        return ValueError(f"{self.place}.{key}: {wanted} is needed")
