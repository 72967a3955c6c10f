"""The report as one file: no script, no request, light and dark, from a phone to a wide screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.report.figures import WORST_FIRST
from schedctl.report.html_environment import environment
from schedctl.report.kept import Kept, marked
from schedctl.report.page_model import Runs
from schedctl.when.saying.moments import day_said

if TYPE_CHECKING:
    from schedctl.language import Lang
    from schedctl.report.figures import RunState
    from schedctl.report.model import Report
    from schedctl.report.page_model import Page

RUNS_HERE: Final = "<!--runs-->"
"""Where a page's template wants the runs; no text can look like it, since all of them are escaped."""


def render(report: Report, lang: Lang) -> str:
    """A report as an HTML document that needs nothing beside it."""
    made = environment(lang, report.period.zone)
    return made.get_template("report.html").render(report=report, headline=headline(report))


def render_page(page: Page, lang: Lang) -> str:
    """The status page as an HTML document that needs nothing beside it."""
    made, runs = environment(lang, page.period.zone), page.runs
    if isinstance(runs, Runs):
        html = made.get_template("runs.html").render(runs=runs, period=page.period, states=_states(runs))
        runs = Kept(runs.key, runs.as_of, html)
    return made.get_template("page.html").render(page=page).replace(RUNS_HERE, marked(runs, lang), 1)


def _states(runs: Runs) -> list[RunState]:
    """Those of which the drawings show any, the worst first."""
    shown = {count.state for one in runs.schedules for count in one.counts}
    return [state for state in WORST_FIRST if state in shown]


def headline(report: Report) -> Text:
    """`2026/11/29（日）の日報`; of a week, its first and last day."""
    first, last = report.period.first, report.period.last
    if report.period.kind == "day":
        return Text(
            f"{day_said(last, 'ja', with_year=True)}の日報", f"Daily report, {day_said(last, 'en', with_year=True)}"
        )
    return Text(
        f"{day_said(first, 'ja', with_year=True)}から{day_said(last, 'ja')}の週報",
        f"Weekly report, {day_said(first, 'en')} to {day_said(last, 'en', with_year=True)}",
    )
