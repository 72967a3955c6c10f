"""A new user, with nothing but Python: README from top to bottom, in a fresh folder, by the real clock."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
NOT_HIS: Final = (
    "--exclude=./.git",
    "--exclude=./.venv",
    "--exclude=__pycache__",
    "--exclude=./.*_cache",
    "--exclude=./dist",
)
PATIENCE_S: Final = 600


def run(command: str, home: Path) -> str:
    """What a shell of his says; it has to end well."""
    environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    ran = subprocess.run(
        ["bash", "-euc", command], cwd=home / "schedctl", env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.long
@pytest.mark.parametrize("readme", ["README.md", "README.en.md"])
def test_the_readme_from_top_to_bottom(readme: str, tmp_path: Path) -> None:
    """All but the second line, which is the suite, and what needs root (tests/test_doc_pages.py says where it runs)."""
    (tmp_path / "schedctl").mkdir()
    copy = f"tar -C {ROOT} {' '.join(NOT_HIS)} -cf - . | tar -xf -"
    run(copy, tmp_path)
    first, by_hand, *_ = re.findall(r"^```sh\n(.*?)^```$", (ROOT / readme).read_text(encoding="utf-8"), re.M | re.S)
    shown = run(first.splitlines()[0], tmp_path)
    assert "schedctl register" in shown
    said = run(by_hand, tmp_path)
    assert "Mounted on" in said
    assert "succeeded" in said
    completed = run('. .venv/bin/activate; eval "$(schedctl completion bash)"; complete -p schedctl', tmp_path)
    assert "schedctl" in completed
    assert "rc=0" in run(". .venv/bin/activate; schedctl doctor; echo rc=$?", tmp_path)
    deadline = time.monotonic() + 60
    while subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, check=False).returncode == 0:
        assert time.monotonic() < deadline, "the embedded PostgreSQL goes with the last command"
        time.sleep(0.2)
