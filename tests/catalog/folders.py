"""Catalog folders for tests: a small good one, and the same with one file replaced."""

from __future__ import annotations

from pathlib import Path

SHIPPED = Path(__file__).parents[2] / "catalog"

GOOD = {
    "nodes.toml": """
[nodes.mars]
transport = "ssh"
address = "mars.example"
groups = ["gpu"]
aliases = ["火星"]

[nodes.agent]
transport = "http"
address = "https://agent.example"

[groups.gpu]
label = { ja = "GPUノード", en = "GPU nodes" }
""",
    "actions/host.toml": """
["ping"]
label = { ja = "到達確認", en = "reachability" }
risk = "reads"
timeout = "10s"
argv = ["true"]

["apt.update"]
label = { ja = "パッケージ一覧の更新", en = "refresh the package lists" }
risk = "changes"
timeout = 300
argv = ["apt-get", "update"]
as = "root"
environment = { LC_ALL = "C.UTF-8" }
repeatable = true
retries = 2

["apt.upgrade"]
label = { ja = "パッケージの更新", en = "upgrade the packages" }
risk = "changes"
timeout = "1h"
argv = ["apt-get", "upgrade"]
prerequisites = ["apt.update"]
""",
    "policy.toml": """
approval = ["changes", "disrupts"]

[[freezes]]
start = 2026-12-28T00:00:00+09:00
end = 2027-01-04T09:00:00+09:00
reason = "年末年始"
""",
    "calendar.toml": """
closed = [2026-12-29]
closed_yearly = ["12-31"]
""",
}


def write(folder: Path, **changes: str) -> Path:
    """A folder with the good files; `nodes`, `actions`, `policy`, `calendar` or another file's name replaces one."""
    names = {
        "nodes": "nodes.toml",
        "actions": "actions/host.toml",
        "policy": "policy.toml",
        "calendar": "calendar.toml",
    }
    files = {**GOOD, **{names.get(name, name): text for name, text in changes.items()}}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def action(**lines: str) -> str:
    """One action `x.y` as TOML, with these keys replaced (an empty value leaves the key out)."""
    keys = {
        "label": '{ ja = "試し", en = "trial" }',
        "risk": '"reads"',
        "timeout": '"10s"',
        "argv": '["true"]',
        **{name.removesuffix("_"): value for name, value in lines.items()},
    }
    return '["x.y"]\n' + "\n".join(f"{key} = {value}" for key, value in keys.items() if value)


def request(**lines: str) -> str:
    """One action `x.y` that is an HTTP request, with these keys of the request replaced or added."""
    keys = {"method": '"POST"', "url": '"/v1/run"', **lines}
    inner = ", ".join(f"{key} = {value}" for key, value in keys.items() if value)
    return action(argv="", request=f"{{ {inner} }}")
