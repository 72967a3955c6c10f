"""The command line: one group, commands imported when called, and the one place that maps errors to exit codes."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import sys
import threading
import traceback
import zoneinfo
from typing import Final

import click

from schedctl.cli import usage
from schedctl.cli.command_words import SAID
from schedctl.cli.groups import COMPLETION, CommandGroup
from schedctl.cli.options import HELP_LANGUAGE, asked_language, told
from schedctl.cli.session import Session, not_written, write_no_more
from schedctl.errors import OperationFailed, Refused, SchedctlError
from schedctl.language import Text
from schedctl.redact import Redactor, secrets_of
from schedctl.secrets import known_secrets
from schedctl.settings import usable

COMMANDS: Final = {
    "register": "registration",
    "explain": "explaining",
    "list": "schedules",
    "show": "schedules",
    "upcoming": "upcoming",
    "status": "status",
    "report": "reporting",
    "approve": "schedules",
    "pause": "schedules",
    "resume": "schedules",
    "archive": "schedules",
    "arm": "installation",
    "disarm": "installation",
    "tick": "ticking",
    "work": "working",
    "deliver": "delivering",
    "notify": "delivering",
    "test-run": "trying",
    "rerun": "trying",
    "cancel": "runs",
    "node": "nodes",
    "runs": "runs",
    "logs": "runs",
    "beat": "watching",
    "watch": "watching",
    "doctor": "doctoring",
    "page": "page",
    "catalog": "catalog",
    "grant": "granting",
    "gate": "gating",
    "demo": "demo",
    "completion": "completing",
    "install-units": "units",
    "uninstall-units": "units",
}
INTERRUPTED: Final = 130
OVER_WHAT_THE_TERMINAL_SHOWS: Final = "\r  \r"
INTERRUPTION: Final = Text("中断しました", "Interrupted")


class LazyGroup(CommandGroup):
    """Finds its commands by name, so that one command does not pay for the imports of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The commands in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module = importlib.import_module(f"schedctl.cli.{COMMANDS[cmd_name]}")
            self.add_command(getattr(module, cmd_name.replace("-", "_") + "_command"))
        return super().get_command(ctx, cmd_name)

    def brief(self, ctx: click.Context, name: str) -> str:
        """The first sentence of its help, without importing it."""
        known = SAID.get(name)
        return known.say(HELP_LANGUAGE) if known is not None else super().brief(ctx, name)


@click.group(
    cls=LazyGroup,
    help=told(
        "保守作業を日本語で予約する。何をいつ実行するかを先に示し、1回だけ実行し、必ず記録する。",
        "Schedule maintenance in plain words: shown before it runs, fired once, always recorded.",
    ),
    epilog=told(
        '例:\nschedctl register "毎週日曜午前3時にこのマシンのディスク使用量を確認して"',
        'Example:\nschedctl register "every Sunday at 3am check the disk usage on this machine"',
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(
    package_name="schedctl", message="schedctl %(version)s", help=told("版を表示する", "Show the version and exit.")
)
def cli() -> None:
    """Hold the commands together."""


def run() -> None:
    """The program: call a command, and turn whatever it raises into one message and an exit code."""
    # Every host has to use the same rules of every zone: those of the tzdata package, not of its operating system.
    zoneinfo.reset_tzpath(())
    threading.excepthook = tell_of_thread
    if len(sys.argv) > 1:
        os.environ.pop(COMPLETION, None)  # a shell that completes calls the program alone
    # A sentence is UTF-8 also where the locale (C) and the interpreter (PYTHONUTF8=0) know nothing but ASCII.
    words = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]]
    sys.exit(_complete() if COMPLETION in os.environ else call(words))


def _complete() -> int:
    """Answer a shell that completes; whatever goes wrong, it gets nothing, and the prompt stays as it is."""
    try:
        cli.main([], prog_name="schedctl", complete_var=COMPLETION)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - Ctrl-C too
        return 1
    return 0


