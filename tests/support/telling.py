"""An installation that tells people: a policy with channels and routes, adopted."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from installations import CATALOG, settings_for
from psycopg.rows import dict_row

from schedctl.redact import Redactor
from schedctl.secrets import known_secrets
from schedctl.usecases.adoption import adopt
from schedctl.usecases.deliver import Delivery, deliver
from schedctl.usecases.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

KEY: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
WEBHOOK: Final = (
    '[channels.ops]\ntype = "webhook"\nurl = "${secret:ops_url}"\nkey = "${secret:ops_key}"\nlanguage = "en"\n'
)
EVERYTHING: Final = WEBHOOK + '[[routes]]\nchannels = ["ops"]\nseverity = "info"\n'

OUTBOX: Final = """
    SELECT outbox.*, event.type, event.detail, event.run_id, event.schedule_id
      FROM schedctl.outbox JOIN schedctl.event USING (event_id) ORDER BY outbox_id
"""


def write_policy(folder: Path, policy: str, actions: str = "") -> Path:
    """The tests' catalog with another policy (and more actions), in `folder`."""
    shutil.copytree(CATALOG, folder)
    quiet = "" if "report" in policy else 'report = { at = "off" }\n'
    (folder / "policy.toml").write_text(f"auto_pause_after = 3\n{quiet}{policy}", encoding="utf-8")
    (folder / "actions" / "more.toml").write_text(actions, encoding="utf-8")
    return folder


@contextmanager
def telling_site(dsn: str, folder: Path, policy: str = EVERYTHING, actions: str = "") -> Generator[Site]:
    """A site whose adopted policy is this one; what adopting it tells is not in the outbox."""
    settings = settings_for(dsn, catalog=write_policy(folder / "catalog", policy, actions))
    with open_site(settings) as site:
        adopt(site, dry_run=False)
        site.db.execute("DELETE FROM schedctl.outbox")
        yield site


def at(site: Site, now: str) -> Site:
    """The same installation at another instant."""
    return replace(site, settings=replace(site.settings, rehearsal_now=datetime.fromisoformat(now)))


def secrets(url: str) -> dict[str, str]:
    """The environment that holds the webhook's secrets."""
    return {"SCHEDCTL_SECRET_OPS_URL": url, "SCHEDCTL_SECRET_OPS_KEY": KEY}


def send(site: Site, environ: Mapping[str, str]) -> Delivery:
    """Deliver as the command does."""
    return deliver(site, environ, Redactor.of(known_secrets(dict(os.environ) | dict(environ))))


def outbox_of(site: Site) -> list[dict[str, Any]]:
    """Every notice with the type of its event, oldest first."""
    with site.db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(OUTBOX).fetchall()


def told_types(site: Site) -> list[str]:
    """The types of what is told, in the order of the facts."""
    return [row["type"] for row in outbox_of(site)]


def make_due(site: Site) -> None:
    """Let the next attempt of everything that waits be due now."""
    site.db.execute("UPDATE schedctl.outbox SET next_attempt_at = clock_timestamp() WHERE state = 'queued'")
