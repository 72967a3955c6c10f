"""Mistakes in the catalog files: collected while reading goes on, so that all are told at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from schedctl.errors import Refused
from schedctl.language import Text


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: the file and the key where it stands, what is wrong, and how to repair it."""

    file: str
    key: str
    message: Text
    fix: Text

    def sentence(self) -> Text:
        """Place and mistake in one line."""
        place = f"{self.file} [{self.key}]" if self.key else self.file
        return Text(f"{place}: {self.message.ja}", f"{place}: {self.message.en}")


class CatalogInvalid(Refused):
    """The catalog cannot be used (`catalog_invalid`); `problems` holds every mistake that was found, at least one."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        said = first.sentence()
        others = len(problems) - 1
        super().__init__(
            "catalog_invalid",
            Text(
                f"カタログに誤りがあります。{said.ja}" + (f"（ほか{others}件）" if others else ""),
                f"The catalog has a mistake. {said.en}" + (f" (and {others} more)" if others else ""),
            ),
            Text(
                f"{first.fix.ja}（すべて: schedctl catalog check）",
                f"{first.fix.en} (all of them: schedctl catalog check)",
            )
            if others
            else first.fix,
        )
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Place:
    """A file and the dotted path of a key in it."""

    file: str
    key: str = ""

    def under(self, name: str) -> Place:
        """The place of `name` inside this one."""
        return Place(self.file, f"{self.key}.{name}" if self.key else name)


@dataclass(frozen=True, slots=True)
class Problems:
    """The mistakes found so far."""

    found: list[Problem] = field(default_factory=list[Problem])

    def add(self, place: Place, message: Text, fix: Text) -> None:
        """Note one mistake."""
        self.found.append(Problem(place.file, place.key, message, fix))
