"""One command's session: its settings, the language it speaks, and the one way out for everything that is printed."""

from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from schedctl.cli import journal
from schedctl.controls import harmless
from schedctl.errors import OperationFailed
from schedctl.language import Lang, Text, language_of
from schedctl.redact import Redactor, secrets_of
from schedctl.secrets import known_secrets
from schedctl.settings import Settings, from_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedctl.cli.terminal import StatusLine
    from schedctl.settings import Admitted

NO_FIELDS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass
class Session:
    """Who is spoken to, and how. All output of every command passes `out`, `document` or `err`, and so the redactor."""

    settings: Settings
    redactor: Redactor
    as_json: bool
    chosen_lang: Lang | None
    lang: Lang
    status: StatusLine | None = None
    """The line that stands on stderr for a while; whatever is printed goes in its place."""
    interrupted: Text | None = None
    """What Ctrl-C means just now; None: nothing but itself."""
    current: ClassVar[Session | None] = None
    """The session of the command that runs, for the place that reports errors."""
    admitted: ClassVar[Admitted | None] = None
    """For whom this process speaks: only the gate sets it."""

    @classmethod
    def start(cls, environ: Mapping[str, str], lang: Lang | None, as_json: bool) -> Session:
        """A session by the command's options and the environment; `Refused` for a setting that cannot be used."""
        settings = replace(from_environment(environ), admitted=cls.admitted)
        redactor = Redactor.of((*secrets_of(environ, settings.dsn), *known_secrets(environ)))
        chosen = lang or settings.lang
        cls.current = cls(settings, redactor, as_json, chosen, chosen or settings.locale_lang)
        return cls.current

    def listen_to(self, sentence: str) -> None:
        """Answer in the language of the operator's own sentence, unless a language was chosen, or it has no letter."""
        if self.chosen_lang is None and any(map(str.isalpha, sentence)):
            self.lang = language_of(sentence)

    def say(self, text: Text) -> str:
        """A sentence in the session's language."""
        return text.say(self.lang)

    def out(self, text: str) -> None:
        """Print text for a person."""
        self._clear()
        _write(sys.stdout, self.redactor.text(text) + "\n")

    def err(self, text: str) -> None:
        """Print a message beside the answer."""
        self._clear()
        _write(sys.stderr, harmless(self.redactor.text(text)) + "\n")

    def alert(self, text: str, fields: Mapping[str, str] = NO_FIELDS) -> None:
        """Print one line that somebody should see; where stderr is the journal, at error priority, with the fields."""
        if not journal.leads_there(sys.stderr):
            self.err(text)
        elif not self._noted(text, journal.ERROR, fields):
            self.err(f"<{journal.ERROR}>{text}")

    def happened(self, text: str, fields: Mapping[str, str] = NO_FIELDS) -> bool:
        """Where stderr is the journal, say in one line what happened, as a notice with its fields; elsewhere False."""
        if not journal.leads_there(sys.stderr):
            return False
        if not self._noted(text, journal.NOTICE, fields):
            self.err(f"<{journal.NOTICE}>{text}")
        return True

    def document(self, document: Mapping[str, Any]) -> None:
        """Print one JSON object on one line."""
        _write(sys.stdout, self.redactor.text(json.dumps(document, ensure_ascii=False)) + "\n")

    def _noted(self, text: str, priority: int, fields: Mapping[str, str]) -> bool:
        masked = {name: harmless(self.redactor.text(value)) for name, value in fields.items()}
        return journal.write(harmless(self.redactor.text(text)), priority, masked)

    def _clear(self) -> None:
        if self.status is not None:
            self.status.erase()


def _write(stream: Any, text: str) -> None:
    """Write UTF-8 whatever the locale is; a reader that went away is no error of ours, a full disk behind stdout is."""
    try:
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(text)
        else:
            buffer.write(text.encode("utf-8", "replace"))
            buffer.flush()
    except OSError as error:
        write_no_more(stream)
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise not_written(error) from None


def write_no_more(stream: Any) -> None:
    """Let the stream lead nowhere: Python would complain once more when it closes it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def not_written(error: OSError) -> OperationFailed:
    """Why an answer did not get out (`output_not_written`)."""
    code = errno.errorcode.get(error.errno or 0, "OSError")
    return OperationFailed(
        "output_not_written",
        Text(
            f"結果を書き出せませんでした（{code}）。コマンドがそこまでに行ったことは、そのまま残っています",
            f"The answer could not be written ({code}); what the command did before that stands",
        ),
        Text("標準出力の行き先の空き容量を確かめてください", "Check the free space where standard output goes"),
    )
