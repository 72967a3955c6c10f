"""Letters that steer instead of being read: made visible before somebody else's text is shown."""

from __future__ import annotations

import re
from typing import Final

CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """The same text with controls made visible: an instruction cannot move a cursor, nor turn the reading direction."""
    return CONTROLS.sub(lambda found: chr(0x2400 + ord(found[0])) if ord(found[0]) < 0x20 else "\ufffd", text)
