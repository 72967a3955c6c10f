"""The report and the database roles: who writes it, who reads it, and who says when."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from installations import CATALOG
from logins import SAY, make_due

if TYPE_CHECKING:
    from pathlib import Path

    from logins import Logins


def test_a_ticker_writes_the_report_and_a_viewer_reads_it(roles: Logins) -> None:
    roles.owner("UPDATE schedctl.reporting SET hour = '00:00', due_at = now() - interval '1 minute'")
    roles.owner("UPDATE schedctl.installation SET tidied_at = now() - interval '2 hours'")
    assert roles.as_("ticker", "tick", "--json").json["warnings"] == []
    assert len(roles.owner("SELECT day FROM schedctl.report")) == 1
    assert roles.owner("SELECT due_at > now() FROM schedctl.reporting") == [(True,)]
    assert roles.as_("viewer", "report", "--week").code == 0
    for statement in ("DELETE FROM schedctl.report", "UPDATE schedctl.reporting SET hour = NULL"):
        roles.refused("viewer", statement)
        roles.refused("operator", statement)


def test_a_ticker_whose_rights_are_of_an_older_schema_fires_all_the_same(roles: Logins) -> None:
    """After an upgrade, before roles.sql was applied again: only the report is refused, and the tick says so."""
    roles.owner("REVOKE SELECT ON schedctl.reporting FROM schedctl_ticker")
    assert roles.run("arm").code == 0
    assert roles.run("register", SAY, "--yes").code == 0
    make_due(roles)
    ticked = roles.as_("ticker", "tick", "--json", "--lang", "en").json
    assert (ticked["fired"], ticked["warnings"]) == (1, ["This database role is not allowed to do that"])


def test_an_approver_adopts_another_hour(roles: Logins, tmp_path: Path) -> None:
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    (folder / "policy.toml").write_text('report = { at = "07:30", timezone = "Europe/Berlin" }\n')
    adopted = roles.run(
        "catalog", "adopt", env={"SCHEDCTL_DSN": roles.dsn_of("approver"), "SCHEDCTL_CATALOG": str(folder)}
    )
    assert adopted.code == 0, adopted.err
    rows = roles.owner("SELECT hour::text, timezone, due_at > now() FROM schedctl.reporting")
    assert rows == [("07:30:00", "Europe/Berlin", True)]
