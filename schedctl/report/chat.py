"""A report as a message: what chats, phones and mails can take, the first lines first, no longer than they allow.

Plain text with dashes: no emphasis and no links, so that it reads alike wherever it comes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.controls import harmless
from schedctl.language import Text
from schedctl.report.outline import next_step, outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.language import Lang
    from schedctl.report.model import Report
    from schedctl.report.outline import Section, SectionName

MOST_BYTES: Final = 3600
"""Of UTF-8. ntfy takes 4,096 for a message; Slack and mail take more (https://docs.ntfy.sh/publish/#limitations)."""
MOST_LETTERS: Final = 240
"""Of one line."""
LINES: Final[dict[SectionName, int]] = {
    "needs": 12,
    "runs": 12,
    "agents": 8,
    "healed": 5,
    "costs": 5,
    "changes": 6,
    "ahead": 8,
}
"""So many lines of each section, in the order in which they are given up when it is too long: the last first."""


def chat_text(report: Report) -> Text:
    """The message in both languages; a quiet day is one line."""
    return Text(_text(report, "ja"), _text(report, "en"))


def _text(report: Report, lang: Lang) -> str:
    if report.quiet:
        return _one_line(report.first_lines[0].say(lang))
    parts = [] if report.needs else [_one_line(report.first_lines[0].say(lang))]
    parts += ["\n".join(_section(section, lang)) for section in outline(report)]
    last = f"→ {next_step(report)}"
    while len(parts) > 1 and _size([*parts, last]) > MOST_BYTES:
        parts.pop()
    text = "\n\n".join(parts)
    room = MOST_BYTES - len(f"\n…\n\n{last}".encode())
    if len(text.encode()) > room:
        text = text.encode()[:room].decode("utf-8", "ignore") + "\n…"
    return f"{text}\n\n{last}"


def _section(section: Section, lang: Lang) -> Iterator[str]:
    yield _one_line(section.heading.say(lang)) + ":"
    most, lines = LINES[section.name], section.lines
    if section.name == "ahead":
        lines = tuple(line for line in lines if line.level == 0)
    shown = lines if len(lines) <= most else lines[: most - 1]
    for line in shown:
        yield "  " * line.level + "- " + _one_line(line.text.say(lang))
    if len(shown) < len(lines):
        more = len(lines) - len(shown)
        yield Text(f"- ほかに {more} 行", f"- {more} more lines").say(lang)


def _one_line(text: str) -> str:
    line = " ".join(harmless(text).split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1] + "…"


def _size(parts: list[str]) -> int:
    return len("\n\n".join(parts).encode())