def call(arguments: list[str]) -> int:
    """Run one command line; its exit code."""
    Session.current = None
    try:
        # Without its standalone mode, click returns the code of an Exit, and None from a command that ended well.
        return cli.main(arguments, prog_name="schedctl", standalone_mode=False) or 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(arguments)
    except click.ClickException as error:
        if help_text := usage.help_of_bare_group(error):
            _session_of(arguments).err(help_text)
            return Refused.exit_code
        return _report(usage.refusal(error, arguments), arguments)
    except SchedctlError as error:
        return _report(error, arguments)
    except OSError as error:
        return _report(_of_help(error), arguments)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback reaches a log
        return _report(_internal(error), arguments)


def _of_help(error: OSError) -> SchedctlError:
    """Help and the version are printed by click: a full disk behind stdout is known by its number."""
    if error.errno != errno.ENOSPC:
        return _internal(error)
    write_no_more(sys.stdout)
    return not_written(error)


def _interrupted(arguments: list[str]) -> int:
    """Say in one sentence what Ctrl-C has done, in the place of the ^C that the terminal shows."""
    session = _session_of(arguments)
    if sys.stderr.isatty():
        sys.stderr.write(OVER_WHAT_THE_TERMINAL_SHOWS)
    _report(OperationFailed("interrupted", session.interrupted or INTERRUPTION), arguments)
    return INTERRUPTED


def _report(error: SchedctlError, arguments: list[str]) -> int:
    """Print an error: one sentence, its type and its hint; or JSON on stdout."""
    session = _session_of(arguments)
    message, hint = session.say(error.message), session.say(error.hint) if error.hint else None
    if not (session.as_json and _documented(session, error.type, message, hint)):
        session.alert(_fitted(f"schedctl: {message} [{error.type}]", "  "))
        if hint:
            session.err(_fitted(f"  → {hint}", "    "))
    if os.environ.get("SCHEDCTL_DEBUG") == "1":
        session.err("".join(traceback.format_exception(error.__context__ or error)))
    return error.exit_code


def _documented(session: Session, type: str, message: str, hint: str | None) -> bool:
    """Whether the error could be said on stdout; where that is what failed, stderr has to do."""
    if type == "output_not_written":
        return False
    try:
        session.document({"error": {"type": type, "message": message, "hint": hint}})
    except OperationFailed:
        return False
    return True


def _fitted(text: str, margin: str) -> str:
    """Wrapped for a terminal; as it is where stderr is none, so that a log has one line a fact."""
    if not sys.stderr.isatty():
        return text
    from schedctl.cli.wrapping import hung  # only a person's view needs rich

    return hung(text, shutil.get_terminal_size().columns, margin)


def _session_of(arguments: list[str]) -> Session:
    """The session in which the command failed, or the best guess where it failed before it had one."""
    if Session.current is not None:
        return Session.current
    session = Session.start(usable(os.environ), asked_language(arguments, os.environ), "--json" in arguments)
    session.redactor = Redactor.of((*secrets_of(os.environ, session.settings.dsn), *known_secrets(os.environ)))
    return session


def tell_of_thread(broken: threading.ExceptHookArgs) -> None:
    """A thread that broke says so as a command does: Python would print its traceback with every value in it."""
    if not isinstance(broken.exc_value, Exception):
        return
    error = _internal(broken.exc_value)
    session = _session_of(sys.argv)
    session.alert(f"schedctl: {session.say(error.message)} [{error.type}]")
    if os.environ.get("SCHEDCTL_DEBUG") == "1":
        session.err("".join(traceback.format_exception(error.__context__)))


def _internal(error: Exception) -> SchedctlError:
    kind = type(error).__name__
    wrapped = SchedctlError(
        "internal_error",
        Text(
            f"schedctl の内部で予期しないエラーが起きました（{kind}）",
            f"Something unexpected went wrong inside schedctl ({kind})",
        ),
        Text("SCHEDCTL_DEBUG=1 を付けて実行すると、詳しい記録が出ます", "Run it with SCHEDCTL_DEBUG=1 for the details"),
    )
    wrapped.__context__ = error
    return wrapped
