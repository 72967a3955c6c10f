"""What the recognisers of Japanese share: the tokens in front of them, the pieces behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from schedctl.when.japanese.tokens import Token
from schedctl.when.model import Offset, Shift
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import ShortMonths

if TYPE_CHECKING:
    from schedctl.when.calendar import Calendars
    from schedctl.when.reading.parts import Part

END: Final = Token("", "", 0, -1, -1, None)
LIST_GLUE: Final = frozenset(
    (
        "と",
        "、",
        "・",
        ",",
        "や",
        "及び",
        "および",
        "並びに",
        "そして",
        "さらに",
        "&",
        "+",
        "/",
        "も",
        "も、",
        "に、",
        ";",
    )
)
"""What may stand between two members of a list."""
CLOSE_GLUE: Final = frozenset(("", "の"))
"""What may stand between two words of one expression."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that is no part but binds those around it: から, まで, を除く, のみ."""

    kind: str


class Match(NamedTuple):
    """What a recogniser read: the token after it, the parts, and where its letters end if not with its last token."""

    next: int
    parts: tuple[Part | Mark, ...]
    end: int | None = None


class Piece(NamedTuple):
    """A part or mark with its place and the glue before it (None: real text)."""

    part: Part | Mark
    start: int
    end: int
    glue: str | None


@dataclass(slots=True)
class Scan:
    """A sentence on its way from tokens to pieces."""

    text: str
    tokens: list[Token]
    calendars: Calendars
    phrases: dict[str, str] = field(default_factory=dict[str, str])
    """Words of this sentence alone: the names of calendars, each with what it stands for."""
    pieces: list[Piece] = field(default_factory=list[Piece])
    unread: list[int] = field(default_factory=list[int])
    """Tokens that no recogniser read although they could be time."""

    def token(self, index: int) -> Token:
        """The token at `index`; past the last one a token of no kind."""
        return self.tokens[index] if index < len(self.tokens) else END

    def kind(self, index: int, *, after: frozenset[str] = CLOSE_GLUE) -> str:
        """The kind of the token at `index` if only such glue stands before it, else the empty string."""
        token = self.token(index)
        return token.kind if token.glue in after else ""

    def joined(self, index: int) -> bool:
        """Whether the token at `index` continues a list."""
        return self.token(index).glue in LIST_GLUE

    def letters(self, first: int, last: int) -> str:
        """The normalised text of tokens `first` to `last` - 1."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def follows(self, index: int, *kinds: type) -> bool:
        """Whether the token at `index` stands right after a piece, of one of `kinds` where any are given."""
        if not self.pieces or self.pieces[-1].end > self.token(index).start:
            return False
        glue = self.token(index).glue
        touches = glue is not None and self._is_last_token(index)
        return touches and (not kinds or isinstance(self.pieces[-1].part, kinds))

    def _is_last_token(self, index: int) -> bool:
        return index > 0 and self.tokens[index - 1].end == self.pieces[-1].end

    def follows_anchor(self, index: int) -> bool:
        """Whether the token at `index` can count from the days just before it: `月末|の3日前`."""
        if self.token(index).glue not in CLOSE_GLUE:
            return False
        return self.follows(index, *ANCHORS) or (self.follows(index, Mark) and self._last_mark() in BINDING)

    def _last_mark(self) -> str:
        part = self.pieces[-1].part
        return part.kind if isinstance(part, Mark) else ""


ANCHORS: Final = (*CORES, Shift, Offset, ShortMonths)
BINDING: Final = frozenset(("except", "only", "origin"))
"""Marks that close what is said about the days before them."""
