"""Prints every secret in every spelling, in pieces that end anywhere, and looks at every process meanwhile."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).parent


def say(secret: str) -> None:
    raw = secret.encode()
    spellings = (
        *(secret, quote(secret), quote(secret, safe=""), json.dumps({"a": secret}), repr(secret)),
        *(base64.b64encode(raw).decode(), base64.b64encode(b"user:" + raw).decode()),
    )
    for out in (sys.stdout, sys.stderr):
        for said in spellings:
            for start in range(0, len(said), 7):
                out.write(said[start : start + 7])
                out.flush()
            out.write("\n")


def processes() -> dict[str, list[str]]:
    """Command line and environment of each process that can be seen."""
    seen: dict[str, list[str]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            seen[process.name] = [(process / name).read_bytes().decode("latin-1") for name in ("cmdline", "environ")]
        except OSError:
            continue
    return seen


def main() -> None:
    for secret in json.loads((HERE / "secrets.json").read_text()):
        say(secret)
    (HERE / sys.argv[1]).write_text(json.dumps(processes()))
    sys.exit(int(sys.argv[2]))


if __name__ == "__main__":
    main()
