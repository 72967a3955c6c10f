"""A report as Markdown (CommonMark): every text that somebody else wrote stays text. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.controls import harmless
from schedctl.language import Text
from schedctl.report.glyphs import LEGEND, RUN_LEGEND
from schedctl.report.outline import next_step, outline
from schedctl.report.sentences import period_said, so_far_said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.language import Lang
    from schedctl.report.model import Report
    from schedctl.report.outline import Line, Section

SPECIAL: Final = re.compile(r"([\\`*\[\]<~]|&(?=[#\w])|(?<!\w)_|_(?!\w)|:(?=//|[a-z_]+:)|@(?=\w)|^[#>+=|-])")
"""What means something to CommonMark or to the dialects of chats: emphasis, code, links, HTML, mentions, lists."""
NUMBERED: Final = re.compile(r"^(\d+)([.)])(?=\s|$)")


def markdown(report: Report, lang: Lang) -> str:
    """The report; a quiet day is a heading and one line."""
    return "\n".join(_lines(report, lang)) + "\n"


def title(report: Report) -> Text:
    """`日報 2026/11/30（月）`."""
    said = period_said(report.period)
    if report.period.kind == "day":
        return Text(f"日報 {said.ja}", f"Daily report, {said.en}")
    return Text(f"週報 {said.ja}", f"Weekly report, {said.en}")


def escaped(text: str) -> str:
    """One line of text in which nothing means anything to Markdown."""
    line = " ".join(harmless(text).split())
    return NUMBERED.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", line))


def _lines(report: Report, lang: Lang) -> Iterator[str]:
    yield f"# {escaped(title(report).say(lang))}"
    if not report.complete:
        yield ""
        yield escaped(so_far_said(report).say(lang))
    if not report.needs:
        yield ""
        yield escaped(report.first_lines[0].say(lang))
    if report.quiet:
        return
    for section in outline(report):
        yield from _section(section, lang)
    yield ""
    yield f"`{next_step(report)}`"


def _section(section: Section, lang: Lang) -> Iterator[str]:
    yield ""
    yield f"## {escaped(section.heading.say(lang))}"
    yield ""
    for line in section.lines:
        yield from _line(line, lang)
    legend = {"agents": LEGEND, "runs": RUN_LEGEND}.get(section.name)
    if legend is not None and any(line.letters for line in section.lines):
        yield ""
        yield escaped(legend.say(lang))


def _line(line: Line, lang: Lang) -> Iterator[str]:
    margin = "  " * line.level
    text = escaped(line.text.say(lang))
    yield f"{margin}- **{text}**" if line.tone == "need" else f"{margin}- {text}"
    if line.letters:
        yield f"{margin}  `{line.letters}`"
