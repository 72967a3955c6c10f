"""What a page consists of: its elements and the names of their attributes, whatever its texts say."""

from __future__ import annotations

from html.parser import HTMLParser


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(f"{tag} {sorted(name for name, _ in attrs if name != 'lang')}")


def structure_of(document: str) -> list[str]:
    """Its start tags in order, each with its attributes' names. `lang` follows what a text is written in: left out."""
    parser = _Tags()
    parser.feed(document)
    parser.close()
    return parser.seen
