"""`schedctl page`: a status page as one HTML file, for a web server to give out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from schedctl.cli.json_view import instant
from schedctl.cli.options import common, file_name, told
from schedctl.language import Text
from schedctl.report.kept import kept_in
from schedctl.usecases.page import see
from schedctl.usecases.site import open_site
from schedctl.usecases.whole_file import read_whole, write_whole

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.report.page_model import Page

LONGEST_TITLE: Final = 80


def _is_a_title(_context: click.Context, _parameter: click.Parameter, title: str | None) -> str | None:
    if title is None or (title.strip() and len(title) <= LONGEST_TITLE and title.isprintable()):
        return title
    raise click.BadParameter(
        told(
            f"タイトルは 1 から {LONGEST_TITLE} 文字で、制御文字は使えません",
            f"a title has 1 to {LONGEST_TITLE} letters and no control characters",
        )
    )


@click.command(
    "page",
    help=told(
        "いまの状態を、1つの HTML ファイルに書く（nginx などで見せるため）。人の手が要ること、点火、最後の tick、"
        "実行中のもの、これからの7日、この7日の実行、エージェントが載る。コマンドとその出力は載らない。"
        "前のファイルは、新しいものが書き終わるまで残る",
        "Write how things are now into one HTML file, for nginx or the like to give out: what needs a person, armed or "
        "not, the last tick, what is running, the next seven days, the runs of the last seven, the agents. Commands "
        "and their output are not in it. The old file stays until the new one is whole",
    ),
    epilog=told(
        "例:\n  schedctl page --out /srv/www/schedctl/index.html --title 本番",
        "Example:\n  schedctl page --out /srv/www/schedctl/index.html --title production",
    ),
)
@click.option(
    "--out",
    "named",
    required=True,
    metavar="FILE",
    type=file_name,
    help=told("書くファイル（フォルダーは先に作っておく）", "The file to write; its folder must exist"),
)
@click.option(
    "--title", metavar="TEXT", callback=_is_a_title, help=told("ページのタイトル", "What the page is headed with")
)
@common
def page_command(session: Session, named: str, title: str | None) -> None:
    """Look, and write the page."""
    file = Path(named)
    earlier = read_whole(file)
    kept = kept_in(earlier, session.lang) if earlier is not None else None
    with open_site(session.settings, unattended=True) as site:
        page = see(site, title, session.redactor, kept)
    from schedctl.report.html import render_page  # a page that could not be gathered does without Jinja2

    document = render_page(page, session.lang)
    write_whole(file, document)
    if session.as_json:
        session.document(_document(page, file, len(document.encode())))
    else:
        session.out(session.say(_said(page, file)))


def _said(page: Page, file: Path) -> Text:
    count = len(page.needs)
    if not count:
        return Text(f"{file} を書きました", f"{file} written")
    return Text(
        f"{file} を書きました（人の手が要ること {count} 件）",
        f"{file} written; {count} thing{'s' if count > 1 else ''} in it need{'' if count > 1 else 's'} a person",
    )


def _document(page: Page, file: Path, size: int) -> dict[str, object]:
    zone = page.period.zone
    return {
        "page": {
            "file": str(file),
            "written_at": instant(page.written_at, zone),
            "runs_as_of": instant(page.runs.as_of, zone),
            "needs": len(page.needs),
            "bytes": size,
        }
    }
